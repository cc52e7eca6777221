//! Properties that hold for any page, earlier run and controls.

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

use crate::notation::{Scene, attempt};
use crate::{Decision, Judgment, Policy, conclude, control_key, control_url, judge};

/// Maximum number of controls for one page.
const MAX_CONTROLS: usize = 10;

/// URLs of pages, and texts that are not URLs.
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
    "not a url",
    "http://site.test//a//oak///?&&==;#",
];

/// Texts of titles, headings and pages.
const TEXTS: [&str; 14] = [
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

/// Media types as servers send them.
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
        6 => select(&TEXTS[..]).prop_map(str::to_owned),
        2 => "\\PC{0,60}",
        1 => (select(&TEXTS[..]), 1_usize..300).prop_map(|(text, times)| text.repeat(times)),
        1 => Just("\0\u{feff}\u{202e} \u{301}\u{200d}".to_owned()),
    ]
}

fn any_flags() -> impl Strategy<Value = Vec<PageFlag>> {
    let all = vec![
        PageFlag::PasswordField,
        PageFlag::NoIndex,
        PageFlag::AppShell,
        PageFlag::BotChallenge,
        PageFlag::Parking,
        PageFlag::Consent,
        PageFlag::FilledSearchField,
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
        (any_flags(), weighted(0.3, 0_u32..2)),
    )
        .prop_map(
            |(kind, title, headings, canonical, (text_length, text_start, sketch), more)| Digest {
                content_type: kind.map(str::to_owned),
                title,
                headings,
                canonical,
                text_length,
                text_start,
                flags: more.0,
                fingerprint: more.1,
                sketch: Sketch::from_hashes(sketch),
                ..Digest::default()
            },
        )
}

fn any_outcome() -> impl Strategy<Value = FetchOutcome> {
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
    (vec(hop, 0..4), any_outcome(), weighted(0.9, any_digest())).prop_map(
        |(hops, outcome, digest)| Probe {
            requested_at: Timestamp::UNIX_EPOCH,
            hops,
            outcome,
            timings: Timings::default(),
            retry_after: None,
            version: None,
            digest: digest.map(Box::new),
        },
    )
}

/// Controls of different kinds in any order; some are equal to the page.
fn any_controls() -> impl Strategy<Value = Vec<(ControlKind, String, Option<Probe>, bool)>> {
    subsequence(ControlKind::ALL.to_vec(), 0..=ControlKind::ALL.len()).prop_flat_map(|kinds| {
        let one = |kind| (Just(kind), any_url(), weighted(0.9, any_probe()), any::<bool>());
        kinds.into_iter().map(one).collect::<Vec<_>>()
    })
}

fn any_scene() -> impl Strategy<Value = Scene> {
    (any_url(), any_probe(), any_controls(), weighted(0.4, any_digest()), of(any_url())).prop_map(
        |(url, probe, controls, digest, final_url)| {
            let controls = controls.into_iter().map(|(kind, url, other, is_same)| {
                let same = is_same.then(|| other.clone().map(|_| probe.clone())).flatten();
                Control { kind, url, probe: same.or(other).map(Arc::new) }
            });
            let controls = controls.collect();
            let history = History { digest: digest.map(Box::new), final_url, ..History::default() };
            Scene { url, probe, controls, history }
        },
    )
}

/// A scene whose page responded with status 200.
fn successful_scene() -> impl Strategy<Value = Scene> {
    any_scene().prop_map(|mut scene| {
        scene.probe.outcome = FetchOutcome::Response(200);
        scene
    })
}

fn policies() -> [Policy; 3] {
    [Policy::default(), Policy::sic_transit(), Policy::fable()]
}

fn conclude_scene(scene: &Scene, controls: &[Control]) -> Judgment {
    conclude(&Policy::default(), &scene.input(&[attempt(&scene.probe)], controls))
}

/// Judges with all requested controls. Returns their kinds, and `None` as the
/// judgment if there is no conclusion.
fn judge_with_controls(scene: &Scene, policy: &Policy) -> (Vec<ControlKind>, Option<Judgment>) {
    let attempts = [attempt(&scene.probe)];
    let mut controls = Vec::new();
    for _ in 0..=MAX_CONTROLS {
        match judge(policy, &scene.input(&attempts, &controls)) {
            Decision::Compare(kind) => controls.push(scene.control(kind)),
            // Further attempts are the subject of another property.
            Decision::Fetch { .. } => {
                return (kinds(&controls), Some(conclude_scene(scene, &controls)));
            }
            Decision::Conclude(judgment) => return (kinds(&controls), Some(judgment)),
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
    fn judge_never_panics_and_gives_a_reason(scene in any_scene()) {
        for policy in policies() {
            let (_, judgment) = judge_with_controls(&scene, &policy);
            let judgment = judgment.expect("judge reaches a conclusion");
            prop_assert!(!judgment.reason.is_empty());
            prop_assert!(judgment.code.is_some() || judgment.verdict.is_reached());
        }
        conclude_scene(&scene, &scene.controls);
    }

    #[test]
    fn control_url_and_key_of_any_text_agree(url in any_url(), salt in any::<u64>()) {
        for kind in ControlKind::ALL {
            let control = control_url(kind, &url, salt);
            prop_assert_eq!(control.map(|control| control.key), control_key(kind, &url));
        }
    }

    #[test]
    fn judge_concludes_and_requests_each_control_once(scene in any_scene()) {
        for policy in policies() {
            let (mut requested, judgment) = judge_with_controls(&scene, &policy);
            prop_assert!(judgment.is_some());
            prop_assert!(requested.len() <= MAX_CONTROLS);
            let count = requested.len();
            requested.sort_unstable();
            requested.dedup();
            prop_assert_eq!(requested.len(), count);
        }
    }

    #[test]
    fn order_of_controls_does_not_matter(
        (scene, shuffled) in successful_scene().prop_flat_map(|scene| {
            let controls = Just(scene.controls.clone()).prop_shuffle();
            (Just(scene), controls)
        })
    ) {
        prop_assert_eq!(conclude_scene(&scene, &scene.controls), conclude_scene(&scene, &shuffled));
        let attempts = [attempt(&scene.probe)];
        for policy in policies() {
            let one = judge(&policy, &scene.input(&attempts, &scene.controls));
            prop_assert_eq!(one, judge(&policy, &scene.input(&attempts, &shuffled)));
        }
    }

    #[test]
    fn home_page_is_never_soft_404(
        scene in successful_scene(),
        url in select(vec!["http://site.test/", "http://site.test/index.html", "https://site.test"]),
    ) {
        let scene = Scene { url: url.to_owned(), history: History::default(), ..scene };
        let assessment = conclude_scene(&scene, &scene.controls).assessment;
        prop_assert_ne!(assessment, Assessment::Dead(DeadReason::Soft404));
    }

    #[test]
    fn controls_do_not_affect_home_page(scene in successful_scene()) {
        let scene = Scene { url: "http://site.test/".to_owned(), ..scene };
        let without = conclude_scene(&scene, &[]);
        let with = conclude_scene(&scene, &scene.controls);
        let is_soft = |judgment: &Judgment| judgment.assessment == Assessment::Dead(DeadReason::Soft404);
        prop_assert_eq!(is_soft(&with), is_soft(&without));
    }

    #[test]
    fn dead_verdict_from_more_controls_has_evidence(
        (scene, fewer) in successful_scene().prop_flat_map(|scene| {
            let fewer = subsequence(scene.controls.clone(), 0..=scene.controls.len());
            (Just(scene), fewer)
        })
    ) {
        let (before, after) = (conclude_scene(&scene, &fewer), conclude_scene(&scene, &scene.controls));
        let was_inconclusive = matches!(before.assessment, Assessment::Inconclusive(_));
        if was_inconclusive && matches!(after.assessment, Assessment::Dead(_)) {
            let names_final_url =
                scene.probe.hops.last().is_some_and(|hop| after.reason.contains(&hop.url));
            prop_assert!(!after.evidence.is_empty() || names_final_url, "{}", after.reason);
        }
    }

    #[test]
    fn dead_verdict_from_comparison_has_evidence(scene in successful_scene()) {
        let (alone, compared) = (conclude_scene(&scene, &[]), conclude_scene(&scene, &scene.controls));
        let is_dead = |judgment: &Judgment| matches!(judgment.assessment, Assessment::Dead(_));
        if is_dead(&compared) && !is_dead(&alone) {
            let names_final_url =
                scene.probe.hops.last().is_some_and(|hop| compared.reason.contains(&hop.url));
            prop_assert!(!compared.evidence.is_empty() || names_final_url, "{}", compared.reason);
        }
    }
}
