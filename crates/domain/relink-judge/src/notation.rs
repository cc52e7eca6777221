//! A tiny notation for pages and for what is known beside them, so that claims
//! about the rules can be read at a glance. Tests only.
//!
//! A page: `/a -> /b 200 "Title" #3`.
//!
//! - `/a` is an address on `http://site.test`, `//b.test/a` one elsewhere;
//!   `->` is a temporary redirect, `=>` a permanent one.
//! - `200` is a status; `silence` means no answer in time, `circle` a loop,
//!   `nowhere` a name without address, `unasked` that nobody asked.
//! - `"…"` is the title, every further one a heading.
//! - `#3` is a long text; another number is another text. `#3'` is the same
//!   but for one word, `#3+4` is one after the other.
//! - `{…}` is a short text, word for word.
//! - `!noindex` is a mark, `@/a` the canonical address, `type=image/png` the
//!   media type (`type=` none at all), `bytes=7` stands for the bytes of what is no text.
//!
//! What is known beside it, one line each: `stray: 404` is a page asked for
//! comparison by its kind, whose address follows from the page's unless it is
//! given; `before: "Title" #3` is what an earlier visit saw; `habit: 9 0` says
//! in how many directories strays were refused and answered.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use std::sync::Arc;

use jiff::Timestamp;
use relink_model::{
    Attempt, Control, ControlKind, Digest, DnsError, FetchOutcome, FetchPurpose, History, Hop,
    PageFlag, Phase, Probe, Sketch, Timings,
};

use crate::{Decision, JudgeInput, Judgment, Policy, Soft404Profile, control_url, judge};

/// Where the pages of the claims lie.
const SITE: &str = "http://site.test";
/// Words of a long text.
const LONG_TEXT: usize = 160;
/// Words to a shingle.
const SHINGLE: usize = 3;

/// A page, and all that is known beside it.
#[derive(Debug, Clone)]
pub(crate) struct Scene {
    pub(crate) url: String,
    pub(crate) probe: Probe,
    pub(crate) controls: Vec<Control>,
    pub(crate) soft404_profile: Soft404Profile,
    pub(crate) history: History,
}

/// What came of judging a scene.
#[derive(Debug)]
pub(crate) struct Judged {
    pub(crate) judgment: Judgment,
    /// The pages asked for comparison, in this order.
    pub(crate) asked: Vec<ControlKind>,
}

impl Scene {
    /// Reads a page and the lines beside it.
    #[track_caller]
    pub(crate) fn read(page: &str, beside: &[&str]) -> Self {
        let (url, probe) = answer(page, "");
        let probe = probe.expect("the page itself was asked");
        let (habit, history) = Default::default();
        let mut scene = Self { url, probe, controls: Vec::new(), soft404_profile: habit, history };
        for line in beside {
            scene.learn(line);
        }
        scene
    }

    #[track_caller]
    fn learn(&mut self, line: &str) {
        let (name, text) = line.split_once(": ").unwrap_or((line, ""));
        match name {
            "before" => {
                let (landing, probe) = answer(&format!("{text} 200"), &self.url);
                self.history.digest = probe.and_then(|probe| probe.digest);
                self.history.final_url = Some(landing);
            }
            "habit" => {
                let mut counts = text.split(' ').map(|count| count.parse().unwrap());
                let (refusing, answering) = (counts.next().unwrap(), counts.next().unwrap());
                self.soft404_profile = Soft404Profile {
                    hard_404_directories: refusing,
                    soft_404_directories: answering,
                };
            }
            _ => {
                let kind = ControlKind::ALL.into_iter().find(|kind| kind.as_str() == name);
                let kind = kind.unwrap_or_else(|| panic!("no such line: {line}"));
                let own = control_url(kind, &self.url, 7).map(|sibling| sibling.url);
                let (url, probe) = answer(text, &own.unwrap_or_default());
                self.controls.push(Control { kind, url, probe: probe.map(Arc::new) });
            }
        }
    }

    /// Judges it; whatever is asked for and not known beside it cannot be
    /// asked.
    #[track_caller]
    pub(crate) fn judged(&self, policy: &Policy) -> Judged {
        let looks = [look(&self.probe)];
        let mut controls: Vec<Control> = Vec::new();
        loop {
            match judge(policy, &self.case(&looks, &controls)) {
                Decision::Settle(judgment) => {
                    let asked = controls.iter().map(|control| control.kind).collect();
                    return Judged { judgment, asked };
                }
                Decision::Compare(kind) => {
                    assert!(!controls.iter().any(|known| known.kind == kind), "{kind:?} twice");
                    controls.push(self.control(kind));
                }
                Decision::Fetch { purpose, .. } => panic!("asks once more: {purpose:?}"),
            }
        }
    }

    /// The page of this kind as it would come back.
    pub(crate) fn control(&self, kind: ControlKind) -> Control {
        let known = self.controls.iter().find(|control| control.kind == kind);
        known.cloned().unwrap_or(Control { kind, url: String::new(), probe: None })
    }

    pub(crate) fn case<'a>(
        &'a self,
        looks: &'a [Attempt],
        controls: &'a [Control],
    ) -> JudgeInput<'a> {
        let (habit, history) = (self.soft404_profile, &self.history);
        let (url, probe) = (&self.url, &self.probe);
        JudgeInput {
            url,
            attempts: looks,
            probe,
            phrase_scan: None,
            controls,
            soft404_profile: habit,
            history,
            now: Timestamp::UNIX_EPOCH,
        }
    }
}

impl Judged {
    /// The word and the code: `soft-404 RL301`.
    pub(crate) fn word(&self) -> String {
        let Judgment { verdict: word, code, .. } = &self.judgment;
        code.map_or(word.to_string(), |code| format!("{word} {code}"))
    }

    /// What was asked: `stray second-stray`.
    pub(crate) fn asked(&self) -> String {
        self.asked.iter().map(|kind| kind.as_str()).collect::<Vec<_>>().join(" ")
    }
}

/// The one look that a probe is.
pub(crate) fn look(probe: &Probe) -> Attempt {
    let ending = probe.outcome.clone();
    Attempt {
        requested_at: probe.requested_at,
        purpose: FetchPurpose::Initial,
        outcome: ending,
        duration_ms: 5,
    }
}

/// The address asked and what came back; `None` if nobody asked.
#[track_caller]
fn answer(text: &str, own: &str) -> (String, Option<Probe>) {
    let mut way = Way { urls: vec![own.to_owned()], statuses: Vec::new(), outcome: None };
    let mut digest = Digest { content_type: Some("text/html".to_owned()), ..Digest::default() };
    for word in tokens(text) {
        if !way.takes(word) {
            describe(&mut digest, word);
        }
    }
    let url = way.urls[0].clone();
    (url, way.probe(digest))
}

/// From address to address to an ending.
struct Way {
    urls: Vec<String>,
    statuses: Vec<u16>,
    outcome: Option<FetchOutcome>,
}

impl Way {
    fn takes(&mut self, word: &str) -> bool {
        match word {
            "->" => self.statuses.push(302),
            "=>" => self.statuses.push(301),
            "silence" => self.outcome = Some(FetchOutcome::TimedOut(Phase::Headers)),
            "circle" => self.outcome = Some(FetchOutcome::RedirectLoop),
            "nowhere" => self.outcome = Some(FetchOutcome::DnsFailed(DnsError::NoSuchName)),
            "unasked" => {}
            path if path.starts_with('/') => self.arrive(path),
            status => match status.parse() {
                Ok(status) => self.outcome = Some(FetchOutcome::Response(status)),
                Err(_) => return false,
            },
        }
        true
    }

    fn arrive(&mut self, path: &str) {
        let url = match path.strip_prefix("//") {
            Some(elsewhere) => format!("http://{elsewhere}"),
            None => format!("{SITE}{path}"),
        };
        self.urls.truncate(self.statuses.len());
        self.urls.push(url);
    }

    fn probe(self, digest: Digest) -> Option<Probe> {
        let ending = self.outcome?;
        let statuses = self.statuses.into_iter().chain(ending.status());
        let hop = |(url, status)| Hop { url, status, location: None, ip: None };
        Some(Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops: self.urls.into_iter().zip(statuses).map(hop).collect(),
            digest: ending.status().map(|_| digest.into()),
            outcome: ending,
            timings: Timings::default(),
            retry_after: None,
        })
    }
}

#[track_caller]
fn describe(digest: &mut Digest, word: &str) {
    let (sign, rest) = word.split_at(1);
    match sign {
        "\"" if digest.title.is_none() => digest.title = Some(unquoted(rest)),
        "\"" => digest.headings.push(unquoted(rest)),
        "{" => say(digest, rest.trim_end_matches('}')),
        "#" => say(digest, &rest.split('+').map(long_text).collect::<Vec<_>>().join(" ")),
        "!" => digest.flags.push(mark(rest)),
        "@" => digest.canonical = Some(format!("{SITE}{rest}")),
        _ => match word.split_once('=') {
            Some(("type", kind)) => {
                digest.content_type = Some(kind.to_owned()).filter(|kind| !kind.is_empty());
            }
            Some(("bytes", hash)) => digest.fingerprint = Some(hash.parse().unwrap()),
            _ => panic!("what does `{word}` mean?"),
        },
    }
}

fn unquoted(text: &str) -> String {
    text.trim_end_matches('"').to_owned()
}

#[track_caller]
fn mark(name: &str) -> PageFlag {
    match name {
        "password" => PageFlag::PasswordField,
        "noindex" => PageFlag::NoIndex,
        "shell" => PageFlag::AppShell,
        "challenge" => PageFlag::BotChallenge,
        "parking" => PageFlag::Parking,
        "consent" => PageFlag::Consent,
        other => panic!("no such mark: {other}"),
    }
}

/// Gives a page its text.
fn say(digest: &mut Digest, text: &str) {
    let words: Vec<&str> = text.split_whitespace().collect();
    let shingles = words.windows(SHINGLE.min(words.len().max(1)));
    digest.sketch = Sketch::from_hashes(shingles.map(hash).collect());
    digest.text_length = text.chars().count() as u64;
    digest.text_start = text.chars().take(Digest::OPENING_LENGTH).collect();
}

fn hash(words: &[&str]) -> u32 {
    let bytes = words.iter().flat_map(|word| word.bytes().chain([b' ']));
    bytes.fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// A long text by its number, which a stroke may follow.
#[track_caller]
fn long_text(number: &str) -> String {
    let bare = number.trim_end_matches('\'');
    let seed: u64 = bare.parse().unwrap();
    let mut words: Vec<String> = (0..LONG_TEXT as u64).map(|place| word(seed, place)).collect();
    if bare != number {
        words[LONG_TEXT / 2] = word(seed, 1 + LONG_TEXT as u64);
    }
    words.join(" ")
}

/// A word of no language.
fn word(seed: u64, place: u64) -> String {
    const SYLLABLES: [&str; 16] = [
        "zo", "ra", "mi", "lu", "ken", "tav", "bri", "so", "nel", "du", "fam", "go", "pim", "wex",
        "hy", "cor",
    ];
    let mut mixed = (seed << 20 | place).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    (0..4).map(|syllable| SYLLABLES[(mixed >> (12 * syllable + 8) & 15) as usize]).collect()
}

/// The words of a line; what stands in quotes or braces is one of them.
fn tokens(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let end = match first {
            '"' => rest[1..].find('"').map_or(rest.len(), |at| at + 2),
            '{' => rest.find('}').map_or(rest.len(), |at| at + 1),
            _ => rest.find(' ').unwrap_or(rest.len()),
        };
        let (word, tail) = rest.split_at(end);
        rest = tail;
        Some(word)
    })
}

#[test]
fn a_line_is_read_as_it_is_written() {
    let scene = Scene::read(
        "/a => /b -> //c.test/ 200 \"One\" \"Two words\" {Three} !noindex @/x",
        &["stray: -> / 404", "before: \"Was\" #1", "habit: 9 0", "front: unasked"],
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
    let stray = scene.controls[0].probe.as_ref().unwrap();
    assert_eq!(stray.hops[0].url, scene.controls[0].url);
    assert_eq!((stray.hops[1].url.as_str(), stray.hops[1].status), ("http://site.test/", 404));
    assert_eq!(
        (scene.controls[1].probe.is_none(), scene.soft404_profile.hard_404_directories),
        (true, 9)
    );
    assert_eq!(scene.history.digest.unwrap().title.as_deref(), Some("Was"));
}

#[test]
fn long_texts_resemble_each_other_as_they_are_written() {
    let sketch = |text: &str| {
        let mut digest = Digest::default();
        describe(&mut digest, text);
        assert!(!digest.is_short());
        digest.sketch
    };
    assert!(sketch("#1").resemblance(&sketch("#2")) < 0.05);
    assert!(sketch("#1").resemblance(&sketch("#1'")) > 0.9);
    let half = sketch("#1+2").resemblance(&sketch("#1+3"));
    assert!((0.2..0.5).contains(&half), "{half}");
}
