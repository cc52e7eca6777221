//! `relink db`: prints the state of the database and deletes old data.
//!
//! The database stores runs, their targets (URLs) and probes (observations of one fetch).
//! A held task was fetched but has no verdict yet: the verdict depends on other pages of
//! the host, or on whether the local network works.

use jiff::SignedDuration;
use relink_ports::{Clock as _, QueueStatus, StoreSize};
use relink_report::human::{counted, grouped};

use crate::cli::{DbArgs, DbCommand};
use crate::clock::RunClock;
use crate::database::{display_name, exists};
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::{current_dir, database};
use crate::wiring;

/// Runs `relink db`.
pub async fn run(args: DbArgs) -> Result<Exit, CommandError> {
    let path = database(args.db, &current_dir()?)?;
    if matches!(args.command, DbCommand::Path) {
        print(&format!("{}\n", display_name(&path)))?;
        return Ok(Exit::Clean);
    }
    if !exists(&path) {
        return Err(CommandError::usage(format!("no database at `{}`", display_name(&path)))
            .hint("run `relink check` to create it"));
    }
    let store = match args.command {
        DbCommand::Path | DbCommand::Size | DbCommand::Status => {
            wiring::maintenance_store_for_reading(&path).await?
        }
        DbCommand::Prune { .. } | DbCommand::Vacuum => wiring::maintenance_store(&path).await?,
    };
    match args.command {
        // Printed above, because this command needs no database.
        DbCommand::Path => {}
        DbCommand::Status => print(&status_text(&store.queue_status().await?))?,
        DbCommand::Size => print(&size_text(&store.size().await?))?,
        DbCommand::Prune { older_than } => {
            let age = SignedDuration::try_from(older_than.0).unwrap_or(SignedDuration::MAX);
            let now = RunClock::start()?.now();
            let delete_before = now.checked_sub(age).unwrap_or(jiff::Timestamp::MIN);
            let size = store.prune(delete_before).await?;
            print(&format!(
                "{}run `relink db vacuum` to return free space to the file system\n",
                size_text(&size)
            ))?;
        }
        DbCommand::Vacuum => {
            store.vacuum().await?;
            print(&size_text(&store.size().await?))?;
        }
    }
    Ok(Exit::Clean)
}

/// Formats the tasks of open runs and the workers that fetch them. A worker has a lease on
/// each host whose tasks it fetches.
fn status_text(status: &QueueStatus) -> String {
    let mut text = String::new();
    for queue in &status.runs {
        text.extend([format!(
            "run {} ({}): {} pending, {} held, {} checked; {}, {} leased\n",
            queue.run.0,
            queue.command,
            grouped(queue.pending),
            grouped(queue.held),
            grouped(queue.checked),
            counted(queue.hosts, "host"),
            grouped(queue.leased),
        )]);
    }
    for worker in &status.workers {
        let seconds = status.now.duration_since(worker.seen_at).as_secs().max(0);
        text.extend([format!(
            "worker {} ({}): {}, {}, {} per minute, seen {seconds} s ago\n",
            worker.id,
            worker.name,
            counted(worker.leases, "lease"),
            counted(worker.results, "result"),
            grouped(worker.rate),
        )]);
    }
    if text.is_empty() {
        text.push_str("no open run and no worker\n");
    }
    text
}

fn size_text(size: &StoreSize) -> String {
    let kilobytes = grouped(size.bytes.div_ceil(1024));
    let runs = counted(size.runs, "run");
    let targets = counted(size.targets, "target");
    let probes = counted(size.probes, "probe");
    format!("{kilobytes} KiB: {runs}, {targets}, {probes}\n")
}
