//! The report of `relink harvest` over time: the share of broken URLs per provider and
//! domain, the stages and durations of incidents, and for how long records were hidden.
//!
//! An *incident* is a period in which a target or a host is broken.

use std::fmt::Write as _;
use std::ops::Range;

use jiff::Timestamp;
use jiff::civil::Date;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, Worksheet, XlsxError};
use schemars::JsonSchema;
use serde::Serialize;

use super::StageCountsRow;
use super::sheet::cell_text;
use crate::human::{counted, grouped};
use crate::{printable, redact};

/// Maximum number of domains in the text.
const MAX_DOMAINS: usize = 20;

/// The history of one provider.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct ProviderHistory {
    /// The provider.
    pub provider: String,
    /// Records that are not deleted.
    pub records: u64,
    /// Records that are hidden.
    pub hidden: u64,
    /// The days on which the provider was run.
    pub days: Vec<HistoryDay>,
    /// The domains, those with the most broken URLs first.
    pub domains: Vec<DomainHistory>,
    /// The incidents by stage.
    pub stages: StageCountsRow,
    /// The incidents, oldest first.
    pub incidents: Vec<IncidentHistory>,
    /// How long incidents lasted, and how long the provider took to reply.
    #[serde(rename = "responses")]
    pub durations: IncidentDurations,
    /// The sum over all records of the number of days on which the record was hidden from
    /// searches.
    #[serde(rename = "spared_record_days")]
    pub hidden_record_days: u64,
}

/// The state of a provider or domain on a day.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct HistoryDay {
    /// The day, in UTC.
    #[schemars(with = "String")]
    pub day: Date,
    /// Distinct URLs.
    pub urls: u64,
    /// URLs checked on this day.
    pub checked: u64,
    /// URLs with an open incident.
    pub broken: u64,
    /// The share of broken URLs, from 0 to 1.
    pub broken_share: f64,
    /// Hidden records.
    pub hidden: u64,
}

/// The history of a domain.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DomainHistory {
    /// The domain.
    pub domain: String,
    /// The days on which it was checked or had broken URLs.
    pub days: Vec<HistoryDay>,
}

/// An incident.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IncidentHistory {
    /// The URL or the host.
    pub subject: String,
    /// The source of the finding, such as `survey`.
    pub origin: String,
    /// The stage.
    pub stage: String,
    /// The reason.
    pub reason: String,
    /// The day of the first finding.
    pub found_on: String,
    /// The day of the escalation.
    pub escalated_on: Option<String>,
    /// The day on which records were hidden.
    pub hidden_on: Option<String>,
    /// The day of the end.
    pub ended_on: Option<String>,
    /// Days from the first finding to the end.
    pub days_to_end: Option<u32>,
    /// Days from the first finding to the first reply of the provider.
    #[serde(rename = "days_to_answer")]
    pub days_to_reply: Option<u32>,
}

/// How long the incidents of a provider lasted, and how long it took to reply.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, JsonSchema)]
pub struct IncidentDurations {
    /// Number of incidents that have ended.
    pub ended: u64,
    /// Median of the days to the end.
    pub median_days_to_end: Option<f64>,
    /// Number of incidents that the provider replied to.
    #[serde(rename = "answered")]
    pub replied: u64,
    /// Median of the days to the first reply.
    #[serde(rename = "median_days_to_answer")]
    pub median_days_to_reply: Option<f64>,
}

impl IncidentDurations {
    /// Computes the durations of incidents.
    pub fn of(incidents: &[IncidentHistory]) -> Self {
        let ended: Vec<u32> =
            incidents.iter().filter_map(|incident| incident.days_to_end).collect();
        let replied: Vec<u32> =
            incidents.iter().filter_map(|incident| incident.days_to_reply).collect();
        Self {
            ended: ended.len() as u64,
            replied: replied.len() as u64,
            median_days_to_end: median(ended),
            median_days_to_reply: median(replied),
        }
    }
}

/// Returns the median; `None` of an empty list.
fn median(mut days: Vec<u32>) -> Option<f64> {
    days.sort_unstable();
    let upper = days.get(days.len() / 2)?;
    let lower = days.get(days.len().saturating_sub(1) / 2)?;
    Some(f64::from(lower + upper) / 2.0)
}

/// Returns `part / total`, from 0 to 1; 0 if `total` is 0.
#[expect(clippy::cast_precision_loss, reason = "numbers of URLs are below 2^52")]
pub fn share(part: u64, total: u64) -> f64 {
    if total == 0 { 0.0 } else { part as f64 / total as f64 }
}

/// Returns the sum over all records of the days on which the record was hidden. `days` does not
/// contain every day: the number of hidden records of a day holds until the next listed day, or
/// until `today`.
pub fn hidden_record_days(days: &[HistoryDay], today: Date) -> u64 {
    let next_days = days.iter().skip(1).map(|day| day.day).chain([today]);
    let mut record_days = 0;
    for (day, next_day) in days.iter().zip(next_days) {
        let length = u64::try_from((next_day - day.day).get_days()).unwrap_or(0);
        record_days += day.hidden * length;
    }
    record_days
}

impl ProviderHistory {
    /// Formats the history for a terminal.
    pub fn text(&self) -> String {
        let mut text = format!(
            "{}  {}, {} hidden\n",
            printable(&self.provider),
            counted(self.records, "record"),
            grouped(self.hidden)
        );
        for day in first_and_last(&self.days) {
            let _ = writeln!(
                text,
                "  {}  {:>5.1} % of {} broken, {} checked, {} hidden",
                day.day,
                100.0 * day.broken_share,
                counted(day.urls, "URL"),
                grouped(day.checked),
                counted(day.hidden, "record")
            );
        }
        let latest_days =
            self.domains.iter().filter_map(|domain| Some((domain, domain.days.last()?)));
        let broken_domains: Vec<_> = latest_days.filter(|(_, day)| day.broken > 0).collect();
        for (domain, day) in broken_domains.iter().take(MAX_DOMAINS) {
            let _ = writeln!(
                text,
                "  {}  {} of {} broken ({:.1} %)",
                printable(&domain.domain),
                grouped(day.broken),
                counted(day.urls, "URL"),
                100.0 * day.broken_share
            );
        }
        if broken_domains.len() > MAX_DOMAINS {
            let omitted = broken_domains.len() - MAX_DOMAINS;
            let _ = writeln!(text, "  … and {omitted} more domains");
        }
        let _ = writeln!(text, "  incidents  {}", self.stages.text());
        let _ = writeln!(text, "  durations  {}", self.durations.text());
        let days = counted(self.hidden_record_days, "record-day");
        let _ = writeln!(text, "  hidden     {days} (sum of the days of all records)");
        text
    }
}

/// Returns the first and the last day.
fn first_and_last(days: &[HistoryDay]) -> impl Iterator<Item = &HistoryDay> {
    let last = days.last().filter(|_| days.len() > 1);
    days.first().into_iter().chain(last)
}

impl IncidentDurations {
    /// Formats the counts and medians as one line.
    fn text(&self) -> String {
        let count_text = |count: u64, name: &str, median: Option<f64>| match median {
            Some(days) => format!("{} {name} (median {days} days)", grouped(count)),
            None => format!("{} {name}", grouped(count)),
        };
        format!(
            "{}, {}",
            count_text(self.ended, "ended", self.median_days_to_end),
            count_text(self.replied, "replied to", self.median_days_to_reply)
        )
    }
}

/// The columns of [`day_rows`].
pub const DAY_COLUMNS: [&str; 8] =
    ["provider", "domain", "day", "urls", "checked", "broken", "broken_share", "hidden"];
/// The indices of the columns of [`day_rows`] with numbers: `urls` to `hidden`.
const DAY_NUMBERS: Range<u16> = 3..8;

/// The indices of the columns of [`incident_rows`] with numbers: the last two.
const INCIDENT_NUMBERS: Range<u16> = 9..11;

/// The columns of [`incident_rows`].
pub const INCIDENT_COLUMNS: [&str; 11] = [
    "provider",
    "subject",
    "origin",
    "stage",
    "reason",
    "found_on",
    "escalated_on",
    "hidden_on",
    "ended_on",
    "days_to_end",
    "days_to_answer",
];

/// Returns the days of all providers and domains as rows of texts. The domain of a whole
/// provider is empty.
pub fn day_rows(histories: &[ProviderHistory]) -> Vec<Vec<String>> {
    let row = |provider: &str, domain: &str, day: &HistoryDay| {
        vec![
            provider.to_owned(),
            domain.to_owned(),
            day.day.to_string(),
            day.urls.to_string(),
            day.checked.to_string(),
            day.broken.to_string(),
            format!("{:.4}", day.broken_share),
            day.hidden.to_string(),
        ]
    };
    let mut rows = Vec::new();
    for history in histories {
        let name = &history.provider;
        rows.extend(history.days.iter().map(|day| row(name, "", day)));
        for domain in &history.domains {
            rows.extend(domain.days.iter().map(|day| row(name, &domain.domain, day)));
        }
    }
    rows
}

/// Returns the incidents of all providers as rows of texts.
pub fn incident_rows(histories: &[ProviderHistory]) -> Vec<Vec<String>> {
    let row = |provider: &str, incident: &IncidentHistory| {
        let number = |days: Option<u32>| days.map(|days| days.to_string()).unwrap_or_default();
        vec![
            provider.to_owned(),
            redact(&incident.subject).to_string(),
            incident.origin.clone(),
            incident.stage.clone(),
            incident.reason.clone(),
            incident.found_on.clone(),
            incident.escalated_on.clone().unwrap_or_default(),
            incident.hidden_on.clone().unwrap_or_default(),
            incident.ended_on.clone().unwrap_or_default(),
            number(incident.days_to_end),
            number(incident.days_to_reply),
        ]
    };
    let mut rows = Vec::new();
    for history in histories {
        rows.extend(history.incidents.iter().map(|incident| row(&history.provider, incident)));
    }
    rows
}

/// Writes the report as an XLSX file with one sheet for days and one for incidents. All cells
/// are texts or numbers.
///
/// # Errors
///
/// Fails if there are more rows than the format allows.
pub fn history_xlsx(histories: &[ProviderHistory], now: Timestamp) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    // Without this call, the library uses the system clock.
    let created = ExcelDateTime::from_timestamp(now.as_second())?;
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&created));
    let days = workbook.add_worksheet();
    days.set_name("days")?;
    write_sheet(days, &DAY_COLUMNS, &day_rows(histories), &DAY_NUMBERS)?;
    let incidents = workbook.add_worksheet();
    incidents.set_name("incidents")?;
    write_sheet(incidents, &INCIDENT_COLUMNS, &incident_rows(histories), &INCIDENT_NUMBERS)?;
    workbook.save_to_buffer()
}

/// Writes a header and rows. Cells in the column range `numbers` become numbers.
fn write_sheet(
    sheet: &mut Worksheet,
    columns: &[&str],
    rows: &[Vec<String>],
    numbers: &Range<u16>,
) -> Result<(), XlsxError> {
    let bold = Format::new().set_bold();
    for (column, name) in (0..).zip(columns) {
        sheet.write_string_with_format(0, column, *name, &bold)?;
    }
    for (number, row) in (1..).zip(rows) {
        for (column, cell) in (0..).zip(row) {
            match cell.parse::<f64>() {
                Ok(value) if numbers.contains(&column) => {
                    sheet.write_number(number, column, value)?
                }
                _ => sheet.write_string(number, column, cell_text(cell))?,
            };
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// Creates a day of January 2026 with a number of hidden records.
    fn day(day_of_month: i8, hidden: u64) -> HistoryDay {
        HistoryDay {
            day: date(2026, 1, day_of_month),
            urls: 10,
            checked: 5,
            broken: 1,
            broken_share: share(1, 10),
            hidden,
        }
    }

    #[test]
    fn hidden_record_days_counts_each_hidden_record_per_day() {
        // Two records for three days, then one record for two days.
        let days = [day(1, 0), day(5, 2), day(8, 1)];
        assert_eq!(hidden_record_days(&days, date(2026, 1, 10)), 2 * 3 + 2);
        assert_eq!(hidden_record_days(&[], date(2026, 1, 10)), 0);
    }

    #[test]
    fn median_of_an_even_number_is_the_mean_of_the_middle() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![9]), Some(9.0));
        assert_eq!(median(vec![9, 1, 4, 2]), Some(3.0));
    }

    #[test]
    fn text_shows_the_first_and_the_last_day() {
        let incident = IncidentHistory {
            subject: "http://a.test/1".to_owned(),
            origin: "survey".to_owned(),
            stage: "hidden".to_owned(),
            reason: "404".to_owned(),
            found_on: "2026-01-01".to_owned(),
            escalated_on: None,
            hidden_on: None,
            ended_on: None,
            days_to_end: None,
            days_to_reply: Some(3),
        };
        let history = ProviderHistory {
            provider: "lre".to_owned(),
            records: 12,
            hidden: 1,
            days: vec![day(1, 0), day(5, 2), day(8, 1)],
            domains: vec![DomainHistory { domain: "a.test".to_owned(), days: vec![day(8, 1)] }],
            stages: StageCountsRow { hidden: 1, ..StageCountsRow::default() },
            durations: IncidentDurations::of(std::slice::from_ref(&incident)),
            incidents: vec![incident],
            hidden_record_days: 8,
        };
        assert_eq!(
            history.text(),
            "lre  12 records, 1 hidden\n  \
             2026-01-01   10.0 % of 10 URLs broken, 5 checked, 0 records hidden\n  \
             2026-01-08   10.0 % of 10 URLs broken, 5 checked, 1 record hidden\n  \
             a.test  1 of 10 URLs broken (10.0 %)\n  \
             incidents  reported 0  escalated 0  hidden 1\n  \
             durations  0 ended, 1 replied to (median 3 days)\n  \
             hidden     8 record-days (sum of the days of all records)\n"
        );
        let rows = day_rows(std::slice::from_ref(&history));
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[3].join(","), "lre,a.test,2026-01-08,10,5,1,0.1000,1");
        assert!(history_xlsx(&[history], Timestamp::UNIX_EPOCH).unwrap().starts_with(b"PK"));
    }
}
