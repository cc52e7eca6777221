//! The one place where edges are joined to the engine's ports.

use std::path::Path;
use std::sync::Arc;

use relink_engine::{Ports, RenderMode};
use relink_fetch::Fetcher;
use relink_files::{Disk, DiskSettings};
use relink_ports::{Clock, Store};
use relink_store::SqliteStore;

use crate::failure::Failure;
use crate::settings::RunSettings;

/// Joins one of each edge.
pub async fn ports(
    fetch: relink_fetch::Settings,
    db: &Path,
    clock: Arc<dyn Clock>,
) -> Result<Ports, Failure> {
    let fetcher =
        Fetcher::new(fetch).map_err(|fault| Failure::usage(fault.to_string()).because(&fault))?;
    Ok(Ports {
        fetch: Arc::new(fetcher),
        files: Arc::new(Disk::new(DiskSettings::default())),
        store: store(db).await?,
        render: None,
        clock,
    })
}

/// Adds a browser, where pages are built in one.
pub fn with_browser(ports: Ports, _run: &RunSettings, _mode: RenderMode) -> Result<Ports, Failure> {
    Ok(ports)
}

/// Opens the database, making its directory if need be.
pub async fn store(db: &Path) -> Result<Arc<dyn Store>, Failure> {
    if let Some(folder) = db.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|fault| {
            Failure::fault(format!("cannot make the directory `{}`", folder.display()))
                .cause(fault.to_string())
                .hint("choose another file with `--db FILE`")
        })?;
    }
    Ok(Arc::new(SqliteStore::open(db).await?))
}
