//! Names of months and weekdays.
//!
//! Pages of a calendar may differ in nothing else, so these words are ignored when pages are
//! compared.

use std::sync::LazyLock;

use super::fingerprint::hash_of;

/// Months and weekdays in common languages. Some are also other words (`may`, `mars`,
/// `sat`), which does not matter for a comparison.
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

/// Maximum length of [`NAMES`] in bytes.
const MAX_LENGTH: usize = 10;

/// The hashes of [`NAMES`], sorted.
static HASHES: LazyLock<Vec<u64>> = LazyLock::new(|| {
    let mut hashes: Vec<u64> = NAMES.iter().map(|name| hash_of(name)).collect();
    hashes.sort_unstable();
    hashes
});

/// Whether a word with this hash and length is a month or weekday.
pub(super) fn is_name(hash: u64, length: usize) -> bool {
    (3..=MAX_LENGTH).contains(&length) && HASHES.binary_search(&hash).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_name_finds_every_name() {
        assert!(NAMES.iter().all(|name| is_name(hash_of(name), name.len())));
        assert!(!is_name(hash_of("meeting"), "meeting".len()));
    }
}
