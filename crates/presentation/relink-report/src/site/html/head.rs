//! The top and the bottom of the page: what was crawled, and how it stands.

use jiff::Timestamp;
use relink_model::Verdict;

use super::markup::{Markup, element};
use super::view::{View, class, sign};
use crate::DeadLinks;
use crate::human::{counted, duration, grouped};

/// Seeds that are named.
const SEEDS: usize = 5;

/// `Links of example.org`.
pub(super) fn title(view: &View) -> String {
    format!("Link health of {}", view.addresses.site().unwrap_or("a site"))
}

/// The name of the site, and the crawl that this is about.
pub(super) fn banner(view: &View) -> Markup {
    let report = view.report;
    let began = moment(report.started);
    let facts = format!("Crawl {}, begun {began}, took {}", report.run, took(view));
    let seeds: Vec<Markup> = report
        .seeds
        .iter()
        .take(SEEDS)
        .map(|seed| element("li", [], view.addresses.link(seed)))
        .collect();
    let many = (report.seeds.len() > 1)
        .then(|| element("ul", [("class", "seeds")], seeds.into_iter().collect::<Markup>()));
    let own = view.addresses.origin().map(|origin| {
        let text = format!("Addresses that begin with / are on {origin}.");
        element("p", [("class", "quiet")], text)
    });
    let heading = element("h1", [], title(view));
    element("header", [], [heading, element("p", [], facts), many.into(), own.into()])
}

/// How the crawl ended if not properly, and the tiles.
pub(super) fn summary(view: &View) -> Markup {
    let report = view.report;
    let remark = report.remark.as_deref().map(|remark| {
        let label = element("strong", [], "! Not finished. ");
        element("p", [("class", "remark"), ("role", "note")], [label, remark.into()])
    });
    let sizes = [
        ("pages", grouped(report.pages)),
        ("links", grouped(report.links)),
        ("addresses", grouped(report.targets)),
        ("time", took(view)),
    ];
    let sizes = sizes.map(|(name, value)| tile("tile", name.into(), &value, None));
    let tiles = element("ul", [("class", "tiles")], [sizes.into(), words(view)]);
    let heading = element("h2", [("class", "hidden")], "Summary");
    element(
        "section",
        [("id", "summary")],
        [heading, remark.into(), tiles, soft_404_share(view).into()],
    )
}

/// A tile for every word that occurs, and alive always.
fn words(view: &View) -> Markup {
    let report = view.report;
    let count = |word: Verdict| report.verdicts.get(&word).copied().unwrap_or(0);
    let all = Verdict::ALL.into_iter().map(count).fold(0, u64::saturating_add);
    let occurs = |word: &Verdict| count(*word) > 0 || *word == Verdict::Alive;
    let tile_of = |word: Verdict| {
        let sign = element("span", [("aria-hidden", "true")], sign(word));
        let name = [sign, word.as_str().into()].into();
        let share = share(count(word), all);
        tile(&format!("tile {}", class(word)), name, &grouped(count(word)), Some(&share))
    };
    Verdict::ALL.into_iter().filter(occurs).map(tile_of).collect()
}

fn tile(class: &str, name: Markup, value: &str, share: Option<&str>) -> Markup {
    let name = element("span", [("class", "name")], name);
    let value = element("strong", [], value);
    let share = share.map(|share| element("span", [("class", "share")], share));
    element("li", [("class", class)], [name, value, share.into()])
}

/// `2.6 %`; less than a tenth, but something, is `< 0.1 %`.
pub(super) fn share(part: u64, all: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(all).max(1);
    match tenths {
        0 if part > 0 => "< 0.1 %".to_owned(),
        _ => format!("{}.{} %", tenths / 10, tenths % 10),
    }
}

/// How many dead links answer as if they were alive.
fn soft_404_share(view: &View) -> Option<Markup> {
    let soft = view.report.verdicts.get(&Verdict::Soft404).copied().filter(|soft| *soft > 0)?;
    let dead = DeadLinks::among(&view.report.verdicts).dead_links;
    let links = counted(dead, "dead link");
    let text = format!(
        "Of {links}, {} would pass for alive: the server answers success, but shows an error page (soft-404).",
        grouped(soft)
    );
    Some(element("p", [], text))
}

/// Who made the page.
pub(super) fn footer(view: &View) -> Markup {
    let ended = moment(view.report.finished);
    let text = format!("Made by Relink {} of a crawl until {ended}.", view.report.version);
    element("footer", [], element("p", [], text))
}

/// `2026-11-10 09:00 UTC`.
pub(super) fn moment(time: Timestamp) -> String {
    time.strftime("%Y-%m-%d %H:%M UTC").to_string()
}

fn took(view: &View) -> String {
    let took = view.report.finished.duration_since(view.report.started);
    duration(u64::try_from(took.as_millis()).unwrap_or(0))
}
