//! Words that only tell the time: names of months and of days.
//!
//! A page of a calendar differs from the next in nothing else, so these words
//! are left out when pages are compared.

use std::sync::LazyLock;

use super::fingerprint::hash_of;

/// Months and days of the week in the languages of most calendars.
/// Some are words as well (`may`, `mars`, `sat`); a comparison can spare them.
const NAMES: &[&str] = &[
    "abril",
    "agosto",
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

/// The longest of [`NAMES`], in bytes.
const LONGEST: usize = 10;

/// The hashes of [`NAMES`], sorted.
static HASHES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut hashes: Vec<u64> = NAMES.iter().map(|name| hash_of(name)).collect();
    hashes.sort_unstable();
    hashes
});

/// Whether a word of this hash and length names a month or a day.
pub(super) fn is_name(hash: u64, length: usize) -> bool {
    (3..=LONGEST).contains(&length) && HASHES.binary_search(&hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found() {
        assert!(NAMES.iter().all(|name| is_name(hash_of(name), name.len())));
        assert!(!is_name(hash_of("meeting"), "meeting".len()));
    }
}
