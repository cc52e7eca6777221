//! The date on which an author read the page of a link, if the text names it.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use relink_model::Span;

use crate::citation_template::template_parameter;

/// Parameters of citation templates with the access date.
const PARAMETERS: [&str; 3] = ["access-date", "accessdate", "accessed"];

/// Maximum number of characters of an access date after a word.
const MAX_DATE_LENGTH: usize = 40;

/// Words before an access date in a line, in lower case.
const ACCESS_WORDS: [&str; 6] =
    ["accessed", "retrieved", "visited", "viewed", "abgerufen", "consulté le"];

/// Names of the months, in the order of the year.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// Returns the access date of the link at `span`: the date in its citation template, or the
/// date after a word such as "accessed" in the same line.
pub fn link_date(document: &[u8], span: Span) -> Option<Timestamp> {
    let parameter = PARAMETERS
        .iter()
        .find_map(|name| template_parameter(document, span, name))
        .and_then(|value| parse_date(&value));
    let date = parameter.or_else(|| date_in_same_line(document, span))?;
    date.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
}

/// Returns the date after a word such as "accessed" that follows the link in its line.
fn date_in_same_line(document: &[u8], span: Span) -> Option<Date> {
    let rest = document.get(span.end..)?;
    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line).to_lowercase();
    let (_, rest) = ACCESS_WORDS.iter().find_map(|word| line.split_once(word))?;
    parse_date(&rest.chars().take(MAX_DATE_LENGTH).collect::<String>())
}

/// Parses `2019-05-03`, `3 May 2019` and `May 3, 2019`, with any text around it.
fn parse_date(text: &str) -> Option<Date> {
    let text = text.to_lowercase();
    let words: Vec<&str> = text.split(|letter: char| !letter.is_alphanumeric()).collect();
    let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    words.windows(3).find_map(|words| {
        let [one, two, three] = words else { return None };
        let month = |word: &str| MONTHS.iter().position(|name| word.starts_with(name));
        let number = |word: &str| word.parse::<i16>().ok();
        let (year, month, day) = match (month(one), month(two)) {
            (Some(month), None) => (number(three)?, month + 1, number(two)?),
            (None, Some(month)) => (number(three)?, month + 1, number(one)?),
            _ => (number(one)?, usize::try_from(number(two)?).ok()?, number(three)?),
        };
        if !(1990..=2200).contains(&year) {
            return None;
        }
        Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const URL: &str = "http://example.org/a";

    /// Asserts the date that the document gives for its link to `URL`.
    #[track_caller]
    fn check(document: &str, expected: Option<&str>) {
        let start = document.find(URL).unwrap();
        let date = link_date(document.as_bytes(), (start..start + URL.len()).into());
        let date = date.map(|date| date.strftime("%F").to_string());
        assert_eq!(date.as_deref(), expected, "{document}");
    }

    #[test]
    fn access_date_is_found() {
        check("{{cite web|url=http://example.org/a|access-date=2019-05-03}}", Some("2019-05-03"));
        check("{{cite web|url=http://example.org/a|accessdate=3 May 2019}}", Some("2019-05-03"));
        // A known limitation: `3rd` is not parsed as a day.
        check("[a](http://example.org/a), accessed May 3rd 2019.", None);
        check("[a](http://example.org/a), accessed May 3, 2019.", Some("2019-05-03"));
        check("[a](http://example.org/a) (retrieved 2020-12-31)", Some("2020-12-31"));
    }

    #[test]
    fn other_dates_are_not_access_dates() {
        check("[a](http://example.org/a) from 2019-05-03", None);
        check("[a](http://example.org/a)\naccessed 2019-05-03", None);
        check("{{cite web|url=http://example.org/a|access-date=2019-13-03}}", None);
        check("{{cite web|url=http://example.org/a|date=2019-05-03}}", None);
    }
}
