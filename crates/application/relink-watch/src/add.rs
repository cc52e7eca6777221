//! Adds a collection from a file or a crawl, or merges an edited file into it.
//!
//! An *outline* is the tree of folders and links that was read. The *context* of a
//! collection states with what its members are compared to judge whether they fit. A *gap*
//! is the position of a member that was removed.

use std::collections::{HashMap, HashSet};

use relink_collection::{
    Availability, ContextKind, CrawledPage, ImportFormat, MemberEdit, MergedCollection,
    MergedMember, Outline, OutlineEntry, StoredEntry, crawl_outline, is_sitemap_index, merge,
    read_outline,
};
use relink_model::{RunId, TaskId};
use relink_page::decode_document;
use relink_ports::{
    CollectionId, CollectionStore, CollectionUpdate, DocumentId, MemberEvent, MemberId,
    StoredCollection, StoredMember,
};

use crate::WatchError;
use crate::library::{CollectionSettings, Library, context_of, state_of};
use relink_requests::Ports;

/// Number of pages of a crawl read from the store at a time.
const CHUNK_SIZE: usize = 1_000;

/// Maximum number of characters of the name of a collection.
const MAX_NAME_LENGTH: usize = 100;

/// Id of a collection that is not stored yet. The store assigns the actual id.
const NEW_COLLECTION: CollectionId = CollectionId(0);

/// Id of a member that is not stored yet. The store assigns the actual id.
const NEW_MEMBER: MemberId = MemberId(0);

/// The source of the pages of a collection.
#[derive(Debug, Clone)]
pub enum AddContent {
    /// A file.
    File {
        /// The extension, which hints at the format.
        extension: Option<String>,
        /// The content.
        bytes: Vec<u8>,
        /// The format, if the user gave one.
        format: Option<ImportFormat>,
    },
    /// The live pages of a stored crawl.
    Crawl {
        /// The run.
        run: RunId,
        /// Include only pages whose URL starts with this text.
        under: Option<String>,
    },
}

/// The name of the format of a crawl in messages.
const CRAWL: &str = "crawl";

/// A file or crawl to add.
#[derive(Debug, Clone)]
pub struct AddRequest {
    /// The name of the collection.
    pub name: String,
    /// The name of the file or crawl, shown to users.
    pub source: String,
    /// The source of the pages.
    pub content: AddContent,
    /// The context, if the user gave one.
    pub context: Option<ContextKind>,
    /// The description, if the user gave one.
    pub description: Option<String>,
    /// Tags of the collection.
    pub tags: Vec<String>,
    /// Whether to store the text of each version.
    pub keeps_text: bool,
}

/// The effect of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportSummary {
    /// The format of the file, or `crawl`.
    pub format: &'static str,
    /// The declared context.
    pub context: ContextKind,
    /// Number of collections, including the outermost one.
    pub collections: usize,
    /// Number of members in the file.
    pub members: usize,
    /// Number of distinct pages.
    pub pages: usize,
    /// New members.
    pub added: usize,
    /// Members that were moved, reordered, retitled or annotated.
    pub edited: usize,
    /// Members that are not in the file and became gaps.
    pub removed: usize,
    /// Entries that are not web pages, and duplicates.
    pub skipped: usize,
    /// Whether the collection existed before.
    pub is_update: bool,
}

/// Adds a collection, or merges the file into an existing one. The pages are not
/// fetched yet.
pub async fn add_collection(
    ports: &Ports,
    store: &dyn CollectionStore,
    request: &AddRequest,
) -> Result<ImportSummary, WatchError> {
    check_name(&request.name)?;
    let (outline, format) = read_content(ports, request).await?;
    if outline.is_empty() {
        return Err(WatchError::EmptyFile { source_name: request.source.clone() });
    }
    let existing = load_existing(store, &request.name).await?;
    let (merged, duplicates) = merge(&request.name, &outline, &stored_entries(existing.as_ref()));
    let import = Import {
        request,
        outline: &outline,
        format,
        existing: existing.as_ref(),
        now: ports.now(),
    };
    let summary = import.summary(&merged, duplicates);
    let updates = import.updates(merged, summary.context)?;
    store.save_collections(&updates).await?;
    Ok(summary)
}

/// Returns the folders and links of a file or crawl. For a file, also returns its format.
async fn read_content(
    ports: &Ports,
    request: &AddRequest,
) -> Result<(Outline, Option<ImportFormat>), WatchError> {
    match &request.content {
        AddContent::File { extension, bytes, format } => {
            let text = decode_document(bytes);
            let detect = || ImportFormat::detect(extension.as_deref(), &text);
            let format = format.unwrap_or_else(detect);
            if format == ImportFormat::Sitemap && is_sitemap_index(&text) {
                return Err(WatchError::SitemapIndex { source_name: request.source.clone() });
            }
            Ok((read_outline(format, &text), Some(format)))
        }
        AddContent::Crawl { run, under } => {
            let pages = crawled_pages(ports, *run).await?;
            Ok((crawl_outline(&pages, under.as_deref()), None))
        }
    }
}

/// Returns the live pages of a crawl, in order of discovery. Files that were not parsed
/// are not pages.
async fn crawled_pages(ports: &Ports, run: RunId) -> Result<Vec<CrawledPage>, WatchError> {
    // The tasks of the pages that were parsed. Pages are read in chunks, ordered by id.
    let mut parsed: HashSet<TaskId> = HashSet::new();
    let mut after = DocumentId(0);
    loop {
        let pages = ports.store.site_pages(run, after, CHUNK_SIZE).await?;
        let Some(last) = pages.last() else { break };
        after = last.document;
        parsed.extend(pages.iter().filter(|page| !page.is_sitemap).filter_map(|page| page.task));
    }
    let mut live_pages = Vec::new();
    let mut after = TaskId(0);
    loop {
        let targets = ports.store.site_targets(run, after, CHUNK_SIZE).await?;
        let Some(last) = targets.last() else { return Ok(live_pages) };
        after = last.task;
        let live = targets.into_iter().filter(|target| {
            let availability = Availability::from_verdict(target.verdict);
            availability == Availability::Available && parsed.contains(&target.task)
        });
        live_pages.extend(live.map(|target| CrawledPage {
            url: target.final_url.unwrap_or(target.url),
            title: target.title.unwrap_or_default(),
        }));
    }
}

/// Checks the name of a new collection.
fn check_name(name: &str) -> Result<(), WatchError> {
    let is_valid = !name.trim().is_empty()
        && name.chars().count() <= MAX_NAME_LENGTH
        && !name.contains('/')
        && !name.chars().any(char::is_control);
    if is_valid { Ok(()) } else { Err(WatchError::InvalidName { name: name.to_owned() }) }
}

/// Returns the stored collection with this name, if there is one.
async fn load_existing(
    store: &dyn CollectionStore,
    name: &str,
) -> Result<Option<Library>, WatchError> {
    match Library::load_tree(store, name).await {
        Ok(library) => Ok(Some(library)),
        Err(WatchError::UnknownCollection { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the members of the stored collection, for the merge.
fn stored_entries(existing: Option<&Library>) -> Vec<StoredEntry> {
    let Some(library) = existing else { return Vec::new() };
    let mut entries = Vec::new();
    for collection in &library.collections {
        for member in library.members(collection.id) {
            entries.push(StoredEntry {
                id: member.id.0,
                collection: collection.name.clone(),
                url: member.url.clone(),
                replaced_url: member.replaced_url.clone(),
                entry: OutlineEntry {
                    url: member.original_url.clone(),
                    title: member.title.clone(),
                    annotation: member.annotation.clone(),
                    tags: member.tags.clone(),
                },
                position: member.position as usize,
                state: state_of(member),
            });
        }
    }
    entries
}

/// A file that is merged into a collection.
struct Import<'i> {
    request: &'i AddRequest,
    outline: &'i Outline,
    /// The format of the file; `None` for a crawl.
    format: Option<ImportFormat>,
    existing: Option<&'i Library>,
    now: jiff::Timestamp,
}

impl Import<'_> {
    /// Counts the members and their changes.
    fn summary(&self, merged: &[MergedCollection], duplicates: usize) -> ImportSummary {
        let members = || merged.iter().flat_map(|list| &list.members);
        let count_with = |is_counted: fn(&MemberEdit) -> bool| {
            members().filter(|member| member.edits.iter().any(is_counted)).count()
        };
        let added = count_with(|edit| *edit == MemberEdit::Added);
        let removed = count_with(|edit| *edit == MemberEdit::Removed);
        let changed = members().filter(|member| !member.edits.is_empty()).count();
        let mut urls: Vec<&str> = members().map(|member| member.url.as_str()).collect();
        urls.sort_unstable();
        urls.dedup();
        ImportSummary {
            format: self.format.map_or(CRAWL, ImportFormat::as_str),
            context: self.context(),
            collections: merged.len(),
            members: self.outline.len() - duplicates,
            pages: urls.len(),
            added,
            edited: changed - added - removed,
            removed,
            skipped: self.outline.skipped + duplicates,
            is_update: self.existing.is_some(),
        }
    }

    /// Returns the context that the user gave. Otherwise, returns the context that the file
    /// declares, the context of the stored collection, or the default of the format.
    fn context(&self) -> ContextKind {
        let root = self.existing.and_then(|library| library.collections.first());
        let default = self.format.map_or(ContextKind::Folder, ImportFormat::default_context);
        let declared = self.request.context.or(self.outline.context);
        declared.or(root.map(context_of)).unwrap_or(default)
    }

    /// Returns the collections to store, with their members.
    fn updates(
        &self,
        merged: Vec<MergedCollection>,
        context: ContextKind,
    ) -> Result<Vec<CollectionUpdate>, WatchError> {
        let stored_members: HashMap<i64, &StoredMember> = self
            .existing
            .iter()
            .flat_map(|library| {
                library.collections.iter().flat_map(|list| library.members(list.id))
            })
            .map(|member| (member.id.0, member))
            .collect();
        let updates = merged.into_iter().zip(0..).map(|(list, position)| {
            let collection = self.collection(&list, position, context)?;
            let members = list.members.into_iter();
            let members = members.map(|member| self.member(member, &stored_members));
            Ok(CollectionUpdate { collection, members: members.collect() })
        });
        updates.collect()
    }

    /// Returns the collection to store for a merged list. Values that neither the user nor the
    /// file gives are not changed.
    fn collection(
        &self,
        list: &MergedCollection,
        position: u32,
        context: ContextKind,
    ) -> Result<StoredCollection, WatchError> {
        let mut stored_lists = self.existing.iter().flat_map(|library| &library.collections);
        let stored = stored_lists.find(|stored| stored.name == list.name);
        let is_root = list.name == self.request.name;
        let is_declared = self.request.context.or(self.outline.context).is_some();
        let context = stored.filter(|_| !is_declared).map_or(context, context_of);
        let from_user = self.request.description.clone().filter(|_| is_root);
        let from_file = Some(list.description.clone()).filter(|text| !text.is_empty());
        let description = from_user.or(from_file);
        let mut tags = list.tags.clone();
        if is_root {
            tags.extend(self.request.tags.iter().cloned());
        }
        if tags.is_empty() {
            tags = stored.map(|stored| stored.tags.clone()).unwrap_or_default();
        }
        let settings = stored.map(|stored| CollectionSettings::parse(&stored.settings));
        let mut settings = settings.unwrap_or_default();
        settings.keeps_text |= self.request.keeps_text;
        Ok(StoredCollection {
            id: stored.map_or(NEW_COLLECTION, |stored| stored.id),
            name: list.name.clone(),
            position,
            title: list.title.clone(),
            description: description
                .or_else(|| stored.map(|stored| stored.description.clone()))
                .unwrap_or_default(),
            tags,
            context: context.as_str().to_owned(),
            source: Some(self.request.source.clone()),
            settings: settings.to_text()?,
            created_at: stored.map_or(self.now, |stored| stored.created_at),
            updated_at: self.now,
        })
    }

    /// Returns the member to store, with the events for its history.
    fn member(
        &self,
        merged: MergedMember,
        stored_members: &HashMap<i64, &StoredMember>,
    ) -> (StoredMember, Vec<MemberEvent>) {
        let stored = merged.id.and_then(|id| stored_members.get(&id).copied());
        let events = merged.edits.iter().map(|edit| self.event(edit)).collect();
        let member = StoredMember {
            id: merged.id.map_or(NEW_MEMBER, MemberId),
            // The store sets the collection of each member of an update.
            collection: NEW_COLLECTION,
            position: u32::try_from(merged.position).unwrap_or(u32::MAX),
            url: merged.url,
            original_url: merged.entry.url,
            title: merged.entry.title,
            annotation: merged.entry.annotation,
            tags: merged.entry.tags,
            state: merged.state.as_str().to_owned(),
            reference: stored.and_then(|stored| stored.reference),
            muted_until: stored.and_then(|stored| stored.muted_until),
            reason: stored.map(|stored| stored.reason.clone()).unwrap_or_default(),
            replaced_url: stored.and_then(|stored| stored.replaced_url.clone()),
            added_at: stored.map_or(self.now, |stored| stored.added_at),
        };
        (member, events)
    }

    /// Returns the event that records an edit in the history of a member.
    fn event(&self, edit: &MemberEdit) -> MemberEvent {
        let (kind, detail) = match edit {
            MemberEdit::Added => ("added", String::new()),
            MemberEdit::Moved { from } => ("moved", format!("from {from}")),
            MemberEdit::Reordered => ("reordered", String::new()),
            MemberEdit::Retitled => ("retitled", String::new()),
            MemberEdit::Annotated => ("annotated", String::new()),
            MemberEdit::Restored => ("restored", String::new()),
            MemberEdit::Removed => ("removed", String::new()),
        };
        MemberEvent { at: self.now, kind: kind.to_owned(), detail }
    }
}
