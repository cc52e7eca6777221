//! Scores for people at a terminal.

use super::chart::bars;
use super::{
    OwnLinksRow, PageDecay, PageScoreRow, RepairRow, RequestCostRow, SigmaDecay, WebDecay,
};
use crate::human::{TextStyle, counted, grouped, shown_url};

/// Dead ends that are named.
const DEAD_ENDS: usize = 5;

/// What is told of one page.
pub fn page(paint: TextStyle, page: &PageDecay) -> String {
    let verdict = page.verdict.filter(|_| page.own.is_none()).map_or_else(String::new, |word| {
        format!("the page itself is {}\n", paint.word(word, word.as_str()))
    });
    [
        headline(paint, page),
        verdict,
        page.own.as_ref().map_or_else(String::new, |own| split(page, own)),
        dead_ends(page),
        repairs(paint, page),
        page.cost.as_ref().map_or_else(String::new, asked),
        ending(page).to_owned(),
    ]
    .concat()
}

/// `decay 0.43 ± 0.03 (300 walks, σ 0.1)   worse than 82 % of the pages in this crawl`
fn headline(paint: TextStyle, page: &PageDecay) -> String {
    let decay = paint.strong(&format!("decay {:.2}", page.decay));
    let off = (page.interval.high - page.decay).max(page.decay - page.interval.low);
    let is_exact = off < 0.0005;
    let spread = if is_exact { String::new() } else { format!(" ± {off:.2}") };
    let ground = match (is_exact, page.walks) {
        (true, _) => "every page in reach is known".to_owned(),
        (false, 0) => format!("certainly {:.2} to {:.2}", page.bounds.low, page.bounds.high),
        (false, walks) => counted(u64::from(walks), "walk"),
    };
    let form = if page.form == "plain" { String::new() } else { format!(", {}", page.form) };
    let rank = page.worse_than.map_or_else(String::new, |share| {
        format!("   worse than {:.0} % of the pages in this crawl", share * 100.0)
    });
    format!("{decay}{spread} ({ground}, σ {}{form}){rank}\n", page.sigma)
}

/// Equation (1) in words.
fn split(page: &PageDecay, own: &OwnLinksRow) -> String {
    let OwnLinksRow { links, checked: looked_at, dead, .. } = *own;
    let (all, dead) = (counted(links as u64, "link"), number(dead));
    if links == 0 {
        return "it has no links\n".to_owned();
    }
    if looked_at < links {
        return format!(
            "own links at least {:.2} (of {looked_at} looked at, {dead} dead; {all} in all), neighbors the rest\n",
            own.own
        );
    }
    format!(
        "own links {:.2} ({dead} of {all} dead), neighbors {:.2}: \
         D = {} × (F {:.2} + {:.2} × {:.2})\n",
        own.own,
        own.neighbors,
        1.0 - page.sigma,
        own.dead_share,
        1.0 - own.dead_share,
        own.mean_neighbor_decay,
    )
}

/// A count that may have a fraction.
fn number(count: f64) -> String {
    if count.fract() == 0.0 { format!("{count:.0}") } else { format!("{count:.1}") }
}

fn dead_ends(page: &PageDecay) -> String {
    if page.dead_ends.is_empty() || page.own.is_none() {
        return String::new();
    }
    let failed = page.decay.max(f64::MIN_POSITIVE);
    let end = |end: &super::DeadEndRow| {
        format!("{} ({:.0} %)", shown_url(&end.url), (end.share / failed * 100.0).min(100.0))
    };
    let named: Vec<String> = page.dead_ends.iter().take(DEAD_ENDS).map(end).collect();
    let more = match page.dead_ends.len().saturating_sub(DEAD_ENDS) {
        0 => String::new(),
        more => format!(", and {} more", grouped(more as u64)),
    };
    format!("dead ends: {}{more}\n", named.join(", "))
}

fn repairs(paint: TextStyle, page: &PageDecay) -> String {
    let first = page.repairs.get(..page.first_repairs).unwrap_or(&page.repairs);
    let what = match first {
        [] => return String::new(),
        [_] => "this link".to_owned(),
        more => format!("these {} links", more.len()),
    };
    let head = paint.help(&format!("fix {what} first → {:.2}", page.after_first_repairs));
    let line = |repair: &RepairRow| {
        let (from, to) = (shown_url(&repair.from), shown_url(&repair.to));
        format!("  −{:.2}  {from} → {to}\n", repair.gain)
    };
    let lines: String = first.iter().map(line).collect();
    format!("{head}\n{lines}")
}

fn asked(asked: &RequestCostRow) -> String {
    let (pages, requests) = (counted(asked.pages, "page"), counted(asked.requests, "request"));
    format!("{pages} looked at, {requests}\n{}", blocked(asked))
}

fn blocked(asked: &RequestCostRow) -> String {
    let (are, they, were) = match asked.blocked {
        0 => return String::new(),
        1 => ("is", "it counts", "it were"),
        _ => ("are", "they count", "they were"),
    };
    format!(
        "{} {are} blocked: {they} as sound, and if {were} dead the score would be up to {:.2} more\n",
        counted(asked.blocked, "page"),
        asked.blocked_share
    )
}

fn ending(page: &PageDecay) -> &'static str {
    match page.end.as_str() {
        "out-of-pages" => {
            "The page budget is used up, so the interval is wide; more with `--max-pages N`.\n"
        }
        "interrupted" => "Interrupted: this is what was known until then.\n",
        _ => "",
    }
}

/// What is told of a whole graph.
pub fn web(paint: TextStyle, web: &WebDecay) -> String {
    let edge = match web.edge {
        0 => String::new(),
        edge => format!(", {} at the edge not read", counted(edge, "page")),
    };
    let scores: String = web.scores.iter().map(|scores| sigma(paint, scores)).collect();
    format!(
        "{}: {}, {} on which surfers fail{edge}\n{}{scores}",
        shown_url(&web.source),
        counted(web.links, "link"),
        counted(web.failing, "page"),
        notes(web),
    )
}

fn notes(web: &WebDecay) -> String {
    let note = |count: u64, thing: &str, what: &str| match count {
        0 => String::new(),
        count => format!("note: {} {what}\n", counted(count, thing)),
    };
    note(web.missing_links, "link", "of the crawl not asked and not counted")
        + &note(web.strangers, "dead page", "of the list in no link")
}

fn sigma(paint: TextStyle, scores: &SigmaDecay) -> String {
    let title = paint.strong(&format!("σ {}", scores.sigma));
    let head = format!(
        "\n{title}: {}, mean decay {:.3}, mean share of dead links {:.3}\n",
        counted(scores.pages, "living page"),
        scores.mean_decay,
        scores.mean_dead_links,
    );
    let comparison = format!(
        "{} of {} without a dead link of their own have a decay above 0.5\n",
        grouped(scores.clean_and_rotten),
        counted(scores.clean, "page"),
    );
    let (top, bottom) = (list("most rotten:", &scores.top), list("soundest:", &scores.bottom));
    [head, bars(scores), comparison, top, bottom].concat()
}

fn list(title: &str, pages: &[PageScoreRow]) -> String {
    if pages.is_empty() {
        return String::new();
    }
    let row = |page: &PageScoreRow| {
        let most = if page.max_decay - page.decay < 0.0005 {
            String::new()
        } else {
            format!(" to {:.2}", page.max_decay)
        };
        format!(
            "  {:.2}{most:8}  {:3.0} % dead links  {}\n",
            page.decay,
            page.dead_links * 100.0,
            shown_url(&page.url)
        )
    };
    let rows: String = pages.iter().map(row).collect();
    format!("{title}\n{rows}")
}
