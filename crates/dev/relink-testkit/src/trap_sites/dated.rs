//! Traps of dates whose pages have text of their own: calendars with events, archives by day.
//!
//! Numbers in calls of `prose`, `word` and `slug` select different words for each kind of
//! page. They have no other meaning.

use super::TrapSite;
use super::content::{SitePage, next_random, prose, seed_of, slug, word};
use super::{SiteRequest, SiteResponse};

/// The sites of this module.
pub(super) const SITES: &[TrapSite] = &[
    TrapSite::new("calendar with checked event ids", "/calendar/month/2026-05", checked_events)
        .with_unique_text()
        .with_real_pages(programme),
    TrapSite::new("days with weekly events", "/diary/2026/05/14", weekly_events).with_unique_text(),
    TrapSite::new("daily archive to the year 9999", "/daily/2026/05/14", daily_archive)
        .with_unique_text(),
    TrapSite::new("agenda with views and categories", "/agenda?date=2026-05-14", agenda)
        .with_real_pages(meetings),
];

/// Number of days of every month in these calendars.
const DAYS: u64 = 28;

/// Number of real pages of the calendar with checked event ids.
const PROGRAMME_PAGES: u64 = 9;

/// Number of meetings in the agenda, which are real pages.
const MEETINGS: u64 = 16;

/// The last year of the calendar with checked event ids.
const LAST_YEAR: u64 = 2079;

/// A day, counted from the year 0 in months of 28 days.
#[derive(Debug, Clone, Copy)]
struct Day(u64);

impl Day {
    /// Parses a year, a month and a day. Without a day, returns the first day of the month.
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
    (1..=PROGRAMME_PAGES).map(|number| format!("/programme/{}", slug(number + 1_300))).collect()
}

/// Returns the id of an event, such as `20260514-1a2b3c4d`. A day has two events, with the
/// rows 0 and 1. Other ids do not exist.
fn event_id(day: Day, row: u64) -> String {
    format!("{}-{:08x}", day.text('-').replace('-', ""), next_random(day.0 * 3 + row) >> 32)
}

/// Returns the day and row of an event id.
fn parse_event_id(id: &str) -> Option<(Day, u64)> {
    let (date, _) = id.split_once('-')?;
    let (year_and_month, day) = date.split_at_checked(6)?;
    let (year, month) = year_and_month.split_at_checked(4)?;
    let day = Day::parse(&format!("{year}-{month}-{day}"), '-')?;
    let row = (0..2).find(|row| event_id(day, *row) == id)?;
    Some((day, row))
}

/// Months, weeks and days with events. The pages of the events have text of their own.
/// Other ids and dates after [`LAST_YEAR`] do not exist.
fn checked_events(request: &SiteRequest) -> Option<SiteResponse> {
    let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    if let ["programme", name] = names.as_slice() {
        let number = (1..=PROGRAMME_PAGES).find(|number| slug(number + 1_300) == **name)?;
        return SitePage::new(name.replace('-', " "), prose(number + 1_300, 50)).into_response();
    }
    let ["calendar", view, date] = names.as_slice() else { return None };
    if *view == "event" {
        let (day, row) = parse_event_id(date)?;
        let seed = day.0 * 3 + row;
        return SitePage::new(prose(seed, 4), prose(seed + 7, 45))
            .link(format!("/calendar/day/{}", day.text('-')), "All events of the day")
            .link(format!("/calendar/event/{}", event_id(day.add(1), 0)), "Next event")
            .into_response();
    }
    let day = Day::parse(date, '-').filter(|day| day.year() <= LAST_YEAR)?;
    let days = match *view {
        "day" => 1,
        "week" => 7,
        "month" => DAYS,
        _ => return None,
    };
    let mut page = SitePage::new(format!("Events of the {view}"), "Our members meet here.");
    for number in 1..=PROGRAMME_PAGES {
        let slug = slug(number + 1_300);
        page = page.link(format!("/programme/{slug}"), slug.replace('-', " "));
    }
    for shown_day in (0..days).step_by(3).map(|offset| day.add(offset)) {
        page = page.link(format!("/calendar/day/{}", shown_day.text('-')), shown_day.text('-'));
        let row = shown_day.0 % 2;
        let event = event_id(shown_day, row);
        page = page.link(format!("/calendar/event/{event}"), prose(shown_day.0 * 3 + row, 4));
    }
    page.link(format!("/calendar/{view}/{}", day.add(days).text('-')), "Next")
        .link(format!("/calendar/{view}/{}", day.subtract(days).text('-')), "Previous")
        .link(format!("/calendar/week/{}", day.text('-')), "Week")
        .link(format!("/calendar/month/{}", day.text('-')), "Month")
        .into_response()
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
        return SitePage::new(event.replace('-', " "), text)
            .link(next, "The week after")
            .into_response();
    }
    // Two of the four events take place on a day.
    let is_on_this_day = |position: usize| (day.0 + position as u64).is_multiple_of(2);
    let events_of_day = events.iter().enumerate().filter(|(position, _)| is_on_this_day(*position));
    let links = events_of_day
        .map(|(_, event)| (format!("/diary/{}/{event}", day.text('/')), event.replace('-', " ")));
    SitePage::new("Diary", "What happens on this day.")
        .links(links)
        .link(format!("/diary/{}", day.add(1).text('/')), "Tomorrow")
        .link(format!("/diary/{}", day.subtract(1).text('/')), "Yesterday")
        .link(format!("/diary/{}", day.add(DAYS).text('/')), "Next month")
        .into_response()
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
    page.into_response()
}

/// Returns the real pages of the agenda.
fn meetings() -> Vec<String> {
    (1..=MEETINGS).map(|number| format!("/meeting/{number}")).collect()
}

/// A date in four views and six categories. The meetings in May 2026 have pages.
fn agenda(request: &SiteRequest) -> Option<SiteResponse> {
    if let [first, number] = request.segments.as_slice()
        && first == "meeting"
    {
        let number: u64 = number.parse().ok().filter(|number| (1..=MEETINGS).contains(number))?;
        return SitePage::new(prose(number + 1_500, 4), prose(number + 1_600, 45)).into_response();
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
    let has_meetings = day.month_text('-') == "2026-05";
    // A meeting is shown on two successive days.
    let is_shown = |number: u64| has_meetings && number % DAYS / 2 == day.0 % DAYS / 2;
    let meetings_of_day = (1..=MEETINGS).filter(|number| is_shown(*number));
    let rows = (0..3).map(|row| word(seed_of(category) % 40 + (day.0 + row) % 7));
    let rows: Vec<String> = rows.map(|name| format!("{name} group")).collect();
    SitePage::new("Agenda", rows.join(". "))
        .links(
            meetings_of_day.map(|number| (format!("/meeting/{number}"), prose(number + 1_500, 4))),
        )
        .links(
            (1..=MEETINGS)
                .filter(|_| view == "list" && has_meetings)
                .map(|number| (format!("/meeting/{number}"), prose(number + 1_500, 4))),
        )
        .links(["day", "week", "month", "list"].map(|view| (url(day, view, category), view.into())))
        .links((0..6).map(|number| (url(day, view, word(number + 900)), word(number + 900).into())))
        .link(url(day.add(1), view, category), "Next")
        .link(url(day.subtract(1), view, category), "Previous")
        .into_response()
}
