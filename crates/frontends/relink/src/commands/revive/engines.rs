//! Opens the selected search engines: web services, and a local index of all fetched pages.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_lookup::{IndexedPage, LocalIndex, WebSearch, WebSearchSettings};
use relink_ports::{BudgetStore, SearchEngine, SearchError, TextChange};
use relink_requests::Ports;
use url::Url;

use crate::database::companion_path;
use crate::error::CommandError;
use crate::settings::{ReviveSetup, SearchChoice};
use crate::wiring;

/// Number of pages added to the index at a time.
const BATCH_SIZE: usize = 1024;

/// The engines that require a key, with their base URLs.
const KEYED_ENGINES: [(&str, &str); 3] = [
    ("brave", "https://api.search.brave.com/"),
    ("mojeek", "https://api.mojeek.com/"),
    ("kagi", "https://kagi.com/"),
];

/// The name in reports of an engine that the user configured with a URL template.
const JSON_ENGINE: &str = "JSON";

/// Opens all selected engines. Fails if one of them cannot be opened.
pub async fn open(
    setup: &ReviveSetup,
    db: &Path,
    ports: &Ports,
) -> Result<Vec<Arc<dyn SearchEngine>>, CommandError> {
    let (engines, failures) = open_available(setup, db, ports).await;
    match failures.into_iter().next() {
        Some(error) => Err(error),
        None => Ok(engines),
    }
}

/// Opens the selected engines. Returns the errors of those that cannot be opened.
pub async fn open_available(
    setup: &ReviveSetup,
    db: &Path,
    ports: &Ports,
) -> (Vec<Arc<dyn SearchEngine>>, Vec<CommandError>) {
    let (mut engines, mut failures) = (Vec::new(), Vec::new());
    for choice in &setup.searches {
        match open_engine(choice, setup, db, ports).await {
            Ok(engine) => engines.push(engine),
            Err(error) => failures.push(error),
        }
    }
    (engines, failures)
}

async fn open_engine(
    choice: &SearchChoice,
    setup: &ReviveSetup,
    db: &Path,
    ports: &Ports,
) -> Result<Arc<dyn SearchEngine>, CommandError> {
    let settings = match choice {
        SearchChoice::Local => return Ok(Arc::new(updated_local_index(db, ports).await?)),
        SearchChoice::Searxng(url) => WebSearchSettings::searxng(url),
        SearchChoice::Json(template) => WebSearchSettings::json(JSON_ENGINE, template.clone()),
        SearchChoice::Named(name) => keyed_engine(name)?,
    };
    Ok(Arc::new(web_search(settings, setup.search_budget, ports)))
}

/// Returns the settings of an engine that requires a key.
fn keyed_engine(name: &str) -> Result<WebSearchSettings, CommandError> {
    let engine = KEYED_ENGINES.iter().find(|(engine, _)| *engine == name);
    let base_url = engine
        .and_then(|(_, url)| Url::parse(url).ok())
        .ok_or_else(|| CommandError::internal(format!("search engine `{name}` has no URL")))?;
    Ok(match name {
        "brave" => WebSearchSettings::brave(&base_url),
        "mojeek" => WebSearchSettings::mojeek(&base_url),
        _ => WebSearchSettings::kagi(&base_url),
    })
}

fn web_search(settings: WebSearchSettings, budget: Option<u32>, ports: &Ports) -> WebSearch {
    let environment = |name: &str| std::env::var(name).ok().filter(|key| !key.is_empty());
    let limits = wiring::service_limits(settings.limits, settings.template.root(), budget);
    let settings = WebSearchSettings { limits, ..settings };
    let (fetch, clock) = (Arc::clone(&ports.fetch), Arc::clone(&ports.clock));
    let budget_store: Arc<dyn BudgetStore> = Arc::clone(&ports.store) as _;
    WebSearch::new(settings, &environment, fetch, clock).with_budget_store(budget_store)
}

/// Opens the index next to the database and adds all pages fetched since the last update.
///
/// The index stores a checkpoint: the id of the last indexed probe (fetch), and the epoch of
/// the database. Another database has another epoch, so its probe ids are not mixed up.
async fn updated_local_index(db: &Path, ports: &Ports) -> Result<LocalIndex, CommandError> {
    let index =
        LocalIndex::open(&index_path(&companion_path(db)?)).map_err(|error| index_error(&error))?;
    let epoch = ports.store.probe_id_epoch().await?;
    let last = ports.store.last_probe_id().await?;
    let mut after =
        indexed_up_to(&index, &epoch, last).await.map_err(|error| index_error(&error))?;
    loop {
        let batch = ports.store.text_changes(after, BATCH_SIZE).await?;
        let Some(last) = batch.last() else { return Ok(index) };
        after = last.probe_id;
        let (pages, removed) = split_changes(batch);
        let checkpoint = format!("{epoch} {after}");
        index.update(pages, removed, checkpoint).await.map_err(|error| index_error(&error))?;
    }
}

/// Returns the id of the last probe in the index. Clears the index if it belongs to another
/// database, or if it is newer than this database, which was then restored from a backup.
async fn indexed_up_to(
    index: &LocalIndex,
    epoch: &str,
    last_in_database: i64,
) -> Result<i64, SearchError> {
    let checkpoint = index.checkpoint()?.unwrap_or_default();
    let last_indexed: Option<i64> =
        checkpoint.strip_prefix(epoch).and_then(|id| id.trim().parse().ok());
    if let Some(last_indexed) = last_indexed
        && last_indexed <= last_in_database
    {
        return Ok(last_indexed);
    }
    if index.pages()? > 0 {
        index.clear().await?;
    }
    Ok(0)
}

/// Splits changes into pages to add and URLs to remove.
fn split_changes(changes: Vec<TextChange>) -> (Vec<IndexedPage>, Vec<Url>) {
    let (mut pages, mut removed) = (Vec::new(), Vec::new());
    for change in changes {
        let Ok(url) = Url::parse(&change.url) else { continue };
        match change.text {
            Some((title, text)) => pages.push(IndexedPage { url, title, text }),
            None => removed.push(url),
        }
    }
    (pages, removed)
}

fn index_path(db: &Path) -> PathBuf {
    let mut name = db.as_os_str().to_owned();
    name.push(".index");
    name.into()
}

fn index_error(error: &SearchError) -> CommandError {
    CommandError::internal(error.to_string())
        .with_sources(error)
        .hint("use `--search none`, or delete the directory of the index to rebuild it")
}
