//! Reads and stores collections (such as reading lists), their members (pages), and the
//! history of members. A nested collection has the name of its parent as a prefix, such
//! as `root/child`. The accepted version of a member (`reference_id`) is the content of
//! the page that the user has approved.

use relink_ports::{
    CollectionId, CollectionUpdate, MemberEvent, MemberId, StoredCollection, StoredMember,
    VersionId,
};
use rusqlite::{Connection, Row};

use super::error::DbResult;
use super::redaction;
use super::rows::{from_json, millis, timestamp};

/// The time until the second check of a new page: one day.
const FIRST_INTERVAL_MS: i64 = 24 * 60 * 60 * 1000;

/// The value of `member.state` for members whose pages are checked.
const ACTIVE: &str = "active";

/// Returns all collections. Nested collections follow their root.
pub(super) fn collections(db: &Connection) -> DbResult<Vec<StoredCollection>> {
    let mut statement = db.prepare_cached(
        "SELECT id, name, position, title, description, tags, context, source, settings,
                created_at, updated_at
         FROM collection ORDER BY root, position, name",
    )?;
    let rows = statement.query_and_then((), collection_row)?;
    rows.collect()
}

/// Converts a row of the database to a collection.
fn collection_row(row: &Row<'_>) -> DbResult<StoredCollection> {
    Ok(StoredCollection {
        id: CollectionId(row.get(0)?),
        name: row.get(1)?,
        position: row.get(2)?,
        title: row.get(3)?,
        description: row.get(4)?,
        tags: from_json(row.get(5)?)?.unwrap_or_default(),
        context: row.get(6)?,
        source: row.get(7)?,
        settings: row.get(8)?,
        created_at: timestamp(row.get(9)?),
        updated_at: timestamp(row.get(10)?),
    })
}

/// Inserts or updates collections with their members, and schedules checks of the pages
/// of active members.
pub(super) fn save_collections(db: &Connection, updates: &[CollectionUpdate]) -> DbResult<()> {
    for update in updates {
        let id = save_collection(db, &update.collection)?;
        for (member, events) in &update.members {
            let member = StoredMember { collection: id, ..member.clone() };
            let member_id = save_member(db, &member)?;
            events.iter().try_for_each(|event| add_event(db, member_id, event))?;
            if member.state == ACTIVE {
                watch_page(db, &member.url)?;
            }
        }
    }
    Ok(())
}

/// Inserts or updates a collection by name and returns its id.
fn save_collection(db: &Connection, collection: &StoredCollection) -> DbResult<CollectionId> {
    let root = collection.name.split('/').next().unwrap_or_default();
    let id = db
        .prepare_cached(
            "INSERT INTO collection (name, root, position, title, description, tags, context,
                                     source, settings, created_at, updated_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
             ON CONFLICT (name) DO UPDATE SET
                 position = excluded.position, title = excluded.title,
                 description = excluded.description, tags = excluded.tags,
                 context = excluded.context, source = excluded.source,
                 settings = excluded.settings, updated_at = excluded.updated_at
             RETURNING id",
        )?
        .query_row(
            (
                redaction::text(&collection.name),
                redaction::text(root),
                collection.position,
                redaction::text(&collection.title),
                redaction::text(&collection.description),
                serde_json::to_string(&collection.tags)?,
                &collection.context,
                collection.source.as_deref().map(redaction::text),
                &collection.settings,
                millis(collection.created_at),
                millis(collection.updated_at),
            ),
            |row| row.get(0),
        )?;
    Ok(CollectionId(id))
}

/// Inserts or updates a member and returns its id. A member with the id zero is new. Its
/// accepted version is `member.reference`, or else the latest version of its page.
fn save_member(db: &Connection, member: &StoredMember) -> DbResult<MemberId> {
    let existing_id = Some(member.id.0).filter(|id| *id != 0);
    let id = db
        .prepare_cached(
            "INSERT INTO member (id, collection_id, position, url, original_url, title, annotation,
                                 tags, state, reference_id, muted_until, reason, replaced_url,
                                 added_at)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?,
                     ifnull(?, (SELECT latest_id FROM watched_page WHERE url = ?4)), ?, ?, ?, ?)
             ON CONFLICT (id) DO UPDATE SET
                 collection_id = excluded.collection_id, position = excluded.position,
                 url = excluded.url, original_url = excluded.original_url,
                 title = excluded.title, annotation = excluded.annotation,
                 tags = excluded.tags, state = excluded.state,
                 reference_id = excluded.reference_id, muted_until = excluded.muted_until,
                 reason = excluded.reason, replaced_url = excluded.replaced_url
             RETURNING id",
        )?
        .query_row(
            (
                existing_id,
                member.collection.0,
                member.position,
                redaction::url(&member.url),
                redaction::url(&member.original_url),
                redaction::text(&member.title),
                redaction::text(&member.annotation),
                serde_json::to_string(&member.tags)?,
                &member.state,
                member.reference.map(|version| version.0),
                member.muted_until.map(millis),
                redaction::text(&member.reason),
                member.replaced_url.as_deref().map(redaction::url),
                millis(member.added_at),
            ),
            |row| row.get(0),
        )?;
    Ok(MemberId(id))
}

/// Adds an event to the history of a member.
fn add_event(db: &Connection, member: MemberId, event: &MemberEvent) -> DbResult<()> {
    db.prepare_cached(
        "INSERT INTO member_event (member_id, at, kind, detail) VALUES (?, ?, ?, ?)",
    )?
    .execute((member.0, millis(event.at), &event.kind, redaction::text(&event.detail)))?;
    Ok(())
}

/// Adds a watched page, unless it exists. Its first check is due at once.
fn watch_page(db: &Connection, url: &str) -> DbResult<()> {
    db.prepare_cached(
        "INSERT OR IGNORE INTO watched_page (url, next_at, interval_ms) VALUES (?, 0, ?)",
    )?
    .execute((redaction::url(url), FIRST_INTERVAL_MS))?;
    Ok(())
}

/// Deletes collections with their members, and watched pages that belong to no other
/// member.
pub(super) fn delete_collections(db: &Connection, ids: &[CollectionId]) -> DbResult<()> {
    let ids = json_ids(ids.iter().map(|id| id.0))?;
    for statement in [
        "DELETE FROM member_event WHERE member_id IN
             (SELECT id FROM member WHERE collection_id IN (SELECT value FROM json_each(?)))",
        "DELETE FROM member WHERE collection_id IN (SELECT value FROM json_each(?))",
        "DELETE FROM collection WHERE id IN (SELECT value FROM json_each(?))",
    ] {
        db.execute(statement, [&ids])?;
    }
    db.execute_batch(
        "DELETE FROM watched_page WHERE url NOT IN (SELECT url FROM member);
         DELETE FROM page_version WHERE url NOT IN (SELECT url FROM member);",
    )?;
    Ok(())
}

/// Returns the members of collections in their order.
pub(super) fn members(db: &Connection, ids: &[CollectionId]) -> DbResult<Vec<StoredMember>> {
    let mut statement = db.prepare_cached(
        "SELECT id, collection_id, position, url, original_url, title, annotation, tags, state,
                reference_id, muted_until, reason, replaced_url, added_at
         FROM member WHERE collection_id IN (SELECT value FROM json_each(?))
         ORDER BY collection_id, position, id",
    )?;
    let ids = json_ids(ids.iter().map(|id| id.0))?;
    let rows = statement.query_and_then([ids], member_row)?;
    rows.collect()
}

/// Converts a row of the database to a member.
fn member_row(row: &Row<'_>) -> DbResult<StoredMember> {
    Ok(StoredMember {
        id: MemberId(row.get(0)?),
        collection: CollectionId(row.get(1)?),
        position: row.get(2)?,
        url: row.get(3)?,
        original_url: row.get(4)?,
        title: row.get(5)?,
        annotation: row.get(6)?,
        tags: from_json(row.get(7)?)?.unwrap_or_default(),
        state: row.get(8)?,
        reference: row.get::<_, Option<i64>>(9)?.map(VersionId),
        muted_until: row.get::<_, Option<i64>>(10)?.map(timestamp),
        reason: row.get(11)?,
        replaced_url: row.get(12)?,
        added_at: timestamp(row.get(13)?),
    })
}

/// Updates members and adds an event to the history of each.
pub(super) fn update_members(
    db: &Connection,
    updates: &[(StoredMember, MemberEvent)],
) -> DbResult<()> {
    for (member, event) in updates {
        let id = save_member(db, member)?;
        add_event(db, id, event)?;
        if member.state == ACTIVE {
            watch_page(db, &member.url)?;
        }
    }
    Ok(())
}

/// Returns the history of a member, oldest first.
pub(super) fn member_events(db: &Connection, member: MemberId) -> DbResult<Vec<MemberEvent>> {
    let mut statement = db.prepare_cached(
        "SELECT at, kind, detail FROM member_event WHERE member_id = ? ORDER BY id",
    )?;
    let rows = statement.query_map([member.0], |row| {
        Ok(MemberEvent { at: timestamp(row.get(0)?), kind: row.get(1)?, detail: row.get(2)? })
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Returns ids as a JSON array, so that one parameter of a statement has any number of
/// ids.
pub(super) fn json_ids(ids: impl Iterator<Item = i64>) -> DbResult<String> {
    Ok(serde_json::to_string(&ids.collect::<Vec<i64>>())?)
}
