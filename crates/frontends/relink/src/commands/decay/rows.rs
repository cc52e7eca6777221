//! What was measured, as reports have it.

use relink_decay::DecayDefinition;
use relink_engine::{
    MeasureEnd, MeasureOutcome, NamedRepair, OwnLinks, PageDecayDetails, PageScore,
    ScoreDistribution, Scores, WebGraph,
};
use relink_report::decay::{
    DeadEndRow, OwnLinksRow, PageDecay, PageScoreRow, RepairRow, RequestCostRow, SigmaDecay,
    WebDecay, address,
};

use super::between;
use crate::settings::DecayPlan;

/// Links that are named to be repaired first, at most.
const FIRST_REPAIRS: usize = 5;

/// A page of the living web.
pub(super) fn measured(url: &str, measured: &MeasureOutcome, worse_than: Option<f64>) -> PageDecay {
    let end = match measured.end {
        MeasureEnd::Enough => "enough",
        MeasureEnd::OutOfPages => "out-of-pages",
        MeasureEnd::Interrupted | MeasureEnd::NoNetwork(_) | MeasureEnd::NotRequested(_) => {
            "interrupted"
        }
    };
    PageDecay {
        verdict: measured.verdict,
        worse_than,
        cost: Some(RequestCostRow {
            pages: measured.expense.pages,
            requests: measured.expense.requests,
            blocked: measured.blocked,
            blocked_share: measured.blocked_share,
        }),
        end: end.to_owned(),
        ..account(url, &measured.account)
    }
}

/// A page of a known graph.
pub(super) fn known(url: &str, told: &PageDecayDetails, worse_than: f64) -> PageDecay {
    PageDecay { worse_than: Some(worse_than), ..account(url, told) }
}

fn account(url: &str, account: &PageDecayDetails) -> PageDecay {
    let first = account.first_repairs(FIRST_REPAIRS);
    PageDecay {
        url: address(url),
        verdict: None,
        decay: account.decay.get(),
        interval: between(account.interval),
        bounds: between(account.bounds),
        walks: account.walks,
        sigma: account.sigma.get(),
        form: form(account.form).to_owned(),
        own: account.own.as_ref().map(own),
        dead_ends: account
            .dead_ends
            .iter()
            .map(|end| DeadEndRow { url: address(&end.page), share: end.share })
            .collect(),
        repairs: account.repairs.iter().map(repair).collect(),
        first_repairs: first.len(),
        after_first_repairs: account.after(first).get(),
        worse_than: None,
        cost: None,
        end: "enough".to_owned(),
    }
}

fn form(form: DecayDefinition) -> &'static str {
    match form {
        DecayDefinition::Plain => "plain",
        DecayDefinition::SelfLoop => "selfloop",
    }
}

fn own(own: &OwnLinks) -> OwnLinksRow {
    OwnLinksRow {
        links: own.links,
        checked: own.looked_at,
        dead: own.dead,
        dead_share: own.split.dead_links,
        mean_neighbor_decay: own.split.mean_of_others.get(),
        own: own.split.own,
        neighbors: own.split.neighbors,
    }
}

fn repair(repair: &NamedRepair) -> RepairRow {
    RepairRow {
        from: address(&repair.from),
        to: address(&repair.to),
        gain: repair.gain,
        removed: repair.removed.map(relink_decay::Decay::get),
    }
}

/// A whole graph.
pub(super) fn web(
    web: &WebGraph,
    source: String,
    plan: &DecayPlan,
    all: &[Scores],
    ranked: &[Vec<PageScore>],
) -> WebDecay {
    let scores = all.iter().zip(ranked);
    WebDecay {
        source,
        form: form(plan.form).to_owned(),
        links: web.links() as u64,
        failing: web.failing() as u64,
        edge: web.edge() as u64,
        missing_links: web.missing_links,
        strangers: web.unlinked_dead_pages,
        scores: scores.map(|(scores, pages)| sigma(web, scores, pages, plan.top)).collect(),
    }
}

fn sigma(web: &WebGraph, scores: &Scores, pages: &[PageScore], top: usize) -> SigmaDecay {
    let spread = ScoreDistribution::of(pages);
    let row = |page: &PageScore| PageScoreRow {
        url: address(web.name(page.page)),
        decay: page.decay.get(),
        max_decay: page.most.get(),
        dead_links: page.dead_links,
    };
    SigmaDecay {
        sigma: scores.sigma.get(),
        pages: spread.pages,
        by_decay: spread.by_decay,
        by_dead_links: spread.by_dead_links,
        mean_decay: spread.mean_decay,
        mean_dead_links: spread.mean_dead_links,
        clean: spread.clean,
        clean_and_rotten: spread.clean_and_rotten,
        top: pages.iter().take(top).map(row).collect(),
        bottom: pages.iter().rev().take(top).map(row).collect(),
    }
}
