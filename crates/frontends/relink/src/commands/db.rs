//! `relink db`: where the database is, how much it holds, making it smaller.

use jiff::SignedDuration;
use relink_ports::{Clock as _, StoreSize};
use relink_report::human::{counted, grouped};

use crate::cli::{DbArgs, DbCommand};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::print;
use crate::settings::{current_folder, database};
use crate::wiring;

/// Looks after the database.
pub async fn run(args: DbArgs) -> Result<Exit, CommandError> {
    let path = database(args.db, &current_folder()?)?;
    if matches!(args.command, DbCommand::Path) {
        print(&format!("{}\n", path.display()))?;
        return Ok(Exit::Clean);
    }
    if !path.exists() {
        return Err(CommandError::usage(format!("there is no database `{}`", path.display()))
            .hint("it is made by the first `relink check`"));
    }
    let store = match args.command {
        DbCommand::Path | DbCommand::Size => wiring::store_for_reading(&path).await?,
        DbCommand::Prune { .. } | DbCommand::Vacuum => wiring::store(&path).await?,
    };
    match args.command {
        DbCommand::Path => {}
        DbCommand::Size => print(&described(&store.size().await?))?,
        DbCommand::Prune { older_than } => {
            let age = SignedDuration::try_from(older_than.0).unwrap_or(SignedDuration::MAX);
            let now = RunClock::start()?.now();
            let before = now.checked_sub(age).unwrap_or(jiff::Timestamp::MIN);
            let size = store.prune(before).await?;
            print(&format!(
                "{}`relink db vacuum` gives the room back to the disk\n",
                described(&size)
            ))?;
        }
        DbCommand::Vacuum => {
            store.vacuum().await?;
            print(&described(&store.size().await?))?;
        }
    }
    Ok(Exit::Clean)
}

fn described(size: &StoreSize) -> String {
    let kilobytes = grouped(size.bytes.div_ceil(1024));
    let runs = counted(size.runs, "run");
    let targets = counted(size.targets, "target");
    let probes = counted(size.probes, "probe");
    format!("{kilobytes} KiB: {runs}, {targets}, {probes}\n")
}
