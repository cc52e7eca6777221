//! Mutated documents: links, notes, anchors, digests and windows of each.

use relink_frontier::{PageDirectives, PageSight, Robots, canonical};
use relink_model::{LinkTarget, Timings};
use relink_page::{
    Format, Frequencies, Options, Slugs, Windows, anchors, digest, each_link_with, ignores,
    is_binary, is_sitemap_index, keyphrases, robots_marks,
};

use super::guard::Guard;
use super::mutate::mutate;
use super::random::Random;
use super::seeds::{Seeds, of_format};

/// Bytes in a window: small, so that most documents have several.
const WINDOW: usize = 256;
/// Names by which the language of program source is chosen.
const NAMES: [&str; 8] = ["a.rs", "a.py", "a.php", "a.sql", "a.lisp", "a.tex", "a.html", "a"];

/// The documents of one format.
pub struct Part {
    format: Format,
    seeds: Seeds,
    seed: u64,
    /// Which part of the run this is.
    number: u64,
}

impl Part {
    /// Documents of this format.
    pub fn new(format: Format, seed: u64) -> Self {
        let place = Format::ALL.iter().position(|other| *other == format).unwrap_or(0);
        Self { format, seeds: of_format(format), seed, number: 100 + place as u64 }
    }

    /// Reads one document.
    pub fn run(&self, guard: &Guard, worker: usize, item: u64) {
        let mut random = Random::of_item(self.seed, self.number, item);
        let seed = random.pick(self.seeds.documents);
        let bytes = mutate(&mut random, seed, self.seeds.documents, self.seeds.words);
        let name = format!("{}-{item}", self.format);
        guard.run(worker, &name, &bytes, || read(&mut random, self.format, &bytes));
    }
}

/// Reads a document in all ways there are.
pub fn read(random: &mut Random, format: Format, bytes: &[u8]) {
    let options = Options::of_name(random.pick(&NAMES));
    let base = "https://example.org/a/b?c".parse().ok();
    let mut texts = Vec::new();
    each_link_with(format, bytes, &options, &mut |link| {
        if let LinkTarget::Web(text) | LinkTarget::Path(text) = &link.target {
            // What is found must be what stands there.
            assert!(link.place.span.end <= bytes.len(), "a span is outside of its document");
            texts.push(text.clone());
        }
    });
    for text in texts {
        let _ = canonical(base.as_ref(), &text);
    }
    ignores(format, bytes);
    is_binary(bytes);
    is_sitemap_index(bytes);
    let slugs = random.pick(&Slugs::ALL);
    if let Some(anchors) = anchors(format, bytes, slugs) {
        for name in anchors.iter().take(3) {
            assert!(anchors.has(name), "an anchor is not found");
        }
        anchors.nearest("nearly");
    }
    let mut windows = Windows::new(format, &options, WINDOW, bytes);
    while windows.fill() {
        windows.each_link(&mut |_| {});
    }
    read_as_page(random, bytes);
}

/// Reads a document as a server's page, whatever it is.
fn read_as_page(random: &mut Random, bytes: &[u8]) {
    let types = [Some("text/html"), Some("text/plain; charset=utf-16"), Some("x"), None];
    let content_type = random.pick(&types);
    let page = digest(content_type, Some("de, en"), bytes, random.one_in(2));
    keyphrases(&page.opening, &Frequencies::default());
    relink_judge::Heard::of(&page);
    let marks = robots_marks(bytes);
    PageDirectives::parse(marks.directives.iter().map(String::as_str));
    PageSight::of_html(bytes, 1);
    PageSight::of_digest(&page, 1);
    let robots = Robots::parse(bytes);
    if let Ok(url) = "https://example.org/a?b".parse() {
        robots.rule("relink", &url);
    }
    robots.crawl_delay("relink");
    judge(page);
}

/// Judges a page that says this.
fn judge(page: relink_model::Digest) {
    use relink_model::{Ending, History, Hop, Look, Probe, Purpose};
    let now = jiff::Timestamp::UNIX_EPOCH;
    let url = "http://example.org/docs/a.html".to_owned();
    let ending = Ending::Answered(200);
    let (purpose, took_ms) = (Purpose::First, 1);
    let looks = [Look { asked: now, purpose, ending: ending.clone(), took_ms }];
    let hops = vec![Hop { url: url.clone(), status: 200, location: None, address: None }];
    let (timings, retry_after) = (Timings::default(), None);
    let digest = Some(Box::new(page));
    let probe = Probe { asked: now, hops, ending, timings, retry_after, digest };
    let case = relink_judge::Case {
        url: &url,
        looks: &looks,
        probe: &probe,
        heard: None,
        controls: &[],
        habit: relink_judge::Habit::default(),
        history: &History::default(),
        now,
    };
    let policy = relink_judge::Policy::default();
    relink_judge::judge(&policy, &case);
    relink_judge::conclude(&policy, &case);
}
