//! What a crawl's report says beside its findings.

use jiff::SignedDuration;
use relink_engine::{CrawlEnd, CrawlOutcome, LeftAside};
use relink_ports::Tally;
use relink_wire::human::{counted, duration, grouped};
use relink_wire::printable;

/// Trap patterns that are named.
const TRAPS_SHOWN: usize = 20;

/// `Crawled 864 pages, 11,203 links, 57 hosts, 3m12s`.
pub fn headline(tally: &Tally, took: SignedDuration) -> String {
    let took = duration(u64::try_from(took.as_millis()).unwrap_or(0));
    // The addresses that the user named stand in a document of their own.
    let pages = counted(tally.documents.saturating_sub(1), "page");
    let (links, hosts) = (counted(tally.links, "link"), counted(tally.hosts, "host"));
    format!("Crawled {pages}, {links}, {hosts}, {took}\n")
}

/// What was avoided and left aside, and what hosts asked for.
pub fn beside(outcome: &CrawlOutcome) -> String {
    let mut text = String::new();
    for trap in outcome.avoided.iter().take(TRAPS_SHOWN) {
        let pattern = printable(&trap.pattern);
        text += &format!(
            "  trap avoided: {pattern}  {} ({})\n",
            trap.kind.as_str(),
            grouped(trap.count)
        );
    }
    if outcome.avoided.len() > TRAPS_SHOWN {
        let more = (outcome.avoided.len() - TRAPS_SHOWN) as u64;
        text += &format!("  … and {}\n", counted(more, "more pattern"));
    }
    for note in &outcome.hosts {
        let host = printable(&note.host);
        if note.is_closed {
            text += &format!("  {host}: robots.txt cannot be had, so nothing was visited there\n");
        }
        if let Some(delay) = note.crawl_delay {
            let delay = duration(u64::try_from(delay.as_millis()).unwrap_or(u64::MAX));
            text += &format!("  {host}: robots.txt asks for {delay} between visits\n");
        }
    }
    if let Some((pages, fault)) = &outcome.unrendered {
        let pages = counted(*pages, "page");
        text += &format!("  {pages} built by scripts could not be read: {fault}\n");
        text +=
            "  hint: install a browser (`apt install chromium`), or name one in RELINK_BROWSER\n";
    }
    text + &left_aside(&outcome.left_aside)
}

fn left_aside(aside: &LeftAside) -> String {
    let counts = [
        (aside.too_deep, "too deep"),
        (aside.over_budget, "over the page budget"),
        (aside.left_out, "left out by patterns"),
        (aside.unfollowed, "whose page asks not to follow them"),
    ];
    let parts: Vec<String> = counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, why)| format!("{} {why}", grouped(count)))
        .collect();
    if parts.is_empty() {
        String::new()
    } else {
        format!("  links not asked: {}\n", parts.join(", "))
    }
}

/// The last sentence of a crawl that did not come to its proper end.
pub fn closing(end: &CrawlEnd, tally: &Tally) -> Option<String> {
    let (settled, targets) = (grouped(tally.settled), grouped(tally.targets));
    Some(match end {
        CrawlEnd::Finished => return None,
        CrawlEnd::NoNetwork => relink_wire::human::no_network().to_owned(),
        CrawlEnd::Interrupted => relink_wire::human::interrupted(tally.settled, tally.targets),
        CrawlEnd::OutOfTime => format!(
            "The time is up after {settled} of {targets}; the same command goes on from there.\n"
        ),
        CrawlEnd::Unwelcome { host, asked } => format!(
            "{} stopped answering us after {} requests, so nothing more was asked. \
             {settled} of {targets} are settled; the same command goes on from there another day.\n",
            printable(host),
            grouped(*asked)
        ),
    })
}
