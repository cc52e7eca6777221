//! The header, the summary and the footer of the page.

use jiff::Timestamp;
use relink_model::Verdict;

use super::markup::{Markup, element};
use super::view::{View, class, symbol};
use crate::DeadLinks;
use crate::human::{counted, duration, grouped};

/// Maximum number of seeds.
const MAX_SEEDS: usize = 5;

/// Returns the title: `Link health of example.org`.
pub(super) fn title(view: &View) -> String {
    format!("Link health of {}", view.urls.site().unwrap_or("a site"))
}

/// Renders the header: title, crawl and seeds.
pub(super) fn banner(view: &View) -> Markup {
    let report = view.report;
    let started = timestamp(report.started_at);
    let facts =
        format!("Crawl {}, started {started}, duration {}", report.run, duration_text(view));
    let seeds: Vec<Markup> = report
        .seeds
        .iter()
        .take(MAX_SEEDS)
        .map(|seed| element("li", [], view.urls.link(seed)))
        .collect();
    let seed_list = (report.seeds.len() > 1)
        .then(|| element("ul", [("class", "seeds")], seeds.into_iter().collect::<Markup>()));
    let origin_note = view.urls.origin().map(|origin| {
        let text = format!("URLs that start with / are relative to {origin}.");
        element("p", [("class", "quiet")], text)
    });
    let heading = element("h1", [], title(view));
    element("header", [], [heading, element("p", [], facts), seed_list.into(), origin_note.into()])
}

/// Renders the summary: the termination note and the tiles.
pub(super) fn summary(view: &View) -> Markup {
    let report = view.report;
    let note = report.termination_note.as_deref().map(|note| {
        let label = element("strong", [], "! Not finished. ");
        element("p", [("class", "note"), ("role", "note")], [label, note.into()])
    });
    let sizes = [
        ("pages", grouped(report.pages)),
        ("links", grouped(report.links)),
        ("URLs", grouped(report.targets)),
        ("time", duration_text(view)),
    ];
    let sizes = sizes.map(|(name, value)| tile("tile", name.into(), &value, None));
    let tiles = element("ul", [("class", "tiles")], [sizes.into(), verdict_tiles(view)]);
    let heading = element("h2", [("class", "hidden")], "Summary");
    element(
        "section",
        [("id", "summary")],
        [heading, note.into(), tiles, soft_404_share(view).into()],
    )
}

/// Renders a tile for every verdict that occurs, and always for `alive`.
fn verdict_tiles(view: &View) -> Markup {
    let report = view.report;
    let count = |verdict: Verdict| report.verdicts.get(&verdict).copied().unwrap_or(0);
    let all = Verdict::ALL.into_iter().map(count).fold(0, u64::saturating_add);
    let is_shown = |verdict: &Verdict| count(*verdict) > 0 || *verdict == Verdict::Alive;
    let verdict_tile = |verdict: Verdict| {
        let symbol = element("span", [("aria-hidden", "true")], symbol(verdict));
        let name = [symbol, verdict.as_str().into()].into();
        let share = share(count(verdict), all);
        tile(&format!("tile {}", class(verdict)), name, &grouped(count(verdict)), Some(&share))
    };
    Verdict::ALL.into_iter().filter(is_shown).map(verdict_tile).collect()
}

/// Returns a box with a name, a value and a share.
fn tile(class: &str, name: Markup, value: &str, share: Option<&str>) -> Markup {
    let name = element("span", [("class", "name")], name);
    let value = element("strong", [], value);
    let share = share.map(|share| element("span", [("class", "share")], share));
    element("li", [("class", class)], [name, value, share.into()])
}

/// Formats a share: `2.6 %`. Shares between 0 and 0.1 % are `< 0.1 %`.
pub(super) fn share(part: u64, all: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(all).max(1);
    match tenths {
        0 if part > 0 => "< 0.1 %".to_owned(),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// Renders the number of soft-404s among the missing pages.
fn soft_404_share(view: &View) -> Option<Markup> {
    let soft_404s = view.report.verdicts.get(&Verdict::Soft404).copied().unwrap_or(0);
    if soft_404s == 0 {
        return None;
    }
    let missing = DeadLinks::among(&view.report.verdicts).dead_links;
    let pages = counted(missing, "missing page");
    let text = format!(
        "Soft-404s: {} of {pages} (dead, soft-404 or hijacked). The server responds with success, but the page is an error page.",
        grouped(soft_404s),
    );
    Some(element("p", [], text))
}

/// Renders the footer: version and date.
pub(super) fn footer(view: &View) -> Markup {
    let finished = timestamp(view.report.finished_at);
    let text =
        format!("Created by Relink {} from the crawl that ended {finished}.", view.report.version);
    element("footer", [], element("p", [], text))
}

/// Formats a time: `2026-11-10 09:00 UTC`.
pub(super) fn timestamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

/// Formats the duration of the crawl.
fn duration_text(view: &View) -> String {
    let elapsed = view.report.finished_at.duration_since(view.report.started_at);
    duration(u64::try_from(elapsed.as_millis()).unwrap_or(0))
}
