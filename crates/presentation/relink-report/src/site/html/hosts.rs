//! Each host's requests over the time of the crawl, one below the other on one
//! scale of time.

use super::chart::{figure, part_bar, spark};
use super::markup::{Markup, element};
use super::part::Body;
use super::table::{numbers, words};
use super::view::View;
use crate::human::{counted, duration, grouped};
use crate::site::SiteHost;

/// Into how many parts the table divides the crawl.
const PARTS: usize = 6;

pub(super) fn body(view: &View) -> Option<Body> {
    let hosts = &view.report.hosts;
    Body::counted(hosts.total, || {
        let steps = hosts.rows.iter().map(|host| host.timeline.len()).max().unwrap_or(0);
        let span = duration(view.report.step_ms.saturating_mul(steps as u64));
        let caption = format!(
            "Requests over time, from the beginning to {span}; each host has its own height, and \
             all share one scale of time. Below them, filled: time spent asking; hatched: time \
             waited out of politeness."
        );
        figure(lanes(view), caption.into(), timeline_table(view, steps))
    })
}

fn lanes(view: &View) -> Markup {
    let hosts = &view.report.hosts;
    let columns = [
        words("host"),
        words("requests over time"),
        numbers("requests"),
        numbers("asked to slow down"),
        numbers("asking"),
        numbers("waiting"),
    ];
    let longest = hosts.rows.iter().map(spent).max().unwrap_or(0);
    view.table("Hosts, busiest first", columns, &hosts.rows, hosts.total, |host| {
        let most = host.timeline.iter().copied().max().unwrap_or(0);
        let says = format!("{} over the time of the crawl", counted(host.requests, "request"));
        let throttled = match host.throttled {
            0 => "0".into(),
            count => element("strong", [("class", "is-failing")], format!("! {}", grouped(count))),
        };
        [
            element("span", [("class", "url")], host.name.as_str()),
            [spark(&says, &host.timeline, most), waits(host, longest)].into(),
            host.requests.into(),
            throttled,
            duration(host.busy_ms).into(),
            duration(host.waited_ms).into(),
        ]
    })
}

/// Time spent on a host, in milliseconds.
fn spent(host: &SiteHost) -> u64 {
    host.busy_ms.saturating_add(host.waited_ms)
}

/// How much of the time spent on a host was waiting.
fn waits(host: &SiteHost, longest: u64) -> Markup {
    let (asking, waiting) = (duration(host.busy_ms), duration(host.waited_ms));
    let says = format!("{asking} asking, {waiting} waiting");
    part_bar(&says, host.busy_ms, host.waited_ms, longest)
}

/// Requests in each part of the crawl, host by host.
fn timeline_table(view: &View, steps: usize) -> Markup {
    let hosts = &view.report.hosts;
    let columns = [
        words("host"),
        numbers("first sixth"),
        numbers("second"),
        numbers("third"),
        numbers("fourth"),
        numbers("fifth"),
        numbers("last sixth"),
    ];
    view.table("Requests in each sixth of the crawl", columns, &hosts.rows, hosts.total, |host| {
        let mut cells: [Markup; PARTS + 1] = Default::default();
        cells[0] = element("span", [("class", "url")], host.name.as_str());
        for (cell, requests) in cells[1..].iter_mut().zip(in_parts(host, steps)) {
            *cell = requests.into();
        }
        cells
    })
}

fn in_parts(host: &SiteHost, steps: usize) -> [u64; PARTS] {
    let mut parts = [0; PARTS];
    for (step, requests) in host.timeline.iter().enumerate() {
        let part = step * PARTS / steps.max(1);
        if let Some(part) = parts.get_mut(part.min(PARTS - 1)) {
            *part += u64::from(*requests);
        }
    }
    parts
}
