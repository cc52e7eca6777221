//! Pages on other sites that can replace a dead page.
//!
//! Walden's Paths, section 5: replacements are copies of a page on unrelated
//! sites, and similar pages. A replacement is not an alias, because there is no evidence
//! that the page moved. Only the texts are compared; unrelated pages often share a title.

use percent_encoding::percent_decode_str;
use relink_model::{Digest, Similarity};
use url::Url;

use crate::site::is_same_site;
use crate::url_parts::bare_host;

/// Minimum resemblance of two texts that count as the same text.
pub const SAME_TEXT: f64 = 0.8;

/// Minimum resemblance of two similar texts. Two of 92,000 measured pairs of different pages
/// reach this value. 96 % of the pages of which 10 % to 40 % of the words were rewritten
/// reach it.
pub const SIMILAR_TEXT: f64 = 0.3;

/// Minimum number of shingles (sequences of five words) of a recognizable text.
/// Text that many pages share, such as "this page has moved" and a navigation
/// bar, has about twenty words; twice that length is specific to a page.
const MIN_SHINGLES: usize = 40;

/// Minimum size of a recognizable file. Empty files, one-pixel images and other
/// blanks that many sites share have fewer than 100 bytes, small icons a few
/// hundred. Only a 32-bit hash and the length of a file are stored, and short
/// files often have the same length.
const MIN_FILE_BYTES: u64 = 1_024;

/// Whether the stored content of a page suffices to recognize the page.
pub fn is_recognizable(page: &Digest) -> bool {
    let is_file = page.fingerprint.is_some() && !page.is_truncated && page.bytes >= MIN_FILE_BYTES;
    is_file || page.sketch.hashes().len() >= MIN_SHINGLES
}

/// Compares a live page with the stored digest of a dead one. Returns the
/// similarity and the resemblance of their texts, or `None` if they differ.
///
/// ```
/// use relink_model::{Digest, Similarity, Sketch};
/// use relink_revive::replacement::similarity;
/// let page = |shingles: std::ops::Range<u32>| Digest {
///     sketch: Sketch::from_hashes(shingles.collect()),
///     ..Digest::default()
/// };
/// let (similarity, resemblance) = similarity(&page(0..100), &page(0..95)).unwrap();
/// assert_eq!((similarity, resemblance), (Similarity::NearlyIdentical, 0.95));
/// ```
pub fn similarity(old: &Digest, new: &Digest) -> Option<(Similarity, f64)> {
    if !is_recognizable(old) {
        return None;
    }
    if old.fingerprint.is_some() || new.fingerprint.is_some() {
        // Files that are not text are identical or different.
        let is_same =
            old.fingerprint == new.fingerprint && old.bytes == new.bytes && !new.is_truncated;
        return is_same.then_some((Similarity::Identical, 1.0));
    }
    let resemblance = old.sketch.resemblance(&new.sketch);
    let similarity = match resemblance {
        1.0 if has_same_excerpts(old, new) => Similarity::Identical,
        SAME_TEXT.. => Similarity::NearlyIdentical,
        SIMILAR_TEXT.. => Similarity::Similar,
        _ => return None,
    };
    Some((similarity, resemblance))
}

/// Whether the lengths, headings, beginnings and ends of two texts are equal. A
/// sketch is a sample, so texts with equal sketches may differ in a word.
fn has_same_excerpts(old: &Digest, new: &Digest) -> bool {
    old.text_length == new.text_length
        && old.text_start == new.text_start
        && old.text_end == new.text_end
        && old.headings == new.headings
}

/// Whether two pages have exactly the same text. Only short texts can be
/// compared exactly, because only those are stored as a whole.
pub fn has_identical_text(old: &Digest, new: &Digest) -> bool {
    old.is_short() && !old.text_start.is_empty() && has_same_excerpts(old, new)
}

/// Whether a candidate URL may be a page on another site with the content of a
/// dead page. Rejects services that show the dead page under their own URL, as
/// web archives do.
///
/// ```
/// use relink_revive::replacement::may_be_replacement;
/// let dead = "http://example.org/owls.html".parse().unwrap();
/// let accepts = |url: &str| may_be_replacement(&dead, &url.parse().unwrap());
/// assert!(accepts("https://mirror.test/owls.html"));
/// assert!(!accepts("https://www.example.org/birds/owls"));
/// assert!(!accepts("https://archive.test/2015/http://example.org/owls.html"));
/// ```
pub fn may_be_replacement(dead: &Url, candidate: &Url) -> bool {
    if is_same_site(dead, candidate) || !matches!(candidate.scheme(), "http" | "https") {
        return false;
    }
    // Archives write default ports into URLs.
    let tail = normalize_escapes(&candidate[url::Position::BeforePath..]);
    let tail = tail.replace(":80/", "/").replace(":443/", "/");
    let page = normalize_escapes(&format!("{}{}", bare_host(dead), dead.path()));
    let page = page.trim_end_matches('/');
    // Require a complete URL with a scheme: mirrors often use the host name of
    // the original site as a folder.
    !["://", "://www."].iter().any(|before| tail.contains(&format!("{before}{page}")))
}

/// Decodes percent-escapes twice, because a URL inside another URL may be
/// escaped twice.
fn normalize_escapes(text: &str) -> String {
    let decode = |text: &str| percent_decode_str(text).decode_utf8_lossy().into_owned();
    decode(&decode(text)).to_lowercase()
}

#[cfg(test)]
mod tests {
    use relink_model::Sketch;

    use super::*;

    /// A page with the shingles `from..to`.
    fn page(from: u32, to: u32) -> Digest {
        let sketch = Sketch::from_hashes((from..to).collect());
        Digest { sketch, text_length: u64::from(to - from), ..Digest::default() }
    }

    /// Asserts the similarity of two pages.
    #[track_caller]
    fn check(old: &Digest, new: &Digest, expect: Option<Similarity>) {
        assert_eq!(similarity(old, new).map(|(similarity, _)| similarity), expect);
    }

    #[test]
    fn similarity_depends_on_resemblance() {
        check(&page(0, 100), &page(0, 100), Some(Similarity::Identical));
        check(&page(0, 100), &page(0, 90), Some(Similarity::NearlyIdentical));
        check(&page(0, 100), &page(50, 120), Some(Similarity::Similar));
        check(&page(0, 100), &page(90, 190), None);
    }

    #[test]
    fn same_shingles_in_longer_text_are_not_identical() {
        let longer = Digest { text_length: 5_000, ..page(0, 100) };
        check(&page(0, 100), &longer, Some(Similarity::NearlyIdentical));
    }

    #[test]
    fn same_shingles_with_other_excerpts_are_not_identical() {
        let check_changed = |change: fn(&mut Digest)| {
            let mut changed = page(0, 100);
            change(&mut changed);
            check(&page(0, 100), &changed, Some(Similarity::NearlyIdentical));
        };
        check_changed(|page| page.text_start = "Snowy owls".to_owned());
        check_changed(|page| page.text_end = "Changed since".to_owned());
        check_changed(|page| page.headings = vec!["News".to_owned()]);
    }

    #[test]
    fn only_short_texts_are_compared_exactly() {
        let text = |opening: &str, text_length| Digest {
            text_start: opening.to_owned(),
            text_length,
            ..Digest::default()
        };
        assert!(has_identical_text(&text("Snowy owls", 10), &text("Snowy owls", 10)));
        assert!(!has_identical_text(&text("Snowy owls", 10), &text("Barn owls!", 10)));
        assert!(!has_identical_text(&text("Snowy owls", 9_000), &text("Snowy owls", 9_000)));
        assert!(!has_identical_text(&text("", 0), &text("", 0)), "files have no text");
    }

    #[test]
    fn equal_titles_are_not_enough() {
        let titled = |page: Digest| Digest { title: Some("Owls".to_owned()), ..page };
        check(&titled(page(0, 100)), &titled(page(200, 300)), None);
        check(&titled(page(0, 0)), &titled(page(0, 0)), None);
    }

    #[test]
    fn short_text_is_not_recognizable() {
        check(&page(0, 39), &page(0, 39), None);
        assert!(!is_recognizable(&page(0, 39)));
    }

    #[test]
    fn files_are_identical_or_different() {
        let file = |fingerprint, is_truncated| Digest {
            fingerprint: Some(fingerprint),
            bytes: MIN_FILE_BYTES,
            is_truncated,
            ..Digest::default()
        };
        check(&file(1, false), &file(1, false), Some(Similarity::Identical));
        check(&file(1, false), &file(2, false), None);
        check(&file(1, true), &file(1, true), None);
        check(&file(1, false), &page(0, 100), None);
    }

    #[test]
    fn small_file_is_not_recognizable() {
        let file = |bytes| Digest { fingerprint: Some(1), bytes, ..Digest::default() };
        check(&file(MIN_FILE_BYTES - 1), &file(MIN_FILE_BYTES - 1), None);
        check(&file(0), &file(0), None);
        check(&file(MIN_FILE_BYTES), &file(MIN_FILE_BYTES), Some(Similarity::Identical));
    }

    /// Asserts whether a URL may be a replacement of one dead page.
    #[track_caller]
    fn check_candidate(candidate: &str, expect: bool) {
        check_candidate_for("https://www.example.org/a/owls.html", candidate, expect);
    }

    /// Asserts whether a URL may be a replacement of the page at `dead`.
    #[track_caller]
    fn check_candidate_for(dead: &str, candidate: &str, expect: bool) {
        let found = may_be_replacement(&dead.parse().unwrap(), &candidate.parse().unwrap());
        assert_eq!(found, expect, "{dead} {candidate}");
    }

    #[test]
    fn page_that_embeds_the_dead_url_is_rejected() {
        check_candidate("http://other.test/www.example.org/a/owls.html", true);
        check_candidate("http://other.test/web/2015/http://example.org/a/owls.html", false);
        check_candidate(
            "http://other.test/show?url=https%3A%2F%2FWWW.example.org%2Fa%2Fowls.html",
            false,
        );
        check_candidate("ftp://other.test/owls.html", false);
    }

    #[test]
    fn escaped_dead_url_is_recognized() {
        let dead = "http://example.org/snowy%20owls.html";
        check_candidate_for(
            dead,
            "http://other.test/web/2015/http://example.org/snowy%20owls.html",
            false,
        );
        check_candidate_for(
            dead,
            "http://other.test/?u=http%3A%2F%2Fexample.org%2Fsnowy%2520owls.html",
            false,
        );
        check_candidate_for(dead, "http://other.test/example.org/snowy%20owls.html", true);
    }

    #[test]
    fn dead_url_with_port_is_recognized() {
        let dead = "http://example.org:8080/owls.html";
        check_candidate_for(
            dead,
            "http://other.test/2015/http://example.org:8080/owls.html",
            false,
        );
        check_candidate_for(
            dead,
            "http://other.test/?u=http%3A%2F%2Fexample.org%3A8080%2Fowls.html",
            false,
        );
        check_candidate("http://other.test/2015/http://www.example.org:80/a/owls.html", false);
        check_candidate("http://other.test/2015/https://example.org:443/a/owls.html", false);
    }
}
