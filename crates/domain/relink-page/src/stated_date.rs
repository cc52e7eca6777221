//! The date of the last change or of publication that a page states about itself.
//!
//! Machine-readable dates have precedence: meta elements, microdata and linked data
//! (JSON-LD). The date of a change has precedence over the date of publication. Without
//! such dates, the start and the end of the visible text are searched for phrases such as
//! "last updated".

use jiff::civil::Date;

use crate::abandonment::stated_date_in_text;
use crate::safe_slice::SafeSlice as _;

/// Names of meta elements and properties with the date of the last change.
const MODIFIED: [&str; 9] = [
    "article:modified_time",
    "og:updated_time",
    "last-modified",
    "dcterms.modified",
    "dc.date.modified",
    "datemodified",
    "date-modified",
    "revised",
    "last-updated",
];
/// Names of meta elements and properties with the date of publication.
const PUBLISHED: [&str; 10] = [
    "article:published_time",
    "dcterms.created",
    "dcterms.issued",
    "dcterms.date",
    "dc.date.issued",
    "dc.date.created",
    "dc.date",
    "citation_publication_date",
    "datepublished",
    "date",
];

/// Collects the dates of a page.
#[derive(Debug, Default)]
pub(crate) struct StatedDateReader {
    modified: Option<Date>,
    published: Option<Date>,
}

impl StatedDateReader {
    /// Reads a named value of a meta element or of microdata.
    pub(crate) fn read_property(&mut self, name: &str, value: &str) {
        let is_named = |names: &[&str]| names.iter().any(|known| name.eq_ignore_ascii_case(known));
        if is_named(&MODIFIED) {
            self.modified = self.modified.max(iso_date(value));
        } else if is_named(&PUBLISHED) {
            self.published = self.published.or_else(|| iso_date(value));
        }
    }

    /// Reads the two dates of a JSON-LD script.
    pub(crate) fn read_json_ld(&mut self, json: &str) {
        for (key, name) in
            [("\"dateModified\"", "datemodified"), ("\"datePublished\"", "datepublished")]
        {
            for (at, found) in json.match_indices(key) {
                let value =
                    json.slice(at + found.len()..).trim_start_matches([' ', ':', '\n', '\t']);
                if let Some(value) = value.strip_prefix('"') {
                    self.read_property(name, value);
                }
            }
        }
    }

    /// Returns the date of a page with this start and end of its text.
    pub(crate) fn finish(self, text_start: &str, text_end: &str) -> Option<Date> {
        let in_text = || [text_start, text_end].into_iter().filter_map(stated_date_in_text).max();
        self.modified.or(self.published).or_else(in_text)
    }
}

/// Returns the date at the start of an ISO 8601 time.
fn iso_date(value: &str) -> Option<Date> {
    let value = value.trim();
    let day = value.get(..10).unwrap_or(value);
    day.replace('/', "-").parse().ok().filter(|date: &Date| (1990..2100).contains(&date.year()))
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// Asserts the stated date of a page.
    #[track_caller]
    fn check(html: &str, expect: Option<Date>) {
        let digest = crate::digest(Some("text/html"), None, html.as_bytes(), false);
        assert_eq!(digest.stated_date, expect, "{html}");
    }

    #[test]
    fn meta_elements_and_microdata_state_dates() {
        check(
            "<meta property=article:modified_time content='2026-05-03T10:00:00+02:00'>",
            Some(date(2026, 5, 3)),
        );
        check("<meta name=DC.date content=2009-05-03>", Some(date(2009, 5, 3)));
        check(
            "<time itemprop=datePublished datetime=2011-01-02>then</time>",
            Some(date(2011, 1, 2)),
        );
        check("<meta itemprop=dateModified content='2012/03/04'>", Some(date(2012, 3, 4)));
    }

    #[test]
    fn change_has_precedence_over_publication_and_text() {
        check(
            "<script type='application/ld+json'>{\"datePublished\": \"2009-01-01\",\
             \"dateModified\":\"2020-02-29T00:00Z\"}</script><p>Last updated 3 May 2024",
            Some(date(2020, 2, 29)),
        );
        check("<p>Last updated: 3 May 2024</p>", Some(date(2024, 5, 3)));
    }

    #[test]
    fn invalid_dates_are_ignored() {
        check("<meta name=date content='2026-02-30'>", None);
        check("<meta name=date content='yesterday'><p>No date", None);
        check("<meta name=date content='1026-02-03'>", None);
    }
}
