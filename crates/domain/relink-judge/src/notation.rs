//! A compact notation for pages and their context. Tests only.
//!
//! A page: `/a -> /b 200 "Title" #3`.
//!
//! - `/a` is a URL on `http://site.test`, `//b.test/a` one on another host; `->` is a
//!   temporary redirect, `=>` a permanent one.
//! - `200` is a status; `timeout` is a response timeout, `loop` a redirect loop,
//!   `nxdomain` an unknown host, `unfetched` a control that was not fetched.
//! - `"…"` is the title, every further one a heading.
//! - `#3` is a long text generated from the number 3. `#3'` differs from `#3` in one
//!   word. `#3+4` is text 3 followed by text 4.
//! - `{…}` is a short text, given literally. `[…]` is a short main text within the long
//!   text of a frame.
//! - `!noindex` is a flag, `@/a` the canonical URL, `^/a?x=2` a link with a query, `type=image/png` the media type
//!   (`type=` none at all), `bytes=7` the fingerprint of binary content.
//!
//! Context, one line each: `random-name: 404` is a control by its kind, whose URL is
//! derived from that of the page unless it is given; `before: "Title" #3` is the page of
//! an earlier run.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use std::sync::Arc;

use jiff::Timestamp;
use relink_model::{
    Attempt, Control, ControlKind, Digest, DnsError, FetchOutcome, FetchPurpose, History, Hop,
    PageFlag, Phase, Probe, Sketch, Timings,
};

use crate::{Decision, JudgeInput, Judgment, Policy, control_url, judge};

/// The site of the pages.
const SITE: &str = "http://site.test";
/// Number of words in a long text.
const LONG_TEXT_WORDS: usize = 160;
/// Number of words in a shingle.
const SHINGLE_WORDS: usize = 3;

/// A page and its context.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) url: String,
    pub(crate) probe: Probe,
    pub(crate) controls: Vec<Control>,
    pub(crate) history: History,
}

/// The result of judging a scene.
#[derive(Debug)]
pub(crate) struct SceneResult {
    pub(crate) judgment: Judgment,
    /// The controls in the order of their requests.
    controls: Vec<ControlKind>,
}

impl Scene {
    /// Parses a page and the lines of its context.
    #[track_caller]
    pub(crate) fn parse(page: &str, context: &[&str]) -> Self {
        let (url, probe) = parse_page(page, "");
        let probe = probe.expect("the page itself was fetched");
        let mut scene = Self { url, probe, controls: Vec::new(), history: History::default() };
        for line in context {
            scene.add_context(line);
        }
        scene
    }

    #[track_caller]
    fn add_context(&mut self, line: &str) {
        let (name, text) = line.split_once(": ").unwrap_or((line, ""));
        if name == "before" {
            let (final_url, probe) = parse_page(&format!("{text} 200"), &self.url);
            self.history.digest = probe.and_then(|probe| probe.digest);
            self.history.final_url = Some(final_url);
            return;
        }
        let kind = ControlKind::ALL.into_iter().find(|kind| kind.as_str() == name);
        let kind = kind.unwrap_or_else(|| panic!("invalid context line: {line}"));
        let own = control_url(kind, &self.url, 7).map(|control| control.url);
        let (url, probe) = parse_page(text, &own.unwrap_or_default());
        self.controls.push(Control { kind, url, probe: probe.map(Arc::new) });
    }

    /// Judges the page. Controls that are not in the context cannot be fetched.
    #[track_caller]
    pub(crate) fn judge(&self, policy: &Policy) -> SceneResult {
        let attempts = [attempt(&self.probe)];
        let mut controls: Vec<Control> = Vec::new();
        loop {
            match judge(policy, &self.input(&attempts, &controls)) {
                Decision::Conclude(judgment) => {
                    let controls = controls.iter().map(|control| control.kind).collect();
                    return SceneResult { judgment, controls };
                }
                Decision::Compare(kind) => {
                    assert!(!controls.iter().any(|known| known.kind == kind), "{kind:?} twice");
                    controls.push(self.control(kind));
                }
                Decision::Fetch { purpose, .. } => panic!("requests another attempt: {purpose:?}"),
            }
        }
    }

    /// Judges the page with all controls of the context and without other attempts.
    pub(crate) fn conclude(&self) -> String {
        let attempts = [attempt(&self.probe)];
        let judgment = crate::conclude(&Policy::default(), &self.input(&attempts, &self.controls));
        SceneResult { judgment, controls: Vec::new() }.verdict()
    }

    /// Returns the control of this kind, without a probe if it is not in the context.
    pub(crate) fn control(&self, kind: ControlKind) -> Control {
        let known = self.controls.iter().find(|control| control.kind == kind);
        known.cloned().unwrap_or(Control { kind, url: String::new(), probe: None })
    }

    pub(crate) fn input<'a>(
        &'a self,
        attempts: &'a [Attempt],
        controls: &'a [Control],
    ) -> JudgeInput<'a> {
        let (url, probe, history) = (&self.url, &self.probe, &self.history);
        JudgeInput {
            url,
            attempts,
            probe,
            phrase_scan: None,
            controls,
            history,
            now: Timestamp::UNIX_EPOCH,
        }
    }
}

impl SceneResult {
    /// Returns the verdict and the code: `soft-404 RL301`.
    pub(crate) fn verdict(&self) -> String {
        let Judgment { verdict, code, .. } = &self.judgment;
        code.map_or(verdict.to_string(), |code| format!("{verdict} {code}"))
    }

    /// Returns the requested controls: `random-name second-random-name`.
    pub(crate) fn controls(&self) -> String {
        self.controls.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// Returns the attempt with the outcome of a probe.
pub(crate) fn attempt(probe: &Probe) -> Attempt {
    let outcome = probe.outcome.clone();
    Attempt {
        requested_at: probe.requested_at,
        purpose: FetchPurpose::Initial,
        outcome,
        duration_ms: 5,
    }
}

/// Returns the requested URL and the probe; `None` if the page was not fetched.
#[track_caller]
fn parse_page(text: &str, own: &str) -> (String, Option<Probe>) {
    let mut chain =
        RedirectChain { urls: vec![own.to_owned()], statuses: Vec::new(), outcome: None };
    let mut digest = Digest { content_type: Some("text/html".to_owned()), ..Digest::default() };
    for token in tokens(text) {
        if !chain.accept(token) {
            add_content(&mut digest, token);
        }
    }
    let url = chain.urls[0].clone();
    (url, chain.probe(digest))
}

/// The URLs and statuses of a redirect chain and its outcome.
struct RedirectChain {
    urls: Vec<String>,
    statuses: Vec<u16>,
    outcome: Option<FetchOutcome>,
}

impl RedirectChain {
    /// Processes a token; returns false if it is not part of a redirect chain.
    fn accept(&mut self, token: &str) -> bool {
        match token {
            "->" => self.statuses.push(302),
            "=>" => self.statuses.push(301),
            "timeout" => self.outcome = Some(FetchOutcome::TimedOut(Phase::Headers)),
            "loop" => self.outcome = Some(FetchOutcome::RedirectLoop),
            "nxdomain" => self.outcome = Some(FetchOutcome::DnsFailed(DnsError::NoSuchName)),
            "unfetched" => {}
            path if path.starts_with('/') => self.push_url(path),
            status => match status.parse() {
                Ok(status) => self.outcome = Some(FetchOutcome::Response(status)),
                Err(_) => return false,
            },
        }
        true
    }

    fn push_url(&mut self, path: &str) {
        let url = match path.strip_prefix("//") {
            Some(other_host) => format!("http://{other_host}"),
            None => format!("{SITE}{path}"),
        };
        self.urls.truncate(self.statuses.len());
        self.urls.push(url);
    }

    fn probe(self, digest: Digest) -> Option<Probe> {
        let outcome = self.outcome?;
        let statuses = self.statuses.into_iter().chain(outcome.status());
        let hop = |(url, status)| Hop { url, status, location: None, ip: None };
        Some(Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: self.urls.into_iter().zip(statuses).map(hop).collect(),
            digest: outcome.status().map(|_| digest.into()),
            outcome,
            timings: Timings::default(),
            retry_after: None,
            version: None,
        })
    }
}

#[track_caller]
fn add_content(digest: &mut Digest, token: &str) {
    let (sign, rest) = token.split_at(1);
    match sign {
        "\"" if digest.title.is_none() => digest.title = Some(unquoted(rest)),
        "\"" => digest.headings.push(unquoted(rest)),
        "[" => digest.main_text = Some(rest.trim_end_matches(']').to_owned()),
        "{" => set_text(digest, rest.trim_end_matches('}')),
        "#" => set_text(digest, &rest.split('+').map(long_text).collect::<Vec<_>>().join(" ")),
        "!" => digest.flags.push(flag(rest)),
        "^" => digest.query_links.push(rest.to_owned()),
        "@" => digest.canonical = Some(format!("{SITE}{rest}")),
        _ => match token.split_once('=') {
            Some(("type", kind)) => {
                digest.content_type = Some(kind.to_owned()).filter(|kind| !kind.is_empty());
            }
            Some(("bytes", hash)) => digest.fingerprint = Some(hash.parse().unwrap()),
            _ => panic!("invalid token: `{token}`"),
        },
    }
}

fn unquoted(text: &str) -> String {
    text.trim_end_matches('"').to_owned()
}

#[track_caller]
fn flag(name: &str) -> PageFlag {
    match name {
        "password" => PageFlag::PasswordField,
        "noindex" => PageFlag::NoIndex,
        "shell" => PageFlag::AppShell,
        "challenge" => PageFlag::BotChallenge,
        "parking" => PageFlag::Parking,
        "consent" => PageFlag::Consent,
        "search" => PageFlag::FilledSearchField,
        other => panic!("unknown flag: {other}"),
    }
}

/// Sets the text of a page.
fn set_text(digest: &mut Digest, text: &str) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let shingles = words.windows(SHINGLE_WORDS.min(words.len().max(1)));
    digest.sketch = Sketch::from_hashes(shingles.map(hash).collect());
    digest.text_length = text.chars().count() as u64;
    digest.text_start = text.chars().take(Digest::MAX_TEXT_START).collect();
}

fn hash(words: &[&str]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// Returns the long text with this number, which may be followed by a prime.
#[track_caller]
fn long_text(number: &str) -> String {
    let bare = number.trim_end_matches('\'');
    let seed: u64 = bare.parse().unwrap();
    let mut words: Vec<String> =
        (0..LONG_TEXT_WORDS as u64).map(|index| word(seed, index)).collect();
    if bare != number {
        words[LONG_TEXT_WORDS / 2] = word(seed, 1 + LONG_TEXT_WORDS as u64);
    }
    words.join(" ")
}

/// Returns a random word.
fn word(seed: u64, index: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "zo", "ra", "mi", "lu", "ken", "tav", "bri", "so", "nel", "du", "fam", "go", "pim", "wex",
        "hy", "cor",
    ];
    let mut mixed = (seed << 20 | index).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (0..4).map(|syllable| SYLLABLES[(mixed >> (12 * syllable + 8) & 15) as usize]).collect()
}

/// Splits a line into tokens. A quoted text or a text in braces is one token.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            '{' => rest.find('}').map_or(rest.len(), |at| at + 1),
            '[' => rest.find(']').map_or(rest.len(), |at| at + 1),
            _ => rest.find(' ').unwrap_or(rest.len()),
        };
        let (token, tail) = rest.split_at(end);
        rest = tail;
        Some(token)
    })
}

#[test]
fn parse_reads_page_and_context() {
    let scene = Scene::parse(
        "/a => /b -> //c.test/ 200 \"One\" \"Two words\" {Three} !noindex @/x",
        &["random-name: -> / 404", "before: \"Was\" #1", "home-page: unfetched"],
    );
    let hops: Vec<String> =
        scene.probe.hops.iter().map(|hop| format!("{} {}", hop.status, hop.url)).collect();
    assert_eq!(hops, ["301 http://site.test/a", "302 http://site.test/b", "200 http://c.test/"]);
    let digest = scene.probe.digest.unwrap();
    assert_eq!(
        (digest.title.as_deref(), &digest.headings[..]),
        (Some("One"), &["Two words".to_owned()][..])
    );
    assert_eq!((digest.text_start.as_str(), digest.text_length), ("Three", 5));
    assert_eq!(digest.canonical.as_deref(), Some("http://site.test/x"));
    let random_page = scene.controls[0].probe.as_ref().unwrap();
    assert_eq!(random_page.hops[0].url, scene.controls[0].url);
    assert_eq!(
        (random_page.hops[1].url.as_str(), random_page.hops[1].status),
        ("http://site.test/", 404)
    );
    assert!(scene.controls[1].probe.is_none());
    assert_eq!(scene.history.digest.unwrap().title.as_deref(), Some("Was"));
}

#[test]
fn long_texts_have_the_documented_resemblance() {
    let sketch = |text: &str| {
        let mut digest = Digest::default();
        add_content(&mut digest, text);
        assert!(!digest.is_short());
        digest.sketch
    };
    assert!(sketch("#1").resemblance(&sketch("#2")) < 0.05);
    assert!(sketch("#1").resemblance(&sketch("#1'")) > 0.9);
    let half = sketch("#1+2").resemblance(&sketch("#1+3"));
    assert!((0.2..0.5).contains(&half), "{half}");
}
