//! `relink harvest status`: records and incidents of the providers.

use std::fmt::Write as _;

use relink_engine::{IncidentState, ProviderSettings};
use relink_ports::StoredProvider;
use relink_report::human::counted;
use relink_report::{printable, redact};
use relink_survey::{IncidentSubject, Lifecycle};
use serde::Serialize;

use super::Session;
use crate::cli::{ExplainFormat, HarvestStatusArgs};
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};

/// The state of a provider.
#[derive(Serialize)]
struct StatusRow {
    provider: String,
    records: u64,
    deleted: u64,
    hidden: u64,
    urls: u64,
    domains: u64,
    harvested_at: Option<String>,
    incidents: Vec<IncidentRow>,
    overrides: Vec<OverrideRow>,
    history: Vec<EventRow>,
}

/// An incident.
#[derive(Serialize)]
struct IncidentRow {
    id: i64,
    kind: &'static str,
    subject: String,
    origin: &'static str,
    stage: String,
    reason: String,
    found_on: String,
    escalated_on: Option<String>,
    hidden_on: Option<String>,
    ended_on: Option<String>,
    end_reason: Option<serde_json::Value>,
    answered_until: Option<String>,
    next_check: Option<String>,
}

/// A decision of a manager.
#[derive(Serialize)]
struct OverrideRow {
    scope: String,
    subject: String,
    action: String,
    reason: String,
    user: String,
    decided_at: String,
}

/// An entry of the history.
#[derive(Serialize)]
struct EventRow {
    at: String,
    user: String,
    kind: String,
    subject: String,
    text: String,
}

/// Runs `status`.
pub async fn run(args: &HarvestStatusArgs, session: &Session) -> Result<Exit, CommandError> {
    let mut rows = Vec::new();
    for (provider, settings) in session.providers(&args.names).await? {
        rows.push(status(session, &provider, &settings, args.all).await?);
    }
    match args.format {
        ExplainFormat::Json => {
            print(&format!("{}\n", serde_json::to_string_pretty(&rows).map_err(cannot_encode)?))?;
        }
        ExplainFormat::Human => rows.iter().try_for_each(|row| print(&text(row)))?,
    }
    Ok(Exit::Clean)
}

async fn status(
    session: &Session,
    provider: &StoredProvider,
    settings: &ProviderSettings,
    all: bool,
) -> Result<StatusRow, CommandError> {
    let store = session.store();
    let counts = store.provider_counts(provider.id).await?;
    let lifecycle = settings.lifecycle();
    let mut incidents = Vec::new();
    for stored in store.incidents(provider.id, !all).await? {
        let state = serde_json::from_str(&stored.incident).map_err(cannot_encode)?;
        incidents.push(incident_row(stored.id, &state, &lifecycle));
    }
    let overrides = store.overrides(provider.id).await?.into_iter().map(|it| OverrideRow {
        scope: it.scope,
        subject: it.subject,
        action: it.action,
        reason: it.reason,
        user: it.user,
        decided_at: it.decided_at.to_string(),
    });
    let history = store.harvest_events(provider.id).await?.into_iter().map(|it| EventRow {
        at: it.at.to_string(),
        user: it.user,
        kind: it.kind,
        subject: redact(&it.subject).to_string(),
        text: it.text,
    });
    Ok(StatusRow {
        provider: provider.name.clone(),
        records: counts.records,
        deleted: counts.deleted,
        hidden: counts.hidden,
        urls: counts.urls,
        domains: counts.domains,
        harvested_at: provider.progress.harvested_at.map(|time| time.to_string()),
        incidents,
        overrides: overrides.collect(),
        history: history.collect(),
    })
}

fn incident_row(id: i64, state: &IncidentState, lifecycle: &Lifecycle) -> IncidentRow {
    let incident = &state.incident;
    let text = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string());
    IncidentRow {
        id,
        kind: match incident.subject {
            IncidentSubject::Target(_) => "target",
            IncidentSubject::Host(_) => "host",
        },
        subject: redact(incident.subject.name()).to_string(),
        origin: incident.origin.as_str(),
        stage: incident.stage.to_string(),
        reason: state.reason.clone(),
        found_on: incident.found_on.to_string(),
        escalated_on: text(incident.escalated_on),
        hidden_on: text(incident.hidden_on),
        ended_on: text(incident.end.map(|end| end.on)),
        end_reason: incident.end.and_then(|end| serde_json::to_value(end.reason).ok()),
        answered_until: text(incident.answered_until),
        next_check: text(incident.next_check(lifecycle).map(|next| next.on)),
    }
}

fn text(row: &StatusRow) -> String {
    let mut text = format!(
        "{}  {} ({} hidden, {} deleted), {} on {}\n",
        printable(&row.provider),
        counted(row.records, "record"),
        row.hidden,
        row.deleted,
        counted(row.urls, "URL"),
        counted(row.domains, "domain")
    );
    for incident in &row.incidents {
        let next = incident.next_check.as_ref().or(incident.ended_on.as_ref());
        let label = if incident.ended_on.is_some() { "ended" } else { "next check" };
        let _ = writeln!(
            text,
            "  {:<9}  {}  since {}, {label} {}  {}",
            incident.stage,
            printable(&incident.subject),
            incident.found_on,
            next.map_or("-", String::as_str),
            printable(&incident.reason)
        );
    }
    for it in &row.overrides {
        let _ = writeln!(
            text,
            "  {} {} {} by {}: {}",
            printable(&it.action),
            printable(&it.scope),
            printable(&it.subject),
            printable(&it.user),
            printable(&it.reason)
        );
    }
    text
}
