//! The section on hosts: requests over the time of the crawl, on a common time scale.

use super::chart::{figure, part_bar, sparkline};
use super::markup::{Markup, element};
use super::section::SectionBody;
use super::table::{number_column, text_column};
use super::view::View;
use crate::human::{counted, duration, grouped};
use crate::site::SiteHost;

/// Number of time intervals in the table.
const INTERVALS: usize = 6;

/// Returns the content of the section on hosts.
pub(super) fn body(view: &View) -> Option<SectionBody> {
    let hosts = &view.report.hosts;
    SectionBody::counted(hosts.total, || {
        let steps = hosts.rows.iter().map(|host| host.timeline.len()).max().unwrap_or(0);
        let span = duration(view.report.step_ms.saturating_mul(steps as u64));
        let caption = format!(
            "Requests over time, from the start to {span}. The time scale is the same for all \
             hosts; the height is relative to each host. Bars below: request time (filled) and \
             wait time (hatched)."
        );
        figure(host_table(view), caption.into(), timeline_table(view, steps))
    })
}

/// Returns the table of hosts.
fn host_table(view: &View) -> Markup {
    let hosts = &view.report.hosts;
    let columns = [
        text_column("host"),
        text_column("requests over time"),
        number_column("requests"),
        number_column("throttled"),
        number_column("request time"),
        number_column("wait time"),
    ];
    let longest = hosts.rows.iter().map(total_ms).max().unwrap_or(0);
    view.table("Hosts, most requests first", columns, &hosts.rows, hosts.total, |host| {
        let max = host.timeline.iter().copied().max().unwrap_or(0);
        let label = format!("{} over the time of the crawl", counted(host.requests, "request"));
        let throttled = match host.throttled {
            0 => "0".into(),
            count => element("strong", [("class", "is-failing")], format!("! {}", grouped(count))),
        };
        [
            element("span", [("class", "url")], host.name.as_str()),
            [sparkline(&label, &host.timeline, max), time_bar(host, longest)].into(),
            host.requests.into(),
            throttled,
            duration(host.request_ms).into(),
            duration(host.politeness_wait_ms).into(),
        ]
    })
}

/// Returns the request time plus the wait time in milliseconds.
fn total_ms(host: &SiteHost) -> u64 {
    host.request_ms.saturating_add(host.politeness_wait_ms)
}

/// Draws request time and wait time as a bar. `longest` is the maximum total of all hosts.
fn time_bar(host: &SiteHost, longest: u64) -> Markup {
    let (requesting, waiting) = (duration(host.request_ms), duration(host.politeness_wait_ms));
    let label = format!("{requesting} request time, {waiting} wait time");
    part_bar(&label, host.request_ms, host.politeness_wait_ms, longest)
}

/// Renders the number of requests to each host per time interval.
fn timeline_table(view: &View, steps: usize) -> Markup {
    let hosts = &view.report.hosts;
    let columns = [
        text_column("host"),
        number_column("first sixth"),
        number_column("second"),
        number_column("third"),
        number_column("fourth"),
        number_column("fifth"),
        number_column("last sixth"),
    ];
    view.table("Requests in each sixth of the crawl", columns, &hosts.rows, hosts.total, |host| {
        let mut cells: [Markup; INTERVALS + 1] = Default::default();
        cells[0] = element("span", [("class", "url")], host.name.as_str());
        for (cell, requests) in cells[1..].iter_mut().zip(requests_per_interval(host, steps)) {
            *cell = requests.into();
        }
        cells
    })
}

/// Returns the number of requests in each interval. An interval has several steps of the
/// timeline.
fn requests_per_interval(host: &SiteHost, steps: usize) -> [u64; INTERVALS] {
    let mut sums = [0; INTERVALS];
    for (step, requests) in host.timeline.iter().enumerate() {
        let interval = step * INTERVALS / steps.max(1);
        if let Some(sum) = sums.get_mut(interval.min(INTERVALS - 1)) {
            *sum += u64::from(*requests);
        }
    }
    sums
}
