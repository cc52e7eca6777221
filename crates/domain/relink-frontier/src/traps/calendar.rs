//! Names of months and weekdays.
//!
//! The pages of a calendar often differ only in these words and in numbers. The words are
//! ignored when pages are compared, so that a calendar counts as one repeated page.

use std::sync::LazyLock;

use super::fingerprint::word_hash;

/// Months and weekdays in common languages. Some are also other words (`may`, `mars`,
/// `sat`), which does not matter for a comparison.
const NAMES: &[&str] = &[
    "abril",
    "agosto",
    "aout",
    "août",
    "apr",
    "april",
    "aprile",
    "aug",
    "august",
    "augustus",
    "avril",
    "dec",
    "december",
    "decembre",
    "dez",
    "dezember",
    "dezembro",
    "dic",
    "dicembre",
    "diciembre",
    "dienstag",
    "dimanche",
    "dinsdag",
    "domenica",
    "domingo",
    "donderdag",
    "donnerstag",
    "décembre",
    "enero",
    "feb",
    "febbraio",
    "febrero",
    "februar",
    "februari",
    "february",
    "fevereiro",
    "fevrier",
    "freitag",
    "fri",
    "friday",
    "février",
    "gennaio",
    "giovedì",
    "giugno",
    "jan",
    "janeiro",
    "januar",
    "januari",
    "january",
    "janvier",
    "jeudi",
    "jueves",
    "juillet",
    "juin",
    "jul",
    "julho",
    "juli",
    "julio",
    "july",
    "jun",
    "june",
    "junho",
    "juni",
    "junio",
    "luglio",
    "lundi",
    "lunedì",
    "lunes",
    "maandag",
    "maart",
    "maggio",
    "mai",
    "maio",
    "mar",
    "march",
    "mardi",
    "mars",
    "martedì",
    "martes",
    "marzo",
    "março",
    "may",
    "mayo",
    "mei",
    "mercoledì",
    "mercredi",
    "mittwoch",
    "miércoles",
    "mon",
    "monday",
    "montag",
    "märz",
    "nov",
    "november",
    "novembre",
    "novembro",
    "noviembre",
    "oct",
    "october",
    "octobre",
    "octubre",
    "okt",
    "oktober",
    "ottobre",
    "outubro",
    "sabato",
    "samedi",
    "samstag",
    "sat",
    "saturday",
    "sep",
    "sept",
    "september",
    "septembre",
    "septiembre",
    "setembro",
    "settembre",
    "sonntag",
    "sun",
    "sunday",
    "sábado",
    "thu",
    "thursday",
    "tue",
    "tuesday",
    "vendredi",
    "venerdì",
    "viernes",
    "vrijdag",
    "wed",
    "wednesday",
    "woensdag",
    "zaterdag",
    "zondag",
];

/// Length of the shortest name in bytes.
const SHORTEST_NAME: usize = 3;
/// Length of the longest name in bytes.
const LONGEST_NAME: usize = 10;

/// The hashes of [`NAMES`], sorted.
static HASHES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut hashes: Vec<u64> = NAMES.iter().map(|name| word_hash(name)).collect();
    hashes.sort_unstable();
    hashes
});

/// Whether a word with this hash and length is a month or weekday.
pub(super) fn is_calendar_name(hash: u64, length: usize) -> bool {
    (SHORTEST_NAME..=LONGEST_NAME).contains(&length) && HASHES.binary_search(&hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The weekdays of each language. Portuguese is missing: most of its weekdays are
    /// ordinal numbers, such as `segunda` (second), which also occur in other texts.
    const WEEKDAYS: [&str; 6] = [
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
        "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    ];

    /// The months of each language.
    const MONTHS: [&str; 8] = [
        "january february march april may june july august september october november december",
        "januar februar märz april mai juni juli august september oktober november dezember",
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janvier fevrier mars avril mai juin juillet aout septembre octobre novembre decembre",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre \
         dicembre",
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "januari februari maart april mei juni juli augustus september oktober november december",
    ];

    /// Asserts that the line has `count` names and that all of them are known.
    #[track_caller]
    fn check(names: &str, count: usize) {
        let names: Vec<&str> = names.split_whitespace().collect();
        assert_eq!(names.len(), count, "{names:?}");
        for name in names {
            assert!(is_calendar_name(word_hash(name), name.len()), "{name}");
        }
    }

    #[test]
    fn is_name_finds_all_weekdays_and_months_of_each_language() {
        for names in WEEKDAYS {
            check(names, 7);
        }
        for names in MONTHS {
            check(names, 12);
        }
    }

    #[test]
    fn is_name_finds_every_name() {
        assert!(NAMES.iter().all(|name| is_calendar_name(word_hash(name), name.len())));
        assert!(!is_calendar_name(word_hash("meeting"), "meeting".len()));
        assert!(NAMES.is_sorted());
    }

    #[test]
    fn lengths_match_the_shortest_and_the_longest_name() {
        let lengths = || NAMES.iter().map(|name| name.len());
        assert_eq!((lengths().min(), lengths().max()), (Some(SHORTEST_NAME), Some(LONGEST_NAME)));
    }
}
