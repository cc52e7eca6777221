//! Which page elsewhere can take the place of a dead one.
//!
//! Walden's Paths, section 5: copies of a page at unrelated sites count, and so
//! do pages that are like it. A replacement is no alias: nobody says that the
//! page moved there, only that its words are there. So the words decide, and
//! nothing else does: a title is shared by pages of all kinds.

use percent_encoding::percent_decode_str;
use relink_model::{Digest, Similarity};
use url::Url;

use crate::address::bare_host;
use crate::site::is_same_site;

/// Texts that share so much are one text.
pub const SAME_TEXT: f64 = 0.8;

/// Texts that share so much could stand for each other. Ours, measured: of
/// 92,000 pairs of different pages two share so much, while 96 of 100 pages do
/// that were rewritten in part (a word in ten to four in ten).
pub const SIMILAR_TEXT: f64 = 0.3;

/// A text of fewer shingles, which are runs of five words, may be anybody's.
/// Ours: what many pages have in common, such as "this page has moved" with a
/// line of navigation, is a sentence or two of some twenty words; a text of
/// twice as many says something of its own.
const FEWEST_SHINGLES: usize = 40;

/// A file of fewer bytes may be anybody's. Ours: empty files, the image of one
/// pixel and other blanks, which the whole web shares, take less than a
/// hundred bytes, small icons of program libraries a few hundred. What is
/// remembered of a file is a hash of 32 bits and its length, and the shorter
/// files are, the more of them have the same length.
const LEAST_FILE: u64 = 1_024;

/// Whether a page can be told from others by what is known of its content.
pub fn is_recognizable(page: &Digest) -> bool {
    let is_file = page.fingerprint.is_some() && !page.is_truncated && page.bytes >= LEAST_FILE;
    is_file || page.sketch.hashes().len() >= FEWEST_SHINGLES
}

/// How alike a living page is to what is remembered of a dead one, and the
/// share of their text that both have; nothing if they are not alike.
///
/// ```
/// use relink_model::{Digest, Likeness, Sketch};
/// use relink_revive::replacement::likeness;
/// let page = |shingles: std::ops::Range<u32>| Digest {
///     sketch: Sketch::of(shingles.collect()),
///     ..Digest::default()
/// };
/// let (likeness, share) = likeness(&page(0..100), &page(0..95)).unwrap();
/// assert_eq!((likeness, share), (Likeness::NearlyIdentical, 0.95));
/// ```
pub fn likeness(old: &Digest, new: &Digest) -> Option<(Similarity, f64)> {
    if !is_recognizable(old) {
        return None;
    }
    if old.fingerprint.is_some() || new.fingerprint.is_some() {
        // Files have no words to compare: they are the same, or they are not.
        let is_same =
            old.fingerprint == new.fingerprint && old.bytes == new.bytes && !new.is_truncated;
        return is_same.then_some((Similarity::Identical, 1.0));
    }
    let share = old.sketch.resemblance(&new.sketch);
    let likeness = match share {
        1.0 if has_same_outline(old, new) => Similarity::Identical,
        SAME_TEXT.. => Similarity::NearlyIdentical,
        SIMILAR_TEXT.. => Similarity::Similar,
        _ => return None,
    };
    Some((likeness, share))
}

/// Whether all that is kept of two texts beside their sketches is the same. A
/// sketch is a sample, so texts with the same one may differ in a word.
fn has_same_outline(old: &Digest, new: &Digest) -> bool {
    old.text_length == new.text_length
        && old.text_start == new.text_start
        && old.text_end == new.text_end
        && old.headings == new.headings
}

/// Whether two pages are known to have the same text to the last word: only a
/// short text is kept as a whole.
pub fn is_word_for_word(old: &Digest, new: &Digest) -> bool {
    old.is_short() && !old.text_start.is_empty() && has_same_outline(old, new)
}

/// Whether an address that somebody names may be a page elsewhere with the
/// content of a dead one: a page of another site, and none of a service that
/// shows the dead page under an address of its own, as archives do.
///
/// ```
/// use relink_revive::replacement::is_elsewhere;
/// let dead = "http://example.org/owls.html".parse().unwrap();
/// let admits = |url: &str| is_elsewhere(&dead, &url.parse().unwrap());
/// assert!(admits("https://mirror.test/owls.html"));
/// assert!(!admits("https://www.example.org/birds/owls"));
/// assert!(!admits("https://archive.test/2015/http://example.org/owls.html"));
/// ```
pub fn is_elsewhere(dead: &Url, candidate: &Url) -> bool {
    if is_same_site(dead, candidate) || !matches!(candidate.scheme(), "http" | "https") {
        return false;
    }
    // Archives write usual ports where nobody else did.
    let tail = plain(&candidate[url::Position::BeforePath..]);
    let tail = tail.replace(":80/", "/").replace(":443/", "/");
    let place = plain(&format!("{}{}", bare_host(dead), dead.path()));
    let place = place.trim_end_matches('/');
    // A whole address, and not only folders of that name: copies of a site are
    // often kept below its name.
    !["://", "://www."].iter().any(|before| tail.contains(&format!("{before}{place}")))
}

/// A piece of an address without its escapes. Twice, since whoever puts an
/// address into another escapes its escapes, too.
fn plain(piece: &str) -> String {
    let decoded = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    decoded(&decoded(piece)).to_lowercase()
}

#[cfg(test)]
mod tests {
    use relink_model::Sketch;

    use super::*;

    /// A page with shingles from one number to another.
    fn page(from: u32, to: u32) -> Digest {
        let sketch = Sketch::from_hashes((from..to).collect());
        Digest { sketch, text_length: u64::from(to - from), ..Digest::default() }
    }

    #[track_caller]
    fn check(old: &Digest, new: &Digest, expect: Option<Similarity>) {
        assert_eq!(likeness(old, new).map(|(likeness, _)| likeness), expect);
    }

    #[test]
    fn the_shared_text_decides() {
        check(&page(0, 100), &page(0, 100), Some(Similarity::Identical));
        check(&page(0, 100), &page(0, 90), Some(Similarity::NearlyIdentical));
        check(&page(0, 100), &page(50, 120), Some(Similarity::Similar));
        check(&page(0, 100), &page(90, 190), None);
    }

    #[test]
    fn the_same_shingles_in_a_longer_text_are_not_word_for_word() {
        let longer = Digest { text_length: 5_000, ..page(0, 100) };
        check(&page(0, 100), &longer, Some(Similarity::NearlyIdentical));
    }

    #[test]
    fn the_same_shingles_around_other_words_are_not_identical() {
        let other = |change: fn(&mut Digest)| {
            let mut other = page(0, 100);
            change(&mut other);
            check(&page(0, 100), &other, Some(Similarity::NearlyIdentical));
        };
        other(|page| page.text_start = "Snowy owls".to_owned());
        other(|page| page.text_end = "Changed since".to_owned());
        other(|page| page.headings = vec!["News".to_owned()]);
    }

    #[test]
    fn only_a_text_that_is_kept_whole_is_the_same_to_the_last_word() {
        let text = |opening: &str, text_length| Digest {
            text_start: opening.to_owned(),
            text_length,
            ..Digest::default()
        };
        assert!(is_word_for_word(&text("Snowy owls", 10), &text("Snowy owls", 10)));
        assert!(!is_word_for_word(&text("Snowy owls", 10), &text("Barn owls!", 10)));
        assert!(!is_word_for_word(&text("Snowy owls", 9_000), &text("Snowy owls", 9_000)));
        assert!(!is_word_for_word(&text("", 0), &text("", 0)), "files are no texts");
    }

    #[test]
    fn a_title_alone_is_nothing() {
        let titled = |page: Digest| Digest { title: Some("Owls".to_owned()), ..page };
        check(&titled(page(0, 100)), &titled(page(200, 300)), None);
        check(&titled(page(0, 0)), &titled(page(0, 0)), None);
    }

    #[test]
    fn a_few_words_are_anybodys() {
        check(&page(0, 39), &page(0, 39), None);
        assert!(!is_recognizable(&page(0, 39)));
    }

    #[test]
    fn files_are_the_same_or_not() {
        let file = |fingerprint, cut| Digest {
            fingerprint: Some(fingerprint),
            bytes: LEAST_FILE,
            is_truncated: cut,
            ..Digest::default()
        };
        check(&file(1, false), &file(1, false), Some(Similarity::Identical));
        check(&file(1, false), &file(2, false), None);
        check(&file(1, true), &file(1, true), None);
        check(&file(1, false), &page(0, 100), None);
    }

    #[test]
    fn a_tiny_file_is_anybodys() {
        let file = |bytes| Digest { fingerprint: Some(1), bytes, ..Digest::default() };
        check(&file(LEAST_FILE - 1), &file(LEAST_FILE - 1), None);
        check(&file(0), &file(0), None);
        check(&file(LEAST_FILE), &file(LEAST_FILE), Some(Similarity::Identical));
    }

    #[track_caller]
    fn admits(candidate: &str, expect: bool) {
        admits_for("https://www.example.org/a/owls.html", candidate, expect);
    }

    #[track_caller]
    fn admits_for(dead: &str, candidate: &str, expect: bool) {
        let admitted = is_elsewhere(&dead.parse().unwrap(), &candidate.parse().unwrap());
        assert_eq!(admitted, expect, "{dead} {candidate}");
    }

    #[test]
    fn what_only_shows_the_dead_page_is_no_page_of_its_own() {
        admits("http://other.test/www.example.org/a/owls.html", true);
        admits("http://other.test/web/2015/http://example.org/a/owls.html", false);
        admits("http://other.test/show?url=https%3A%2F%2FWWW.example.org%2Fa%2Fowls.html", false);
        admits("ftp://other.test/owls.html", false);
    }

    #[test]
    fn escapes_hide_no_dead_page() {
        let dead = "http://example.org/snowy%20owls.html";
        admits_for(dead, "http://other.test/web/2015/http://example.org/snowy%20owls.html", false);
        admits_for(
            dead,
            "http://other.test/?u=http%3A%2F%2Fexample.org%2Fsnowy%2520owls.html",
            false,
        );
        admits_for(dead, "http://other.test/example.org/snowy%20owls.html", true);
    }

    #[test]
    fn ports_hide_no_dead_page() {
        let dead = "http://example.org:8080/owls.html";
        admits_for(dead, "http://other.test/2015/http://example.org:8080/owls.html", false);
        admits_for(dead, "http://other.test/?u=http%3A%2F%2Fexample.org%3A8080%2Fowls.html", false);
        admits("http://other.test/2015/http://www.example.org:80/a/owls.html", false);
        admits("http://other.test/2015/https://example.org:443/a/owls.html", false);
    }
}
