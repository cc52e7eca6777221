//! `--review-list` and `--review-results`: a community reviews a sample of the repairs in
//! a table, outside of Relink.

use std::collections::BTreeMap;
use std::path::Path;

use relink_fix::{
    Proposal, ReviewCounts, ReviewDecision, ReviewDecisions, anchor_text, read_decisions,
    review_table, sample, unknown_decisions,
};
use relink_page::DocumentFormat;
use relink_repair::{FixCause, FixStatus, LinkFix, learn_decisions};
use relink_report::human::counted;
use relink_report::printable;
use relink_requests::Ports;
use relink_revive::Site;
use url::Url;

use super::patch::write_output;
use crate::cli::CommunityReviewArgs;
use crate::error::CommandError;
use crate::settings::CheckPlan;

/// Writes the table of `--review-list`. Returns whether the flag is given.
#[expect(clippy::print_stderr, reason = "standard output may contain the patch")]
pub async fn write_list(
    args: &CommunityReviewArgs,
    ports: &Ports,
    plan: &CheckPlan,
    fixes: &[LinkFix],
) -> Result<bool, CommandError> {
    let Some(path) = &args.review_list else { return Ok(false) };
    let is_proposed = |fix: &&LinkFix| {
        let has_new_url = matches!(fix.cause, FixCause::Alias(_));
        let is_rejected = matches!(fix.status, FixStatus::Rejected(_));
        let is_excluded = args.review_unarchived && fix.version.is_some();
        has_new_url && !is_rejected && !is_excluded
    };
    let mut proposals = Vec::new();
    // The path and the bytes of the current document. Each document is read once, because
    // the repairs are sorted by document.
    let mut document: Option<(String, Vec<u8>)> = None;
    for fix in fixes.iter().filter(is_proposed) {
        let label = &fix.location.path;
        if document.as_ref().is_none_or(|(current, _)| current != label) {
            let bytes = ports.files.read(Path::new(label)).await.unwrap_or_default();
            document = Some((label.clone(), bytes));
        }
        let bytes = document.as_ref().map_or(&[][..], |(_, bytes)| bytes);
        let format = plan.check.load.read_options.format;
        let format = format.unwrap_or_else(|| DocumentFormat::from_file(Some(label), bytes));
        let site = Url::parse(&fix.old_url).map(|url| Site::from_url(&url).as_str().to_owned());
        proposals.push(Proposal {
            article: label.clone(),
            anchor_text: anchor_text(format, bytes, fix.location.location.span),
            old_url: fix.old_url.clone(),
            new_url: fix.new_url.clone(),
            domain: site.unwrap_or_default(),
        });
    }
    let total = proposals.len();
    let rows = sample(proposals, args.review_seed, args.review_per_domain, args.review_sample);
    write_output(path, review_table(&rows).as_bytes())?;
    eprintln!("wrote {} of {total} proposals", counted(rows.len() as u64, "row"));
    Ok(true)
}

/// Reads the table of `--review-results`, stores its decisions for later searches, and
/// rejects all repairs that were not approved.
#[expect(clippy::print_stderr, reason = "standard output may contain the patch")]
pub async fn apply_results(
    args: &CommunityReviewArgs,
    ports: &Ports,
    fixes: &mut [LinkFix],
) -> Result<(), CommandError> {
    let Some(path) = &args.review_results else { return Ok(()) };
    let table = relink_files::read_to_string(path).map_err(|error| {
        CommandError::usage(format!("cannot read `{}`", path.display())).cause(error.to_string())
    })?;
    let decisions = read_decisions(&table);
    for url in unknown_decisions(&table) {
        eprintln!(
            "row of {}: the verdict is not `correct`, `incorrect` or `unsure`",
            printable(&url)
        );
    }
    let counts = ReviewCounts::new(&decisions);
    // The confidence interval of the share of correct repairs, in percent.
    let Some((low, high)) = counts.precision_range() else {
        return Err(CommandError::usage(format!("`{}` has no decisions", path.display()))
            .hint("write `correct`, `incorrect` or `unsure` into the last column"));
    };
    let ReviewCounts { correct, incorrect, unsure } = counts;
    eprintln!(
        "{correct} correct, {incorrect} incorrect, {unsure} unsure: precision {low}-{high} %"
    );
    // The old and the new URL, and whether the repair is correct.
    let is_correct_by_urls: BTreeMap<(String, String), bool> = decisions
        .iter()
        .filter(|(_, decision)| **decision != ReviewDecision::Unsure)
        .map(|(urls, decision)| (urls.clone(), *decision == ReviewDecision::Correct))
        .collect();
    let learned = learn_decisions(ports, &is_correct_by_urls).await?;
    if learned.disabled_patterns > 0 {
        eprintln!("disabled {}", counted(learned.disabled_patterns as u64, "pattern"));
    }
    apply_decisions(fixes, &decisions);
    Ok(())
}

/// Accepts or rejects each repair by its decision.
fn apply_decisions(fixes: &mut [LinkFix], decisions: &ReviewDecisions) {
    for fix in fixes.iter_mut().filter(|fix| !matches!(fix.status, FixStatus::Rejected(_))) {
        let decision = decisions.get(&(fix.old_url.clone(), fix.new_url.clone()));
        fix.status = match decision {
            Some(ReviewDecision::Correct) => FixStatus::Ready,
            Some(ReviewDecision::Incorrect) => {
                FixStatus::Rejected("the review found it incorrect".to_owned())
            }
            Some(ReviewDecision::Unsure) | None => {
                FixStatus::Rejected("the review did not approve it".to_owned())
            }
        };
    }
}
