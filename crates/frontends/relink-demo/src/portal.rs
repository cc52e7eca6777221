//! A portal that has aged: a page without a dead link of its own, in a
//! neighborhood that is mostly gone.
//!
//! A check of its links finds nothing. Whoever follows two of them most likely
//! ends on a dead page; that probability is its decay.

use crate::pages::html;

/// The site.
pub(crate) const PORTAL: &str = "portal.test";

/// A surfer who is content with one living page in ten (the sigma of the
/// paper) goes on from the others.
const GOING_ON: f64 = 0.9;

/// A list of links that the front page leads to.
struct List {
    path: &'static str,
    title: &'static str,
    text: &'static str,
    /// Names of pages below it that are still there, with what they say.
    living: &'static [(&'static str, &'static str)],
    /// Names of pages below it that are gone.
    gone: &'static [&'static str],
}

/// The decay of the front page: the mean of its lists, each of which fails by
/// its share of dead links.
#[expect(clippy::cast_precision_loss, reason = "the lists are short")]
pub(crate) fn decay() -> f64 {
    let of_list = |list: &List| {
        let links = list.living.len() + list.gone.len();
        GOING_ON * list.gone.len() as f64 / links as f64
    };
    GOING_ON * LISTS.iter().map(of_list).sum::<f64>() / LISTS.len() as f64
}

/// Every page that is there: its path and its HTML.
pub(crate) fn pages() -> impl Iterator<Item = (String, String)> {
    let lists = LISTS.iter().map(|list| (list.path.to_owned(), list.html()));
    let living = LISTS.iter().flat_map(|list| {
        let page = |(name, text): &(&str, &str)| (list.below(name), html(name, &[text], &[]));
        list.living.iter().map(page)
    });
    [("/".to_owned(), front())].into_iter().chain(lists).chain(living)
}

fn front() -> String {
    let links: Vec<(String, String)> =
        LISTS.iter().map(|list| (list.path.to_owned(), list.title.to_owned())).collect();
    let text = "Everything worth knowing about the county, chosen by hand and looked after every \
                Sunday since the spring of 1997, or at any rate until the autumn of it.";
    html("The County Portal", &[text], &links)
}

impl List {
    fn below(&self, name: &str) -> String {
        format!("{}/{}", self.path, name.to_lowercase().replace(' ', "-"))
    }

    fn html(&self) -> String {
        let names = self.living.iter().map(|(name, _)| name).chain(self.gone);
        let links: Vec<(String, String)> =
            names.map(|name| (self.below(name), (*name).to_owned())).collect();
        html(self.title, &[self.text], &links)
    }
}

#[rustfmt::skip]
static LISTS: &[List] = &[
    List {
        path: "/clubs",
        title: "Clubs and societies",
        text: "From angling to zither, with the evening on which they meet and the person who has the key.",
        living: &[("Male Voice Choir",
            "Forty men and one pitch pipe. Rehearsals are on Tuesdays, and so are the arguments about the pitch.")],
        gone: &["Angling Circle", "Pigeon Post", "Kite Union", "Zither Evening"],
    },
    List {
        path: "/shops",
        title: "Shops with a page of their own",
        text: "Visit them from your armchair. Prices are those of the day on which somebody typed them.",
        living: &[],
        gone: &["Ironmonger", "Hat Hospital", "Two Bakers", "Umbrella Exchange"],
    },
    List {
        path: "/railways",
        title: "Railways, large and small",
        text: "Timetables, pictures and the sound of a whistle, which takes four minutes to arrive.",
        living: &[("Valley Line",
            "The valley line runs on Sundays from May to September, uphill with steam and downhill with patience.")],
        gone: &["Harbor Tram", "Garden Gauge"],
    },
    List {
        path: "/papers",
        title: "Papers of the county",
        text: "All the news, as far as the county had any and somebody put it on the line.",
        living: &[("Parish Letter",
            "One sheet a month, both sides, with the birthdays of everybody over seventy and of one donkey.")],
        gone: &["Evening Star", "Morning Star", "Market Herald"],
    },
];
