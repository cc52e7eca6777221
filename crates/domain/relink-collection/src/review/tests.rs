//! Reviews of small collections.

use relink_page::{DocumentFormat, block_text};

use super::*;

/// Returns a version of a page with this title and text.
fn version(text: &str) -> VersionSummary {
    let html = format!("<title>{text}</title><p>{text}</p>");
    let page = block_text(DocumentFormat::Html, html.as_bytes());
    VersionSummary {
        signature: Some(Signature::new(html.as_bytes(), &page)),
        terms: TermVector::from_member(text, &page, "", TermSettings::default()),
    }
}

/// Returns a member with an accepted version, and a latest version if the page changed.
fn member(reference: &str, latest: Option<&str>) -> ReviewMember {
    ReviewMember {
        availability: Availability::Available,
        reference: Some(version(reference)),
        latest: latest.map(version),
        ..Default::default()
    }
}

const OWLS: [&str; 5] = [
    "Owls hunt mice at night in the dark forest with silent wings",
    "An owl eats a mouse in the forest and hears every sound at night",
    "Mice fear the night owl and its soft wings in the dark forest",
    "The wings of the owl make no sound at night when it hunts mice",
    "Forest owls nest in hollow trees and hunt mice for their young",
];

/// Returns a collection about owls whose last member is `last`.
fn list(last: ReviewMember) -> ReviewedList {
    let mut members: Vec<ReviewMember> = OWLS.iter().map(|text| member(text, None)).collect();
    members.push(last);
    ReviewedList { root: "owls".to_owned(), members, ..Default::default() }
}

/// Asserts the next step for a page about owls that changed to `latest`. Returns its review.
#[track_caller]
fn check(latest: &str, expect: NextStep) -> MemberReview {
    let lists = [list(member("The barn owl hunts mice in the forest at night", Some(latest)))];
    let mut reviews = review(&lists);
    let last = reviews[0].pop().unwrap();
    assert_eq!(last.next_step, expect, "{:?}", last.context);
    last
}

#[test]
fn changed_page_on_the_topic_is_accepted() {
    check(
        "The barn owl catches mice in the dark forest on silent wings at night",
        NextStep::Accept,
    );
}

#[test]
fn page_that_left_the_topic_is_rejected() {
    let review = check(
        "Online casino bonus: play roulette, poker and slots for real money jackpots",
        NextStep::Reject,
    );
    let context = review.context.unwrap();
    assert_eq!((context.flag, context.band), (ContextFlag::OutOfPlace, AngleBand::Away));
    assert!(context.angle_after > context.angle_before + 4.0);
}

#[test]
fn edit_of_a_page_that_never_fitted_is_reviewed() {
    let casino = "Online casino bonus: play roulette and slots for real money jackpots, rule";
    let reviewed = |settings: AngleSettings| {
        let last = member(&format!("{casino} 31"), Some(&format!("{casino} book 32")));
        let lists = [ReviewedList { angle: settings, ..list(last) }];
        review(&lists)[0].pop().unwrap()
    };
    let last = reviewed(AngleSettings::default());
    let context = last.context.unwrap();
    assert_eq!(
        (context.flag, context.flag_before),
        (ContextFlag::OutOfPlace, ContextFlag::OutOfPlace)
    );
    assert_eq!((context.band, last.next_step), (AngleBand::Similar, NextStep::Review));
}

#[test]
fn settings_of_the_angle_belong_to_each_list() {
    let casino = "Online casino bonus: play roulette, poker and slots for real money jackpots";
    let page = || member("The barn owl hunts mice in the forest at night", Some(casino));
    let away = AngleSettings { away: 90.5, ..AngleSettings::default() };
    let lists = [list(page()), ReviewedList { angle: away, ..list(page()) }];
    let bands: Vec<AngleBand> =
        review(&lists).iter().map(|list| list[5].context.unwrap().band).collect();
    assert_eq!(bands, [AngleBand::Away, AngleBand::Similar]);
}

#[test]
fn unchanged_members_need_nothing() {
    let reviews = review(&[list(member(OWLS[0], Some(OWLS[0])))]);
    assert!(reviews[0].iter().all(|review| review.next_step == NextStep::None));
}

#[test]
fn same_change_is_judged_in_each_collection() {
    // The paper's example: an exhibition page fits museums of Texas, but not Monet.
    let texas = [
        "Museum exhibition in Houston Texas with a visiting art exhibit",
        "The Dallas museum opens an exhibit of art from the American West in Texas",
        "Art exhibits in Austin Texas and the museum calendar of Houston",
        "Visit the Fort Worth museum for western art exhibits in Texas",
    ];
    let monet = [
        "Monet and the French impressionist painters of Paris",
        "Impressionist painting by Renoir, Monet and Degas in France",
        "The water lilies of Claude Monet, the French impressionist painter",
        "Impressionist painters of Paris: Monet, Manet, Pissarro and Degas",
    ];
    let page = || {
        member(
            "The Houston museum shows the French impressionist painter Monet",
            Some("The Houston museum in Texas shows an exhibit of art of the American West"),
        )
    };
    let list = |root: &str, texts: &[&str]| {
        let mut members: Vec<ReviewMember> = texts.iter().map(|text| member(text, None)).collect();
        members.push(page());
        ReviewedList { root: root.to_owned(), members, ..Default::default() }
    };
    let reviews = review(&[list("texas", &texas), list("monet", &monet)]);
    let steps: Vec<NextStep> = reviews.iter().map(|list| list[4].next_step).collect();
    assert_eq!(steps, [NextStep::Accept, NextStep::Reject]);
}

#[test]
fn availability_and_state_come_before_the_change() {
    let cases = [
        (MemberState::Active, Availability::Permanent, NextStep::Replace),
        (MemberState::Active, Availability::Temporary, NextStep::Wait),
        (MemberState::Gap, Availability::Available, NextStep::Fill),
        (MemberState::Rejected, Availability::Available, NextStep::Replace),
        (MemberState::Closed, Availability::Permanent, NextStep::None),
    ];
    for (state, availability, expect) in cases {
        let last = ReviewMember { state, availability, ..member(OWLS[0], None) };
        let reviews = review(&[list(last)]);
        assert_eq!(reviews[0][5].next_step, expect);
    }
    let unchecked = [ReviewedList { members: vec![ReviewMember::default()], ..Default::default() }];
    assert_eq!(review(&unchecked)[0][0].next_step, NextStep::Run);
}

#[test]
fn description_and_neighbors_are_contexts() {
    for context in [ContextKind::Description, ContextKind::Neighbors, ContextKind::All] {
        let last = member(OWLS[4], Some("Online casino bonus with roulette and poker jackpots"));
        let description = OWLS.join(". ");
        let described = ReviewedList { context, description, ..list(last) };
        let reviews = review(&[described]);
        let flag = reviews[0][5].context.unwrap().flag;
        assert_ne!(flag, ContextFlag::Fits, "{context:?}");
    }
}
