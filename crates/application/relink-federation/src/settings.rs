//! The settings of a provider, stored as JSON.

use std::fmt;
use std::path::PathBuf;

use jiff::tz::{Offset, TimeZone};
use relink_survey::{LeShulman, Lifecycle, SamplingPlanName};
use serde::{Deserialize, Serialize};
use url::Url;

/// Where the records of a provider come from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RecordOrigin {
    /// An OAI-PMH provider.
    Oai {
        /// The base URL.
        base_url: Url,
        /// The metadata format.
        metadata_prefix: String,
        /// The sets to read. Without sets, all records are read.
        sets: Vec<String>,
        /// The earliest datestamp of the first harvest.
        from: Option<String>,
    },
    /// A file, which is read again in each run. Records that it no longer contains are deleted.
    File(PathBuf),
    /// The provider submits its records to the publishing interface.
    Spi,
}

impl fmt::Display for RecordOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Oai { base_url, sets, .. } if sets.is_empty() => write!(f, "OAI-PMH {base_url}"),
            Self::Oai { base_url, sets, .. } => {
                write!(f, "OAI-PMH {base_url}  set={}", sets.join(","))
            }
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Spi => f.write_str("SPI"),
        }
    }
}

/// Which records are checked on arrival. Their broken locations are not published.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrivalFilter {
    /// Records that arrive after the first complete harvest.
    #[default]
    New,
    /// All records, also those of the first harvest.
    All,
    /// No records. New records are checked by the next survey.
    Off,
}

/// How a provider is notified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "the ways are independent")]
pub struct NotifyChoice {
    /// An RSS file.
    pub rss: bool,
    /// An Atom file.
    pub atom: bool,
    /// A spreadsheet.
    pub xlsx: bool,
    /// Mail for all notices, in addition to those that are always sent by mail.
    pub mail: bool,
}

/// Parses a name of the IANA database such as `Europe/Oslo`, or an offset such as `+01:00` or
/// `-0530`, or `None` if it is unknown.
pub fn parse_time_zone(text: &str) -> Option<TimeZone> {
    parse_offset(text).map(TimeZone::fixed).or_else(|| TimeZone::get(text).ok())
}

/// Parses an offset such as `+01:00`, `-0530` or `+1`.
fn parse_offset(text: &str) -> Option<Offset> {
    let (sign, digits) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest.replace(':', "")),
        ("-", rest) => (-1, rest.replace(':', "")),
        _ => return None,
    };
    let number: i32 = digits.parse().ok()?;
    let (hours, minutes) = match digits.len() {
        1 | 2 => (number, 0),
        4 => (number / 100, number % 100),
        _ => return None,
    };
    let is_valid = (0..=14).contains(&hours) && (0..60).contains(&minutes);
    let offset = Offset::from_seconds(sign * (hours * 3600 + minutes * 60)).ok()?;
    is_valid.then_some(offset)
}

/// The settings of a provider.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProviderSettings {
    /// Where the records come from.
    pub origin: RecordOrigin,
    /// Further fields with locations.
    #[serde(default)]
    pub location_fields: Vec<String>,
    /// Mail addresses of the provider.
    #[serde(default)]
    pub contacts: Vec<String>,
    /// Mail addresses of the service managers.
    #[serde(default)]
    pub managers: Vec<String>,
    /// URLs that receive all notices.
    #[serde(default)]
    pub webhooks: Vec<String>,
    /// The language of messages: `en`, `de`, `fr` or `es`.
    pub language: String,
    /// The time zone of times in messages: a name or an offset.
    pub time_zone: String,
    /// How the provider is notified.
    pub notify: NotifyChoice,
    /// The sampling plan.
    pub plan: String,
    /// Parameters of the sampling plan of Le & Shulman: the group size *G*, and the thresholds *p1*,
    /// *p2⁻* and *p2⁺*.
    pub parameters: (u32, f64, f64, f64),
    /// Which records are checked on arrival.
    #[serde(default)]
    pub arrivals: ArrivalFilter,
    /// Days between two surveys of a domain.
    pub survey_every: u32,
    /// Days from the first finding to the escalation.
    pub recheck_after: u32,
    /// Days from the first finding to the day on which records are hidden.
    pub hide_after: u32,
    /// Maximum number of URLs in the domains that one run surveys.
    #[serde(default)]
    pub budget: Option<u64>,
}

impl ProviderSettings {
    /// Creates settings with the delays and parameters of Le & Shulman.
    pub fn new(origin: RecordOrigin) -> Self {
        let (lifecycle, plan) = (Lifecycle::default(), LeShulman::default());
        Self {
            origin,
            location_fields: Vec::new(),
            contacts: Vec::new(),
            managers: Vec::new(),
            webhooks: Vec::new(),
            language: "en".to_owned(),
            time_zone: "UTC".to_owned(),
            notify: NotifyChoice { rss: true, atom: true, xlsx: true, mail: false },
            plan: SamplingPlanName::LeShulman.to_string(),
            parameters: (plan.group, plan.p1, plan.p2_low, plan.p2_high),
            arrivals: ArrivalFilter::default(),
            survey_every: 7,
            recheck_after: lifecycle.recheck_after,
            hide_after: lifecycle.hide_after,
            budget: None,
        }
    }

    /// Whether the records of a harvest are arrivals. `was_harvested` is whether an earlier
    /// harvest was completed.
    pub(super) fn marks_arrivals(&self, was_harvested: bool) -> bool {
        match self.arrivals {
            ArrivalFilter::New => was_harvested,
            ArrivalFilter::All => true,
            ArrivalFilter::Off => false,
        }
    }

    /// Returns the time zone of messages, or UTC if the time zone is unknown.
    pub(super) fn zone(&self) -> TimeZone {
        parse_time_zone(&self.time_zone).unwrap_or(TimeZone::UTC)
    }

    /// Returns the delays of incidents.
    pub fn lifecycle(&self) -> Lifecycle {
        Lifecycle {
            recheck_after: self.recheck_after,
            hide_after: self.hide_after,
            ..Lifecycle::default()
        }
    }

    /// Returns the sampling plan.
    pub(super) fn sampling_plan(&self) -> (SamplingPlanName, LeShulman) {
        let (group, p1, p2_low, p2_high) = self.parameters;
        let plan = self.plan.parse().unwrap_or(SamplingPlanName::LeShulman);
        (plan, LeShulman { group, p1, p2_low, p2_high })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the offset on a day of winter and one of summer, in seconds.
    #[track_caller]
    fn check_zone(text: &str, expect: Option<(i32, i32)>) {
        let offset = |time: &str| {
            let zone = parse_time_zone(text)?;
            Some(zone.to_offset(time.parse().unwrap()).seconds())
        };
        let offsets = offset("2026-01-15T12:00:00Z").zip(offset("2026-07-15T12:00:00Z"));
        assert_eq!(offsets, expect, "{text}");
    }

    #[test]
    fn time_zone_is_a_name_or_an_offset() {
        check_zone("UTC", Some((0, 0)));
        check_zone("+01:00", Some((3600, 3600)));
        check_zone("+2", Some((7200, 7200)));
        check_zone("-0530", Some((-19_800, -19_800)));
        check_zone("Europe/Oslo", Some((3600, 7200)));
        check_zone("America/St_Johns", Some((-12_600, -9_000)));
        for invalid in ["", "Europe/Nowhere", "+25", "+01:75", "+123", "1", "../etc/passwd"] {
            check_zone(invalid, None);
        }
    }
}
