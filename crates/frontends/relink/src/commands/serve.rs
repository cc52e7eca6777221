//! `relink serve`: publishes harvested records, accepts submitted ones, and runs the daily
//! harvest.
//!
//! OAI-PMH, the protocol for harvesting records, is public and read-only. SPI, the protocol
//! for submitting records, needs a token. Both listen on loopback unless `--listen` names
//! another address.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use jiff::civil::Time;
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan as _};
use relink_harvest::OaiProvider;
use relink_ports::{Clock, HarvestStore};
use relink_requests::StopSignal;
use relink_server::{Interfaces, OAI_PATH, SPI_PATH, SpiService, SpiTokens, SpiWorker, serve};
use tokio::net::TcpListener;
use tokio::sync::Mutex;

use super::harvest::{Session, open_session, run_all};
use super::signals::stop_on_signal;
use crate::cli::ServeArgs;
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::print;

/// The environment variable with a token for all providers.
const SPI_TOKEN_VARIABLE: &str = "RELINK_SPI_TOKEN";

/// The interval at which an idle server releases its lock on the database.
const RELEASE_INTERVAL: Duration = Duration::from_millis(200);

/// Runs `relink serve`.
pub async fn run(mut args: ServeArgs) -> Result<Exit, CommandError> {
    let tokens = if args.spi { Some(read_tokens(&args)?) } else { None };
    let request = std::mem::take(&mut args.request);
    let session = open_session(args.db.take(), Some(request)).await?;
    let listener = TcpListener::bind(args.listen).await.map_err(|error| {
        CommandError::usage(format!("cannot listen on {}", args.listen)).cause(error.to_string())
    })?;
    let address = listener.local_addr().unwrap_or(args.listen);
    let clock: Arc<dyn Clock> = Arc::new(RunClock::start()?);
    let stop = stop_on_signal();
    // Only one task changes data at a time: the submissions or the daily run. While a task
    // holds this lock, the database is not released.
    let write_lock = Mutex::new(());
    let base_url = base_url(&args, address);
    let (store, source) = (&session.ports.store, &session.ports.source);
    let spi = tokens.map(|tokens| {
        SpiService::new(tokens, Arc::clone(store), Arc::clone(source), Arc::clone(&clock))
    });
    // The interface receives submissions, the worker stores them.
    let (spi, worker) = spi.unzip();
    let interfaces = Interfaces {
        oai: args.oai.then(|| {
            OaiProvider::new(Arc::clone(store), base_url.clone(), args.admin_email.clone())
        }),
        spi,
        clock: Arc::clone(&clock),
    };
    print(&banner(&args, &base_url, address))?;
    // Only the stop signal ends the server; the other futures run forever.
    tokio::select! {
        () = serve(listener, Arc::new(interfaces)) => {}
        () = run_submissions(worker, &session, &write_lock, &stop) => {}
        () = release_database(&**store, &write_lock) => {}
        () = daily_runs(args.run_at, &session, &*clock, &write_lock, &stop) => {}
        () = stop.stopped() => {}
    }
    Ok(Exit::Clean)
}

/// The lines that the server prints at its start: the address of each interface.
fn banner(args: &ServeArgs, base_url: &str, address: SocketAddr) -> String {
    let mut text = String::new();
    if args.oai {
        text.extend([format!("OAI-PMH on {base_url}\n")]);
    }
    if args.spi {
        text.extend([format!("SPI on http://{address}{SPI_PATH}\n")]);
    }
    if let Some(time) = args.run_at {
        text.extend([format!("Daily harvest at {} UTC\n", time.strftime("%H:%M"))]);
    }
    text + "Press Ctrl-C to stop.\n"
}

/// The public URL of the OAI-PMH interface: `--base-url`, or the address of the listener.
fn base_url(args: &ServeArgs, address: SocketAddr) -> String {
    let default = || format!("http://{address}{OAI_PATH}");
    args.base_url.as_ref().map_or_else(default, ToString::to_string)
}

/// Reads the SPI tokens from `--spi-token-file`, or the one token from the environment.
fn read_tokens(args: &ServeArgs) -> Result<SpiTokens, CommandError> {
    let text = match &args.spi_token_file {
        Some(path) => relink_files::read_to_string(path).map_err(|error| {
            CommandError::usage(format!("cannot read the tokens in `{}`", path.display()))
                .with_sources(&error)
        })?,
        None => std::env::var(SPI_TOKEN_VARIABLE).map_err(|_| {
            CommandError::usage("`--spi` needs a token")
                .hint(format!("set {SPI_TOKEN_VARIABLE}, or use `--spi-token-file FILE`"))
        })?,
    };
    SpiTokens::parse(&text).map_err(|error| {
        CommandError::usage("the token for `--spi` cannot be used").cause(error.to_string())
    })
}

/// Lets other commands use the database while no submission or harvest needs it.
async fn release_database(store: &dyn HarvestStore, write_lock: &Mutex<()>) {
    loop {
        tokio::time::sleep(RELEASE_INTERVAL).await;
        if let Ok(_guard) = write_lock.try_lock() {
            store.release();
        }
    }
}

/// Stores submitted records. Never returns: `run` would stop the server.
async fn run_submissions(
    worker: Option<SpiWorker>,
    session: &Session,
    write_lock: &Mutex<()>,
    stop: &StopSignal,
) {
    match worker {
        Some(worker) => worker.run(&session.harvester(), write_lock, stop).await,
        None => std::future::pending().await,
    }
}

/// Runs all providers every day at `time`. Never returns: `run` would stop the server.
async fn daily_runs(
    time: Option<Time>,
    session: &Session,
    clock: &dyn Clock,
    write_lock: &Mutex<()>,
    stop: &StopSignal,
) {
    let Some(time) = time else { return std::future::pending().await };
    loop {
        tokio::time::sleep(wait_until(time, clock.now())).await;
        let guard = write_lock.lock().await;
        if let Err(error) = run_all(session, stop).await {
            error.warn();
        }
        drop(guard);
    }
}

/// Returns the wait until the next occurrence of a time of day, at least one second.
fn wait_until(time: Time, now: Timestamp) -> Duration {
    let now = now.to_zoned(TimeZone::UTC);
    let today = now.with().time(time).build().unwrap_or_else(|_| now.clone());
    let next = if today > now { today } else { today.saturating_add(1.day()) };
    let wait = now.timestamp().duration_until(next.timestamp());
    Duration::try_from(wait).unwrap_or_default().max(Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the wait until 02:30 UTC.
    #[track_caller]
    fn check(now: &str, seconds: u64) {
        let wait = wait_until("02:30".parse().unwrap(), now.parse().unwrap());
        assert_eq!(wait, Duration::from_secs(seconds), "{now}");
    }

    #[test]
    fn wait_until_ends_today_or_tomorrow() {
        check("2026-01-01T00:30:00Z", 2 * 3600);
        check("2026-01-01T02:29:59Z", 1);
        check("2026-01-01T02:30:00Z", 24 * 3600);
        check("2026-01-31T03:30:00Z", 23 * 3600);
    }
}
