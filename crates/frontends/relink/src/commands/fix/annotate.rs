//! `relink archive --robust`: writes the URL and the date of an archived copy into the
//! attributes of HTML links (Robust Links).

use std::ffi::OsString;

use relink_fix::PageVersion;
use relink_model::{RunId, Verdict};
use relink_repair::{CopyState, FixCause, FixStatus, FixStyle, LinkFix, LivePage};
use relink_requests::Ports;

use super::{FixMode, Journal, Roots, WriteMode, write_documents};
use crate::cli::{FixFormat, GlobalArgs};
use crate::database::companion_path;
use crate::error::CommandError;
use crate::settings::CheckPlan;

/// Adds the archived copies of live pages to their links, as attributes. With
/// `is_dry_run`, the diff is printed instead.
pub async fn annotate(
    ports: &Ports,
    plan: &CheckPlan,
    run: RunId,
    inputs: &[OsString],
    pages: &[LivePage],
    is_dry_run: bool,
    global: &GlobalArgs,
) -> Result<(), CommandError> {
    let mut fixes: Vec<LinkFix> = pages.iter().flat_map(annotations).collect();
    fixes.sort_by_key(|fix| (fix.location.path.clone(), fix.location.location.span));
    let mode = FixMode {
        format: FixFormat::Human,
        write: if is_dry_run { WriteMode::DryRun } else { WriteMode::Apply },
        is_reviewed: false,
        settings: relink_repair::FixSettings::default(),
        has_sidecar: false,
        output: None,
        pr_body: None,
        global,
    };
    let journal = Journal::new(&companion_path(&plan.run.db)?, ports.clock.now());
    let roots = Roots::new(inputs);
    let result = write_documents(ports, plan, run, &roots, &mut fixes, journal, &mode).await?;
    // Do not report links that already have attributes, or that are not in HTML.
    fixes.retain(|fix| fix.status == FixStatus::Ready);
    mode.report(&fixes, &result)
}

/// Returns the annotations of all links to a page with an archived copy.
fn annotations(page: &LivePage) -> Vec<LinkFix> {
    let (captured_at, replay_url) = match &page.copy {
        CopyState::Archived { captured_at, replay_url: Some(replay_url), .. }
        | CopyState::Submitted { captured_at, replay_url: Some(replay_url), .. } => {
            (*captured_at, replay_url)
        }
        _ => return Vec::new(),
    };
    let date = captured_at.strftime("%F").to_string();
    let annotation = |location: &relink_ports::LinkLocation| LinkFix {
        location: location.clone(),
        old_url: page.url.to_string(),
        new_url: replay_url.to_string(),
        verdict: Verdict::Alive,
        code: None,
        finding: "archived".to_owned(),
        cause: FixCause::ArchivedCopy(captured_at),
        evidence: Vec::new(),
        style: FixStyle::Annotate,
        keeps_attributes: true,
        version: Some(PageVersion { url: replay_url.to_string(), date: date.clone() }),
        copy_gaps: Vec::new(),
        status: FixStatus::Ready,
    };
    page.locations.iter().map(annotation).collect()
}
