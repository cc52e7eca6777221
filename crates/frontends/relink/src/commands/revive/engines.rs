//! The search engines that were chosen, ready to be asked.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use relink_engine::Ports;
use relink_lookup::{IndexedPage, LocalIndex, WebSearch, WebSearchSettings};
use relink_ports::{BudgetStore, SearchEngine, SearchError, TextChange};
use url::Url;

use crate::error::CommandError;
use crate::settings::{ReviveSetup, SearchChoice};
use crate::wiring;

/// Pages taken into the index at a time.
const PIECE: usize = 1024;

/// Where the engines with a key are.
const ENGINES: [(&str, &str); 3] = [
    ("brave", "https://api.search.brave.com/"),
    ("mojeek", "https://api.mojeek.com/"),
    ("kagi", "https://kagi.com/"),
];

/// What an engine is called that is known by its address alone.
const JSON: &str = "JSON";

/// Opens every engine that was chosen.
pub async fn open(
    looking: &ReviveSetup,
    db: &Path,
    ports: &Ports,
) -> Result<Vec<Arc<dyn SearchEngine>>, CommandError> {
    let (engines, failures) = open_most(looking, db, ports).await;
    failures.into_iter().next().map_or(Ok(engines), Err)
}

/// Opens the engines that can be opened, and says why others cannot.
pub async fn open_most(
    looking: &ReviveSetup,
    db: &Path,
    ports: &Ports,
) -> (Vec<Arc<dyn SearchEngine>>, Vec<CommandError>) {
    let (mut engines, mut failures) = (Vec::new(), Vec::new());
    for choice in &looking.searches {
        match open_one(choice, looking, db, ports).await {
            Ok(engine) => engines.push(engine),
            Err(failure) => failures.push(failure),
        }
    }
    (engines, failures)
}

async fn open_one(
    choice: &SearchChoice,
    looking: &ReviveSetup,
    db: &Path,
    ports: &Ports,
) -> Result<Arc<dyn SearchEngine>, CommandError> {
    let settings = match choice {
        SearchChoice::Local => return Ok(Arc::new(local(db, ports).await?)),
        SearchChoice::Searxng(url) => WebSearchSettings::searxng(url),
        SearchChoice::Json(template) => WebSearchSettings::json(JSON, template.clone()),
        SearchChoice::Named(name) => named(name)?,
    };
    Ok(Arc::new(web(settings, looking.search_budget, ports)))
}

fn named(name: &str) -> Result<WebSearchSettings, CommandError> {
    let root = ENGINES.iter().find(|(known, _)| *known == name);
    let root = root.and_then(|(_, address)| Url::parse(address).ok());
    let root = root.ok_or_else(|| CommandError::internal(format!("`{name}` has no address")))?;
    Ok(match name {
        "brave" => WebSearchSettings::brave(&root),
        "mojeek" => WebSearchSettings::mojeek(&root),
        _ => WebSearchSettings::kagi(&root),
    })
}

fn web(settings: WebSearchSettings, budget: Option<u32>, ports: &Ports) -> WebSearch {
    let environment = |name: &str| std::env::var(name).ok().filter(|key| !key.is_empty());
    let manners = wiring::manners(settings.limits, settings.template.root(), budget);
    let settings = WebSearchSettings { limits: manners, ..settings };
    let (fetch, clock) = (Arc::clone(&ports.fetch), Arc::clone(&ports.clock));
    let ledger: Arc<dyn BudgetStore> = Arc::clone(&ports.store) as _;
    WebSearch::new(settings, &environment, fetch, clock).with_budget_store(ledger)
}

/// The index beside the database, told of every page that was looked at since
/// it was last told.
async fn local(db: &Path, ports: &Ports) -> Result<LocalIndex, CommandError> {
    let index = LocalIndex::open(&beside(db)).map_err(|error| failed(&error))?;
    let edition = ports.store.probe_id_epoch().await?;
    let last = ports.store.last_probe_id().await?;
    let mut after = told(&index, &edition, last).await.map_err(|error| failed(&error))?;
    loop {
        let piece = ports.store.text_changes(after, PIECE).await?;
        let Some(last) = piece.last() else { return Ok(index) };
        after = last.number;
        let (pages, gone) = sorted(piece);
        let note = format!("{edition} {after}");
        index.update(pages, gone, note).await.map_err(|error| failed(&error))?;
    }
}

/// The last look that the index was told of. Where it was told by another
/// database, or by a later state of this one than is there now (a backup that
/// was put back), it begins anew.
async fn told(index: &LocalIndex, edition: &str, last: i64) -> Result<i64, SearchError> {
    let note = index.note()?;
    let read = |note: &str| note.strip_prefix(edition)?.trim().parse().ok();
    let number: Option<i64> = note.as_deref().and_then(read);
    if let Some(number) = number.filter(|number| *number <= last) {
        return Ok(number);
    }
    if index.pages()? > 0 {
        index.clear().await?;
    }
    Ok(0)
}

/// Pages to take in, and pages to forget.
fn sorted(changes: Vec<TextChange>) -> (Vec<IndexedPage>, Vec<Url>) {
    let (mut pages, mut gone) = (Vec::new(), Vec::new());
    for change in changes {
        let Ok(url) = Url::parse(&change.url) else { continue };
        match change.text {
            Some((title, text)) => pages.push(IndexedPage { url, title, text }),
            None => gone.push(url),
        }
    }
    (pages, gone)
}

fn beside(db: &Path) -> PathBuf {
    let mut name = db.as_os_str().to_owned();
    name.push(".index");
    name.into()
}

fn failed(error: &SearchError) -> CommandError {
    CommandError::internal(error.to_string())
        .because(error)
        .hint("`--search none` does without; the index is made anew if its directory is removed")
}
