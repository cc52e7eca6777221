//! A local full-text index.
//!
//! The index contains pages of crawls and sitemaps and finds moved pages without a remote
//! service. All of its data is also stored elsewhere. Therefore an unreadable index is replaced by
//! an empty index, and the caller adds the pages again.

mod fields;
mod query;
mod tokenizer;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use relink_model::{SearchHit, SearchQuery};
use relink_ports::{SearchEngine, SearchError, SearchResponse};
use tantivy::collector::{Count, TopDocs};
use tantivy::directory::error::OpenReadError;
use tantivy::{Index, IndexReader, IndexWriter, ReloadPolicy, TantivyDocument, TantivyError, Term};
use tokio::task::spawn_blocking;
use url::Url;

use fields::Fields;

/// Subdirectory of the index. Increment the number when the fields or the
/// tokenizer change, so that older indexes are rebuilt.
const DIRECTORY: &str = "pages-2";

/// Memory for pages that are being added, in bytes.
const WRITER_MEMORY_BYTES: usize = 32 * 1024 * 1024;

/// Maximum number of hits per search.
const MAX_HITS: usize = 1_000;

/// Display name.
const NAME: &str = "local index";

/// A page to index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedPage {
    /// The URL.
    pub url: Url,
    /// The title. May be empty.
    pub title: String,
    /// The text, or the known part of it.
    pub text: String,
}

/// A full-text index on disk.
#[derive(Clone)]
pub struct LocalIndex {
    state: Arc<IndexState>,
    is_new: bool,
}

/// The index and the objects needed to use it.
struct IndexState {
    path: PathBuf,
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// Locked while writing: tantivy allows one writer at a time.
    write_lock: Mutex<()>,
}

impl LocalIndex {
    /// Opens the index in a directory, or creates one.
    ///
    /// A damaged or incompatible index is replaced by an empty index. Only the subdirectory of the
    /// index is deleted.
    pub fn open(directory: &Path) -> Result<Self, SearchError> {
        let path = directory.join(DIRECTORY);
        let opened = fs::create_dir_all(&path).map_err(TantivyError::from).and_then(|()| {
            let is_new = !path.join("meta.json").exists();
            match IndexState::open(&path) {
                Err(error) if is_damaged(&error) => {
                    fs::remove_dir_all(&path)?;
                    fs::create_dir_all(&path)?;
                    Ok((IndexState::open(&path)?, true))
                }
                state => Ok((state?, is_new)),
            }
        });
        let (state, is_new) = opened.map_err(|error| index_error(&path, error))?;
        Ok(Self { state: Arc::new(state), is_new })
    }

    /// Whether the index was created by [`Self::open`], so that pages must be
    /// added.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// Returns the number of pages.
    pub fn pages(&self) -> Result<u64, SearchError> {
        self.state.pages().map_err(|error| index_error(&self.state.path, error))
    }

    /// Adds pages atomically. Replaces pages with the same URL.
    pub async fn add_pages(&self, pages: Vec<IndexedPage>) -> Result<(), SearchError> {
        self.run(move |state| state.write(|writer| state.add(writer, &pages))).await
    }

    /// Adds and removes pages and stores a checkpoint, atomically. The checkpoint is a
    /// text of the caller, which states what is indexed. Every other change deletes the
    /// checkpoint.
    pub async fn update(
        &self,
        pages: Vec<IndexedPage>,
        removed: Vec<Url>,
        checkpoint: String,
    ) -> Result<(), SearchError> {
        self.run(move |state| {
            state.write_with_checkpoint(Some(&checkpoint), |writer| {
                state.remove(writer, &removed);
                state.add(writer, &pages)
            })
        })
        .await
    }

    /// Returns the checkpoint of the last update, if nothing has changed since.
    pub fn checkpoint(&self) -> Result<Option<String>, SearchError> {
        let metas =
            self.state.index.load_metas().map_err(|error| index_error(&self.state.path, error))?;
        Ok(metas.payload)
    }

    /// Removes pages.
    pub async fn remove_pages(&self, urls: Vec<Url>) -> Result<(), SearchError> {
        self.run(move |state| {
            state.write(|writer| {
                state.remove(writer, &urls);
                Ok(())
            })
        })
        .await
    }

    /// Removes all pages.
    pub async fn clear(&self) -> Result<(), SearchError> {
        self.run(|state| state.write(|writer| writer.delete_all_documents().map(drop))).await
    }

    /// Returns the number of pages that contain each phrase, in the order of
    /// `phrases`.
    pub async fn counts(&self, phrases: Vec<String>) -> Result<Vec<u64>, SearchError> {
        self.run(move |state| phrases.iter().map(|phrase| state.count(phrase)).collect()).await
    }

    /// Runs work on a thread for blocking I/O.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&IndexState) -> tantivy::Result<T> + Send + 'static,
    ) -> Result<T, SearchError> {
        let state = Arc::clone(&self.state);
        let result = spawn_blocking(move || work(&state)).await;
        let result =
            result.unwrap_or_else(|error| Err(TantivyError::SystemError(error.to_string())));
        result.map_err(|error| index_error(&self.state.path, error))
    }
}

impl IndexState {
    /// Opens or creates the index in this directory.
    fn open(path: &Path) -> tantivy::Result<Self> {
        let (schema, fields) = Fields::new();
        let directory = tantivy::directory::MmapDirectory::open(path)?;
        let index = Index::open_or_create(directory, schema)?;
        index.tokenizers().register(tokenizer::NAME, tokenizer::WordTokenizer);
        // Reload manually before each search, which also loads changes of other
        // processes.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { path: path.to_owned(), index, reader, fields, write_lock: Mutex::default() })
    }

    fn pages(&self) -> tantivy::Result<u64> {
        self.reader.reload()?;
        Ok(self.reader.searcher().num_docs())
    }

    /// Applies a change and commits it without a checkpoint.
    fn write(
        &self,
        change: impl FnOnce(&mut IndexWriter) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        self.write_with_checkpoint(None, change)
    }

    /// Applies a change and commits it, together with the checkpoint.
    fn write_with_checkpoint(
        &self,
        checkpoint: Option<&str>,
        change: impl FnOnce(&mut IndexWriter) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let _guard = self.write_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let mut writer = self.index.writer_with_num_threads(1, WRITER_MEMORY_BYTES)?;
        change(&mut writer)?;
        let mut commit = writer.prepare_commit()?;
        if let Some(checkpoint) = checkpoint {
            commit.set_payload(checkpoint);
        }
        commit.commit()?;
        writer.wait_merging_threads()
    }

    /// Removes pages.
    fn remove(&self, writer: &IndexWriter, urls: &[Url]) {
        for url in urls {
            writer.delete_term(self.fields.url_term(url));
        }
    }

    /// Adds pages. Replaces pages with the same URL.
    fn add(&self, writer: &IndexWriter, pages: &[IndexedPage]) -> tantivy::Result<()> {
        for page in pages {
            let Some(document) = self.fields.document(page) else { continue };
            writer.delete_term(self.fields.url_term(&page.url));
            writer.add_document(document)?;
        }
        Ok(())
    }

    /// Counts the pages that contain a phrase.
    fn count(&self, phrase: &str) -> tantivy::Result<u64> {
        let query = SearchQuery::new([""; 0]).with_phrase(phrase);
        let Some(query) = query::build_query(&query, &self.fields) else { return Ok(0) };
        self.reader.reload()?;
        Ok(self.reader.searcher().search(&query, &Count)? as u64)
    }

    /// Runs a query, best hit first.
    fn search(&self, query: &SearchQuery) -> tantivy::Result<SearchResponse> {
        let limit = query.limit.min(MAX_HITS);
        let tantivy_query = query::build_query(query, &self.fields).filter(|_| limit > 0);
        let Some(tantivy_query) = tantivy_query else { return Ok(SearchResponse::default()) };
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        let best_hits = TopDocs::with_limit(limit).order_by_score();
        let (best, total) = searcher.search(&tantivy_query, &(best_hits, Count))?;
        let mut response =
            SearchResponse { total: Some(total as u64), ..SearchResponse::default() };
        for (index, (_, address)) in best.into_iter().enumerate() {
            let document: TantivyDocument = searcher.doc(address)?;
            match self.fields.hit(&document) {
                Some((url, title, snippet)) => {
                    let engine = NAME.to_owned();
                    response.hits.push(SearchHit { url, title, snippet, engine, rank: index + 1 });
                }
                None => response.skipped += 1,
            }
        }
        Ok(response)
    }
}

/// Whether the stored data is damaged, so that a new index is needed. Missing
/// permissions and most I/O errors are not damage.
fn is_damaged(error: &TantivyError) -> bool {
    match error {
        TantivyError::DataCorruption(_)
        | TantivyError::IncompatibleIndex(_)
        | TantivyError::SchemaError(_)
        | TantivyError::DeserializeError(_)
        | TantivyError::OpenReadError(
            OpenReadError::FileDoesNotExist(_) | OpenReadError::IncompatibleIndex(_),
        ) => true,
        TantivyError::IoError(error) => {
            matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData)
        }
        _ => false,
    }
}

fn index_error(path: &Path, error: TantivyError) -> SearchError {
    SearchError::Index { path: path.display().to_string(), source: Box::new(error) }
}

#[async_trait]
impl SearchEngine for LocalIndex {
    fn name(&self) -> &str {
        NAME
    }

    fn cache_key(&self, _: &SearchQuery) -> Option<String> {
        None
    }

    async fn search(&self, query: &SearchQuery) -> Result<SearchResponse, SearchError> {
        let query = query.clone();
        self.run(move |state| state.search(&query)).await
    }
}

/// Creates a term of a field.
fn term(field: tantivy::schema::Field, text: &str) -> Term {
    Term::from_field_text(field, text)
}
