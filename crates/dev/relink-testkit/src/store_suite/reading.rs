//! Reading: results come back as they were stored, and the run in numbers.

use std::collections::BTreeMap;

use jiff::Timestamp;
use relink_model::{Ending, ErrandId, Phase, Purpose, Word};
use relink_ports::{
    HostPace, HostTally, NewLink, PlaceIn, RunPlan, RunProgress, Settled, SettledQuery, Settlement,
    Step, Store, StoreFault, Tally,
};

use super::Outcome;
use super::scene::{
    LEASE, MANY, Scene, at, local, look, named, place, plan, probe, result, settled_as, settlement,
};

const ONE: &str = "http://one.test/";
const TWO: &str = "http://two.test/";
const THREE: &str = "http://three.test/";

/// All of them once, those of other runs and those still pending left out.
pub async fn settled_targets_come_page_by_page_in_order(store: &dyn Store) -> Outcome {
    let urls: Vec<String> = (0..7).map(|n| format!("{ONE}{n}")).collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    let before = Scene::with_pages(store, at(0), &urls[..2]).await?;
    before.settle_all(Word::Alive, at(1)).await?;
    before.finish(at(2)).await?;
    let scene = Scene::with_pages(store, at(3), &urls).await?;
    scene.settle_all(Word::Dead, at(4)).await?;
    scene.load("more.md", 2, &[named(1, "http://one.test/pending")]).await?;

    let (mut after, mut pages) = (ErrandId(0), Vec::new());
    for expect in [3, 3, 1, 0] {
        let page =
            store.settled(scene.run, SettledQuery { after, limit: 3, ..SettledQuery::ALL }).await?;
        assert_eq!(page.len(), expect);
        after = page.last().map_or(after, |settled| settled.errand);
        pages.extend(page);
    }
    assert_eq!(pages, scene.settled().await?);
    let read: Vec<&str> = pages.iter().map(|settled| settled.url.as_str()).collect();
    assert_eq!(read, urls);
    Ok(())
}

/// With pages that are full as long as there are more.
pub async fn settled_targets_can_be_picked_by_word(store: &dyn Store) -> Outcome {
    let words = [Word::Alive, Word::Dead, Word::Alive, Word::Soft404, Word::Dead];
    let scene = Scene::open(store, at(0)).await?;
    let link = |(n, word): (u32, &Word)| local(n, &format!("file:{n}"), *word);
    let links: Vec<NewLink> = (1..).zip(&words).map(link).collect();
    scene.load("a.md", 1, &links).await?;

    let pick = async |after: i64, limit, words: &[Word]| -> Result<Vec<Word>, StoreFault> {
        let query =
            SettledQuery { after: ErrandId(after), limit, words: Some(words), ..SettledQuery::ALL };
        let picked = store.settled(scene.run, query);
        Ok(picked.await?.iter().map(word_of).collect())
    };
    let broken = [Word::Soft404, Word::Dead];
    let expect = [Word::Dead, Word::Soft404, Word::Dead];
    assert_eq!(pick(0, MANY, &broken).await?, expect);
    assert_eq!(pick(0, 2, &broken).await?, expect[..2]);
    assert_eq!(pick(0, MANY, &[Word::Moved]).await?, []);
    assert_eq!(pick(0, MANY, &[]).await?, []);
    let all = scene.settled().await?;
    assert_eq!(all.iter().map(word_of).collect::<Vec<_>>(), words);
    let second = all[1].errand.0;
    assert_eq!(pick(second, MANY, &broken).await?, expect[1..]);
    Ok(())
}

fn word_of(settled: &Settled) -> Word {
    settled.settlement.word
}

/// Looks, hops, places and all.
pub async fn a_settled_target_is_read_back_as_it_was_stored(store: &dyn Store) -> Outcome {
    let scene = Scene::open(store, at(0)).await?;
    let given = "HTTP://ONE.test/?q='quoted'&ü=\u{1f4da}";
    let first = NewLink { given: given.to_owned(), ..named(4, ONE) };
    scene.load("ä/b.md", 1, &[first, named(9, ONE)]).await?;
    let claim = scene.claim_one(at(1)).await?;
    let errand = &claim.errands[0];

    let (first, second) = (probe(503, at(1)), probe(404, at(2)));
    let mut early = look(&first, Purpose::First);
    early.ending = Ending::TimedOut(Phase::Head);
    let settlement = Settlement {
        looks: vec![early.clone(), look(&second, Purpose::SecondLook)],
        since: at(-500),
        ..settlement(Word::Dead, &second, at(2))
    };
    let again = Step::Again { purpose: Purpose::SecondLook, not_before: at(2), looks: vec![early] };
    let settle = Step::Settle(settlement.clone());
    for (probe, step) in [(first, again), (second.clone(), settle)] {
        scene.complete(&[result(Some(claim.lease), errand, Some(probe), step)]).await?;
    }
    let places = [4, 9].map(|line| PlaceIn { path: "ä/b.md".to_owned(), place: place(line) });
    let expect = Settled {
        errand: errand.id,
        given: given.to_owned(),
        url: ONE.to_owned(),
        settlement,
        is_cached: false,
        probe: Some(second),
        places: places.to_vec(),
        inlinks: 2,
        depth: None,
    };
    assert_eq!(scene.settled().await?, [expect]);
    Ok(())
}

/// The store need not keep it twice.
pub async fn a_single_look_is_read_back_from_its_probe(store: &dyn Store) -> Outcome {
    let scene = Scene::with_pages(store, at(0), &[ONE]).await?;
    scene.settle_all(Word::Alive, at(5)).await?;
    let seen = probe(200, at(5));
    let expect = settlement(Word::Alive, &seen, at(5));
    assert_eq!(expect.looks, [look(&seen, Purpose::First)]);
    assert_eq!(scene.settled_one().await?.settlement, expect);
    Ok(())
}

/// Although an earlier run has asked it.
pub async fn a_target_settled_unasked_has_no_looks(store: &dyn Store) -> Outcome {
    let before = Scene::with_pages(store, at(0), &[ONE]).await?;
    before.settle_all(Word::Alive, at(1)).await?;
    before.finish(at(2)).await?;

    let scene = Scene::with_pages(store, at(3), &[ONE]).await?;
    let claim = scene.claim_one(at(4)).await?;
    let settlement = Settlement {
        status: None,
        looks: Vec::new(),
        ..settlement(Word::Blocked, &probe(429, at(4)), at(4))
    };
    let settle = Step::Settle(settlement.clone());
    scene.complete(&[result(Some(claim.lease), &claim.errands[0], None, settle)]).await?;
    let settled = scene.settled_one().await?;
    assert_eq!((settled.settlement, settled.probe), (settlement, None));
    Ok(())
}

/// Not in the order of their numbers.
pub async fn places_come_in_the_order_of_the_errands(store: &dyn Store) -> Outcome {
    let scene = Scene::open(store, at(0)).await?;
    let links = [named(1, ONE), named(2, TWO), named(3, ONE)];
    scene.load("a.md", 1, &links).await?;
    scene.settle_all(Word::Alive, at(1)).await?;
    let settled = scene.settled().await?;
    let (one, two) = (&settled[0], &settled[1]);
    let errands = [two.errand, ErrandId(i64::MAX), one.errand];
    let mentions = store.mentions(&errands, MANY).await?;
    let places: Vec<_> = mentions.iter().map(|mentions| mentions.places.clone()).collect();
    assert_eq!(places, [two.places.clone(), Vec::new(), one.places.clone()]);
    assert_eq!(places[0][0].place, place(2));
    assert_eq!(store.mentions(&[], MANY).await?, []);

    let first = &store.mentions(&errands, 1).await?[2];
    assert_eq!((&first.places[..], first.count), (&one.places[..1], 2));
    Ok(())
}

/// Not at the places that say so; and not at all, if every one does.
pub async fn a_finding_that_documents_leave_alone_is_not_told(store: &dyn Store) -> Outcome {
    let scene = Scene::open(store, at(0)).await?;
    let hiding = |line, url, code: &str| {
        let hidden = vec!["RL601".to_owned(), code.to_owned()];
        NewLink { hidden, ..named(line, url) }
    };
    let links = [
        hiding(1, ONE, "RL101"),
        hiding(2, TWO, "RL101"),
        named(3, TWO),
        hiding(4, THREE, "RL999"),
    ];
    scene.load("b.md", 2, &links).await?;
    scene.settle_all(Word::Dead, at(1)).await?;
    let settled = scene.settled().await?;
    let told: Vec<(&str, u64, u32)> =
        settled.iter().map(|one| (&*one.url, one.inlinks, one.places[0].place.line)).collect();
    assert_eq!(told, [(TWO, 1, 3), (THREE, 1, 4)]);
    let tally = store.tally(scene.run).await?;
    assert_eq!((tally.links, tally.hidden), (2, 2));
    assert_eq!((tally.targets, tally.words[&Word::Dead]), (2, 2));
    Ok(())
}

/// Each thing once, and nothing of other runs.
pub async fn the_tally_counts_the_run(store: &dyn Store) -> Outcome {
    let other = RunPlan { scope: "other".to_owned(), ..plan() };
    let other = Scene::of(store, &other, at(0)).await?;
    other.load_pages(&[TWO, "http://three.test/"]).await?;
    other.settle_all(Word::Alive, at(1)).await?;

    let mut scene = Scene::open(store, at(10)).await?;
    scene.fresh_since = at(0);
    let links = [named(1, ONE), named(2, TWO), named(3, ONE), local(4, "file:a", Word::Local)];
    scene.load("a.md", 1, &links).await?;
    scene.load("b.md", 2, &[named(1, "http://one.test/b")]).await?;
    let waiting = Tally {
        links: 5,
        documents: 2,
        hosts: 0,
        targets: 4,
        settled: 2,
        cached: 1,
        words: BTreeMap::from([(Word::Alive, 1), (Word::Local, 1)]),
        hidden: 0,
    };
    assert_eq!(store.tally(scene.run).await?, waiting);
    let progress = RunProgress { targets: 4, settled: 2 };
    assert_eq!(store.progress(scene.run).await?, progress);

    ask(&scene, at(11)).await?;
    let done = Tally {
        hosts: 1,
        settled: 4,
        words: BTreeMap::from([(Word::Alive, 1), (Word::Local, 1), (Word::Dead, 2)]),
        ..waiting
    };
    assert_eq!(store.tally(scene.run).await?, done);
    assert_eq!(store.progress(scene.run).await?, RunProgress { settled: 4, ..progress });
    let sources = Tally { links: 5, documents: 2, hosts: 1, ..Tally::default() };
    assert_eq!(store.sources(scene.run).await?, sources);
    Ok(())
}

/// Settles what is due as dead, saying that each host was asked twice.
async fn ask(scene: &Scene<'_>, now: Timestamp) -> Outcome {
    let tally = HostTally { asked: 2, ..HostTally::default() };
    for claim in scene.claim(now).await? {
        let settled = |errand| settled_as(Some(claim.lease), errand, Word::Dead, now);
        let completions: Vec<_> = claim.errands.iter().map(settled).collect();
        scene.complete(&completions).await?;
        let pace = HostPace::default();
        scene.store.release(scene.run, claim.lease, &pace, &tally).await?;
    }
    Ok(())
}

/// What was done to a host adds up over its leases; who was not asked is not
/// listed.
pub async fn hosts_are_listed_busiest_first(store: &dyn Store) -> Outcome {
    let urls = [ONE, TWO, "http://three.test/"];
    let scene = Scene::with_pages(store, at(0), &urls).await?;
    let tally = |name: &str, by: u64| HostTally {
        name: name.to_owned(),
        asked: 2 * by,
        controls: by / 2,
        answered: by,
        throttled: by / 2,
        busy_ms: 100 * by,
        waited_ms: 10 * by,
    };
    for round in 0..2 {
        let now = at(round * LEASE);
        for claim in scene.claim(now).await? {
            let by = match claim.name.as_str() {
                "one.test" => 2,
                "two.test" => 10,
                _ => 0,
            };
            let done = tally(&claim.name, by);
            let pace = HostPace::default();
            store.release(scene.run, claim.lease, &pace, &done).await?;
        }
    }
    let (one, two) = (tally("one.test", 4), tally("two.test", 20));
    assert_eq!(store.hosts(scene.run, MANY).await?, [two.clone(), one]);
    assert_eq!(store.hosts(scene.run, 1).await?, [two]);
    Ok(())
}

/// Over all runs, what came from memory left out.
pub async fn past_words_are_read_over_all_runs(store: &dyn Store) -> Outcome {
    let first = Scene::with_pages(store, at(0), &[ONE, TWO]).await?;
    first.settle_all(Word::Dead, at(1)).await?;
    first.finish(at(2)).await?;
    let second = Scene::with_pages(store, at(3), &[ONE]).await?;
    second.settle_all(Word::Alive, at(4)).await?;
    second.load("local.md", 2, &[local(1, "file:1", Word::Local)]).await?;

    let all = store.past_words(ErrandId(0), MANY).await?;
    let told: Vec<_> = all.iter().map(|past| (past.url.as_str(), past.at, past.word)).collect();
    let expect = [(ONE, at(1), Word::Dead), (TWO, at(1), Word::Dead), (ONE, at(4), Word::Alive)];
    assert_eq!(told, expect);
    assert_eq!(store.past_words(all[0].errand, 1).await?, all[1..2]);
    Ok(())
}

/// Each once, in their own order; what is no address of the web is left out.
pub async fn every_known_address_is_read_in_order(store: &dyn Store) -> Outcome {
    let scene = Scene::with_pages(store, at(0), &[TWO, ONE]).await?;
    scene.load("local.md", 2, &[local(1, "file:1", Word::Local), named(2, TWO)]).await?;
    assert_eq!(store.known_addresses("", MANY).await?, [ONE, TWO]);
    assert_eq!(store.known_addresses(ONE, MANY).await?, [TWO]);
    assert_eq!(store.known_addresses("", 1).await?, [ONE]);
    Ok(())
}
