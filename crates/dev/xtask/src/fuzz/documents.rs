//! Fuzzes documents: passes mutated documents to every parser of links, anchors and
//! texts.

use relink_frontier::{PageFingerprint, RobotsDirectives, RobotsTxt, canonicalize};
use relink_keyphrase::{DocumentFrequencies, keyphrases};
use relink_model::{Link, LinkTarget, Timings};
use relink_page::{
    DocumentFormat, Options, SlugStyle, WindowedExtractor, anchors, digest, for_each_link_with,
    ignore_directives, is_binary, is_sitemap_index, robots_meta,
};

use super::guard::Guard;
use super::mutate::mutate;
use super::random::Random;
use super::samples::{Samples, samples_of};

/// Size of a window, the part of a document that is parsed at a time. It is small, so
/// that most documents have several windows.
const WINDOW_BYTES: usize = 256;
/// File names, which select the language of program source.
const FILE_NAMES: [&str; 8] = ["a.rs", "a.py", "a.php", "a.sql", "a.lisp", "a.tex", "a.html", "a"];

/// The number of the random sequence of the first format. Each format has a sequence of its
/// own, so that formats get different mutations. URLs and responses have smaller numbers.
const FIRST_SEQUENCE: u64 = 100;

/// Fuzzes the documents of one format.
pub struct FormatFuzzer {
    format: DocumentFormat,
    /// The documents to mutate.
    samples: Samples,
    /// The seed of the random numbers.
    seed: u64,
    /// The number of the random sequence of the format.
    sequence: u64,
}

impl FormatFuzzer {
    /// Creates the fuzzer of a format.
    pub fn new(format: DocumentFormat, seed: u64) -> Self {
        let index = DocumentFormat::ALL.iter().position(|other| *other == format).unwrap_or(0);
        let sequence = FIRST_SEQUENCE + index as u64;
        Self { format, samples: samples_of(format), seed, sequence }
    }

    /// Passes the document of this number to all parsers.
    pub fn run(&self, guard: &Guard, worker: usize, item: u64) {
        let mut random = Random::of_item(self.seed, self.sequence, item);
        let sample = random.pick(self.samples.documents);
        let bytes = mutate(&mut random, sample, self.samples.documents, self.samples.keywords);
        let name = format!("{}-{item}", self.format);
        guard.run(worker, &name, &bytes, || parse_document(&mut random, self.format, &bytes));
    }
}

/// Parses a document with every parser.
pub fn parse_document(random: &mut Random, format: DocumentFormat, bytes: &[u8]) {
    let options = Options::from_file_name(random.pick(&FILE_NAMES));
    let base = "https://example.org/a/b?c".parse().ok();
    let mut texts = Vec::new();
    for_each_link_with(format, bytes, &options, &mut |link| {
        check_span(&link, bytes);
        if let LinkTarget::Web(text) | LinkTarget::Path(text) = &link.target {
            texts.push(text.clone());
        }
    });
    for text in texts {
        let _ = canonicalize(base.as_ref(), &text);
    }
    ignore_directives(format, bytes);
    is_binary(bytes);
    is_sitemap_index(bytes);
    let slugs = random.pick(&SlugStyle::ALL);
    if let Some(anchors) = anchors(format, bytes, slugs) {
        // In a fragment, control characters and percent signs of a name must be escaped.
        let must_escape = |character: char| character.is_control() || character == '%';
        for name in anchors.iter().filter(|name| !name.contains(must_escape)).take(3) {
            assert!(anchors.has(name), "an anchor is not found");
        }
        anchors.nearest("nearly");
    }
    let mut windows = WindowedExtractor::new(format, &options, WINDOW_BYTES, bytes);
    while windows.next_window() {
        windows.for_each_link(&mut |_| {});
    }
    parse_as_page(random, bytes);
}

/// Asserts that the span of a link is inside of the document and contains the destination as
/// written. In other encodings than ASCII, the bytes may differ from the destination, because
/// they are decoded.
fn check_span(link: &Link, bytes: &[u8]) {
    let span = link.location.span;
    assert!(span.start <= span.end, "a span ends before it starts");
    let written = bytes.get(span.range()).expect("a span is outside of its document");
    if bytes.is_ascii() {
        assert!(written == link.raw.as_bytes(), "a span does not contain its destination");
    }
}

/// Parses a document as a page from a server.
fn parse_as_page(random: &mut Random, bytes: &[u8]) {
    let types = [Some("text/html"), Some("text/plain; charset=utf-16"), Some("x"), None];
    let content_type = random.pick(&types);
    let content_language = Some("de, en");
    let is_truncated = random.one_in(2);
    let page = digest(content_type, content_language, bytes, is_truncated);
    keyphrases(&page.text_start, &DocumentFrequencies::default());
    relink_judge::PhraseScan::from_digest(&page);
    let meta = robots_meta(bytes);
    RobotsDirectives::parse(meta.directives.iter().map(String::as_str));
    PageFingerprint::from_digest(&page);
    let robots = RobotsTxt::parse(bytes);
    if let Ok(url) = "https://example.org/a?b".parse() {
        PageFingerprint::from_html(&url, bytes);
        robots.rule("relink", &url);
    }
    robots.crawl_delay("relink");
    judge(page);
}

/// Judges a page with this text.
fn judge(page: relink_model::Digest) {
    use relink_model::{Attempt, FetchOutcome, FetchPurpose, History, Hop, Probe};
    let now = jiff::Timestamp::UNIX_EPOCH;
    let url = "http://example.org/docs/a.html".to_owned();
    let outcome = FetchOutcome::Response(200);
    let (purpose, duration_ms) = (FetchPurpose::Initial, 1);
    let attempts = [Attempt { requested_at: now, purpose, outcome: outcome.clone(), duration_ms }];
    let hops = vec![Hop { url: url.clone(), status: 200, location: None, ip: None }];
    let (timings, retry_after) = (Timings::default(), None);
    let digest = Some(Box::new(page));
    let probe =
        Probe { requested_at: now, hops, outcome, timings, retry_after, digest, version: None };
    let case = relink_judge::JudgeInput {
        url: &url,
        attempts: &attempts,
        probe: &probe,
        phrase_scan: None,
        controls: &[],
        history: &History::default(),
        now,
    };
    let policy = relink_judge::Policy::default();
    relink_judge::judge(&policy, &case);
    relink_judge::conclude(&policy, &case);
}
