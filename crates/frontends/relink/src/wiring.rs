//! The one place where edges are joined to the engine's ports.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use relink_engine::{Ports, RenderMode};
use relink_fetch::Fetcher;
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_lookup::ServiceLimits;
use relink_ports::{Clock, Fetch, RenderError, Store};
use relink_render::{Chromium, find_browser};
use relink_store::SqliteStore;
use url::{Host, Url};

use crate::error::CommandError;
use crate::settings::RunSettings;

/// Joins one of each edge.
pub async fn ports(
    fetch: relink_fetch::FetchSettings,
    db: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Ports, CommandError> {
    let store = store(db).await?;
    ports_over(fetch, store, clock)
}

/// Joins one of each edge for a command that only reads the database.
pub async fn ports_for_reading(db: &Path, clock: Arc<dyn Clock>) -> Result<Ports, CommandError> {
    let store = store_for_reading(db).await?;
    ports_over(relink_fetch::FetchSettings::default(), store, clock)
}

fn ports_over(
    fetch: relink_fetch::FetchSettings,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
) -> Result<Ports, CommandError> {
    Ok(Ports {
        fetch: fetcher(fetch)?,
        files: Arc::new(LocalFiles::new(LocalFilesSettings::default())),
        store,
        render: None,
        archives: Vec::new(),
        searches: Vec::new(),
        clock,
    })
}

/// Lets go of every edge. Connections are closed while the database is: both
/// take a few milliseconds, and most of them are spent waiting.
pub async fn close(ports: Ports) {
    let Ports { fetch, store, .. } = ports;
    let connections = tokio::task::spawn_blocking(move || drop(fetch));
    close_stores();
    drop(store);
    // It cannot fail, and would matter to nobody.
    let _ = connections.await;
}

/// Opens the way to web servers alone.
pub fn fetcher(fetch: relink_fetch::FetchSettings) -> Result<Arc<dyn Fetch>, CommandError> {
    let fetcher = Fetcher::new(fetch)
        .map_err(|error| CommandError::usage(error.to_string()).because(&error))?;
    Ok(Arc::new(fetcher))
}

/// Joins one of each edge, with a browser to build pages in.
pub async fn ports_with_browser(
    run: &RunSettings,
    mode: RenderMode,
    clock: Arc<dyn Clock>,
) -> Result<Ports, CommandError> {
    let ports = ports(run.fetch.clone(), &run.db, clock).await?;
    if mode == RenderMode::Never {
        return Ok(ports);
    }
    if mode == RenderMode::Always {
        // Better said now than once for every page.
        find_browser(None).map_err(|error| no_browser(&error))?;
    }
    // The browser's requests go through the same policy as all others.
    let dial = Fetcher::new(run.fetch.clone())
        .map_err(|error| CommandError::usage(error.to_string()).because(&error))?;
    let settings = relink_render::RenderSettings {
        user_agent: run.fetch.user_agent.clone(),
        time: run.fetch.timeout,
        html_cap: run.fetch.text_cap,
        ..relink_render::RenderSettings::default()
    };
    let browser = Chromium::new(settings, Arc::new(dial));
    Ok(Ports { render: Some(Arc::new(browser)), ..ports })
}

fn no_browser(error: &RenderError) -> CommandError {
    CommandError::usage("pages cannot be built in a browser")
        .cause(error.to_string())
        .hint("install one (`apt install chromium`), or name it in RELINK_BROWSER")
}

/// How a service is treated: one on this very machine need not be spared, and
/// what its user says of the budget holds anyway.
pub fn manners(usual: ServiceLimits, place: &Url, budget: Option<u32>) -> ServiceLimits {
    let manners = if is_home(place) { ServiceLimits::local() } else { usual };
    ServiceLimits { daily_budget: budget.unwrap_or(manners.daily_budget), ..manners }
}

/// Whether a service is on this very machine.
fn is_home(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// The databases that this process has open. Tasks that were stopped hold
/// handles to their store until the process ends, so dropping those of a
/// command does not close the file.
static OPEN_STORES: Mutex<Vec<Weak<SqliteStore>>> = Mutex::new(Vec::new());

/// Closes every database, even if tasks still hold it. Without this, its write-ahead log
/// would stay behind.
pub fn close_stores() {
    let stores = std::mem::take(&mut *OPEN_STORES.lock().unwrap_or_else(PoisonError::into_inner));
    stores.iter().filter_map(Weak::upgrade).for_each(|store| store.close());
}

fn registered(store: SqliteStore) -> Arc<dyn Store> {
    let store = Arc::new(store);
    let mut stores = OPEN_STORES.lock().unwrap_or_else(PoisonError::into_inner);
    stores.push(Arc::downgrade(&store));
    store
}

/// Opens the database for a command that only reads it. The file and its
/// directory may be read-only.
pub async fn store_for_reading(db: &Path) -> Result<Arc<dyn Store>, CommandError> {
    make_folder(db)?;
    Ok(registered(SqliteStore::open_for_reading(db).await?))
}

/// Opens the database, making its directory if need be.
pub async fn store(db: &Path) -> Result<Arc<dyn Store>, CommandError> {
    make_folder(db)?;
    Ok(registered(SqliteStore::open(db).await?))
}

fn make_folder(db: &Path) -> Result<(), CommandError> {
    if let Some(folder) = db.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|error| {
            CommandError::internal(format!("cannot make the directory `{}`", folder.display()))
                .cause(error.to_string())
                .hint("choose another file with `--db FILE`")
        })?;
    }
    Ok(())
}
