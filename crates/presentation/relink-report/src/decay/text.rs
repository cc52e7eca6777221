//! Formats decay scores as terminal text.

use super::chart::bars;
use super::{
    AbandonmentRow, DeadPagesMetRow, OwnLinksRow, PageDecay, PageScoreRow, RepairRow,
    RequestCostRow, SigmaDecay, WebDecay,
};
use crate::human::{TextStyle, counted, grouped, shown_url};

/// Maximum number of listed dead ends (dead pages where walks fail). The others are counted.
const MAX_DEAD_ENDS: usize = 5;

/// Differences of scores below this value are not shown.
const ROUNDING_LIMIT: f64 = 0.0005;

/// Formats the score of one page.
pub fn page(style: TextStyle, page: &PageDecay) -> String {
    let mut text = headline(style, page);
    match &page.own_links {
        Some(own) => text += &score_parts(page, own),
        // The report of a dead page has no links.
        None => text += &own_verdict(style, page),
    }
    text += &dead_ends(page);
    text += &repairs(style, page);
    if let Some(met) = &page.dead_pages_met {
        text += &dead_pages_met(met);
    }
    if let Some(signs) = &page.abandonment {
        text += &abandonment(signs);
    }
    if let Some(request_cost) = &page.cost {
        text += &cost(request_cost);
    }
    text + end_note(page)
}

/// States the verdict of a page that is itself dead.
fn own_verdict(style: TextStyle, page: &PageDecay) -> String {
    match page.verdict {
        Some(verdict) => {
            format!("the page itself is {}\n", style.verdict(verdict, verdict.as_str()))
        }
        None => String::new(),
    }
}

/// Formats a line such as
/// `decay 0.43 ± 0.03 (300 walks, σ 0.1)   worse than 82 % of the pages in this crawl`
fn headline(style: TextStyle, page: &PageDecay) -> String {
    let decay = style.strong(&format!("decay {:.2}", page.decay));
    let half_width = (page.interval.high - page.decay).max(page.decay - page.interval.low);
    let is_exact = half_width < ROUNDING_LIMIT;
    let spread = if is_exact { String::new() } else { format!(" ± {half_width:.2}") };
    let basis = if is_exact {
        "all reachable pages known".to_owned()
    } else if page.walks == 0 {
        format!("bounds {:.2} to {:.2}", page.bounds.low, page.bounds.high)
    } else {
        counted(u64::from(page.walks), "walk")
    };
    let definition =
        if page.definition == "plain" { String::new() } else { format!(", {}", page.definition) };
    let rank = page.worse_than.map_or_else(String::new, |share| {
        format!("   worse than {:.0} % of the pages in this crawl", share * 100.0)
    });
    format!("{decay}{spread} ({basis}, σ {}{definition}){rank}\n", page.sigma)
}

/// Formats the two parts of the score: own dead links and decay of the linked pages
/// (*Sic Transit Gloria Telae*, equation 1).
fn score_parts(page: &PageDecay, own: &OwnLinksRow) -> String {
    let OwnLinksRow { links, checked, dead, .. } = *own;
    let (all, dead) = (counted(links as u64, "link"), count_text(dead));
    if links == 0 {
        return "the page has no links\n".to_owned();
    }
    if checked < links {
        return format!(
            "own links at least {:.2} ({dead} of {checked} checked links dead; {all} in total)\n",
            own.own_part
        );
    }
    format!(
        "own links {:.2} ({dead} of {all} dead), neighbors {:.2}: \
         D = {} × (F {:.2} + {:.2} × {:.2})\n",
        own.own_part,
        own.neighbor_part,
        1.0 - page.sigma,
        own.dead_share,
        1.0 - own.dead_share,
        own.mean_neighbor_decay,
    )
}

/// Formats a count: `3`, or `3.5` if it has a fraction.
fn count_text(count: f64) -> String {
    if count.fract() == 0.0 { format!("{count:.0}") } else { format!("{count:.1}") }
}

/// Formats the dead pages that most walks reach.
fn dead_ends(page: &PageDecay) -> String {
    if page.dead_ends.is_empty() || page.own_links.is_none() {
        return String::new();
    }
    // The decay is the share of all walks that fail. `max` avoids a division by zero.
    let failed_walks = page.decay.max(f64::MIN_POSITIVE);
    let end_text = |end: &super::DeadEndRow| {
        let percent = (end.share / failed_walks * 100.0).min(100.0);
        format!("{} ({percent:.0} %)", shown_url(&end.url))
    };
    let listed: Vec<String> = page.dead_ends.iter().take(MAX_DEAD_ENDS).map(end_text).collect();
    let more = match page.dead_ends.len().saturating_sub(MAX_DEAD_ENDS) {
        0 => String::new(),
        more => format!(", and {} more", grouped(more as u64)),
    };
    format!("dead ends: {}{more}\n", listed.join(", "))
}

/// Formats the links to repair first, and the decay afterward.
fn repairs(style: TextStyle, page: &PageDecay) -> String {
    let first = page.repairs.get(..page.recommended_repairs).unwrap_or(&page.repairs);
    let object = match first {
        [] => return String::new(),
        [_] => "this link".to_owned(),
        more => format!("these {} links", more.len()),
    };
    let head = style.help(&format!("fix {object} first → {:.2}", page.decay_after_repairs));
    let line = |repair: &RepairRow| {
        let (from, to) = (shown_url(&repair.from), shown_url(&repair.to));
        format!("  −{:.2}  {from} → {to}\n", repair.gain)
    };
    let lines: String = first.iter().map(line).collect();
    format!("{head}\n{lines}")
}

/// States how many of the dead pages are soft-404s.
fn dead_pages_met(met: &DeadPagesMetRow) -> String {
    if met.dead == 0 {
        return String::new();
    }
    format!(
        "{} met, {} of them soft-404 ({:.0} % of the failed walks)\n",
        counted(met.dead, "dead page"),
        grouped(met.soft_404),
        met.soft_404_share * 100.0
    )
}

/// Lists the signs that the page is abandoned.
fn abandonment(found: &AbandonmentRow) -> String {
    if found.signs.is_empty() {
        return String::new();
    }
    format!("abandonment {:.2}: {}\n", found.score, found.signs.join("; "))
}

/// Formats the numbers of pages and requests.
fn cost(cost: &RequestCostRow) -> String {
    let (pages, requests) = (counted(cost.pages, "page"), counted(cost.requests, "request"));
    let reused = match cost.reused {
        0 => String::new(),
        reused => format!(", {} from an earlier check", counted(reused, "dead page")),
    };
    format!("{pages} checked, {requests}{reused}\n{}", blocked(cost))
}

/// Formats the number of blocked pages and how they are counted.
fn blocked(cost: &RequestCostRow) -> String {
    let (are, they_count, they_were) = match cost.blocked {
        0 => return String::new(),
        1 => ("is", "it counts", "it were"),
        _ => ("are", "they count", "they were"),
    };
    format!(
        "{} {are} blocked: {they_count} as healthy; if {they_were} dead, the score would be up to {:.2} higher\n",
        counted(cost.blocked, "page"),
        cost.blocked_share
    )
}

/// Explains why the measurement ended early.
fn end_note(page: &PageDecay) -> &'static str {
    match page.end.as_str() {
        "out-of-pages" => {
            "Stopped at the page limit, so the interval is wide; raise it with `--max-pages N`.\n"
        }
        "interrupted" => "Interrupted; the score is based on the pages checked so far.\n",
        _ => "",
    }
}

/// Formats the scores of a graph.
pub fn web(style: TextStyle, web: &WebDecay) -> String {
    let unread = match web.unread_pages {
        0 => String::new(),
        unread => format!(", {} not read", counted(unread, "page")),
    };
    let scores: String = web.scores.iter().map(|scores| sigma_scores(style, scores)).collect();
    format!(
        "{}: {}, {} where walks fail{unread}\n{}{}{scores}",
        shown_url(&web.source),
        counted(web.links, "link"),
        counted(web.failing, "page"),
        soft_404_links(web),
        warnings(web),
    )
}

/// States the share of soft-404s among the dead links.
fn soft_404_links(web: &WebDecay) -> String {
    let Some(soft_404_links) = web.soft_404_links.filter(|_| web.dead_links > 0) else {
        return String::new();
    };
    let dead_links = counted(web.dead_links, "dead link");
    format!("{dead_links} on live pages, {} of them to a soft-404\n", grouped(soft_404_links))
}

/// Formats the numbers of links and pages that the scores do not include.
fn warnings(web: &WebDecay) -> String {
    let warning = |count: u64, noun: &str, problem: &str| match count {
        0 => String::new(),
        count => format!("warning: {} {problem}\n", counted(count, noun)),
    };
    warning(web.missing_links, "link", "of the crawl not checked and not counted")
        + &warning(web.unlinked_dead_pages, "dead page", "not linked from any page")
}

/// Formats the scores for one σ, the probability that a walk stops at a live page.
fn sigma_scores(style: TextStyle, scores: &SigmaDecay) -> String {
    let title = style.strong(&format!("σ {}", scores.sigma));
    let head = format!(
        "\n{title}: {}, mean decay {:.3}, mean share of dead links {:.3}\n",
        counted(scores.pages, "live page"),
        scores.mean_decay,
        scores.mean_dead_links,
    );
    let with_links = format!(
        "{} with at least one link: mean decay {:.3}, mean share of dead links {:.3}\n",
        counted(scores.pages_with_links, "page"),
        scores.mean_decay_with_links,
        scores.mean_dead_links_with_links,
    );
    let comparison = format!(
        "{} of {} without dead links have a decay above 0.5\n",
        grouped(scores.clean_but_decayed),
        counted(scores.clean, "page"),
    );
    let (top, bottom) =
        (page_list("highest decay:", &scores.top), page_list("lowest decay:", &scores.bottom));
    [head, with_links, bars(scores), comparison, top, bottom].concat()
}

/// Formats the pages with the highest or lowest scores.
fn page_list(title: &str, pages: &[PageScoreRow]) -> String {
    if pages.is_empty() {
        return String::new();
    }
    let row = |page: &PageScoreRow| {
        let max = if page.max_decay - page.decay < ROUNDING_LIMIT {
            String::new()
        } else {
            format!(" to {:.2}", page.max_decay)
        };
        format!(
            "  {:.2}{max:8}  {:3.0} % dead links  {}\n",
            page.decay,
            page.dead_links * 100.0,
            shown_url(&page.url)
        )
    };
    let rows: String = pages.iter().map(row).collect();
    format!("{title}\n{rows}")
}
