//! A portal with a home page in a decayed neighborhood. The home page links to four lists
//! of links, which are alive, but most links of the lists are dead.
//!
//! Decay is the probability that a random walk over links ends on a dead page.

use crate::pages::html;

/// The site.
pub(crate) const PORTAL: &str = "portal.test";

/// The probability that a random walk leaves a live page by a link instead of ending there:
/// 1 − sigma, with the sigma of Bar-Yossef et al. 2004.
const CONTINUE_PROBABILITY: f64 = 0.9;

/// A list of links on a page that the home page links to.
struct LinkList {
    path: &'static str,
    title: &'static str,
    text: &'static str,
    /// Names and texts of the live pages in the list.
    live: &'static [(&'static str, &'static str)],
    /// Names of the dead pages in the list.
    dead: &'static [&'static str],
}

/// Returns the decay of the home page: 0.9 × the mean decay of the lists. The decay of a list
/// is 0.9 × its share of dead links.
#[expect(clippy::cast_precision_loss, reason = "the lists are short")]
pub(crate) fn decay() -> f64 {
    let list_decay = |list: &LinkList| {
        let links = list.live.len() + list.dead.len();
        CONTINUE_PROBABILITY * list.dead.len() as f64 / links as f64
    };
    CONTINUE_PROBABILITY * LISTS.iter().map(list_decay).sum::<f64>() / LISTS.len() as f64
}

/// Returns path and HTML of every live page.
pub(crate) fn pages() -> impl Iterator<Item = (String, String)> {
    let lists = LISTS.iter().map(|list| (list.path.to_owned(), list.html()));
    let live_pages = LISTS.iter().flat_map(|list| {
        let page = |(name, text): &(&str, &str)| (list.page_path(name), html(name, &[text], &[]));
        list.live.iter().map(page)
    });
    [("/".to_owned(), home_page())].into_iter().chain(lists).chain(live_pages)
}

/// Returns the HTML of the home page.
fn home_page() -> String {
    let links: Vec<(String, String)> =
        LISTS.iter().map(|list| (list.path.to_owned(), list.title.to_owned())).collect();
    let text = "Everything worth knowing about the county, chosen by hand and looked after every \
                Sunday since the spring of 1997, or at any rate until the autumn of it.";
    html("The County Portal", &[text], &links)
}

impl LinkList {
    /// Returns the path of a page in the list, such as `/railways/valley-line`.
    fn page_path(&self, name: &str) -> String {
        format!("{}/{}", self.path, name.to_lowercase().replace(' ', "-"))
    }

    fn html(&self) -> String {
        let names = self.live.iter().map(|(name, _)| name).chain(self.dead);
        let links: Vec<(String, String)> =
            names.map(|name| (self.page_path(name), (*name).to_owned())).collect();
        html(self.title, &[self.text], &links)
    }
}

#[rustfmt::skip]
static LISTS: &[LinkList] = &[
    LinkList {
        path: "/clubs",
        title: "Clubs and societies",
        text: "From angling to zither, with the evening on which they meet and the person who has the key.",
        live: &[("Male Voice Choir",
            "Forty men and one pitch pipe. Rehearsals are on Tuesdays, and so are the arguments about the pitch.")],
        dead: &["Angling Circle", "Pigeon Post", "Kite Union", "Zither Evening"],
    },
    LinkList {
        path: "/shops",
        title: "Shops with a page of their own",
        text: "Visit them from your armchair. Prices are those of the day on which someone typed them.",
        live: &[],
        dead: &["Ironmonger", "Hat Hospital", "Two Bakers", "Umbrella Exchange"],
    },
    LinkList {
        path: "/railways",
        title: "Railways, large and small",
        text: "Timetables, pictures and the sound of a whistle, which takes four minutes to arrive.",
        live: &[("Valley Line",
            "The valley line runs on Sundays from May to September, uphill with steam and downhill with patience.")],
        dead: &["Harbor Tram", "Garden Gauge"],
    },
    LinkList {
        path: "/papers",
        title: "Papers of the county",
        text: "All the news, as far as the county had any and someone put it on the line.",
        live: &[("Parish Letter",
            "One sheet a month, both sides, with the birthdays of everybody over seventy and of one donkey.")],
        dead: &["Evening Star", "Morning Star", "Market Herald"],
    },
];
