//! `relink harvest`: harvests the metadata records of many providers, and reports their broken
//! links.
//!
//! A provider is an organization whose metadata records are harvested. An incident is a
//! period in which the URL or the host of a record is broken.

mod decay;
mod export;
mod manage;
mod notify;
mod providers;
mod report;
mod status;
mod webhook;

use std::sync::Arc;

use relink_federation::{HarvestOptions, Harvester, ProviderSettings};
use relink_ports::{HarvestStore, StoredProvider};
use relink_report::harvest::HarvestRunRow;
use relink_requests::StopSignal;

use super::signals::stop_on_signal;
use crate::cli::{ExplainFormat, HarvestArgs, HarvestCommand, HarvestRunArgs, RequestArgs};
use crate::clock::RunClock;
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};
use crate::settings::HarvestPlan;
use crate::wiring::{self, HarvestPorts};

/// Runs a subcommand of `relink harvest`.
pub async fn run(args: HarvestArgs) -> Result<Exit, CommandError> {
    // Some commands send requests. Their request flags are moved to the session.
    match args.command {
        HarvestCommand::Add(add) => providers::add(&add, &open_session(args.db, None).await?).await,
        HarvestCommand::Edit(edit) => {
            providers::edit(&edit, &open_session(args.db, None).await?).await
        }
        HarvestCommand::List { format } => {
            providers::list(format, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Remove { name, yes } => {
            providers::remove(&name, yes, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Run(mut run) => {
            let request = std::mem::replace(&mut run.request, no_request_flags());
            run_providers(&run, open_session(args.db, Some(request)).await?).await
        }
        HarvestCommand::Status(status) => {
            status::run(&status, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Export(export) => {
            export::run(&export, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Decay(mut decay) => {
            let request = std::mem::replace(&mut decay.request, no_request_flags());
            decay::run(&decay, &open_session(args.db, Some(request)).await?).await
        }
        HarvestCommand::Report(report) => {
            report::run(&report, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Mail(mail) => {
            notify::mail(&mail, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Webhook(mut webhook) => {
            let request = std::mem::replace(&mut webhook.request, no_request_flags());
            webhook::run(&webhook, &open_session(args.db, Some(request)).await?).await
        }
        HarvestCommand::Publish(publish) => {
            notify::publish(&publish, &open_session(args.db, None).await?).await
        }
        HarvestCommand::Recheck(mut recheck) => {
            let request = std::mem::replace(&mut recheck.request, no_request_flags());
            manage::recheck(&recheck, &open_session(args.db, Some(request)).await?).await
        }
        HarvestCommand::Flag(mut flag) => {
            let request = std::mem::replace(&mut flag.request, no_request_flags());
            manage::flag(&flag, &open_session(args.db, Some(request)).await?).await
        }
        action => manage::act(action, &open_session(args.db, None).await?).await,
    }
}

/// The ports and options of a command.
pub struct Session {
    /// The ports.
    pub ports: HarvestPorts,
    /// The options.
    pub options: HarvestOptions,
    /// The file of the database.
    db: std::path::PathBuf,
}

impl Session {
    /// Returns the engine of all commands on providers.
    pub fn harvester(&self) -> Harvester<'_> {
        Harvester {
            ports: &self.ports.ports,
            store: &*self.ports.store,
            source: &*self.ports.source,
            options: self.options.clone(),
        }
    }

    fn store(&self) -> &dyn HarvestStore {
        &*self.ports.store
    }

    /// Returns the providers with these names. If `names` is empty, returns all providers.
    async fn providers(
        &self,
        names: &[String],
    ) -> Result<Vec<(StoredProvider, ProviderSettings)>, CommandError> {
        let stored = self.store().providers().await?;
        let is_unknown = |name: &&String| !stored.iter().any(|provider| provider.name == **name);
        if let Some(unknown) = names.iter().find(is_unknown) {
            return Err(unknown_provider(unknown));
        }
        let is_selected =
            |provider: &StoredProvider| names.is_empty() || names.contains(&provider.name);
        stored.into_iter().filter(is_selected).map(with_settings).collect()
    }

    /// Returns one provider.
    pub async fn provider(
        &self,
        name: &str,
    ) -> Result<(StoredProvider, ProviderSettings), CommandError> {
        let mut found = self.providers(&[name.to_owned()]).await?;
        found.pop().ok_or_else(|| unknown_provider(name))
    }
}

/// Parses the stored settings of a provider.
fn with_settings(
    provider: StoredProvider,
) -> Result<(StoredProvider, ProviderSettings), CommandError> {
    let settings = serde_json::from_str(&provider.settings).map_err(|error| {
        CommandError::internal(format!("cannot read the settings of `{}`", provider.name))
            .cause(error.to_string())
    })?;
    Ok((provider, settings))
}

fn unknown_provider(name: &str) -> CommandError {
    CommandError::usage(format!("unknown provider `{name}`"))
        .hint("run `relink harvest list` to list all providers")
}

/// Returns empty request flags: they replace flags that were moved to [`open_session`].
fn no_request_flags() -> RequestArgs {
    RequestArgs::default()
}

/// Opens the database and creates the ports.
pub async fn open_session(
    db: Option<std::path::PathBuf>,
    request: Option<RequestArgs>,
) -> Result<Session, CommandError> {
    let clock = RunClock::start()?;
    let plan = HarvestPlan::resolve(request.unwrap_or_else(no_request_flags), db)?;
    let ports =
        wiring::harvest_ports(plan.run.fetch, &plan.run.db, plan.client, Arc::new(clock)).await?;
    Ok(Session { ports, options: plan.options, db: plan.run.db })
}

/// Runs all providers and prints their reports.
pub async fn run_all(session: &Session, stop: &StopSignal) -> Result<(), CommandError> {
    let providers = session.providers(&[]).await?;
    run_and_print(session, &providers, stop, ExplainFormat::Human).await?;
    Ok(())
}

/// Runs providers. Prints each report as text when it is complete, or all of them as JSON.
async fn run_and_print(
    session: &Session,
    providers: &[(StoredProvider, ProviderSettings)],
    stop: &StopSignal,
    format: ExplainFormat,
) -> Result<Vec<HarvestRunRow>, CommandError> {
    let mut print_result = Ok(());
    let mut print_row = |row: &HarvestRunRow| {
        if format == ExplainFormat::Human && print_result.is_ok() {
            print_result = print(&row.text());
        }
    };
    let harvester = session.harvester();
    let rows = Box::pin(harvester.run_all(providers, stop, &mut print_row)).await?;
    print_result?;
    if format == ExplainFormat::Json {
        print(&format!("{}\n", serde_json::to_string_pretty(&rows).map_err(cannot_encode)?))?;
    }
    Ok(rows)
}

async fn run_providers(args: &HarvestRunArgs, mut session: Session) -> Result<Exit, CommandError> {
    session.options.is_full = args.full;
    session.options.reads_only = args.records_only;
    session.options.allows_loss = args.allow_loss;
    let providers = session.providers(&args.names).await?;
    if providers.is_empty() {
        return Err(CommandError::usage("there are no providers")
            .hint("add one with `relink harvest add NAME --oai URL`"));
    }
    let stop = stop_on_signal();
    let rows = run_and_print(&session, &providers, &stop, args.format).await?;
    Ok(exit_code(&rows, stop.is_stopped()))
}

/// Returns the most serious exit code of all providers. A row has a doubt if the local network
/// may have caused its failures.
fn exit_code(rows: &[HarvestRunRow], is_stopped: bool) -> Exit {
    if is_stopped {
        Exit::Interrupted
    } else if rows.iter().any(|row| row.doubt.is_some() || !row.errors.is_empty()) {
        Exit::Inconclusive
    } else if rows.iter().any(|row| !row.refusals.is_empty()) {
        Exit::Findings
    } else {
        Exit::Clean
    }
}
