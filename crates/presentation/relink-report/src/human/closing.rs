//! The first line of a report, its sums and its last sentence.

use std::collections::BTreeMap;

use relink_model::{FindingCode, Verdict};

use super::{TextStyle, age, counted, duration, grouped, shown_prose};
use crate::{DeadLinks, printable};

/// What the first line of a report counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Headline {
    /// Links found.
    pub links: u64,
    /// Documents read.
    pub documents: u64,
    /// Hosts asked.
    pub hosts: u64,
    /// Milliseconds the run took.
    pub took_ms: u64,
    /// Targets settled from memory.
    pub cached: u64,
    /// How old, in seconds, a remembered answer may be.
    pub max_age: u64,
}

/// The first line: `Checked 412 links in 38 files, 57 hosts, 6.1 s (301 from
/// cache ≤ 24 h)`.
pub fn headline(headline: &Headline) -> String {
    let Headline { links, documents, hosts, .. } = *headline;
    let links = counted(links, "link");
    let files = counted(documents, "file");
    let hosts = counted(hosts, "host");
    let took = duration(headline.took_ms);
    let cached = match headline.cached {
        0 => String::new(),
        cached => format!(" ({} from cache ≤ {})", grouped(cached), age(headline.max_age)),
    };
    format!("Checked {links} in {files}, {hosts}, {took}{cached}\n")
}

/// The sums: every word that occurs with its sign and count, and alive always;
/// then, if any link is dead, how many of those answer as if they were alive.
pub fn summary(paint: TextStyle, words: &BTreeMap<Verdict, u64>) -> String {
    let counts = Verdict::ALL.map(|word| (word, words.get(&word).copied().unwrap_or(0)));
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(word, count)| *count > 0 || *word == Verdict::Alive)
        .map(|(word, count)| {
            let text = format!("{} {} {word}", word.symbol(), grouped(count));
            paint.word(word, &text)
        })
        .collect();
    format!("  {}\n{}", parts.join("  "), soft_404_share(words))
}

/// `3 of 12 dead links (25 %) answer as if they were alive (soft-404).`
fn soft_404_share(words: &BTreeMap<Verdict, u64>) -> String {
    let dead = DeadLinks::among(words).dead_links;
    if dead == 0 {
        return String::new();
    }
    let soft = words.get(&Verdict::Soft404).copied().unwrap_or(0);
    let links = counted(dead, "dead link");
    let answer = if soft == 1 || dead == 1 {
        "answers as if it were alive"
    } else {
        "answer as if they were alive"
    };
    let percent = percent(soft, dead);
    format!("  {} of {links} ({percent} %) {answer} (soft-404).\n", grouped(soft))
}

/// A share in whole hundredths; only nothing is 0, and only all is 100.
fn percent(part: u64, whole: u64) -> u64 {
    let (part, whole) = (u128::from(part), u128::from(whole).max(1));
    let rounded = u64::try_from((part * 100 + whole / 2) / whole).unwrap_or(100);
    match part {
        0 => 0,
        _ if part >= whole => 100,
        _ => rounded.clamp(1, 99),
    }
}

/// What was not checked: `  skipped: 3 in code, 2 with placeholders`; nothing
/// if everything was.
pub fn skipped<'a>(counts: impl IntoIterator<Item = (&'a str, u64)>) -> String {
    let parts: Vec<String> =
        counts.into_iter().map(|(phrase, count)| format!("{} {phrase}", grouped(count))).collect();
    if parts.is_empty() { String::new() } else { format!("  skipped: {}\n", parts.join(", ")) }
}

/// A remark about a document: `docs/a.csv:3: the row has no end`.
pub fn remark(path: &str, line: Option<u32>, text: &str) -> String {
    let path = printable(path);
    let line = line.map(|line| format!(":{line}")).unwrap_or_default();
    format!("{path}{line}: {}", shown_prose(text))
}

/// What the last sentence of a report counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Footer {
    /// Findings whose word fails this run.
    pub failing: u64,
    /// Pages that could not be judged from outside.
    pub blocked: u64,
    /// The commonest code among those.
    pub blocked_code: Option<FindingCode>,
}

/// The last sentences: whether the run fails, and what was left unjudged.
pub fn closing(closing: &Footer) -> String {
    let verdict = match closing.failing {
        0 => "Nothing fails this run.".to_owned(),
        1 => "1 finding fails this run.".to_owned(),
        failing => format!("{} findings fail this run.", grouped(failing)),
    };
    format!("{verdict}{}\n", unjudged(closing))
}

fn unjudged(closing: &Footer) -> String {
    if closing.blocked == 0 {
        return String::new();
    }
    let pages = counted(closing.blocked, "blocked page");
    let was = if closing.blocked == 1 { "was" } else { "were" };
    match closing.blocked_code {
        None => format!(" {pages} {was} not judged."),
        Some(code) => format!(" {pages} {was} not judged: `relink explain {code}`."),
    }
}

/// The last sentence of a run in which no host could be reached.
pub const fn no_network() -> &'static str {
    "No host could be reached at all, so no page was judged. Is this machine online?\n"
}

/// The last sentence of a run that was interrupted.
pub fn interrupted(settled: u64, targets: u64) -> String {
    let settled = grouped(settled);
    let targets = grouped(targets);
    format!("Interrupted after {settled} of {targets}; the same command goes on from there.\n")
}
