//! Combines a file with the stored members of a collection.
//!
//! The file decides the order, the folders, titles and annotations. A member that is not in
//! the file becomes a *gap*: it has no page any more, but keeps its position and annotation
//! until the user fills or closes it. Data that only the store has is retained, such as an
//! annotation that is missing in the file, or the page by which the user replaced a dead
//! page of the file.

use std::collections::{BTreeMap, HashMap, HashSet};

use relink_frontier::canonicalize;
use serde::{Deserialize, Serialize};

use crate::outline::{Outline, OutlineEntry, OutlineFolder};
use crate::reorder::reordered;
use crate::review::MemberState;

/// A stored member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEntry {
    /// The id of the member.
    pub id: i64,
    /// The name of its collection.
    pub collection: String,
    /// The canonical URL.
    pub url: String,
    /// The canonical URL that the user replaced by this one.
    pub replaced_url: Option<String>,
    /// Title, annotation and tags.
    pub entry: OutlineEntry,
    /// The position in its collection.
    pub position: usize,
    /// The state.
    pub state: MemberState,
}

/// What an import changes about a member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemberEdit {
    /// The member is new.
    Added,
    /// The member was in another collection.
    Moved {
        /// The name of that collection.
        from: String,
    },
    /// The order among the members of its collection changed.
    Reordered,
    /// The title changed.
    Retitled,
    /// The annotation or the tags changed.
    Annotated,
    /// The member was a gap and is in the file again.
    Restored,
    /// The member is no longer in the file.
    Removed,
}

/// A member after the import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedMember {
    /// The id, if the member is known.
    pub id: Option<i64>,
    /// The canonical URL.
    pub url: String,
    /// URL as written, title, annotation and tags.
    pub entry: OutlineEntry,
    /// The position in its collection.
    pub position: usize,
    /// The state.
    pub state: MemberState,
    /// What changed.
    pub edits: Vec<MemberEdit>,
}

/// A collection after the import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergedCollection {
    /// The name: `reading`, or `reading/Owls` for a nested collection.
    pub name: String,
    /// The title of the folder, or of the file.
    pub title: String,
    /// The description; empty if the file has none.
    pub description: String,
    /// The tags.
    pub tags: Vec<String>,
    /// The members, including gaps.
    pub members: Vec<MergedMember>,
}

/// Combines a file with the stored members of the collection `root` and its nested
/// collections. Returns the collections in the order of the file, and the number
/// of skipped entries: duplicates in one folder, and malformed URLs.
pub fn merge(
    root: &str,
    outline: &Outline,
    stored: &[StoredEntry],
) -> (Vec<MergedCollection>, usize) {
    let by_id = stored.iter().map(|known| (known.id, known)).collect();
    let mut merge = Merge {
        stored,
        by_id,
        by_replaced_url: HashMap::new(),
        used: HashSet::new(),
        by_url: HashMap::new(),
        skipped: 0,
    };
    for entry in stored {
        merge.by_url.entry(&entry.url).or_default().push(entry);
        if let Some(replaced) = &entry.replaced_url {
            merge.by_replaced_url.entry(replaced).or_default().push(entry);
        }
    }
    // For each folder: the name of its collection, and its entries with their canonical URLs.
    let collections: Vec<(String, Vec<(String, &OutlineEntry)>)> =
        outline.folders.iter().map(|folder| merge.canonical_entries(root, folder)).collect();
    // Members that stay in their collection are assigned before those that moved.
    for (name, entries) in &collections {
        merge.use_unmoved_members(name, entries);
    }
    let mut merged = Vec::with_capacity(collections.len());
    for (folder, (name, entries)) in outline.folders.iter().zip(collections) {
        let title = folder.path.last().or(outline.title.as_ref()).cloned();
        let members = entries.into_iter().enumerate();
        let members = members.map(|(at, (url, entry))| merge.merge_member(&name, at, url, entry));
        let mut members: Vec<MergedMember> = members.collect();
        merge.add_reordered(&name, &mut members);
        merged.push(MergedCollection {
            members,
            title: title.unwrap_or_else(|| root.to_owned()),
            description: folder.description.clone(),
            tags: folder.tags.clone(),
            name,
        });
    }
    merge.add_gaps(&mut merged);
    (merged, merge.skipped)
}

/// The state of a merge.
struct Merge<'s> {
    stored: &'s [StoredEntry],
    /// The stored members by id.
    by_id: HashMap<i64, &'s StoredEntry>,
    /// The stored members by the URL that the user replaced.
    by_replaced_url: HashMap<&'s str, Vec<&'s StoredEntry>>,
    /// The ids of members that are in the file.
    used: HashSet<i64>,
    /// The stored members by canonical URL.
    by_url: HashMap<&'s str, Vec<&'s StoredEntry>>,
    /// Number of skipped entries of the file.
    skipped: usize,
}

impl<'s> Merge<'s> {
    /// Returns the name of a folder and its entries with canonical URLs, without
    /// duplicates.
    fn canonical_entries<'o>(
        &mut self,
        root: &str,
        folder: &'o OutlineFolder,
    ) -> (String, Vec<(String, &'o OutlineEntry)>) {
        let name = collection_name(root, &folder.path);
        let mut seen = HashSet::new();
        let mut entries = Vec::with_capacity(folder.entries.len());
        for entry in &folder.entries {
            let url = canonicalize(None, &entry.url).ok().map(String::from);
            let url = url.map(|url| self.replacement(&name, &url).unwrap_or(url));
            match url.filter(|url| seen.insert(url.clone())) {
                Some(url) => entries.push((url, entry)),
                None => self.skipped += 1,
            }
        }
        (name, entries)
    }

    /// Returns the URL by which the user replaced a URL of the file.
    fn replacement(&self, name: &str, url: &str) -> Option<String> {
        let in_collection = |known: &&&StoredEntry| known.collection == name;
        let known = self.by_url.get(url).into_iter().flatten();
        if known.clone().any(|known| in_collection(&known)) {
            return None;
        }
        let replaced = self.by_replaced_url.get(url).into_iter().flatten();
        replaced.clone().find(in_collection).map(|known| known.url.clone())
    }

    /// Records the stored members that stay in their collection as used.
    fn use_unmoved_members(&mut self, name: &str, entries: &[(String, &OutlineEntry)]) {
        for (url, _) in entries {
            let known = self.by_url.get(url.as_str()).into_iter().flatten();
            self.used.extend(known.filter(|known| known.collection == name).map(|known| known.id));
        }
    }

    /// Returns the member for an entry of the file.
    fn merge_member(
        &mut self,
        name: &str,
        position: usize,
        url: String,
        entry: &OutlineEntry,
    ) -> MergedMember {
        let Some(known) = self.find_stored(name, &url) else {
            let (entry, state) = (entry.clone(), MemberState::Active);
            return MergedMember {
                id: None,
                url,
                entry,
                position,
                state,
                edits: vec![MemberEdit::Added],
            };
        };
        self.used.insert(known.id);
        let mut merged = merge_entry(&known.entry, entry);
        let is_replaced = known.replaced_url.is_some()
            && canonicalize(None, &entry.url).is_ok_and(|url| url.as_str() != known.url);
        if is_replaced {
            merged.url.clone_from(&known.entry.url);
        }
        let is_gap = matches!(known.state, MemberState::Gap | MemberState::Closed);
        let moved = (known.collection != name)
            .then(|| MemberEdit::Moved { from: known.collection.clone() });
        let is_annotated =
            merged.annotation != known.entry.annotation || merged.tags != known.entry.tags;
        let edits = [
            moved,
            is_gap.then_some(MemberEdit::Restored),
            (merged.title != known.entry.title).then_some(MemberEdit::Retitled),
            is_annotated.then_some(MemberEdit::Annotated),
        ];
        let state = if is_gap { MemberState::Active } else { known.state };
        let edits = edits.into_iter().flatten().collect();
        MergedMember { id: Some(known.id), url, entry: merged, position, state, edits }
    }

    /// Adds the edit of members that changed their order within their collection.
    fn add_reordered(&self, name: &str, members: &mut [MergedMember]) {
        let stored = |member: &MergedMember| {
            self.by_id.get(&member.id?).copied().filter(|known| known.collection == name)
        };
        let stayed = members.iter_mut().filter_map(|member| Some((stored(member)?, member)));
        let (positions, stayed): (Vec<usize>, Vec<&mut MergedMember>) =
            stayed.map(|(known, member)| (known.position, member)).unzip();
        for (member, is_reordered) in stayed.into_iter().zip(reordered(&positions)) {
            if is_reordered {
                member.edits.insert(0, MemberEdit::Reordered);
            }
        }
    }

    /// Returns the stored member of the same collection, or one that is not in the
    /// file at its old location.
    fn find_stored(&self, name: &str, url: &str) -> Option<&'s StoredEntry> {
        let known = self.by_url.get(url)?;
        let same = known.iter().find(|known| known.collection == name);
        same.or_else(|| known.iter().find(|known| !self.used.contains(&known.id))).copied()
    }

    /// Adds the members that are not in the file as gaps at their old position.
    fn add_gaps(&self, merged: &mut Vec<MergedCollection>) {
        let mut missing: BTreeMap<&str, Vec<MergedMember>> = BTreeMap::new();
        for known in self.stored.iter().filter(|known| !self.used.contains(&known.id)) {
            missing.entry(&known.collection).or_default().push(gap_member(known));
        }
        for (name, gaps) in missing {
            match merged.iter_mut().find(|collection| collection.name == name) {
                Some(collection) => collection.members.extend(gaps),
                None => merged.push(MergedCollection {
                    name: name.to_owned(),
                    title: name.rsplit('/').next().unwrap_or(name).to_owned(),
                    description: String::new(),
                    tags: Vec::new(),
                    members: gaps,
                }),
            }
        }
    }
}

/// Returns a stored member that is not in the file: a gap.
fn gap_member(known: &StoredEntry) -> MergedMember {
    let is_known_gap = matches!(known.state, MemberState::Gap | MemberState::Closed);
    MergedMember {
        id: Some(known.id),
        url: known.url.clone(),
        entry: known.entry.clone(),
        position: known.position,
        state: if is_known_gap { known.state } else { MemberState::Gap },
        edits: if is_known_gap { Vec::new() } else { vec![MemberEdit::Removed] },
    }
}

/// Returns the entry of the file. Empty values are replaced by the stored values.
fn merge_entry(known: &OutlineEntry, entry: &OutlineEntry) -> OutlineEntry {
    let or_known =
        |new: &String, old: &String| if new.is_empty() { old.clone() } else { new.clone() };
    OutlineEntry {
        url: entry.url.clone(),
        title: or_known(&entry.title, &known.title),
        annotation: or_known(&entry.annotation, &known.annotation),
        tags: if entry.tags.is_empty() { known.tags.clone() } else { entry.tags.clone() },
    }
}

/// Returns the name of a nested collection. A slash in a title is replaced, because it would
/// look like a nested folder.
fn collection_name(root: &str, path: &[String]) -> String {
    let mut name = root.to_owned();
    for title in path {
        name.push('/');
        name.push_str(&title.replace('/', "-"));
    }
    name
}

#[cfg(test)]
mod tests;
