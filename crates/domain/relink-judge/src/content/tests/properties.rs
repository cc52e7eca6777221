//! What holds for any page, any earlier visit and any pages compared with.

use std::sync::Arc;

use jiff::Timestamp;
use proptest::collection::vec;
use proptest::option::{of, weighted};
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use relink_model::{
    Assessment, Control, ControlKind, DeadReason, Digest, DnsError, FetchOutcome, History, Hop,
    InvalidRedirect, PageFlag, Phase, Probe, Sketch, Timings,
};

use crate::notation::{Scene, look};
use crate::{
    Decision, Judgment, Policy, Soft404Profile, conclude, control_key, control_url, judge,
};

/// Questions that one page may cost.
const MOST_QUESTIONS: usize = 10;

/// Addresses that are no addresses, beside those of pages.
const URLS: [&str; 20] = [
    "http://site.test/",
    "http://site.test/index.html",
    "http://site.test/a/oak",
    "http://site.test/a/oak.html?id=12&lang=de",
    "http://site.test/news/4711/oak-felled",
    "http://www.site.test/a/",
    "https://site.test/a/oak",
    "http://site.test/login",
    "http://site.test/errors/404.html",
    "http://other.test/",
    "http://sedo.com/?d=site.test",
    "http://site.test/%C3%A9%zz/%",
    "http://site.test/ä/木/🌳?ö=ü",
    "http://[::1]:8080/a",
    "http://",
    "://",
    "?",
    "",
    "no address at all",
    "http://site.test//a//oak///?&&==;#",
];

/// What titles, headings and texts say.
const SAYINGS: [&str; 14] = [
    "Library",
    "Oak felled",
    "Page not found",
    "404",
    "This domain is for sale",
    "Account suspended",
    "Maintenance",
    "Just a moment...",
    "Log in",
    "Before you continue",
    "Access restricted",
    "Casino, slots, odds and roulette",
    "Ремонт квартир",
    "ページが見つかりません",
];

/// Media types, as servers name them.
const KINDS: [&str; 6] =
    ["text/html", "text/plain", "application/pdf", "application/json", "", "HTML;é"];

fn any_url() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(&URLS[..]).prop_map(str::to_owned),
        1 => "\\PC{0,40}",
        1 => "https?://\\PC{1,12}/\\PC{0,20}",
    ]
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => select(&SAYINGS[..]).prop_map(str::to_owned),
        2 => "\\PC{0,60}",
        1 => (select(&SAYINGS[..]), 1_usize..300).prop_map(|(text, times)| text.repeat(times)),
        1 => Just("\0\u{feff}\u{202e} \u{301}\u{200d}".to_owned()),
    ]
}

fn any_mark() -> impl Strategy<Value = Vec<PageFlag>> {
    let all = vec![
        PageFlag::PasswordField,
        PageFlag::NoIndex,
        PageFlag::AppShell,
        PageFlag::BotChallenge,
        PageFlag::Parking,
        PageFlag::Consent,
    ];
    prop_oneof![4 => Just(Vec::new()), 1 => subsequence(all, 0..3)]
}

fn any_digest() -> impl Strategy<Value = Digest> {
    let lengths = prop_oneof![0_u64..500, 0_u64..5000, Just(u64::MAX)];
    let sketch = prop_oneof![
        3 => select(vec![0_u32, 1, 7]).prop_map(|seed| (0..6).map(|n| n * 9 + seed).collect()),
        1 => vec(any::<u32>(), 0..6),
    ];
    let canonical = prop_oneof![any_url(), Just("/a/oak".to_owned()), Just("oak".to_owned())];
    (
        weighted(0.9, select(&KINDS[..])),
        weighted(0.8, any_text()),
        vec(any_text(), 0..3),
        weighted(0.3, canonical),
        (lengths, any_text(), sketch),
        (any_mark(), weighted(0.3, 0_u32..2)),
    )
        .prop_map(
            |(kind, title, headings, canonical, (text_length, opening, sketch), more)| Digest {
                content_type: kind.map(str::to_owned),
                title,
                headings,
                canonical,
                text_length,
                text_start: opening,
                flags: more.0,
                fingerprint: more.1,
                sketch: Sketch::from_hashes(sketch),
                ..Digest::default()
            },
        )
}

fn any_ending() -> impl Strategy<Value = FetchOutcome> {
    prop_oneof![
        6 => Just(FetchOutcome::Response(200)),
        2 => any::<u16>().prop_map(FetchOutcome::Response),
        2 => Just(FetchOutcome::Response(404)),
        1 => select(vec![
            FetchOutcome::DnsFailed(DnsError::NoSuchName),
            FetchOutcome::TimedOut(Phase::Headers),
            FetchOutcome::RedirectLoop,
            FetchOutcome::TooManyRedirects,
            FetchOutcome::InvalidRedirect(InvalidRedirect::Missing),
        ]),
    ]
}

fn any_probe() -> impl Strategy<Value = Probe> {
    let hop = (any_url(), select(vec![301_u16, 302, 308, 200])).prop_map(|(url, status)| Hop {
        url,
        status,
        location: None,
        ip: None,
    });
    (vec(hop, 0..4), any_ending(), weighted(0.9, any_digest())).prop_map(
        |(hops, ending, digest)| Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops,
            outcome: ending,
            timings: Timings::default(),
            retry_after: None,
            digest: digest.map(Box::new),
        },
    )
}

/// Pages to compare with, of different kinds, in any order; some are the page
/// itself.
fn any_controls() -> impl Strategy<Value = Vec<(ControlKind, String, Option<Probe>, bool)>> {
    subsequence(ControlKind::ALL.to_vec(), 0..=ControlKind::ALL.len()).prop_flat_map(|kinds| {
        let one = |kind| (Just(kind), any_url(), weighted(0.9, any_probe()), any::<bool>());
        kinds.into_iter().map(one).collect::<Vec<_>>()
    })
}

fn any_scene() -> impl Strategy<Value = Scene> {
    let habit = (0_u32..20, 0_u32..2).prop_map(|(refusing, answering)| Soft404Profile {
        hard_404_directories: refusing,
        soft_404_directories: answering,
    });
    (any_url(), any_probe(), any_controls(), habit, weighted(0.4, any_digest()), of(any_url()))
        .prop_map(|(url, probe, controls, habit, digest, landing)| {
            let controls = controls.into_iter().map(|(kind, url, answer, is_same)| {
                let same = is_same.then(|| answer.clone().map(|_| probe.clone())).flatten();
                Control { kind, url, probe: same.or(answer).map(Arc::new) }
            });
            let controls = controls.collect();
            let history =
                History { digest: digest.map(Box::new), final_url: landing, ..History::default() };
            Scene { url, probe, controls, soft404_profile: habit, history }
        })
}

/// A scene whose page has answered.
fn answered() -> impl Strategy<Value = Scene> {
    any_scene().prop_map(|mut scene| {
        scene.probe.outcome = FetchOutcome::Response(200);
        scene
    })
}

fn policies() -> [Policy; 3] {
    [Policy::default(), Policy::sic_transit(), Policy::fable()]
}

fn concluded(scene: &Scene, controls: &[Control]) -> Judgment {
    conclude(&Policy::default(), &scene.case(&[look(&scene.probe)], controls))
}

/// Asks until it is settled, or for ever; returns the kinds asked for.
fn ask_all(scene: &Scene, policy: &Policy) -> (Vec<ControlKind>, Option<Judgment>) {
    let looks = [look(&scene.probe)];
    let mut controls = Vec::new();
    for _ in 0..=MOST_QUESTIONS {
        match judge(policy, &scene.case(&looks, &controls)) {
            Decision::Compare(kind) => controls.push(scene.control(kind)),
            // Another look at the page itself is another property.
            Decision::Fetch { .. } => return (kinds(&controls), Some(concluded(scene, &controls))),
            Decision::Settle(judgment) => return (kinds(&controls), Some(judgment)),
        }
    }
    (kinds(&controls), None)
}

fn kinds(controls: &[Control]) -> Vec<ControlKind> {
    controls.iter().map(|control| control.kind).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn judging_never_panics_and_always_says_why(scene in any_scene()) {
        for policy in policies() {
            let (_, judgment) = ask_all(&scene, &policy);
            let judgment = judgment.expect("asking comes to an end");
            prop_assert!(!judgment.reason.is_empty());
            prop_assert!(judgment.code.is_some() || judgment.verdict.is_reached());
        }
        concluded(&scene, &scene.controls);
    }

    #[test]
    fn siblings_of_anything_are_told_without_panic(url in any_url(), salt in any::<u64>()) {
        for kind in ControlKind::ALL {
            let sibling = control_url(kind, &url, salt);
            prop_assert_eq!(sibling.map(|sibling| sibling.key), control_key(kind, &url));
        }
    }

    #[test]
    fn asking_comes_to_an_end_and_asks_for_each_kind_once(scene in any_scene()) {
        for policy in policies() {
            let (mut asked, judgment) = ask_all(&scene, &policy);
            prop_assert!(judgment.is_some());
            prop_assert!(asked.len() <= MOST_QUESTIONS);
            let count = asked.len();
            asked.sort_unstable();
            asked.dedup();
            prop_assert_eq!(asked.len(), count);
        }
    }

    #[test]
    fn the_order_of_controls_does_not_matter(
        (scene, shuffled) in answered().prop_flat_map(|scene| {
            let controls = Just(scene.controls.clone()).prop_shuffle();
            (Just(scene), controls)
        })
    ) {
        prop_assert_eq!(concluded(&scene, &scene.controls), concluded(&scene, &shuffled));
        let looks = [look(&scene.probe)];
        for policy in policies() {
            let one = judge(&policy, &scene.case(&looks, &scene.controls));
            prop_assert_eq!(one, judge(&policy, &scene.case(&looks, &shuffled)));
        }
    }

    #[test]
    fn a_front_page_is_no_soft_404_whatever_strays_get(
        scene in answered(),
        front in select(vec!["http://site.test/", "http://site.test/index.html", "https://site.test"]),
    ) {
        let scene = Scene { url: front.to_owned(), history: History::default(), ..scene };
        let assessment = concluded(&scene, &scene.controls).assessment;
        prop_assert_ne!(assessment, Assessment::Dead(DeadReason::Soft404));
    }

    #[test]
    fn strays_change_nothing_about_a_front_page(scene in answered()) {
        let scene = Scene { url: "http://site.test/".to_owned(), ..scene };
        let without = concluded(&scene, &[]);
        let with = concluded(&scene, &scene.controls);
        let is_soft = |judgment: &Judgment| judgment.assessment == Assessment::Dead(DeadReason::Soft404);
        prop_assert_eq!(is_soft(&with), is_soft(&without));
    }

    #[test]
    fn more_evidence_kills_nothing_without_saying_what_it_is(
        (scene, fewer) in answered().prop_flat_map(|scene| {
            let fewer = subsequence(scene.controls.clone(), 0..=scene.controls.len());
            (Just(scene), fewer)
        })
    ) {
        let (before, after) = (concluded(&scene, &fewer), concluded(&scene, &scene.controls));
        let was_unclear = matches!(before.assessment, Assessment::Inconclusive(_));
        if was_unclear && matches!(after.assessment, Assessment::Dead(_)) {
            let names_landing =
                scene.probe.hops.last().is_some_and(|hop| after.reason.contains(&hop.url));
            prop_assert!(!after.evidence.is_empty() || names_landing, "{}", after.reason);
        }
    }

    #[test]
    fn whoever_is_convicted_by_comparison_is_told_with_what(scene in answered()) {
        let (alone, compared) = (concluded(&scene, &[]), concluded(&scene, &scene.controls));
        let is_dead = |judgment: &Judgment| matches!(judgment.assessment, Assessment::Dead(_));
        if is_dead(&compared) && !is_dead(&alone) {
            let names_landing =
                scene.probe.hops.last().is_some_and(|hop| compared.reason.contains(&hop.url));
            prop_assert!(!compared.evidence.is_empty() || names_landing, "{}", compared.reason);
        }
    }
}
