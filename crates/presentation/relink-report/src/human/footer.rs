//! Formats the first line, the totals and the last lines of a report.

use std::collections::BTreeMap;

use relink_model::{FindingCode, Verdict};

use super::{TextStyle, age, counted, duration, grouped, shown_prose};
use crate::{DeadLinks, printable};

/// The numbers of the first line of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headline {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts contacted.
    pub hosts: u64,
    /// The duration of the run in milliseconds.
    pub duration_ms: u64,
    /// Targets whose result comes from the cache.
    pub cached: u64,
    /// The maximum age of a cached result in seconds.
    pub max_age: u64,
}

/// Formats the first line: `Checked 412 links in 38 files, 57 hosts, 6.1 s (301 from
/// cache ≤ 24 h)`.
pub fn headline(headline: &Headline) -> String {
    let Headline { links, documents, hosts, .. } = *headline;
    let links = counted(links, "link");
    let files = counted(documents, "file");
    let hosts = counted(hosts, "host");
    let elapsed = duration(headline.duration_ms);
    let cached = match headline.cached {
        0 => String::new(),
        cached => format!(" ({} from cache ≤ {})", grouped(cached), age(headline.max_age)),
    };
    format!("Checked {links} in {files}, {hosts}, {elapsed}{cached}\n")
}

/// Formats the number of targets per verdict: `✓ 90 alive  ✗ 9 dead`. Omits verdicts that do not
/// occur, except `alive`. If pages are missing, the share of soft-404s follows.
pub fn summary(style: TextStyle, verdicts: &BTreeMap<Verdict, u64>) -> String {
    let mut parts = Vec::new();
    for verdict in Verdict::ALL {
        let count = verdicts.get(&verdict).copied().unwrap_or(0);
        if count > 0 || verdict == Verdict::Alive {
            let text = format!("{} {} {verdict}", verdict.symbol(), grouped(count));
            parts.push(style.verdict(verdict, &text));
        }
    }
    format!("  {}\n{}", parts.join("  "), soft_404_share(verdicts))
}

/// Formats the share of soft-404s among the missing pages: `  soft-404s: 3 of 12 missing
/// pages (dead, soft-404 or hijacked), 25 %`. Returns an empty string if no page is missing.
fn soft_404_share(verdicts: &BTreeMap<Verdict, u64>) -> String {
    let missing = DeadLinks::among(verdicts).dead_links;
    if missing == 0 {
        return String::new();
    }
    let soft_404s = verdicts.get(&Verdict::Soft404).copied().unwrap_or(0);
    let pages = counted(missing, "missing page");
    let percent = percent(soft_404s, missing);
    let soft_404s = grouped(soft_404s);
    format!("  soft-404s: {soft_404s} of {pages} (dead, soft-404 or hijacked), {percent} %\n")
}

/// Returns a share in percent. Rounds to 0 only if `part` is 0, and to 100 only if `part` is the
/// whole.
fn percent(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole).max(1));
    let rounded = u64::try_from((part * 100 + whole / 2) / whole).unwrap_or(100);
    match part {
        0 => 0,
        _ if part >= whole => 100,
        _ => rounded.clamp(1, 99),
    }
}

/// Formats the skipped links: `  skipped: 3 in code, 2 with placeholders`.
/// Returns an empty string if there are none.
pub fn skipped<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> String {
    let parts: Vec<String> =
        counts.into_iter().map(|(phrase, count)| format!("{} {phrase}", grouped(count))).collect();
    if parts.is_empty() { String::new() } else { format!("  skipped: {}\n", parts.join(", ")) }
}

/// Formats the number of documents that are not read: `  not read: 3 documents of
/// tests and dependencies (`--no-ignore`)`. Returns an empty string if there are
/// none.
pub fn not_read(documents: u64) -> String {
    if documents == 0 {
        return String::new();
    }
    let documents = counted(documents, "document");
    format!("  not read: {documents} of tests and dependencies (`--no-ignore`)\n")
}

/// Formats the links that are not checked: `  not checked: 3 on the web
/// (`--offline`)`. Returns an empty string if there are none.
pub fn not_checked<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> String {
    skipped(counts).replacen("skipped", "not checked", 1)
}

/// Formats the site generators whose rules were applied to local links.
/// Returns an empty string if there are none.
pub fn sites<'a>(sites: impl IntoIterator<Item = (&'a str, &'a str)>) -> String {
    let all: Vec<String> = sites
        .into_iter()
        .map(|(generator, config)| format!("{generator} ({})", printable(config)))
        .collect();
    if all.is_empty() {
        return String::new();
    }
    format!("  site: {}; `--site none` disables its rules\n", all.join(", "))
}

/// Formats a problem with a document: `docs/a.csv:3: the row has no end`.
pub fn problem(path: &str, line: Option<u32>, text: &str) -> String {
    let path = printable(path);
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{path}{line}: {}", shown_prose(text))
}

/// The numbers of the last line of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// Findings that fail the run.
    pub failing: u64,
    /// Pages whose access is denied.
    pub blocked: u64,
    /// The most frequent code of the blocked pages.
    pub blocked_code: Option<FindingCode>,
}

/// Formats the last line: whether the run fails, and the number of blocked pages.
pub fn footer(footer: &Footer) -> String {
    let result = match footer.failing {
        0 => "No finding fails this run.".to_owned(),
        1 => "1 finding fails this run.".to_owned(),
        failing => format!("{} findings fail this run.", grouped(failing)),
    };
    format!("{result}{}\n", blocked_note(footer))
}

/// Formats the number of blocked pages, if there are any.
fn blocked_note(footer: &Footer) -> String {
    if footer.blocked == 0 {
        return String::new();
    }
    let pages = counted(footer.blocked, "blocked page");
    let was = if footer.blocked == 1 { "was" } else { "were" };
    match footer.blocked_code {
        None => format!(" {pages} {was} not judged."),
        Some(code) => format!(" {pages} {was} not judged: `relink explain {code}`."),
    }
}

/// Returns the last line of a run in which no host could be reached.
pub const fn no_network() -> &'static str {
    "No host could be reached, so no page was judged. Check your network connection.\n"
}

/// Formats the last line of an interrupted run.
pub fn interrupted(checked: u64, targets: u64) -> String {
    let checked = grouped(checked);
    let targets = grouped(targets);
    format!("Interrupted after {checked} of {targets} URLs; run the same command to resume.\n")
}
