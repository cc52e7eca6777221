//! Damaged stored probes must be judged without a panic and with few controls.
//!
//! Each seed is a probe as the store saves it. The seeds are mutated a fixed number of
//! times by a random number generator with a fixed seed.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use jiff::Timestamp;
use relink_judge::{Decision, JudgeInput, Policy, conclude, control_url, judge};
use relink_model::{Attempt, Control, ControlKind, FetchPurpose, History, Probe};

/// Number of mutated probes.
const ROUNDS: usize = 6_000;
/// Maximum number of controls for one page.
const MAX_CONTROLS: usize = 10;

/// Probes as the store saves them.
const SEEDS: [&str; 6] = [
    r#"{"requested_at":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/a/oak","status":200}],
        "outcome":{"response":200},"timings":{"total":12},"digest":{"content_type":"text/html",
        "bytes":4711,"title":"Oak - Library","headings":["Oak"],"language":"en",
        "canonical":"/a/oak","text_length":900,"text_start":"The oak is a tree","sketch":"-----62TfQvj"}}"#,
    r#"{"requested_at":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/a/oak","status":302,
        "location":"/"},{"url":"http://site.test/","status":200}],"outcome":{"response":200},
        "timings":{"total":12},"digest":{"content_type":"text/html","title":"Library",
        "text_length":300,"text_start":"Welcome to the library"}}"#,
    r#"{"requested_at":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/show?id=12","status":200}],
        "outcome":{"response":200},"timings":{"total":12},"digest":{"title":"Page not found",
        "headings":["404"],"text_length":30,"text_start":"There is no such record",
        "flags":["no-index","password-field"]}}"#,
    r#"{"requested_at":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/news/4711/oak","status":200}],
        "outcome":{"response":200},"timings":{"total":12},"digest":{"title":"Just a moment...",
        "text_length":12,"text_start":"見つかりません","flags":["bot-challenge","parking","consent"]}}"#,
    r#"{"requested_at":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/r.pdf","status":200}],
        "outcome":{"response":200},"timings":{"total":12},
        "digest":{"content_type":"application/pdf","bytes":99,"fingerprint":7}}"#,
    r#"{"requested_at":"2026-11-01T09:00:00Z","hops":[],"outcome":{"response":404},"timings":{"total":12}}"#,
];

/// Replacements for parts of a probe.
const REPLACEMENTS: [&str; 18] = [
    "18446744073709551615",
    "4294967295",
    "0",
    "-1",
    "65535",
    "null",
    "true",
    "\"\"",
    "[]",
    "http://",
    "://?#%",
    "%C3%28%",
    "Casino odds slots roulette",
    "This domain is for sale",
    "\u{202e}\u{0}é木🌳",
    "/////",
    "404",
    "zzzzzz",
];

/// A pseudorandom number generator (xorshift).
struct Rng(u64);

impl Rng {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or(0)
    }

    fn choose<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// Returns a seed with up to three mutations.
fn mutate(rng: &mut Rng) -> String {
    let mut text = rng.choose(&SEEDS).to_owned();
    for _ in 0..rng.below(4) {
        let (from, to) = range(rng, &text);
        match rng.below(4) {
            0 => text.replace_range(from..to, rng.choose(&REPLACEMENTS)),
            1 => text.insert_str(from, rng.choose(&REPLACEMENTS)),
            2 => text = replace_number(&text, rng.choose(&REPLACEMENTS)),
            _ => {
                let piece = text[from..to].repeat(1 + rng.below(200));
                text.insert_str(from, &piece);
            }
        }
    }
    text
}

/// Returns a short range between characters of a text.
fn range(rng: &mut Rng, text: &str) -> (usize, usize) {
    let edges: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let from = rng.below(edges.len());
    let to = (from + rng.below(8)).min(edges.len() - 1);
    (edges[from], edges[to])
}

fn replace_number(text: &str, replacement: &str) -> String {
    for key in ["\"text_length\":", "\"response\":", "\"fingerprint\":"] {
        if let Some((before, after)) = text.split_once(key) {
            let rest = after.trim_start_matches(|byte: char| byte.is_ascii_digit());
            return format!("{before}{key}{replacement}{rest}");
        }
    }
    text.to_owned()
}

/// Judges a probe and uses another probe for all controls.
fn judge_all(url: &str, probe: &Probe, other: &Probe, history: &History) {
    let attempts = [Attempt {
        requested_at: probe.requested_at,
        purpose: FetchPurpose::AlternateUserAgent,
        outcome: probe.outcome.clone(),
        duration_ms: 1,
    }];
    for policy in [Policy::default(), Policy::sic_transit(), Policy::fable()] {
        let mut controls: Vec<Control> = Vec::new();
        loop {
            let now = Timestamp::UNIX_EPOCH;
            let controls_now = &controls[..];
            let input = JudgeInput {
                url,
                attempts: &attempts,
                probe,
                phrase_scan: None,
                controls: controls_now,
                history,
                now,
            };
            assert!(!conclude(&policy, &input).reason.is_empty());
            let Decision::Compare(kind) = judge(&policy, &input) else { break };
            assert!(!controls.iter().any(|control| control.kind == kind), "{kind:?} twice");
            controls.push(control(kind, url, other));
        }
        assert!(controls.len() <= MAX_CONTROLS);
    }
}

fn control(kind: ControlKind, url: &str, probe: &Probe) -> Control {
    let url = control_url(kind, url, 1).map(|control| control.url).unwrap_or_default();
    Control { kind, url, probe: Some(probe.clone().into()) }
}

#[test]
fn judge_accepts_any_probe_that_can_be_parsed() {
    let mut rng = Rng(0x9e37_79b9_7f4a_7c15);
    let mut other: Probe = serde_json::from_str(SEEDS[0]).unwrap();
    let mut history = History::default();
    let mut judged = 0;
    for _ in 0..ROUNDS {
        let Ok(probe) = serde_json::from_str::<Probe>(&mutate(&mut rng)) else { continue };
        let url = probe.hops.first().map_or("http://site.test/a/oak", |hop| &hop.url).to_owned();
        judge_all(&url, &probe, &other, &history);
        judge_all(&url, &probe, &probe, &History::default());
        history.digest = other.digest;
        other = probe;
        judged += 1;
    }
    assert!(judged > ROUNDS / 4, "only {judged} of {ROUNDS} could be parsed");
}
