//! `relink harvest status`: records and incidents of the providers.
//!
//! An incident is a period in which a URL or host is broken. It has up to four stages, each
//! with a date: found, escalated, hidden and ended.

use std::fmt::Write as _;

use relink_federation::{IncidentState, ProviderSettings};
use relink_ports::{IncidentFilter, StoredProvider};
use relink_report::human::counted;
use relink_report::{printable, redact};
use relink_survey::{IncidentSubject, Lifecycle, Stage};
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

/// An incident. Dates are `YYYY-MM-DD`.
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

/// A decision of a manager about the visibility of records.
#[derive(Serialize)]
struct OverrideRow {
    scope: String,
    subject: String,
    action: String,
    reason: String,
    user: String,
    decided_at: String,
}

/// An action in the history of the provider.
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
    let filter = if args.all { IncidentFilter::All } else { IncidentFilter::Open };
    let mut rows = Vec::new();
    for (provider, settings) in session.providers(&args.names).await? {
        rows.push(status_row(session, &provider, &settings, filter).await?);
    }
    match args.format {
        ExplainFormat::Json => {
            print(&format!("{}\n", serde_json::to_string_pretty(&rows).map_err(cannot_encode)?))?;
        }
        ExplainFormat::Human => rows.iter().try_for_each(|row| print(&status_text(row)))?,
    }
    Ok(Exit::Clean)
}

async fn status_row(
    session: &Session,
    provider: &StoredProvider,
    settings: &ProviderSettings,
    filter: IncidentFilter,
) -> Result<StatusRow, CommandError> {
    let store = session.store();
    let counts = store.provider_counts(provider.id).await?;
    let lifecycle = settings.lifecycle();
    let mut incidents = Vec::new();
    for stored in store.incidents(provider.id, filter).await? {
        let state = serde_json::from_str(&stored.incident).map_err(cannot_encode)?;
        incidents.push(incident_row(stored.id, &state, &lifecycle));
    }
    let overrides = store.overrides(provider.id).await?;
    let overrides = overrides.into_iter().map(|stored| OverrideRow {
        scope: stored.scope,
        subject: stored.subject,
        action: stored.action,
        reason: stored.reason,
        user: stored.user,
        decided_at: stored.decided_at.to_string(),
    });
    let events = store.harvest_events(provider.id).await?;
    let history = events.into_iter().map(|event| EventRow {
        at: event.at.to_string(),
        user: event.user,
        kind: event.kind,
        subject: redact(&event.subject).to_string(),
        text: event.text,
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
    let date_text = |day: Option<jiff::civil::Date>| day.map(|day| day.to_string());
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
        escalated_on: date_text(incident.escalated_on),
        hidden_on: date_text(incident.hidden_on),
        ended_on: date_text(incident.end.map(|end| end.on)),
        end_reason: incident.end.and_then(|end| serde_json::to_value(end.reason).ok()),
        answered_until: date_text(incident.answered_until),
        next_check: date_text(incident.next_check(lifecycle).map(|next| next.on)),
    }
}

fn status_text(row: &StatusRow) -> String {
    let mut text = format!(
        "{}  {} ({} hidden, {} deleted), {} on {}\n",
        printable(&row.provider),
        counted(row.records, "record"),
        row.hidden,
        row.deleted,
        counted(row.urls, "URL"),
        counted(row.domains, "domain")
    );
    let is_hidden = |incident: &IncidentRow| incident.stage == Stage::Hidden.as_str();
    if row.hidden == 0 && row.incidents.iter().any(is_hidden) {
        text += "  hidden links are left out of their records, which have other links that work\n";
    }
    for incident in &row.incidents {
        let date = incident.next_check.as_ref().or(incident.ended_on.as_ref());
        let label = if incident.ended_on.is_some() { "ended" } else { "next check" };
        let _ = writeln!(
            text,
            "  {:<9}  {}  since {}, {label} {}  {}",
            incident.stage,
            printable(&incident.subject),
            incident.found_on,
            date.map_or("-", String::as_str),
            printable(&incident.reason)
        );
    }
    for decision in &row.overrides {
        let _ = writeln!(
            text,
            "  {} {} {} by {}: {}",
            printable(&decision.action),
            printable(&decision.scope),
            printable(&decision.subject),
            printable(&decision.user),
            printable(&decision.reason)
        );
    }
    text
}
