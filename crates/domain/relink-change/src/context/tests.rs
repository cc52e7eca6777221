//! Tests that pages of a topic are nearer to its collection than other pages.

use super::*;

fn collection_of(texts: &[&str]) -> Collection {
    Collection { members: texts.iter().map(|text| TermVector::from_text(text)).collect() }
}

fn fit_in(texts: &[&str], page: &str) -> Option<Fit> {
    let Collection { members } = collection_of(texts);
    let mut pages = CorpusBuilder::default();
    for member in &members {
        pages.add(member);
    }
    let corpus = pages.finish(Background::builtin());
    Context::new(&Collection { members }, &corpus).fit(&TermVector::from_text(page))
}

const OWLS: [&str; 4] = [
    "Owls hunt mice at night in the forest",
    "An owl eats a mouse in the forest",
    "Mice fear the night owl and its wings",
    "The wings of the owl make no sound at night",
];

#[test]
fn fit_is_nearer_for_pages_of_the_topic() {
    let near = fit_in(&OWLS, "Forest owls catch a mouse at night").unwrap();
    let far = fit_in(&OWLS, "Compile the kernel with this option").unwrap();
    assert!(near.distance < far.distance && near.deviation < far.deviation);
    assert!(far.deviation > 2.0);
}

#[test]
fn fit_of_a_page_or_collection_without_terms_is_none() {
    assert_eq!(fit_in(&OWLS, "123 !"), None);
    assert_eq!(fit_in(&[], "owl"), None);
    assert_eq!(fit_in(&["1"], "owl"), None);
}

#[test]
fn fit_of_a_member_ignores_the_member_itself() {
    let corpus = CorpusBuilder::default().finish(Background::builtin());
    let mut texts = OWLS.to_vec();
    texts.push("Compile the kernel with this option");
    let context = Context::new(&collection_of(&texts), &corpus);
    let fit = |at: usize| context.fit_of_member(at).unwrap();
    assert!(fit(0).distance < fit(4).distance && fit(0).deviation < fit(4).deviation);
    assert_eq!(context.fit_of_member(5), None);
    let single = Context::new(&collection_of(&["owl"]), &corpus);
    assert_eq!(single.fit_of_member(0), None);
}

#[test]
fn fit_with_few_members_has_no_deviation() {
    let fit = fit_in(&OWLS[..2], "Forest owls catch a mouse").unwrap();
    assert!(fit.deviation.abs() < 1e-9);
}

#[test]
fn cohesion_is_smaller_for_members_of_several_topics() {
    let corpus = CorpusBuilder::default().finish(Background::builtin());
    let cohesion = |texts: &[&str]| Context::new(&collection_of(texts), &corpus).cohesion();
    let mixed = [OWLS[0], OWLS[1], "Compile the kernel with this option", "Bake the bread"];
    assert!(cohesion(&OWLS).unwrap() > cohesion(&mixed).unwrap());
    assert_eq!(cohesion(&OWLS[..1]), None);
}

#[test]
fn ratio_of_the_rival_is_positive_if_it_is_nearer() {
    let corpus = CorpusBuilder::default().finish(Background::builtin());
    let trains = ["The train leaves in an hour", "A train of the station", "The station of trains"];
    let (owls, trains) = (collection_of(&OWLS), collection_of(&trains));
    let (owls, trains) = (Context::new(&owls, &corpus), Context::new(&trains, &corpus));
    let rival = |text: &str, others: &[&Context<'_>]| {
        let page = TermVector::from_text(text);
        owls.fit_with_others(&page, others.iter().copied()).unwrap().rival
    };
    assert!(rival("The station and the train", &[&trains]).unwrap().ratio > 0.0);
    assert!(rival("The owl of the forest", &[&trains]).unwrap().ratio < 0.0);
    assert_eq!(rival("The owl of the forest", &[]), None);
    // A copy of the page in the other collection is ignored.
    let copy = collection_of(&["The owl of the forest"]);
    let copy = Context::new(&copy, &corpus);
    let rival = rival("The owl of the forest", &[&trains, &copy]).unwrap();
    assert!(rival.ratio < 0.0 && rival.others == 2, "{rival:?}");
}

#[test]
fn page_is_nearer_to_the_collection_of_its_topic() {
    let texas = [
        "Museum exhibition in Houston, Texas, with a visiting art exhibit",
        "The Dallas museum opens an exhibit of art from the American West",
        "Art exhibits in Austin, Texas: the museum calendar",
    ];
    let monet = [
        "Monet and the French impressionist painters of Paris",
        "Impressionist painting: Renoir, Monet, Degas",
        "The water lilies of Claude Monet, a French painter",
    ];
    let page = "The Houston museum shows an exhibit of art of the American West in Texas";
    let (in_texas, in_monet) = (fit_in(&texas, page).unwrap(), fit_in(&monet, page).unwrap());
    assert!(in_texas.distance < in_monet.distance);
}
