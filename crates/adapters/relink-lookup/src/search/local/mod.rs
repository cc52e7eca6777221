//! A search engine of our own, on the disk.
//!
//! It knows the pages that it was told of, those of a crawl or of a site's
//! map, and so finds where a page went with no service asked. It holds nothing
//! that is not also elsewhere: an index that cannot be read is begun anew, and
//! its owner is told to feed it again.

mod fields;
mod query;
mod words;

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

/// The folder within the one we are given. The number grows when the fields
/// or the words change, so that an older index is begun anew.
const FOLDER: &str = "pages-1";

/// The memory for pages that are being read in, in bytes.
const MEMORY: usize = 32 * 1024 * 1024;

/// The most hits given at once.
const MOST_HITS: usize = 1_000;

/// What people call it.
const NAME: &str = "local index";

/// A page that the index is told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexedPage {
    /// Where it is.
    pub url: Url,
    /// Its title, or nothing.
    pub title: String,
    /// Its text, or as much of it as is known.
    pub text: String,
}

/// A full-text index on the disk.
#[derive(Clone)]
pub struct LocalIndex {
    shelf: Arc<IndexState>,
    is_new: bool,
}

/// The index and what is needed to use it.
struct IndexState {
    path: PathBuf,
    index: Index,
    reader: IndexReader,
    fields: Fields,
    /// Held while writing: there is one writer at a time.
    turn: Mutex<()>,
}

impl LocalIndex {
    /// Opens the index in a folder, or begins one there.
    ///
    /// One that is damaged, or of another version, is begun anew; only a
    /// folder of our own within the given one is ever emptied.
    pub fn open(folder: &Path) -> Result<Self, SearchError> {
        let path = folder.join(FOLDER);
        let opened = fs::create_dir_all(&path).map_err(TantivyError::from).and_then(|()| {
            let is_new = !path.join("meta.json").exists();
            match IndexState::open(&path) {
                Err(error) if is_damage(&error) => {
                    fs::remove_dir_all(&path)?;
                    fs::create_dir_all(&path)?;
                    Ok((IndexState::open(&path)?, true))
                }
                shelf => Ok((shelf?, is_new)),
            }
        });
        let (shelf, is_new) = opened.map_err(|error| index_error(&path, error))?;
        Ok(Self { shelf: Arc::new(shelf), is_new })
    }

    /// Whether it was begun when it was opened, and so has to be fed.
    pub fn is_new(&self) -> bool {
        self.is_new
    }

    /// How many pages it knows.
    pub fn pages(&self) -> Result<u64, SearchError> {
        self.shelf.pages().map_err(|error| index_error(&self.shelf.path, error))
    }

    /// Takes in pages, all of them or none. A page that it knows already is
    /// replaced.
    pub async fn add_pages(&self, pages: Vec<IndexedPage>) -> Result<(), SearchError> {
        self.run(move |shelf| shelf.write(|writer| shelf.add(writer, &pages))).await
    }

    /// Takes in pages, forgets others and notes how far its owner has told it,
    /// all of it or nothing. Whatever else changes the index wipes the note.
    pub async fn update(
        &self,
        pages: Vec<IndexedPage>,
        gone: Vec<Url>,
        note: String,
    ) -> Result<(), SearchError> {
        self.run(move |shelf| {
            shelf.write_noting(Some(&note), |writer| {
                shelf.remove(writer, &gone);
                shelf.add(writer, &pages)
            })
        })
        .await
    }

    /// The note of the last update, if nothing was changed since.
    pub fn note(&self) -> Result<Option<String>, SearchError> {
        let metas =
            self.shelf.index.load_metas().map_err(|error| index_error(&self.shelf.path, error))?;
        Ok(metas.payload)
    }

    /// Forgets pages.
    pub async fn remove_pages(&self, urls: Vec<Url>) -> Result<(), SearchError> {
        self.run(move |shelf| {
            shelf.write(|writer| {
                shelf.remove(writer, &urls);
                Ok(())
            })
        })
        .await
    }

    /// Forgets everything.
    pub async fn clear(&self) -> Result<(), SearchError> {
        self.run(|shelf| shelf.write(|writer| writer.delete_all_documents().map(drop))).await
    }

    /// On how many pages each phrase stands, in the order asked.
    pub async fn counts(&self, phrases: Vec<String>) -> Result<Vec<u64>, SearchError> {
        self.run(move |shelf| phrases.iter().map(|phrase| shelf.count(phrase)).collect()).await
    }

    /// Works on the index where waiting for the disk holds up nobody.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&IndexState) -> tantivy::Result<T> + Send + 'static,
    ) -> Result<T, SearchError> {
        let own = Arc::clone(&self.shelf);
        let done = spawn_blocking(move || work(&own)).await;
        let done = done.unwrap_or_else(|ended| Err(TantivyError::SystemError(ended.to_string())));
        done.map_err(|error| index_error(&self.shelf.path, error))
    }
}

impl IndexState {
    fn open(path: &Path) -> tantivy::Result<Self> {
        let (schema, fields) = Fields::new();
        let directory = tantivy::directory::MmapDirectory::open(path)?;
        let index = Index::open_or_create(directory, schema)?;
        index.tokenizers().register(words::NAME, words::WordTokenizer);
        // Looked at before each search, which also shows what others wrote.
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { path: path.to_owned(), index, reader, fields, turn: Mutex::default() })
    }

    fn pages(&self) -> tantivy::Result<u64> {
        self.reader.reload()?;
        Ok(self.reader.searcher().num_docs())
    }

    fn write(
        &self,
        change: impl FnOnce(&mut IndexWriter) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        self.write_noting(None, change)
    }

    fn write_noting(
        &self,
        note: Option<&str>,
        change: impl FnOnce(&mut IndexWriter) -> tantivy::Result<()>,
    ) -> tantivy::Result<()> {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        let mut writer = self.index.writer_with_num_threads(1, MEMORY)?;
        change(&mut writer)?;
        let mut commit = writer.prepare_commit()?;
        if let Some(note) = note {
            commit.set_payload(note);
        }
        commit.commit()?;
        writer.wait_merging_threads()
    }

    fn remove(&self, writer: &IndexWriter, urls: &[Url]) {
        for url in urls {
            writer.delete_term(self.fields.page(url));
        }
    }

    fn add(&self, writer: &IndexWriter, pages: &[IndexedPage]) -> tantivy::Result<()> {
        for page in pages {
            let Some(document) = self.fields.document(page) else { continue };
            writer.delete_term(self.fields.page(&page.url));
            writer.add_document(document)?;
        }
        Ok(())
    }

    fn count(&self, phrase: &str) -> tantivy::Result<u64> {
        let query = SearchQuery::new([""; 0]).with_phrase(phrase);
        let Some(question) = query::build_query(&query, &self.fields) else { return Ok(0) };
        self.reader.reload()?;
        Ok(self.reader.searcher().search(&question, &Count)? as u64)
    }

    fn search(&self, query: &SearchQuery) -> tantivy::Result<SearchResponse> {
        let limit = query.limit.min(MOST_HITS);
        let question = query::build_query(query, &self.fields).filter(|_| limit > 0);
        let Some(question) = question else { return Ok(SearchResponse::default()) };
        self.reader.reload()?;
        let searcher = self.reader.searcher();
        let best = TopDocs::with_limit(limit).order_by_score();
        let (best, total) = searcher.search(&question, &(best, Count))?;
        let mut answer = SearchResponse { total: Some(total as u64), ..SearchResponse::default() };
        for (at, (_, address)) in best.into_iter().enumerate() {
            let document: TantivyDocument = searcher.doc(address)?;
            match self.fields.hit(&document) {
                Some((url, title, excerpt)) => {
                    let engine = NAME.to_owned();
                    answer.hits.push(SearchHit {
                        url,
                        title,
                        snippet: excerpt,
                        engine,
                        rank: at + 1,
                    });
                }
                None => answer.skipped += 1,
            }
        }
        Ok(answer)
    }
}

/// Whether the error is in what is kept, which can be made good by beginning
/// anew, and not in the disk or in who may write.
fn is_damage(error: &TantivyError) -> bool {
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
        self.run(move |shelf| shelf.search(&query)).await
    }
}

/// Terms are made in one place.
fn term(field: tantivy::schema::Field, text: &str) -> Term {
    Term::from_field_text(field, text)
}
