//! Properties that hold for any attempts.

use proptest::prelude::*;

use super::*;

fn any_outcome() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(OUTCOMES.split_whitespace().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn repeated_outcome_reaches_a_conclusion(text in any_outcome(), retries in 0_u32..5) {
        let policy = Policy { retries, ..Policy::default() };
        let history = History::default();
        let mut seen = Vec::new();
        let attempt_count = (0..100).find(|_| {
            let attempts = parse_attempts(&seen.join(" "), day(0));
            seen.push(text);
            matches!(judge_attempts(&policy, &attempts, "", &history, day(0)), Decision::Conclude(_))
        });
        prop_assert!(attempt_count.is_some_and(|count| count <= retries as usize + 2));
    }

    #[test]
    fn any_outcomes_reach_a_conclusion(texts in proptest::collection::vec(any_outcome(), 4)) {
        let concludes = (1..=4).any(|count| {
            let next = judge_outcomes(&texts[..count].join(" "), "", &History::default(), day(0));
            matches!(next, Decision::Conclude(_))
        });
        prop_assert!(concludes);
    }

    #[test]
    fn order_of_attempts_affects_only_next_purpose(
        (texts, shuffled) in proptest::collection::vec(any_outcome(), 1..5).prop_flat_map(|texts| {
            let attempts = parse_attempts(&texts.join(" "), day(0));
            (Just(attempts.clone()), Just(attempts).prop_shuffle())
        })
    ) {
        let history = History::default();
        let next = |attempts: &[Attempt]| judge_attempts(&Policy::default(), attempts, "", &history, day(0));
        match (next(&texts), next(&shuffled)) {
            (Decision::Conclude(one), Decision::Conclude(other)) => prop_assert_eq!(one, other),
            (one, other) => {
                let fetches = |next: Decision| matches!(next, Decision::Fetch { .. });
                prop_assert!(fetches(one) && fetches(other));
            }
        }
    }

    #[test]
    fn success_in_any_attempt_is_never_dead(
        before in proptest::collection::vec(any_outcome(), 0..4),
        after in proptest::collection::vec(any_outcome(), 0..4),
        runs in 0_u32..9,
    ) {
        let history = History { streak: Some(streak(runs, -30, -1)), ..History::default() };
        let outcomes = format!("{} 200 {}", before.join(" "), after.join(" "));
        let judgment = conclude_outcomes(&outcomes, &history, day(0));
        prop_assert!(judgment.verdict.is_reached());
        prop_assert_eq!(judgment.streak, None);
    }

    #[test]
    fn reason_is_one_line_without_period(texts in proptest::collection::vec(any_outcome(), 4)) {
        for count in 1..=4 {
            let next = judge_outcomes(&texts[..count].join(" "), "", &History::default(), day(0));
            if let Decision::Conclude(judgment) = next {
                prop_assert!(!judgment.reason.is_empty());
                prop_assert!(!judgment.reason.ends_with('.'));
                prop_assert!(!judgment.reason.contains('\n'));
            }
        }
    }
}
