//! The position in a list of records, and the detection of lists that do not end.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_ports::{DatestampUnit, HarvestProgress, RecordPage, StoredProvider};
use xxhash_rust::xxh3::xxh3_64;

use super::ProviderSettings;

/// Maximum number of records in one list. A longer list is considered endless.
const MAX_RECORDS: usize = 20_000_000;
/// Maximum number of consecutive pages without a new record.
const MAX_REPEATED_PAGES: u32 = 10;
/// Length of a datestamp with the unit of a day.
const DAY_LENGTH: usize = 10;

/// The state of a list while it is read.
pub(super) struct ListReader {
    pub(super) progress: HarvestProgress,
    /// The sets to read, one list each. `None` reads all records.
    pub(super) sets: Vec<Option<String>>,
    unit: DatestampUnit,
    /// Hashes of the tokens seen in this list.
    tokens: HashSet<u64>,
    /// Hashes of the record identifiers seen in this list.
    identifiers: HashSet<u64>,
    /// Number of consecutive pages without a new record.
    repeated_pages: u32,
    /// Whether the list was started again because its token had expired.
    pub(super) is_restarted: bool,
    /// Whether new and changed records are arrivals.
    pub(super) marks_arrivals: bool,
}

impl ListReader {
    pub(super) fn new(
        provider: &StoredProvider,
        settings: &ProviderSettings,
        sets: &[String],
        unit: DatestampUnit,
    ) -> Self {
        let sets =
            if sets.is_empty() { vec![None] } else { sets.iter().cloned().map(Some).collect() };
        let progress = provider.progress.clone();
        Self {
            marks_arrivals: settings.marks_arrivals(progress.harvested_at.is_some()),
            progress,
            sets,
            unit,
            tokens: HashSet::new(),
            identifiers: HashSet::new(),
            repeated_pages: 0,
            is_restarted: false,
        }
    }

    /// Returns the index of the current set, and the resumption token of its next page. The
    /// stored token has the form `SET TOKEN`.
    pub(super) fn position(&self) -> (usize, Option<String>) {
        let stored = self.progress.token.as_deref().and_then(|stored| stored.split_once(' '));
        let Some((set, token)) = stored else { return (0, None) };
        (set.parse().unwrap_or(0), Some(token.to_owned()).filter(|token| !token.is_empty()))
    }

    /// Starts the list from its beginning.
    pub(super) fn restart(&mut self) {
        self.progress.list += 1;
        self.progress.token = None;
        self.progress.list_started = None;
        self.clear_seen();
    }

    /// Clears what was seen in this list.
    fn clear_seen(&mut self) {
        self.tokens.clear();
        self.identifiers.clear();
        self.repeated_pages = 0;
    }

    /// Records a page. Returns why the list must not be read further.
    pub(super) fn check_page(&mut self, page: &RecordPage) -> Option<&'static str> {
        let known_before = self.identifiers.len();
        let hashes = page.records.iter().map(|record| xxh3_64(record.identifier.as_bytes()));
        self.identifiers.extend(hashes);
        let has_new = self.identifiers.len() > known_before;
        self.repeated_pages = if has_new { 0 } else { self.repeated_pages + 1 };
        let token = page.next_token.as_deref().unwrap_or_default();
        if !token.is_empty() && !self.tokens.insert(xxh3_64(token.as_bytes())) {
            return Some("the provider returns the same resumption token again");
        }
        if self.repeated_pages > MAX_REPEATED_PAGES || self.identifiers.len() > MAX_RECORDS {
            return Some("the list of the provider does not end");
        }
        None
    }

    /// Moves to the next page or set. Returns whether there is one.
    pub(super) fn advance(&mut self, page: &RecordPage) -> bool {
        let (set, _) = self.position();
        self.progress.token_expires_at = page.token_expires_at;
        self.progress.token = match &page.next_token {
            Some(token) => Some(format!("{set} {token}")),
            None if set + 1 < self.sets.len() => {
                // Each set is a separate list: records and tokens may occur in several sets.
                self.clear_seen();
                Some(format!("{} ", set + 1))
            }
            None => None,
        };
        self.progress.token.is_some()
    }

    /// Records when the list was started, by the clock of the provider.
    pub(super) fn record_start(&mut self, page: &RecordPage, now: Timestamp) {
        if self.progress.list_started.is_none() {
            let started = page.responded_at.unwrap_or(now);
            self.progress.list_started = Some(datestamp(started, self.unit));
        }
    }
}

/// Formats a datestamp in the unit of a provider.
fn datestamp(time: Timestamp, unit: DatestampUnit) -> String {
    let time = time.to_zoned(TimeZone::UTC);
    match unit {
        DatestampUnit::Day => time.strftime("%Y-%m-%d").to_string(),
        DatestampUnit::Second => time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    }
}

/// Shortens a datestamp to the unit of a provider. Every provider accepts a day without time.
pub(super) fn in_unit(datestamp: &str, unit: DatestampUnit) -> String {
    match unit {
        DatestampUnit::Day => datestamp.get(..DAY_LENGTH).unwrap_or(datestamp).to_owned(),
        DatestampUnit::Second => datestamp.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use relink_ports::HarvestedRecord;

    use super::super::RecordOrigin;
    use super::*;

    fn reader(sets: &[&str]) -> ListReader {
        let provider = StoredProvider {
            id: 1,
            name: "p".to_owned(),
            settings: String::new(),
            progress: HarvestProgress::default(),
        };
        let settings = ProviderSettings::new(RecordOrigin::Spi);
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        ListReader::new(&provider, &settings, &sets, DatestampUnit::Day)
    }

    fn page(identifiers: &[&str], next: Option<&str>) -> RecordPage {
        let record = |identifier: &&str| HarvestedRecord {
            identifier: (*identifier).to_owned(),
            ..HarvestedRecord::default()
        };
        RecordPage {
            records: identifiers.iter().map(record).collect(),
            next_token: next.map(str::to_owned),
            ..RecordPage::default()
        }
    }

    #[test]
    fn many_empty_or_overlapping_sets_are_not_an_endless_list() {
        let names: Vec<String> = (0..40).map(|number| format!("set{number}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut reader = reader(&names);
        for number in 0..names.len() {
            let records: &[&str] = if number % 2 == 0 { &[] } else { &["same"] };
            let page = page(records, None);
            assert_eq!(reader.check_page(&page), None, "set {number}");
            assert_eq!(reader.advance(&page), number + 1 < names.len());
        }
        // The same token is valid once per set.
        let mut reader = self::reader(&["a", "b"]);
        for identifier in ["1", "2"] {
            let first = page(&[identifier], Some("5"));
            assert_eq!(reader.check_page(&first), None);
            assert!(reader.advance(&first));
            assert!(reader.check_page(&first).is_some());
            reader.advance(&page(&[], None));
        }
    }

    #[test]
    fn datestamp_is_shortened_to_the_unit_of_the_provider() {
        let time = "2026-11-18T09:00:00Z";
        assert_eq!(in_unit(time, DatestampUnit::Day), "2026-11-18");
        assert_eq!(in_unit(time, DatestampUnit::Second), time);
        assert_eq!(in_unit("2026-11-18", DatestampUnit::Second), "2026-11-18");
    }
}
