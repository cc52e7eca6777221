//! Tests of the text, the JSON and the chart of decay scores.

use super::*;
use crate::human::TextStyle;

/// The scores of a live page with all parts.
fn sample_page() -> PageDecay {
    let site = "http://portal.test";
    PageDecay {
        url: format!("{site}/"),
        verdict: Some(Verdict::Alive),
        decay: 0.43,
        interval: IntervalRow { low: 0.41, high: 0.46 },
        bounds: IntervalRow { low: 0.3, high: 0.7 },
        walks: 300,
        sigma: 0.1,
        definition: "plain".to_owned(),
        own_links: Some(OwnLinksRow {
            links: 10,
            checked: 10,
            dead: 2.0,
            dead_share: 0.2,
            mean_neighbor_decay: 0.347,
            own_part: 0.18,
            neighbor_part: 0.25,
        }),
        dead_ends: vec![DeadEndRow { url: format!("{site}/gone"), share: 0.26 }],
        repairs: vec![RepairRow {
            from: format!("{site}/links"),
            to: format!("{site}/gone"),
            gain: 0.24,
            removed: None,
        }],
        recommended_repairs: 1,
        decay_after_repairs: 0.19,
        worse_than: Some(0.82),
        cost: Some(RequestCostRow {
            pages: 38,
            requests: 61,
            reused: 2,
            blocked: 1,
            blocked_share: 0.02,
        }),
        dead_pages_met: Some(DeadPagesMetRow { dead: 11, soft_404: 3, soft_404_share: 0.27 }),
        abandonment: Some(AbandonmentRow {
            score: 0.5,
            signs: vec!["copyright year 2011".to_owned()],
        }),
        end: "enough".to_owned(),
    }
}

fn score_row(url: &str, decay: f64, max: f64) -> PageScoreRow {
    PageScoreRow { url: url.to_owned(), decay, max_decay: max, dead_links: 0.25 }
}

/// The scores of a crawled site.
fn sample_web() -> WebDecay {
    WebDecay {
        source: "crawl 3".to_owned(),
        definition: "plain".to_owned(),
        links: 1_204,
        failing: 7,
        dead_links: 40,
        soft_404_links: Some(12),
        unread_pages: 12,
        missing_links: 3,
        unlinked_dead_pages: 0,
        scores: vec![SigmaDecay {
            sigma: 0.1,
            pages: 30,
            by_decay: [3, 5, 10, 6, 3, 2, 1, 0, 0, 0],
            by_dead_links: [20, 6, 2, 1, 1, 0, 0, 0, 0, 0],
            mean_decay: 0.31,
            mean_dead_links: 0.08,
            pages_with_links: 25,
            mean_decay_with_links: 0.372,
            mean_dead_links_with_links: 0.096,
            clean: 18,
            clean_but_decayed: 2,
            top: vec![score_row("http://portal.test/links", 0.62, 0.7)],
            bottom: vec![score_row("http://portal.test/about", 0.0, 0.0)],
        }],
    }
}

#[test]
fn page_text_has_all_parts() {
    insta::assert_snapshot!(page(TextStyle::Plain, &sample_page()));
}

#[test]
fn page_text_states_unchecked_links_and_limit() {
    let own = sample_page().own_links.map(|own| OwnLinksRow { checked: 6, ..own });
    let incomplete = PageDecay {
        own_links: own,
        worse_than: None,
        end: "out-of-pages".to_owned(),
        ..sample_page()
    };
    insta::assert_snapshot!(page(TextStyle::Plain, &incomplete));
}

#[test]
fn graph_text_has_a_chart() {
    insta::assert_snapshot!(web(TextStyle::Plain, &sample_web()));
}

#[test]
fn report_is_one_json_document() {
    let report = DecayReport::new("0.0.0", Some(sample_page()), Some(sample_web()));
    insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
}

#[test]
fn svg_has_a_title_for_every_bar() {
    let image = svg(&sample_web());
    assert_eq!(image.matches("<rect ").count(), 20);
    assert!(image.contains("<title>decay 0.2–0.3: 10 pages</title>"));
}
