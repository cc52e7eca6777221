//! Stored probes are judged again years later, and a file may have suffered
//! meanwhile: whatever can still be read must be judged without a panic, in
//! few questions.
//!
//! Seeds are probes as the store keeps them; each is mutated a fixed number of
//! times by a generator that starts from the same number in every run.

#![expect(clippy::string_slice, reason = "a wrong slice fails the test")]

use jiff::Timestamp;
use relink_judge::{Decision, JudgeInput, Policy, Soft404Profile, conclude, control_url, judge};
use relink_model::{Attempt, Control, ControlKind, FetchPurpose, History, Probe};

/// Mutated probes to judge.
const ROUNDS: usize = 6_000;
/// Questions that one page may cost.
const MOST_QUESTIONS: usize = 10;

/// Probes as the store keeps them.
const SEEDS: [&str; 6] = [
    r#"{"asked":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/a/oak","status":200}],
        "ending":{"answered":200},"timings":{"total":12},"digest":{"content_type":"text/html",
        "bytes":4711,"title":"Oak - Library","headings":["Oak"],"language":"en",
        "canonical":"/a/oak","text_length":900,"opening":"The oak is a tree","sketch":"-----62TfQvj"}}"#,
    r#"{"asked":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/a/oak","status":302,
        "location":"/"},{"url":"http://site.test/","status":200}],"ending":{"answered":200},
        "timings":{"total":12},"digest":{"content_type":"text/html","title":"Library",
        "text_length":300,"opening":"Welcome to the library"}}"#,
    r#"{"asked":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/show?id=12","status":200}],
        "ending":{"answered":200},"timings":{"total":12},"digest":{"title":"Page not found",
        "headings":["404"],"text_length":30,"opening":"There is no such record",
        "marks":["no-index","asks-password"]}}"#,
    r#"{"asked":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/news/4711/oak","status":200}],
        "ending":{"answered":200},"timings":{"total":12},"digest":{"title":"Just a moment...",
        "text_length":12,"opening":"見つかりません","marks":["challenge","parking","consent"]}}"#,
    r#"{"asked":"2026-11-01T09:00:00Z","hops":[{"url":"http://site.test/r.pdf","status":200}],
        "ending":{"answered":200},"timings":{"total":12},
        "digest":{"content_type":"application/pdf","bytes":99,"fingerprint":7}}"#,
    r#"{"asked":"2026-11-01T09:00:00Z","hops":[],"ending":{"answered":404},"timings":{"total":12}}"#,
];

/// What is set in place of something else.
const PIECES: [&str; 18] = [
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

/// Numbers that look random and are the same in every run (xorshift).
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound.max(1) as u64).unwrap_or(0)
    }

    fn one<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// A seed, mutated once or a few times.
fn mutated(dice: &mut Dice) -> String {
    let mut text = dice.one(&SEEDS).to_owned();
    for _ in 0..dice.below(4) {
        let (from, to) = span(dice, &text);
        match dice.below(4) {
            0 => text.replace_range(from..to, dice.one(&PIECES)),
            1 => text.insert_str(from, dice.one(&PIECES)),
            2 => text = in_place_of_a_number(&text, dice.one(&PIECES)),
            _ => {
                let piece = text[from..to].repeat(1 + dice.below(200));
                text.insert_str(from, &piece);
            }
        }
    }
    text
}

/// A short piece of a text, between characters.
fn span(dice: &mut Dice, text: &str) -> (usize, usize) {
    let edges: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let from = dice.below(edges.len());
    let to = (from + dice.below(8)).min(edges.len() - 1);
    (edges[from], edges[to])
}

fn in_place_of_a_number(text: &str, piece: &str) -> String {
    for key in ["\"text_length\":", "\"answered\":", "\"fingerprint\":"] {
        if let Some((before, after)) = text.split_once(key) {
            let rest = after.trim_start_matches(|byte: char| byte.is_ascii_digit());
            return format!("{before}{key}{piece}{rest}");
        }
    }
    text.to_owned()
}

/// Judges a probe, compared with another wherever one is asked for.
fn judge_all(url: &str, probe: &Probe, other: &Probe, history: &History) {
    let looks = [Attempt {
        requested_at: probe.requested_at,
        purpose: FetchPurpose::AlternateUserAgent,
        outcome: probe.outcome.clone(),
        duration_ms: 1,
    }];
    for policy in [Policy::default(), Policy::sic_transit(), Policy::fable()] {
        let mut controls: Vec<Control> = Vec::new();
        loop {
            let now = Timestamp::UNIX_EPOCH;
            let (controls_now, habit) = (&controls[..], Soft404Profile::default());
            let case = JudgeInput {
                url,
                attempts: &looks,
                probe,
                phrase_scan: None,
                controls: controls_now,
                soft404_profile: habit,
                history,
                now,
            };
            assert!(!conclude(&policy, &case).reason.is_empty());
            let Decision::Compare(kind) = judge(&policy, &case) else { break };
            assert!(!controls.iter().any(|control| control.kind == kind), "{kind:?} twice");
            controls.push(answered(kind, url, other));
        }
        assert!(controls.len() <= MOST_QUESTIONS);
    }
}

fn answered(kind: ControlKind, url: &str, probe: &Probe) -> Control {
    let url = control_url(kind, url, 1).map(|control| control.url).unwrap_or_default();
    Control { kind, url, probe: Some(probe.clone().into()) }
}

#[test]
fn whatever_can_be_read_can_be_judged() {
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let mut other: Probe = serde_json::from_str(SEEDS[0]).unwrap();
    let mut history = History::default();
    let mut judged = 0;
    for _ in 0..ROUNDS {
        let Ok(probe) = serde_json::from_str::<Probe>(&mutated(&mut dice)) else { continue };
        let url = probe.hops.first().map_or("http://site.test/a/oak", |hop| &hop.url).to_owned();
        judge_all(&url, &probe, &other, &history);
        judge_all(&url, &probe, &probe, &History::default());
        history.digest = other.digest;
        other = probe;
        judged += 1;
    }
    assert!(judged > ROUNDS / 4, "only {judged} of {ROUNDS} could be read");
}
