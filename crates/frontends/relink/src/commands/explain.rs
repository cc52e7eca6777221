//! `relink explain`: what a code or a status means, and what is known of a
//! page.

use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use relink_judge::control_key;
use relink_model::{Control, ControlKind};
use relink_ports::{Store, TargetRecord};
use relink_report::explain::{self, Subject};
use relink_report::human::TextStyle;
use relink_report::target_record::{TargetRecordRow, TargetRecordView, dossier};
use url::Url;

use crate::cli::{ExplainArgs, ExplainFormat};
use crate::error::{CommandError, Exit};
use crate::output::{RevivalText, place_views, print, target_view};
use crate::settings::{current_folder, database};
use crate::wiring;

/// Explains.
pub async fn run(args: ExplainArgs, paint: TextStyle) -> Result<Exit, CommandError> {
    let text = match args.subject {
        Some(subject) if is_page(&subject) && !args.list => {
            explain_page(&subject, args.db, args.format, paint).await?
        }
        Some(_) if !args.list && args.format == ExplainFormat::Json => {
            return Err(CommandError::usage("codes and statuses are not explained in JSON")
                .cause("`--format json` is for the URL of a page")
                .hint("leave it out, or give a URL like `https://example.org/page`"));
        }
        Some(subject) if !args.list => explain_one(&subject, paint)?,
        _ => explain::list(paint),
    };
    print(&text)?;
    Ok(Exit::Clean)
}

fn is_page(subject: &str) -> bool {
    subject.contains("://")
}

fn explain_one(subject: &str, paint: TextStyle) -> Result<String, CommandError> {
    let subject: Subject = subject.parse().map_err(|error: explain::UnknownSubject| {
        CommandError::usage(error.to_string()).hint("`relink explain --list` names every code")
    })?;
    Ok(explain::explain(paint, &subject))
}

/// Tells all that is remembered of a page.
async fn explain_page(
    given: &str,
    db: Option<PathBuf>,
    format: ExplainFormat,
    paint: TextStyle,
) -> Result<String, CommandError> {
    let url = relink_frontier::canonicalize(None, given).map_err(|error| {
        CommandError::usage(format!("`{given}` is not a URL")).cause(error.to_string())
    })?;
    let path = database(db, &current_folder()?)?;
    let unknown = || {
        CommandError::usage(format!("nothing is known of `{given}`"))
            .cause(format!("no check has met it in `{}`", path.display()))
            .hint(format!("`relink check {given}` asks for it; `--db FILE` looks elsewhere"))
    };
    if !path.exists() {
        return Err(unknown());
    }
    let store = wiring::store_for_reading(&path).await?;
    let revival = RevivalText::recall(&*store, url.as_str()).await?;
    let known = store.target_record(url.as_str()).await?;
    // A page can be looked for that no check has met.
    let known = known.or_else(|| revival.is_some().then(|| unchecked(&url))).ok_or_else(unknown)?;
    let controls = controls_of(&*store, &known).await?;
    told(&known, &controls, revival.as_ref(), format, paint)
}

fn unchecked(url: &Url) -> TargetRecord {
    TargetRecord {
        url: url.to_string(),
        latest: None,
        past_verdicts: Vec::new(),
        probes: Vec::new(),
    }
}

/// The pages it was compared with, as far as they are kept.
async fn controls_of(
    store: &dyn Store,
    dossier: &TargetRecord,
) -> Result<Vec<Control>, CommandError> {
    let mut controls = Vec::new();
    for kind in ControlKind::ALL {
        let Some(key) = control_key(kind, &dossier.url) else { continue };
        let kept = store.control(&key, Timestamp::MIN).await?;
        controls.extend(kept.map(|kept| Control {
            kind,
            url: kept.url,
            probe: Some(Arc::new(kept.probe)),
        }));
    }
    Ok(controls)
}

fn told(
    dossier: &TargetRecord,
    controls: &[Control],
    revival: Option<&RevivalText>,
    format: ExplainFormat,
    paint: TextStyle,
) -> Result<String, CommandError> {
    let places = dossier.latest.as_ref().map(place_views).unwrap_or_default();
    let view = TargetRecordView {
        url: &dossier.url,
        latest: dossier.latest.as_ref().map(|settled| target_view(settled, &places)),
        streak: dossier.latest.as_ref().and_then(|settled| settled.result.streak),
        probes: &dossier.probes,
        controls,
        past_verdicts: &dossier.past_verdicts,
        revival: revival.map(RevivalText::view),
    };
    Ok(match format {
        ExplainFormat::Human => self::dossier(paint, &view),
        ExplainFormat::Json => {
            let mut line = Vec::new();
            TargetRecordRow::new(&view).write_line(&mut line).map_err(|error| {
                CommandError::internal("cannot write the explanation").cause(error.to_string())
            })?;
            String::from_utf8_lossy(&line).into_owned()
        }
    })
}
