//! Sites with the URL shapes that the FABLE paper prints, with invented names.
//!
//! A *shape* is how an old and a new URL are built from the same page. These sites only
//! measure the model and are never used for fitting. Each has [`PAGES`] pages that moved,
//! as many that were deleted, and [`DECOYS`] live pages that are not an alias.

use super::scenario::{QuestionPage, Scenario, Truth};
use crate::random::SeededRandom;

/// Number of pages that moved, and of pages that were deleted.
const PAGES: usize = 40;
/// Number of live pages that are not an alias.
const DECOYS: usize = 400;
/// Number of invented words from which slugs are made.
const VOCABULARY_SIZE: usize = 260;
/// Syllables of invented words.
const SYLLABLES: [&str; 24] = [
    "ba", "ke", "lo", "mi", "nu", "ra", "se", "ti", "vo", "zu", "dar", "fen", "gol", "him", "jas",
    "kor", "lun", "mer", "pol", "quin", "rost", "sal", "tem", "wick",
];

/// A shape: functions that build the old and the new URL of a page.
struct Shape {
    name: &'static str,
    /// Whether the titles of the old pages are known.
    has_titles: bool,
    old: fn(&Page) -> String,
    new: fn(&Page) -> String,
}

/// An invented page.
struct Page {
    words: Vec<String>,
    old_id: usize,
    new_id: usize,
    date: [usize; 3],
}

impl Page {
    fn draw(random: &mut SeededRandom, vocabulary: &[String]) -> Self {
        let count = 2 + random.below(4);
        Self {
            words: (0..count).map(|_| random.pick(vocabulary).clone()).collect(),
            old_id: 1000 + random.below(90_000),
            new_id: 100_000 + random.below(900_000),
            date: [2000 + random.below(20), 1 + random.below(12), 1 + random.below(28)],
        }
    }

    fn slug(&self) -> String {
        self.words.join("-")
    }

    fn title(&self) -> String {
        let mut title = self.words.join(" ");
        if let Some(first) = title.get_mut(..1) {
            first.make_ascii_uppercase();
        }
        title
    }

    /// Returns the first word with the date, as in `rancher000724`.
    fn news_slug(&self) -> String {
        let [year, month, day] = self.date;
        let word = self.words.first().map_or("page", String::as_str);
        format!("{word}{:02}{month:02}{day:02}", year % 100)
    }

    /// Returns a code such as `cs262`.
    fn code(&self) -> String {
        format!("{}{}", ["cs", "ud", "nd"][self.old_id % 3], self.old_id)
    }
}

/// The shapes. The comments name the site that the paper prints.
const SHAPES: [Shape; 10] = [
    // cbc.ca
    Shape {
        name: "slug from the title + new id",
        has_titles: true,
        old: |page| {
            let [year, month, day] = page.date;
            format!("/news/story/{year}/{month:02}/{day:02}/{}.html", page.news_slug())
        },
        new: |page| format!("/news/canada/{}-1.{}", page.slug(), page.new_id),
    },
    // Two shapes without a named site.
    Shape {
        name: "old slug + new id",
        has_titles: false,
        old: |page| format!("/stories/{}.html", page.slug()),
        new: |page| format!("/local/{}-{}", page.slug(), page.new_id),
    },
    Shape {
        name: "new id + old slug",
        has_titles: false,
        old: |page| format!("/food/{}.html", page.slug()),
        new: |page| format!("/recipes/{}-{}", page.new_id, page.slug()),
    },
    // udacity.com
    Shape {
        name: "code suffix",
        has_titles: false,
        old: |page| format!("/courses/{}", page.code()),
        new: |page| format!("/course/{}--{}", page.slug(), page.code()),
    },
    // nytimes.com
    Shape {
        name: "padded number",
        has_titles: false,
        old: |page| format!("/{}/house/{}/{:02}", page.date[0], page.slug(), page.old_id % 9 + 1),
        new: |page| {
            let number = page.old_id % 9 + 1;
            format!("/elections/{}/house/{}/{number}.html", page.date[0], page.slug())
        },
    },
    // technologyreview.com
    Shape {
        name: "new id and date as folders",
        has_titles: true,
        old: |page| format!("/article/{}/{}/", page.old_id, page.slug()),
        new: |page| {
            let [year, month, day] = page.date;
            format!("/{year}/{month:02}/{day:02}/{}/{}/", page.new_id, page.slug())
        },
    },
    // solomontimes.com
    Shape {
        name: "title, then old id",
        has_titles: true,
        old: |page| format!("/news.aspx?nwid={}", page.old_id),
        new: |page| format!("/news/{}/{}", page.slug(), page.old_id),
    },
    // marvel.com
    Shape {
        name: "old id as folder",
        has_titles: true,
        old: |page| format!("/comic_books/issue/{}/{}", page.old_id, page.words.join("_")),
        new: |page| format!("/comics/issue/{}/{}", page.old_id, page.words.join("_")),
    },
    // w3schools.com
    Shape {
        name: "two new folders",
        has_titles: false,
        old: |page| format!("/html5/{}.asp", page.words.join("_")),
        new: |page| {
            let folder = if page.old_id.is_multiple_of(2) { "tags" } else { "html" };
            format!("/{folder}/{}.asp", page.words.join("_"))
        },
    },
    // sup.org
    Shape {
        name: "query value",
        has_titles: false,
        old: |page| format!("/book.cgi?id={}", page.old_id),
        new: |page| format!("/books/title/?id={}", page.old_id),
    },
];

/// Returns a site of each shape.
pub fn shapes(seed: u64) -> Vec<Scenario> {
    SHAPES.iter().zip(1..).map(|(shape, at)| shape.site(seed.wrapping_mul(31) + at)).collect()
}

impl Shape {
    /// Draws the pages of a site with this shape.
    fn site(&self, seed: u64) -> Scenario {
        let mut random = SeededRandom::new(seed);
        let vocabulary: Vec<String> = (0..VOCABULARY_SIZE).map(|_| word(&mut random)).collect();
        let mut scenario = Scenario {
            name: self.name.to_owned(),
            source_site: "shapes".to_owned(),
            dead: Vec::new(),
            live: Vec::new(),
            known: Vec::new(),
            is_real: false,
        };
        // The pages that moved, then the deleted pages, then the decoys.
        for at in 0..2 * PAGES + DECOYS {
            let page = Page::draw(&mut random, &vocabulary);
            let new = format!("https://site.test{}", (self.new)(&page));
            let is_live = !(PAGES..2 * PAGES).contains(&at);
            if at < 2 * PAGES {
                scenario.dead.push(QuestionPage {
                    url: format!("https://site.test{}", (self.old)(&page)),
                    title: self.has_titles.then(|| page.title()),
                    truth: if is_live { Truth::Moved(new.clone()) } else { Truth::Deleted },
                });
            }
            if is_live {
                scenario.live.push((new, Some(page.title())));
            }
        }
        scenario
    }
}

/// Returns an invented word.
fn word(random: &mut SeededRandom) -> String {
    (0..2 + random.below(2)).map(|_| *random.pick(&SYLLABLES)).collect()
}
