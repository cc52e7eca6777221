//! Signs that a page is no longer maintained, and a score of them.
//!
//! Bar-Yossef et al. ("Sic Transit Gloria Telae", section 1) describe abandoned
//! pages: old dates, past events announced as coming, and outdated markup. This
//! score is shown next to the decay score, which measures dead links. The weights
//! are assumptions. Only English phrases and ISO or written-out dates are
//! recognized.

use std::fmt;

use jiff::civil::Date;
use memchr::memmem;

use crate::html::visible_text;
use crate::safe_slice::SafeSlice as _;
use crate::source_text::SourceText;

/// Age in years from which a date is a sign of abandonment.
const MIN_AGE: i16 = 2;
/// Age in years from which a date is the strongest sign.
const FULL_AGE: i16 = 10;
/// Maximum weight of a stated date. The weight of a sign is the probability that a page
/// with only this sign is abandoned.
const STATED_DATE_WEIGHT: f64 = 0.7;
/// Maximum weight of a copyright year.
const COPYRIGHT_WEIGHT: f64 = 0.5;
/// Maximum weight of a past event.
const PAST_EVENT_WEIGHT: f64 = 0.6;
/// Maximum weight of obsolete elements.
const OBSOLETE_HTML_WEIGHT: f64 = 0.4;
/// Number of different obsolete elements from which they are the strongest sign.
const FULL_OBSOLETE: usize = 3;
/// Number of words after a phrase in which a date is searched.
const DATE_WORDS: usize = 8;
/// Earliest year of a web page.
const FIRST_YEAR: i16 = 1990;

/// Phrases before the date of the last change.
const UPDATE_PHRASES: [&str; 6] = [
    "last updated",
    "last modified",
    "last change",
    "last revised",
    "page updated",
    "last reviewed",
];
/// Phrases before the date of an event to come.
const COMING_PHRASES: [&str; 5] =
    ["upcoming", "coming soon", "will be held on", "will take place on", "join us on"];
/// Elements and attributes that HTML no longer has (HTML standard, 16.2).
const OBSOLETE_ELEMENTS: [&str; 10] = [
    "font", "center", "marquee", "blink", "frameset", "applet", "bgsound", "basefont", "big",
    "strike",
];
/// The first three letters of the months in English.
const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

/// A sign that a page is abandoned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AbandonmentSign {
    /// The date of the last change that the page states.
    StatedDate {
        /// The year.
        year: i16,
    },
    /// The latest copyright year.
    CopyrightYear {
        /// The year.
        year: i16,
    },
    /// A past event that is announced as coming.
    PastEvent {
        /// The year of the event.
        year: i16,
    },
    /// Obsolete elements.
    ObsoleteHtml {
        /// The names of the elements.
        elements: Vec<String>,
    },
}

/// The sign as a phrase: lower case, no period.
impl fmt::Display for AbandonmentSign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::StatedDate { year } => write!(f, "last updated in {year} by its own account"),
            Self::CopyrightYear { year } => write!(f, "copyright year {year}"),
            Self::PastEvent { year } => write!(f, "announces an event of {year}"),
            Self::ObsoleteHtml { elements } => write!(f, "obsolete HTML: {}", elements.join(", ")),
        }
    }
}

/// The signs of abandonment of a page.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Abandonment {
    /// The score, from 0 (none) to 1.
    pub score: f64,
    /// The signs, strongest first.
    pub signs: Vec<AbandonmentSign>,
}

/// Returns the signs of abandonment of an HTML page.
///
/// ```
/// use jiff::civil::date;
/// let page = b"<p>Last updated: 3 May 2009</p><center>Welcome</center>";
/// let found = relink_page::abandonment(page, date(2026, 1, 1));
/// assert_eq!(found.signs.len(), 2);
/// assert!(found.score > 0.7);
/// ```
pub fn abandonment(bytes: &[u8], today: Date) -> Abandonment {
    let html = SourceText::decode(bytes, None);
    let (text, elements) = visible_text(html.text());
    let text = text.to_lowercase();
    let mut signs: Vec<(f64, AbandonmentSign)> = Vec::new();
    if let Some(year) = latest_date(&text, &UPDATE_PHRASES).map(Date::year) {
        let sign = AbandonmentSign::StatedDate { year };
        signs.push((STATED_DATE_WEIGHT * age_strength(year, today), sign));
    }
    if let Some(year) = copyright_year(&text, today) {
        let sign = AbandonmentSign::CopyrightYear { year };
        signs.push((COPYRIGHT_WEIGHT * age_strength(year, today), sign));
    }
    if let Some(date) = latest_date(&text, &COMING_PHRASES).filter(|date| *date < today) {
        // An event of the current year is a weaker sign.
        let is_old = today.year() - date.year() >= 1;
        let strength = if is_old { 1.0 } else { 0.5 };
        signs
            .push((PAST_EVENT_WEIGHT * strength, AbandonmentSign::PastEvent { year: date.year() }));
    }
    let mut obsolete: Vec<String> =
        elements.into_iter().filter(|name| OBSOLETE_ELEMENTS.contains(&name.as_str())).collect();
    obsolete.dedup();
    if !obsolete.is_empty() {
        let share = as_float(obsolete.len().min(FULL_OBSOLETE)) / as_float(FULL_OBSOLETE);
        signs.push((
            OBSOLETE_HTML_WEIGHT * share,
            AbandonmentSign::ObsoleteHtml { elements: obsolete },
        ));
    }
    signs.retain(|(weight, _)| *weight > 0.0);
    signs.sort_by(|a, b| b.0.total_cmp(&a.0));
    let score = 1.0 - signs.iter().map(|(weight, _)| 1.0 - weight).product::<f64>();
    Abandonment { score, signs: signs.into_iter().map(|(_, sign)| sign).collect() }
}

/// Returns how strong a sign a year is, from 0 to 1.
fn age_strength(year: i16, today: Date) -> f64 {
    let age = today.year() - year;
    if age < MIN_AGE {
        return 0.0;
    }
    f64::from(age.min(FULL_AGE)) / f64::from(FULL_AGE)
}

/// Returns the date of the last change that a visible text states.
pub(crate) fn stated_date_in_text(text: &str) -> Option<Date> {
    latest_date(&text.to_lowercase(), &UPDATE_PHRASES)
}

/// Returns the latest date directly after one of the phrases.
fn latest_date(text: &str, phrases: &[&str]) -> Option<Date> {
    let dates_after = |phrase: &str| {
        // `memmem` is faster than `match_indices`; every fetched page is searched.
        let starts = memmem::find_iter(text.as_bytes(), phrase).map(|at| at + phrase.len());
        starts.filter_map(|at| first_date(text.slice(at..))).collect::<Vec<_>>()
    };
    phrases.iter().flat_map(|phrase| dates_after(phrase)).max()
}

/// Returns the first date within [`DATE_WORDS`] words: `2009-05-03`, `3 May 2009`, `May
/// 2009`, `2009`. A missing month is December, and a missing day is day 28, so that the
/// age of the page is not overestimated.
fn first_date(text: &str) -> Option<Date> {
    let separators = |letter: char| !letter.is_alphanumeric();
    let words: Vec<&str> =
        text.split(separators).filter(|word| !word.is_empty()).take(DATE_WORDS).collect();
    let year_at = words.iter().position(|word| year(word).is_some())?;
    let year = words.get(year_at).and_then(|word| year(word))?;
    let month_of = |word: &&str| {
        let start = word.get(..3)?;
        MONTHS.iter().position(|month| *month == start)
    };
    let number_at = |at: usize| words.get(at).and_then(|word| word.parse::<i8>().ok());
    // `3 May 2009`: month and day are among the two words before the year.
    let named_month = words.iter().take(year_at).rev().take(2).find_map(month_of);
    let day_before =
        words.iter().take(year_at).rev().take(2).find_map(|word| word.parse::<i8>().ok());
    // `2009-05-03`: month and day are the two words after the year.
    let day = if named_month.is_some() { day_before } else { number_at(year_at + 2) };
    let month = named_month.and_then(|index| i8::try_from(index + 1).ok());
    let month = month.or_else(|| number_at(year_at + 1)).filter(|month| (1..=12).contains(month));
    // Day 28 exists in every month.
    let date = |month: i8, day: i8| Date::new(year, month, day).ok();
    date(month.unwrap_or(12), day.unwrap_or(28)).or_else(|| date(month.unwrap_or(12), 28))
}

/// Returns the year that a word names.
fn year(word: &str) -> Option<i16> {
    let is_year = word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    word.parse().ok().filter(|year| is_year && (FIRST_YEAR..2100).contains(year))
}

/// Returns the latest year of a copyright notice.
fn copyright_year(text: &str, today: Date) -> Option<i16> {
    let notices = ["©", "copyright", "(c)"].into_iter().flat_map(|sign| text.match_indices(sign));
    let years = notices.flat_map(|(at, sign)| {
        let words = text.slice(at + sign.len()..).split(|letter: char| !letter.is_alphanumeric());
        words.filter(|word| !word.is_empty()).take(4).filter_map(year).collect::<Vec<_>>()
    });
    years.filter(|year| *year <= today.year()).max()
}

#[expect(clippy::cast_precision_loss, reason = "there are ten obsolete elements")]
fn as_float(elements: usize) -> f64 {
    elements as f64
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    /// Asserts the signs of a page and returns its score.
    #[track_caller]
    fn check(html: &str, expect: &[AbandonmentSign]) -> f64 {
        let found = abandonment(html.as_bytes(), date(2026, 6, 15));
        assert_eq!(found.signs, expect, "{html}");
        found.score
    }

    #[test]
    fn stated_dates_are_read_in_several_forms() {
        for text in
            ["Last updated: 2009-05-03", "Last modified on 3 May 2009", "last change May 3rd, 2009"]
        {
            check(&format!("<p>{text}</p>"), &[AbandonmentSign::StatedDate { year: 2009 }]);
        }
        check("<p>Last updated 2 June 2026</p>", &[]);
        check("<p>The church was last seen in 1994</p>", &[]);
    }

    #[test]
    fn latest_copyright_year_counts() {
        check(
            "<footer>© 1998–2011 A. Smith</footer>",
            &[AbandonmentSign::CopyrightYear { year: 2011 }],
        );
        check("<footer>Copyright 1998-2026</footer>", &[]);
    }

    #[test]
    fn past_event_that_is_announced_is_a_sign() {
        let sign = AbandonmentSign::PastEvent { year: 2019 };
        check("<p>Upcoming: meeting on 12 March 2019</p>", &[sign]);
        check("<p>Upcoming: meeting on 12 March 2027</p>", &[]);
    }

    #[test]
    fn obsolete_elements_are_listed_once() {
        let elements = vec!["center".to_owned(), "font".to_owned()];
        let html = "<center><font size=2>Hi</font><font>there</font></center>";
        check(html, &[AbandonmentSign::ObsoleteHtml { elements }]);
    }

    #[test]
    fn several_signs_raise_the_score() {
        let one = abandonment(b"<p>Last updated 2001</p>", date(2026, 6, 15)).score;
        let both = abandonment(b"<p>Last updated 2001. (c) 2002</p>", date(2026, 6, 15)).score;
        assert!(0.0 < one && one < both && both < 1.0, "{one} {both}");
        assert!(check("<h1>News of today</h1>", &[]) < f64::EPSILON);
    }
}
