//! Traps of dates whose pages have text of their own: calendars with events, archives by day.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("calendar with checked event ids", "/calendar/month/2026-05", checked_events)
        .with_unique_text()
        .with_real(programme),
    TrapSite::new("days with weekly events", "/diary/2026/05/14", weekly_events).with_unique_text(),
    TrapSite::new("daily archive to the year 9999", "/daily/2026/05/14", daily_archive)
        .with_unique_text(),
    TrapSite::new("agenda with views and categories", "/agenda?date=2026-05-14", agenda)
        .with_real(meetings),
];

/// Number of days of every month in these calendars.
const DAYS: u64 = 28;
/// The last year of the calendar with checked event ids.
const LAST_YEAR: u64 = 2079;

/// A day, counted from the year 0 in months of 28 days.
#[derive(Debug, Clone, Copy)]
struct Day(u64);

impl Day {
    /// Parses a year, a month and a day; a missing day is the first.
    fn parse(date: &str, separator: char) -> Option<Self> {
        let mut parts = date.split(separator).map(|part| part.parse::<u64>().ok());
        let (year, month, day) = (parts.next()??, parts.next()??, parts.next().unwrap_or(Some(1))?);
        let is_date = (1..=12).contains(&month) && (1..=DAYS).contains(&day);
        (is_date && year >= 1970).then(|| Self((year * 12 + month - 1) * DAYS + day - 1))
    }

    fn year(self) -> u64 {
        self.0 / DAYS / 12
    }

    /// Returns the date with this separator.
    fn text(self, separator: char) -> String {
        format!("{}{separator}{:02}", self.month_text(separator), self.0 % DAYS + 1)
    }

    /// Returns the year and month with this separator.
    fn month_text(self, separator: char) -> String {
        format!("{:04}{separator}{:02}", self.year(), self.0 / DAYS % 12 + 1)
    }

    fn add(self, days: u64) -> Self {
        Self(self.0 + days)
    }

    fn subtract(self, days: u64) -> Self {
        Self(self.0.saturating_sub(days))
    }
}

/// Returns the real pages of the calendar.
fn programme() -> Vec<String> {
    (1..=9).map(|number| format!("/programme/{}", slug(number + 1_300))).collect()
}

/// Returns the number of an event; only ids with this form exist.
fn event_id(day: Day, row: u64) -> String {
    format!("{}-{:08x}", day.text('-').replace('-', ""), next_random(day.0 * 3 + row) >> 32)
}

/// Months, weeks and days with events. The pages of the events have text of their own.
/// Other ids and dates after [`LAST_YEAR`] do not exist.
fn checked_events(request: &SiteRequest) -> Option<SiteResponse> {
    let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    if let ["programme", name] = names.as_slice() {
        let number = (1..=9).find(|number| slug(number + 1_300) == **name)?;
        return SitePage::new(name.replace('-', " "), prose(number + 1_300, 50)).found();
    }
    let ["calendar", view, date] = names.as_slice() else { return None };
    if *view == "event" {
        let (day, _) = date.split_once('-')?;
        let (month, day) = day.split_at_checked(6)?;
        let (year, month) = month.split_at_checked(4)?;
        let day = Day::parse(&format!("{year}-{month}-{day}"), '-')?;
        let row = (0..2).find(|row| event_id(day, *row) == *date)?;
        let seed = day.0 * 3 + row;
        return SitePage::new(prose(seed, 4), prose(seed + 7, 45))
            .link(format!("/calendar/day/{}", day.text('-')), "All events of the day")
            .link(format!("/calendar/event/{}", event_id(day.add(1), 0)), "Next event")
            .found();
    }
    let day = Day::parse(date, '-').filter(|day| day.year() <= LAST_YEAR)?;
    let (step, days) = match *view {
        "day" => (1, 1),
        "week" => (7, 7),
        "month" => (DAYS, DAYS),
        _ => return None,
    };
    let mut page = SitePage::new(format!("Events of the {view}"), "Our members meet here.");
    for number in 1..=9 {
        let slug = slug(number + 1_300);
        page = page.link(format!("/programme/{slug}"), slug.replace('-', " "));
    }
    for other in (0..days).step_by(3).map(|offset| day.add(offset)) {
        page = page.link(format!("/calendar/day/{}", other.text('-')), other.text('-'));
        let event = event_id(other, other.0 % 2);
        page = page.link(format!("/calendar/event/{event}"), prose(other.0 * 3 + other.0 % 2, 4));
    }
    page.link(format!("/calendar/{view}/{}", day.add(step).text('-')), "Next")
        .link(format!("/calendar/{view}/{}", day.subtract(step).text('-')), "Previous")
        .link(format!("/calendar/week/{}", day.text('-')), "Week")
        .link(format!("/calendar/month/{}", day.text('-')), "Month")
        .found()
}

/// Days with the same events every week. The page of an event on a day names a speaker.
fn weekly_events(request: &SiteRequest) -> Option<SiteResponse> {
    let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    let ["diary", year, month, day, rest @ ..] = names.as_slice() else { return None };
    let day = Day::parse(&format!("{year}-{month}-{day}"), '-')?;
    let events = ["reading-circle", "chess-evening", "choir", "repair-shop"];
    if let [event] = rest {
        let position = events.iter().position(|name| name == event)? as u64;
        let seed = day.0 * 4 + position;
        let text = format!("With {}. {}", prose(seed, 2), prose(seed + 9, 14));
        let next = format!("/diary/{}/{event}", day.add(7).text('/'));
        return SitePage::new(event.replace('-', " "), text).link(next, "The week after").found();
    }
    let held = events.iter().enumerate().filter(|(row, _)| (day.0 + *row as u64).is_multiple_of(2));
    let links = held
        .map(|(_, event)| (format!("/diary/{}/{event}", day.text('/')), event.replace('-', " ")));
    SitePage::new("Diary", "What happens on this day.")
        .links(links)
        .link(format!("/diary/{}", day.add(1).text('/')), "Tomorrow")
        .link(format!("/diary/{}", day.subtract(1).text('/')), "Yesterday")
        .link(format!("/diary/{}", day.add(DAYS).text('/')), "Next month")
        .found()
}

/// An entry for every day until the year 9999, with links to days, months and years.
fn daily_archive(request: &SiteRequest) -> Option<SiteResponse> {
    let date = request.path.strip_prefix("/daily/")?;
    let day = Day::parse(date, '/').filter(|day| day.year() <= 9_999)?;
    let is_month = date.len() == 7;
    let mut page = if is_month {
        SitePage::new(format!("Entries of {date}"), "All entries of the month.")
            .links((0..DAYS).map(|offset| {
                (format!("/daily/{}", day.add(offset).text('/')), format!("Day {offset}"))
            }))
            .link(format!("/daily/{}", day.add(DAYS).month_text('/')), "Next month")
    } else {
        SitePage::new(prose(day.0, 3), prose(day.0 + 5, 25))
            .link(format!("/daily/{}", day.add(1).text('/')), "Next day")
            .link(format!("/daily/{}", day.month_text('/')), "The whole month")
    };
    page = page.link(format!("/daily/{}", day.add(DAYS * 12).month_text('/')), "Next year");
    page.found()
}

/// Returns the real pages of the agenda.
fn meetings() -> Vec<String> {
    (1..=16).map(|number| format!("/meeting/{number}")).collect()
}

/// A date in four views and six categories. Sixteen meetings in May 2026 have pages.
fn agenda(request: &SiteRequest) -> Option<SiteResponse> {
    if let [first, number] = request.segments.as_slice()
        && first == "meeting"
    {
        let number: u64 = number.parse().ok().filter(|number| (1..=16).contains(number))?;
        return SitePage::new(prose(number + 1_500, 4), prose(number + 1_600, 45)).found();
    }
    if request.path != "/agenda" {
        return None;
    }
    let day = Day::parse(request.get("date"), '-')?;
    let view = if request.get("view").is_empty() { "day" } else { request.get("view") };
    let category = request.get("category");
    let url = |day: Day, view: &str, category: &str| {
        format!("/agenda?date={}&view={view}&category={category}", day.text('-'))
    };
    let is_planned = day.month_text('-') == "2026-05";
    let held = (1..=16).filter(|number| is_planned && number % DAYS / 2 == day.0 % DAYS / 2);
    let rows = (0..3).map(|row| word(seed_of(category) % 40 + (day.0 + row) % 7));
    let rows: Vec<String> = rows.map(|name| format!("{name} group")).collect();
    SitePage::new("Agenda", rows.join(". "))
        .links(held.map(|number| (format!("/meeting/{number}"), prose(number + 1_500, 4))))
        .links(
            (1..=16)
                .filter(|_| view == "list" && is_planned)
                .map(|number| (format!("/meeting/{number}"), prose(number + 1_500, 4))),
        )
        .links(["day", "week", "month", "list"].map(|view| (url(day, view, category), view.into())))
        .links((0..6).map(|number| (url(day, view, word(number + 900)), word(number + 900).into())))
        .link(url(day.add(1), view, category), "Next")
        .link(url(day.subtract(1), view, category), "Previous")
        .found()
}
