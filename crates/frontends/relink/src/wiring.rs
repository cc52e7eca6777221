//! Connects the adapters to the ports of the engine.
//!
//! A port is an interface that the engine uses, such as the store (the database) or the
//! HTTP client. An adapter implements a port.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError, Weak};
#[cfg(feature = "postgres")]
use std::time::Duration;

use relink_engine::RenderMode;
use relink_fetch::Fetcher;
use relink_files::{LocalFiles, LocalFilesSettings};
use relink_harvest::{OaiClient, OaiClientSettings};
use relink_lookup::ServiceLimits;
use relink_ports::{
    Clock, CollectionStore, Fetch, HarvestStore, ManagedStore, RecordSource, RenderError, Store,
};
use relink_render::{Chromium, find_browser};
use relink_requests::Ports;
use relink_store::SqliteStore;
#[cfg(feature = "postgres")]
use relink_store::{ParsePostgresUrlError, PostgresStore, PostgresUrl};
use url::{Host, Url};

use crate::clock::RunClock;
use crate::database::{check_file_name, server_url};
use crate::error::CommandError;
use crate::settings::RunSettings;

/// Creates all adapters.
pub async fn ports(
    fetch: relink_fetch::FetchSettings,
    db: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Ports, CommandError> {
    let store = store_with_clock(db, Arc::clone(&clock)).await?;
    ports_with_store(fetch, store, clock)
}

/// Creates all adapters for a command that only reads the database.
pub async fn ports_for_reading(db: &Path, clock: Arc<dyn Clock>) -> Result<Ports, CommandError> {
    let store = store_for_reading(db).await?;
    ports_with_store(relink_fetch::FetchSettings::default(), store, clock)
}

/// Creates all adapters. Also returns the store of collections, which uses the same database.
pub async fn ports_with_collections(
    fetch: relink_fetch::FetchSettings,
    db: &Path,
    clock: Arc<dyn Clock>,
) -> Result<(Ports, Arc<dyn CollectionStore>), CommandError> {
    let store = file_store(db, "relink watch").await?;
    let ports = ports_with_store(fetch, Arc::clone(&store) as _, clock)?;
    Ok((ports, store))
}

/// Opens the store of collections.
pub async fn collections(db: &Path) -> Result<Arc<dyn CollectionStore>, CommandError> {
    Ok(file_store(db, "relink watch").await?)
}

/// Creates the adapters for an open database.
fn ports_with_store(
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
        search_engines: Vec::new(),
        clock,
    })
}

/// The adapters of `relink harvest`.
pub struct HarvestPorts {
    /// The ports for checking links.
    pub ports: Ports,
    /// The store of records and incidents, in the same database.
    pub store: Arc<dyn HarvestStore>,
    /// The source of records.
    pub source: Arc<dyn RecordSource>,
}

/// Opens the store of records and incidents.
async fn harvest_store(db: &Path) -> Result<Arc<SqliteStore>, CommandError> {
    let store = file_store(db, "relink harvest").await?;
    store.create_harvest_tables()?;
    Ok(store)
}

/// Opens the database of a command that supports only SQLite files.
async fn file_store(db: &Path, command: &str) -> Result<Arc<SqliteStore>, CommandError> {
    if server_url(db).is_some() {
        return Err(CommandError::usage(format!("`{command}` cannot use PostgreSQL"))
            .cause("it supports SQLite files only")
            .hint("use a file with `--db FILE`"));
    }
    check_file_name(db)?;
    create_parent_dir(db)?;
    Ok(register_file(SqliteStore::open(db).await?))
}

/// Creates the adapters of `relink harvest`.
pub async fn harvest_ports(
    fetch: relink_fetch::FetchSettings,
    db: &Path,
    client: OaiClientSettings,
    clock: Arc<dyn Clock>,
) -> Result<HarvestPorts, CommandError> {
    let store = harvest_store(db).await?;
    let ports = ports_with_store(fetch, Arc::clone(&store) as Arc<dyn Store>, clock)?;
    let source = Arc::new(OaiClient::new(Arc::clone(&ports.fetch), client));
    Ok(HarvestPorts { ports, store, source })
}

/// Closes all adapters. Closes connections and the database in parallel, because each takes
/// a few milliseconds.
pub async fn close(ports: Ports) {
    end_workers().await;
    let Ports { fetch, store, .. } = ports;
    let connections = tokio::task::spawn_blocking(move || drop(fetch));
    close_stores();
    drop(store);
    // Ignore the join error: dropping the fetcher cannot panic.
    let _ = connections.await;
}

/// Creates the HTTP client.
pub fn fetcher(fetch: relink_fetch::FetchSettings) -> Result<Arc<dyn Fetch>, CommandError> {
    let fetcher = Fetcher::new(fetch)
        .map_err(|error| CommandError::usage(error.to_string()).with_sources(&error))?;
    Ok(Arc::new(fetcher))
}

/// Creates all adapters, including a browser to render pages.
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
        // Without a browser, fail once now, not for every page.
        find_browser(None).map_err(|error| no_browser_error(&error))?;
    }
    // The browser connects through this fetcher, which forbids private addresses as for all
    // other requests.
    let fetcher = Fetcher::new(run.fetch.clone())
        .map_err(|error| CommandError::usage(error.to_string()).with_sources(&error))?;
    let settings = relink_render::RenderSettings {
        user_agent: run.fetch.user_agent.clone(),
        timeout: run.fetch.timeout,
        max_html_bytes: run.fetch.max_text_bytes,
        ..relink_render::RenderSettings::default()
    };
    let browser = Chromium::new(settings, Arc::new(fetcher));
    Ok(Ports { render: Some(Arc::new(browser)), ..ports })
}

fn no_browser_error(error: &RenderError) -> CommandError {
    CommandError::usage("cannot render pages in a browser")
        .cause(error.to_string())
        .hint("install Chromium (`apt install chromium`), or set RELINK_BROWSER to its path")
}

/// Returns the limits of a service. A service on this machine has no rate limit. A
/// budget set by the user always applies.
pub fn service_limits(default: ServiceLimits, url: &Url, budget: Option<u32>) -> ServiceLimits {
    let limits = if is_loopback(url) { ServiceLimits::local() } else { default };
    ServiceLimits { daily_budget: budget.unwrap_or(limits.daily_budget), ..limits }
}

/// Whether a URL has a loopback host.
pub fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(name)) => name == "localhost",
        None => false,
    }
}

/// Maximum time to remove this process from the workers of a database.
#[cfg(feature = "postgres")]
const MAX_END_TIME: Duration = Duration::from_secs(1);

/// A database that may be open.
enum OpenStore {
    Sqlite(Weak<SqliteStore>),
    #[cfg(feature = "postgres")]
    Postgres(Weak<PostgresStore>),
}

/// The open databases of this process. Stopped async tasks own handles of a database until
/// the process ends, so the database stays open even if the command drops its handle.
static OPEN_STORES: Mutex<Vec<OpenStore>> = Mutex::new(Vec::new());

/// Closes all databases, even if async tasks still own handles. Otherwise the write-ahead
/// log of SQLite would remain on disk.
pub fn close_stores() {
    let stores = std::mem::take(&mut *OPEN_STORES.lock().unwrap_or_else(PoisonError::into_inner));
    for store in stores {
        match store {
            OpenStore::Sqlite(store) => store.upgrade().iter().for_each(|store| store.close()),
            #[cfg(feature = "postgres")]
            OpenStore::Postgres(store) => store.upgrade().iter().for_each(|store| store.close()),
        }
    }
}

/// Removes this process from the workers of shared databases.
pub async fn end_workers() {
    #[cfg(feature = "postgres")]
    {
        let is_postgres = |open: &OpenStore| match open {
            OpenStore::Sqlite(_) => None,
            OpenStore::Postgres(store) => store.upgrade(),
        };
        let stores: Vec<Arc<PostgresStore>> = {
            let open = OPEN_STORES.lock().unwrap_or_else(PoisonError::into_inner);
            open.iter().filter_map(is_postgres).collect()
        };
        for store in stores {
            // Ignore the error: the process is listed as ended a day later.
            let _ = tokio::time::timeout(MAX_END_TIME, store.end_worker()).await;
        }
    }
}

/// Adds a database to [`OPEN_STORES`].
fn register(store: OpenStore) {
    OPEN_STORES.lock().unwrap_or_else(PoisonError::into_inner).push(store);
}

/// Adds a database file to [`OPEN_STORES`].
fn register_file(store: SqliteStore) -> Arc<SqliteStore> {
    let store = Arc::new(store);
    register(OpenStore::Sqlite(Arc::downgrade(&store)));
    store
}

/// Opens the database for a command that only reads it. A file and its directory may
/// be read-only.
pub async fn store_for_reading(db: &Path) -> Result<Arc<dyn Store>, CommandError> {
    Ok(maintenance_store_for_reading(db).await?)
}

/// Opens the database and creates its directory if necessary.
pub async fn store(db: &Path) -> Result<Arc<dyn Store>, CommandError> {
    store_with_clock(db, Arc::new(RunClock::start()?)).await
}

async fn store_with_clock(
    db: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn Store>, CommandError> {
    Ok(open_database(db, clock).await?)
}

/// Opens the database to read its size or the state of its queue.
pub async fn maintenance_store_for_reading(
    db: &Path,
) -> Result<Arc<dyn ManagedStore>, CommandError> {
    if let Some(url) = server_url(db) {
        return server_store(url, Arc::new(RunClock::start()?)).await;
    }
    check_file_name(db)?;
    create_parent_dir(db)?;
    Ok(register_file(SqliteStore::open_for_reading(db).await?))
}

/// Opens the database to delete old data.
pub async fn maintenance_store(db: &Path) -> Result<Arc<dyn ManagedStore>, CommandError> {
    open_database(db, Arc::new(RunClock::start()?)).await
}

/// Opens the database, an SQLite file or a PostgreSQL server.
async fn open_database(
    db: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn ManagedStore>, CommandError> {
    if let Some(url) = server_url(db) {
        return server_store(url, clock).await;
    }
    check_file_name(db)?;
    create_parent_dir(db)?;
    Ok(register_file(SqliteStore::open(db).await?))
}

/// Connects to a database server.
#[cfg(feature = "postgres")]
async fn server_store(
    url: &str,
    clock: Arc<dyn Clock>,
) -> Result<Arc<dyn ManagedStore>, CommandError> {
    let url = PostgresUrl::parse(url).map_err(|error| {
        let hint = match error {
            ParsePostgresUrlError::TlsRequired => "remove `sslmode=disable`",
            ParsePostgresUrlError::Invalid(_) => {
                "use a URL such as `postgres://USER@HOST/DATABASE`"
            }
        };
        CommandError::usage(error.to_string()).hint(hint)
    })?;
    let store = Arc::new(PostgresStore::open(url, clock).await?);
    register(OpenStore::Postgres(Arc::downgrade(&store)));
    Ok(store)
}

/// Reports that this build cannot connect to a database server.
#[cfg(not(feature = "postgres"))]
async fn server_store(
    _url: &str,
    _clock: Arc<dyn Clock>,
) -> Result<Arc<dyn ManagedStore>, CommandError> {
    Err(CommandError::usage("this build does not support PostgreSQL")
        .hint("build Relink with the feature `postgres`, or use a file with `--db FILE`"))
}

fn create_parent_dir(db: &Path) -> Result<(), CommandError> {
    if let Some(dir) = db.parent().filter(|dir| !dir.as_os_str().is_empty()) {
        std::fs::create_dir_all(dir).map_err(|error| {
            CommandError::internal(format!("cannot create the directory `{}`", dir.display()))
                .cause(error.to_string())
                .hint("choose another file with `--db FILE`")
        })?;
    }
    Ok(())
}
