//! The report of a check as one self-contained HTML page.
//!
//! The page contains no scripts, fonts or image files and loads nothing from the network, like
//! the report of a crawl. It supports printing, and light and dark mode.

use std::collections::BTreeMap;

use relink_model::Verdict;

use super::{BrokenLink, CheckReport};
use crate::human::{counted, duration, grouped};
use crate::site::html::chart::{HorizontalBar, figure, horizontal_bars};
use crate::site::html::markup::{Markup, element, style, void};
use crate::site::html::table::{Table, number_column, text_column};
use crate::site::html::view::{class, symbol};
use crate::site::html::{CONTENT_SECURITY_POLICY, STYLE};

/// Maximum size of a table in bytes.
const MAX_TABLE_BYTES: usize = 4 << 20;

/// Maximum number of bars of a chart.
const MAX_BARS: usize = 12;

/// Renders a report as an HTML page.
pub fn html(report: &CheckReport) -> String {
    let main = [summary(report), charts(report), causes(report), links(report)];
    let body = [
        element("a", [("class", "skip"), ("href", "#content")], "Skip to the report"),
        banner(report),
        contents(report),
        element("main", [("id", "content")], main),
        footer(report),
    ];
    element("html", [("lang", "en")], [head(), element("body", [], body)]).into_page()
}

/// Returns the head of the page.
fn head() -> Markup {
    let meta = |name, content| void("meta", [("name", name), ("content", content)]);
    let policy = [("http-equiv", "Content-Security-Policy"), ("content", CONTENT_SECURITY_POLICY)];
    element(
        "head",
        [],
        [
            void("meta", [("charset", "utf-8")]),
            void("meta", policy),
            meta("viewport", "width=device-width, initial-scale=1"),
            meta("color-scheme", "light dark"),
            meta("referrer", "no-referrer"),
            meta("robots", "noindex"),
            element("title", [], "Link check"),
            style(STYLE),
        ],
    )
}

/// Returns the title, inputs, start and duration.
fn banner(report: &CheckReport) -> Markup {
    let elapsed = report.finished_at.duration_since(report.started_at);
    let elapsed = duration(u64::try_from(elapsed.as_millis()).unwrap_or(0));
    let started = report.started_at.strftime("%Y-%m-%d %H:%M UTC");
    let inputs = report.inputs.join(", ");
    let facts = format!("Checked {inputs}, started {started}, duration {elapsed}");
    element("header", [], [element("h1", [], "Link check"), element("p", [], facts)])
}

/// Renders links to the sections.
fn contents(report: &CheckReport) -> Markup {
    let mut sections = vec![("#summary", "Summary")];
    if !report.causes.is_empty() {
        sections.push(("#causes", "Causes"));
    }
    if !report.broken_links.is_empty() {
        sections.push(("#links", "Broken links"));
    }
    let entries: Markup = sections
        .into_iter()
        .map(|(target, name)| element("li", [], element("a", [("href", target)], name)))
        .collect();
    element("nav", [("aria-label", "Contents")], element("ol", [], entries))
}

/// Returns the totals by verdict.
fn summary(report: &CheckReport) -> Markup {
    let notices: Markup = report
        .notices
        .iter()
        .map(|notice| element("p", [("class", "note"), ("role", "note")], notice.as_str()))
        .collect();
    let mut tiles = Markup::default();
    for (name, count) in [("links", report.links), ("files", report.documents)] {
        tiles.push(tile("tile", name.into(), count));
    }
    for verdict in Verdict::ALL {
        let count = report.verdicts.get(&verdict).copied().unwrap_or(0);
        // The number of live pages is shown even if it is 0.
        if count > 0 || verdict == Verdict::Alive {
            let mark = element("span", [("aria-hidden", "true")], symbol(verdict));
            let name = [mark, verdict.as_str().into()].into();
            tiles.push(tile(&format!("tile {}", class(verdict)), name, count));
        }
    }
    let outcome = match report.failing {
        0 => "No finding fails this run.".to_owned(),
        1 => "1 finding fails this run.".to_owned(),
        failing => format!("{} findings fail this run.", grouped(failing)),
    };
    let gate = report.gate.as_ref().map(|gate| element("p", [], gate.footer().trim_end()));
    let heading = element("h2", [("class", "hidden")], "Summary");
    element(
        "section",
        [("id", "summary")],
        [
            heading,
            notices,
            element("ul", [("class", "tiles")], tiles),
            element("p", [], outcome),
            gate.into(),
        ],
    )
}

/// Renders a box with a name and a number.
fn tile(class: &str, name: Markup, value: u64) -> Markup {
    let name = element("span", [("class", "name")], name);
    element("li", [("class", class)], [name, element("strong", [], value)])
}

/// Renders the numbers of broken links by code and by file.
fn charts(report: &CheckReport) -> Markup {
    // Known links, such as those of the baseline, do not need repair now.
    let new_links = || report.broken_links.iter().filter(|link| !link.is_known);
    if new_links().count() < 2 {
        return Markup::default();
    }
    let by_code = count_names(new_links().map(BrokenLink::label));
    let by_file = count_names(new_links().map(|link| link.path.clone()));
    let heading = element("h2", [], "Where the broken links are");
    let figures = [
        chart("Broken links by code", "code", &by_code),
        chart("Broken links by file", "file", &by_file),
    ];
    let figures = element("div", [("class", "charts")], figures);
    element("section", [("id", "numbers")], [heading, figures])
}

/// Counts equal names, most frequent first.
fn count_names(names: impl Iterator<Item = String>) -> Vec<(String, u64)> {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for name in names {
        *counts.entry(name).or_default() += 1;
    }
    let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), name.clone()));
    counts
}

/// Returns a bar chart of counts, with a table of its values.
fn chart(title: &'static str, name: &'static str, counts: &[(String, u64)]) -> Markup {
    let bars: Vec<HorizontalBar> = counts
        .iter()
        .take(MAX_BARS)
        .map(|(name, value)| HorizontalBar { name: cut_start(name), value: *value, class: "bad" })
        .collect();
    let columns = [text_column(name), number_column("links")];
    let mut table = Table::new(title, columns, MAX_TABLE_BYTES);
    for (name, value) in counts {
        table.row([name.as_str().into(), (*value).into()]);
    }
    let alt = format!("Bar chart: {title}");
    let caption = match counts.len().saturating_sub(MAX_BARS) as u64 {
        0 => format!("{title}."),
        more => format!("{title}; {} more in the table.", grouped(more)),
    };
    figure(horizontal_bars(&alt, &bars), caption.into(), table.finish(counts.len() as u64))
}

/// Shortens a name at its start, so that the name fits in front of a bar.
fn cut_start(name: &str) -> String {
    const MAX_CHARACTERS: usize = 13;
    let length = name.chars().count();
    if length <= MAX_CHARACTERS {
        return name.to_owned();
    }
    let end: String = name.chars().skip(length - MAX_CHARACTERS + 1).collect();
    format!("…{end}")
}

/// Returns the table of causes.
fn causes(report: &CheckReport) -> Markup {
    if report.causes.is_empty() {
        return Markup::default();
    }
    let columns = [
        text_column("finding"),
        text_column("cause"),
        text_column("reason"),
        number_column("links"),
    ];
    let mut table = Table::new("Findings by cause", columns, MAX_TABLE_BYTES);
    let mut sorted: Vec<_> = report.causes.iter().collect();
    sorted.sort_by_key(|cause| std::cmp::Reverse(cause.links));
    for cause in sorted {
        let first = cause.locations.first().map_or("", String::as_str);
        let description =
            element("span", [("class", "quiet")], format!(" {}, first {first}", cause.description));
        table.row([
            verdict(cause.verdict, cause.code.map(|code| code.to_string())),
            [element("strong", [], cause.name.as_str()), description].into(),
            cause.reason.as_str().into(),
            cause.links.into(),
        ]);
    }
    let count = report.causes.len() as u64;
    let heading = element("h2", [], format!("{} to repair", counted(count, "cause")));
    element("section", [("id", "causes")], [heading, table.finish(count)])
}

/// Returns a verdict with its symbol and code.
fn verdict(verdict: Verdict, code: Option<String>) -> Markup {
    let mark = element("span", [("aria-hidden", "true")], symbol(verdict));
    let class = format!("verdict {}", class(verdict));
    let name = element("span", [("class", &class)], [mark, verdict.as_str().into()]);
    let code = code.map(|code| element("span", [("class", "code")], code));
    [name, code.into()].into()
}

/// Returns the table of broken links.
fn links(report: &CheckReport) -> Markup {
    if report.broken_links.is_empty() {
        return element("section", [], element("p", [], "No broken links."));
    }
    let columns = [
        text_column("finding"),
        text_column("location"),
        text_column("URL"),
        text_column("reason"),
    ];
    let mut table = Table::new("All broken links", columns, MAX_TABLE_BYTES);
    for link in &report.broken_links {
        let known = link.is_known.then(|| element("span", [("class", "tag")], "known"));
        let location = format!("{}:{}:{}", link.path, link.line, link.column);
        table.row([
            [verdict(link.verdict, link.code.map(|code| code.to_string())), known.into()].into(),
            location.into(),
            link.url.as_str().into(),
            link.reason.as_str().into(),
        ]);
    }
    let count = report.broken_links.len() as u64;
    let heading = element("h2", [], counted(count, "broken link"));
    element("section", [("id", "links")], [heading, table.finish(count)])
}

/// Returns the version of Relink and the end of the check.
fn footer(report: &CheckReport) -> Markup {
    let finished = report.finished_at.strftime("%Y-%m-%d %H:%M UTC");
    let text =
        format!("Created by Relink {} from the check that ended {finished}.", report.version);
    element("footer", [], element("p", [], text))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_safe, report};
    use super::*;

    #[test]
    fn page_has_causes_links_and_charts_with_tables() {
        let page = html(&report());
        assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
        assert_eq!(page.matches("<svg ").count(), 2);
        assert_eq!(page.matches("<table").count(), 4);
        assert!(page.contains("1 cause to repair") && page.contains("3 broken links"));
    }

    #[test]
    fn html_escapes_hostile_text() {
        let page = html(&report());
        assert!(!page.contains("<script"), "{page}");
        assert!(page.contains("&lt;script&gt;"), "{page}");
        check_safe(&page);
    }
}
