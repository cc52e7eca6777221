//! What holds for every URL and every text: controls, neighbors and judgments.

use jiff::Timestamp;
use proptest::prelude::*;
use relink_judge::{
    Case, Habit, Policy, conclude, judge, kinship, neighborhood, sibling, sibling_key,
};
use relink_model::{ControlKind, Ending, History, Hop, Look, Probe, Purpose, Timings};
use relink_testkit::any_url::any_text;

fn probe(urls: &[&str]) -> Probe {
    let hop = |url: &&str| Hop {
        url: (*url).to_owned(),
        status: if Some(url) == urls.last() { 200 } else { 301 },
        location: None,
        address: None,
    };
    Probe {
        asked: Timestamp::UNIX_EPOCH,
        hops: urls.iter().map(hop).collect(),
        ending: Ending::Answered(200),
        timings: Timings::default(),
        retry_after: None,
        digest: Some(Box::default()),
    }
}

proptest! {
    #[test]
    fn sibling_any_text_has_one_key(url in any_text(), salt in any::<u64>()) {
        for kind in ControlKind::ALL {
            let sibling = sibling(kind, &url, salt);
            prop_assert_eq!(sibling.map(|sibling| sibling.key), sibling_key(kind, &url));
        }
        if let Some(directory) = neighborhood(&url) {
            prop_assert!(url.starts_with(directory));
        }
    }

    #[test]
    fn judge_any_urls_reach_a_conclusion(one in any_text(), other in any_text()) {
        let (page, neighbor) = (probe(&[&one, &other]), probe(&[&other]));
        kinship((&one, &page), (&other, &neighbor));
        let ending = Ending::Answered(200);
        let asked = Timestamp::UNIX_EPOCH;
        let looks = [Look { asked, purpose: Purpose::First, ending, took_ms: 1 }];
        let case = Case {
            url: &one,
            looks: &looks,
            probe: &page,
            heard: None,
            controls: &[],
            habit: Habit::default(),
            history: &History::default(),
            now: asked,
        };
        for name in ["relink", "sic-transit", "fable"] {
            let policy = Policy::named(name).unwrap_or_default();
            judge(&policy, &case);
            conclude(&policy, &case);
        }
    }
}
