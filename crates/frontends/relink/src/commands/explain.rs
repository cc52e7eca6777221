//! `relink explain`: describes a code or a status, or prints the record of a page.
//!
//! The record of a page is everything stored about its URL: verdicts, probes (what was
//! observed in one fetch) and controls (URLs fetched only for comparison).

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use relink_engine::ranked_control_key;
use relink_judge::control_key;
use relink_model::{Control, ControlKind};
use relink_ports::{LinkOrigin, PastChange, Store, TargetRecord};
use relink_report::explain::{self, Subject};
use relink_report::human::TextStyle;
use relink_report::target_record::{
    FirstSeenView, TargetRecordRow, TargetRecordView, VerdictChangeView, target_record,
};
use url::Url;

use crate::cli::{ExplainArgs, ExplainFormat};
use crate::database::{display_name, exists};
use crate::error::{CommandError, Exit};
use crate::output::{RevivalText, location_views, print, target_view};
use crate::settings::{current_dir, database};
use crate::wiring;

/// Runs `relink explain`.
pub async fn run(args: ExplainArgs, style: TextStyle) -> Result<Exit, CommandError> {
    let text = match args.subject.filter(|_| !args.list) {
        None => explain::list(style),
        Some(subject) if is_url(&subject) => {
            explain_page(&subject, args.db, args.format, style).await?
        }
        Some(_) if args.format == ExplainFormat::Json => {
            return Err(CommandError::usage("codes and statuses have no JSON output")
                .cause("`--format json` requires the URL of a page")
                .hint("remove `--format`, or use a URL such as `https://example.org/page`"));
        }
        Some(subject) => explain_code(&subject, style)?,
    };
    print(&text)?;
    Ok(Exit::Clean)
}

fn is_url(subject: &str) -> bool {
    subject.contains("://")
}

/// Returns the description of a code or a status.
fn explain_code(subject: &str, style: TextStyle) -> Result<String, CommandError> {
    let subject: Subject = subject.parse().map_err(|error: explain::UnknownSubject| {
        CommandError::usage(error.to_string()).hint("run `relink explain --list` to list all codes")
    })?;
    Ok(explain::explain(style, &subject))
}

/// Returns the text of the record of a page.
async fn explain_page(
    url_text: &str,
    db: Option<PathBuf>,
    format: ExplainFormat,
    style: TextStyle,
) -> Result<String, CommandError> {
    let url = relink_frontier::canonicalize(None, url_text).map_err(|error| {
        CommandError::usage(format!("invalid URL: `{url_text}`")).cause(error.to_string())
    })?;
    let path = database(db, &current_dir()?)?;
    let no_record = || {
        CommandError::usage(format!("no record of `{url_text}`"))
            .cause(format!("`{}` has no record of this URL", display_name(&path)))
            .hint(format!(
                "run `relink check {url_text}`, or use another database with `--db FILE`"
            ))
    };
    if !exists(&path) {
        return Err(no_record());
    }
    let store = wiring::store_for_reading(&path).await?;
    let revival = RevivalText::load(&*store, url.as_str()).await?;
    let record = store.target_record(url.as_str()).await?;
    // A page that was never checked may have a search result of `relink revive`.
    let record = record.or_else(|| revival.is_some().then(|| empty_record(&url)));
    let record = record.ok_or_else(no_record)?;
    let controls = stored_controls(&*store, &record).await?;
    let first_seen = link_origins(&*store, &record).await?;
    record_text(&record, &controls, &first_seen, revival.as_ref(), format, style)
}

/// Returns the empty record of a page that was never checked.
fn empty_record(url: &Url) -> TargetRecord {
    TargetRecord {
        url: url.to_string(),
        latest: None,
        past_verdicts: Vec::new(),
        changes: Vec::new(),
        probes: Vec::new(),
    }
}

/// Returns the documents that link to a target, each with the time when the link was
/// first seen.
async fn link_origins(
    store: &dyn Store,
    record: &TargetRecord,
) -> Result<Vec<(String, LinkOrigin)>, CommandError> {
    let locations = record.latest.iter().flat_map(|target| &target.locations);
    let documents: BTreeSet<&str> = locations.map(|location| location.path.as_str()).collect();
    let documents: Vec<&str> = documents.into_iter().collect();
    let origins = store.link_origins(&record.url, &documents).await?;
    let mut link_origins = Vec::new();
    for (document, origin) in documents.iter().zip(origins) {
        if let Some(origin) = origin {
            link_origins.push(((*document).to_owned(), origin));
        }
    }
    Ok(link_origins)
}

/// Returns the stored control pages of a target.
async fn stored_controls(
    store: &dyn Store,
    record: &TargetRecord,
) -> Result<Vec<Control>, CommandError> {
    let mut controls = Vec::new();
    for kind in ControlKind::ALL {
        let Some(key) = control_key(kind, &record.url) else { continue };
        // `Timestamp::MIN` accepts controls of any age.
        let stored = match store.control(&key, Timestamp::MIN).await? {
            Some(stored) => Some(stored),
            // Controls that were chosen by their rank are stored under another key.
            None => store.control(&ranked_control_key(&key), Timestamp::MIN).await?,
        };
        controls.extend(stored.map(|stored| Control {
            kind,
            url: stored.url,
            probe: Some(Arc::new(stored.probe)),
        }));
    }
    Ok(controls)
}

fn first_seen_view((document, origin): &(String, LinkOrigin)) -> FirstSeenView<'_> {
    FirstSeenView { document, at: origin.seen_at, revision: origin.revision.as_deref() }
}

/// Formats the record of a page.
fn record_text(
    record: &TargetRecord,
    controls: &[Control],
    first_seen: &[(String, LinkOrigin)],
    revival: Option<&RevivalText>,
    format: ExplainFormat,
    style: TextStyle,
) -> Result<String, CommandError> {
    let locations = record.latest.as_ref().map(location_views).unwrap_or_default();
    let change_view = |change: &PastChange| VerdictChangeView {
        at: change.changed_at,
        before: change.before,
        after: change.after,
        code: change.code,
    };
    let changes: Vec<VerdictChangeView> = record.changes.iter().map(change_view).collect();
    let first_seen: Vec<FirstSeenView<'_>> = first_seen.iter().map(first_seen_view).collect();
    let view = TargetRecordView {
        url: &record.url,
        latest: record.latest.as_ref().map(|target| target_view(target, &locations)),
        streak: record.latest.as_ref().and_then(|target| target.result.streak),
        probes: &record.probes,
        controls,
        past_verdicts: &record.past_verdicts,
        changes: &changes,
        first_seen: &first_seen,
        revival: revival.map(RevivalText::view),
    };
    Ok(match format {
        ExplainFormat::Human => target_record(style, &view),
        ExplainFormat::Json => {
            let mut line = Vec::new();
            TargetRecordRow::new(&view).write_line(&mut line).map_err(|error| {
                CommandError::internal("cannot write the explanation").cause(error.to_string())
            })?;
            String::from_utf8_lossy(&line).into_owned()
        }
    })
}
