//! Converts measurements of decay to JSON rows.
//!
//! Sigma is the probability that a random walk stops at a page. A repair replaces a dead
//! link; its gain is how much it lowers the score.

use relink_decay::DecayDefinition;
use relink_measure::{
    MeasureEnd, MeasureOutcome, NamedRepair, OwnLinks, PageDecayDetails, PageScore,
    ScoreDistribution, Scores, WebGraph,
};
use relink_report::decay::{
    AbandonmentRow, DeadEndRow, DeadPagesMetRow, OwnLinksRow, PageDecay, PageScoreRow, RepairRow,
    RequestCostRow, SigmaDecay, WebDecay, masked_url,
};

use super::interval_row;
use crate::settings::DecayPlan;

/// The JSON value for the end of a measurement that reached its precision.
const CONVERGED: &str = "enough";

/// Maximum number of recommended repairs.
const MAX_RECOMMENDED_REPAIRS: usize = 5;

/// Returns the row of a page measured on the web. `worse_than` is the share of pages of
/// its site with a lower decay.
pub(super) fn measured_page(
    url: &str,
    measured: &MeasureOutcome,
    worse_than: Option<f64>,
) -> PageDecay {
    let end = match measured.end {
        MeasureEnd::Converged => CONVERGED,
        MeasureEnd::PageLimitReached => "out-of-pages",
        MeasureEnd::Interrupted | MeasureEnd::NoNetwork(_) | MeasureEnd::NotRequested(_) => {
            "interrupted"
        }
    };
    PageDecay {
        verdict: measured.verdict,
        worse_than,
        cost: Some(RequestCostRow {
            pages: measured.cost.pages,
            requests: measured.cost.requests,
            reused: measured.cost.reused,
            blocked: measured.blocked,
            blocked_share: measured.blocked_share,
        }),
        dead_pages_met: Some(DeadPagesMetRow {
            dead: measured.dead_pages_met.dead,
            soft_404: measured.dead_pages_met.soft_404,
            soft_404_share: measured.dead_pages_met.soft_404_share,
        }),
        abandonment: measured.abandonment.as_ref().map(|abandonment| AbandonmentRow {
            score: abandonment.score,
            signs: abandonment.signs.iter().map(ToString::to_string).collect(),
        }),
        end: end.to_owned(),
        ..page_row(url, &measured.details)
    }
}

/// Returns the row of a page of a graph, which needs no requests.
pub(super) fn known_page(url: &str, details: &PageDecayDetails, worse_than: f64) -> PageDecay {
    PageDecay { worse_than: Some(worse_than), ..page_row(url, details) }
}

fn page_row(url: &str, details: &PageDecayDetails) -> PageDecay {
    let recommended = details.top_repairs(MAX_RECOMMENDED_REPAIRS);
    PageDecay {
        url: masked_url(url),
        verdict: None,
        decay: details.decay.get(),
        interval: interval_row(details.interval),
        bounds: interval_row(details.bounds),
        walks: details.walks,
        sigma: details.sigma.get(),
        definition: definition_name(details.definition).to_owned(),
        own_links: details.own_links.as_ref().map(own_links_row),
        dead_ends: details
            .dead_ends
            .iter()
            .map(|end| DeadEndRow { url: masked_url(&end.page), share: end.share })
            .collect(),
        repairs: details.repairs.iter().map(repair_row).collect(),
        recommended_repairs: recommended.len(),
        decay_after_repairs: details.decay_after(recommended).get(),
        worse_than: None,
        cost: None,
        dead_pages_met: None,
        abandonment: None,
        end: CONVERGED.to_owned(),
    }
}

fn definition_name(definition: DecayDefinition) -> &'static str {
    match definition {
        DecayDefinition::Plain => "plain",
        DecayDefinition::SelfLoop => "selfloop",
    }
}

fn own_links_row(own: &OwnLinks) -> OwnLinksRow {
    OwnLinksRow {
        links: own.links,
        checked: own.probed,
        dead: own.dead,
        dead_share: own.breakdown.dead_share,
        mean_neighbor_decay: own.breakdown.mean_of_others.get(),
        own_part: own.breakdown.own,
        neighbor_part: own.breakdown.neighbors,
    }
}

fn repair_row(repair: &NamedRepair) -> RepairRow {
    RepairRow {
        from: masked_url(&repair.from),
        to: masked_url(&repair.to),
        gain: repair.gain,
        removed: repair.max_score_if_removed.map(relink_decay::Decay::get),
    }
}

/// Returns the row of a graph. `ranked` contains the pages of each element of
/// `scores_by_sigma`, highest decay first.
pub(super) fn web(
    graph: &WebGraph,
    source: String,
    plan: &DecayPlan,
    scores_by_sigma: &[Scores],
    ranked: &[Vec<PageScore>],
) -> WebDecay {
    let scores = scores_by_sigma.iter().zip(ranked);
    let (dead_links, soft_404_links) = graph.dead_link_counts();
    WebDecay {
        source,
        definition: definition_name(plan.definition).to_owned(),
        links: graph.link_count() as u64,
        failing: graph.failing_count() as u64,
        dead_links,
        soft_404_links,
        unread_pages: graph.unparsed_count() as u64,
        missing_links: graph.missing_links,
        unlinked_dead_pages: graph.unlinked_dead_pages,
        scores: scores.map(|(scores, pages)| sigma_row(graph, scores, pages, plan.top)).collect(),
    }
}

/// Returns the scores of one sigma, with the `top` pages of highest and of lowest decay.
fn sigma_row(graph: &WebGraph, scores: &Scores, pages: &[PageScore], top: usize) -> SigmaDecay {
    let distribution = ScoreDistribution::from_pages(pages);
    let page_row = |page: &PageScore| PageScoreRow {
        url: masked_url(graph.name(page.page)),
        decay: page.decay.get(),
        max_decay: page.upper_bound.get(),
        dead_links: page.dead_links,
    };
    SigmaDecay {
        sigma: scores.sigma.get(),
        pages: distribution.pages,
        by_decay: distribution.by_decay,
        by_dead_links: distribution.by_dead_links,
        mean_decay: distribution.mean_decay,
        mean_dead_links: distribution.mean_dead_links,
        pages_with_links: distribution.with_links,
        mean_decay_with_links: distribution.mean_decay_with_links,
        mean_dead_links_with_links: distribution.mean_dead_links_with_links,
        clean: distribution.clean,
        clean_but_decayed: distribution.clean_and_decayed,
        top: pages.iter().take(top).map(page_row).collect(),
        bottom: pages.iter().rev().take(top).map(page_row).collect(),
    }
}
