//! What holds for any looks whatever.

use proptest::prelude::*;

use super::*;

fn any_ending() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(ENDINGS.split_whitespace().collect::<Vec<_>>())
}

proptest! {
    #[test]
    fn the_same_ending_over_and_over_comes_to_an_end(text in any_ending(), retries in 0_u32..5) {
        let policy = Policy { retries, ..Policy::default() };
        let history = History::default();
        let mut seen = Vec::new();
        let asks = (0..100).find(|_| {
            let looks = looks(&seen.join(" "), day(0));
            seen.push(text);
            matches!(judged_by(&policy, &looks, "", &history, day(0)), Decision::Settle(_))
        });
        prop_assert!(asks.is_some_and(|asks| asks <= retries as usize + 2));
    }

    #[test]
    fn any_endings_come_to_an_end(texts in proptest::collection::vec(any_ending(), 4)) {
        let settles = (1..=4).any(|count| {
            let next = judged(&texts[..count].join(" "), "", &History::default(), day(0));
            matches!(next, Decision::Settle(_))
        });
        prop_assert!(settles);
    }

    #[test]
    fn the_order_of_looks_decides_only_why_the_next_is_taken(
        (texts, shuffled) in proptest::collection::vec(any_ending(), 1..5).prop_flat_map(|texts| {
            let looks = looks(&texts.join(" "), day(0));
            (Just(looks.clone()), Just(looks).prop_shuffle())
        })
    ) {
        let history = History::default();
        let next = |looks: &[Attempt]| judged_by(&Policy::default(), looks, "", &history, day(0));
        match (next(&texts), next(&shuffled)) {
            (Decision::Settle(one), Decision::Settle(other)) => prop_assert_eq!(one, other),
            (one, other) => {
                let asks = |next: Decision| matches!(next, Decision::Fetch { .. });
                prop_assert!(asks(one) && asks(other));
            }
        }
    }

    #[test]
    fn a_success_in_any_look_is_never_dead(
        before in proptest::collection::vec(any_ending(), 0..4),
        after in proptest::collection::vec(any_ending(), 0..4),
        runs in 0_u32..9,
    ) {
        let history = History { streak: Some(streak(runs, -30, -1)), ..History::default() };
        let endings = format!("{} 200 {}", before.join(" "), after.join(" "));
        let judgment = settled(&endings, &history, day(0));
        prop_assert!(judgment.verdict.is_reached());
        prop_assert_eq!(judgment.streak, None);
    }

    #[test]
    fn a_reason_is_one_line_without_a_full_stop(texts in proptest::collection::vec(any_ending(), 4)) {
        for count in 1..=4 {
            let next = judged(&texts[..count].join(" "), "", &History::default(), day(0));
            if let Decision::Settle(judgment) = next {
                prop_assert!(!judgment.reason.is_empty());
                prop_assert!(!judgment.reason.ends_with('.'));
                prop_assert!(!judgment.reason.contains('\n'));
            }
        }
    }
}
