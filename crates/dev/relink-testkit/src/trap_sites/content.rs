//! Text of the pages, and the real pages that every site has.

use super::{SiteRequest, SiteResponse};

/// Words of the generated texts.
const WORDS: [&str; 48] = [
    "river", "stone", "garden", "window", "letter", "copper", "season", "harbor", "winter",
    "market", "engine", "silver", "forest", "bridge", "candle", "meadow", "anchor", "barrel",
    "castle", "dragon", "eagle", "feather", "glacier", "hammer", "island", "jacket", "kettle",
    "ladder", "mirror", "needle", "orchard", "pepper", "quartz", "ribbon", "saddle", "temple",
    "umbrella", "velvet", "walnut", "yarrow", "zephyr", "basket", "compass", "dolphin", "ember",
    "falcon", "granite", "hollow",
];

/// Number of real news pages.
const NEWS: u64 = 14;
/// Number of real chapters. Each chapter links to the next chapter.
const CHAPTERS: u64 = 12;
/// The slug of the first person has the number after this number. News have smaller numbers.
const FIRST_PERSON: u64 = 700;
/// Number of real people.
const PEOPLE: u64 = 8;

/// Returns the next state of a pseudorandom number generator (`SplitMix64`).
pub(super) fn next_random(state: u64) -> u64 {
    let mut mixed = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    mixed ^ (mixed >> 31)
}

/// Returns a seed that depends only on a text.
pub(super) fn seed_of(text: &str) -> u64 {
    text.bytes().fold(17, |hash, byte| next_random(hash ^ u64::from(byte)))
}

/// Returns the word of a seed. Several seeds have the same word.
pub(super) fn word(seed: u64) -> &'static str {
    let index = usize::try_from(next_random(seed) % WORDS.len() as u64).unwrap_or_default();
    WORDS.get(index).copied().unwrap_or_default()
}

/// Returns a text of `length` words in sentences. Every seed has another text.
pub fn prose(seed: u64, length: u64) -> String {
    let mut text = String::new();
    let mut state = next_random(seed);
    for index in 0..length {
        state = next_random(state);
        text.push_str(word(state));
        text.push_str(if index % 9 == 8 { ". " } else { " " });
    }
    text
}

/// A page of a site.
#[derive(Debug, Clone, Default)]
pub(super) struct SitePage {
    pub(super) title: String,
    pub(super) text: String,
    /// URLs and labels.
    pub(super) links: Vec<(String, String)>,
}

impl SitePage {
    pub(super) fn new(title: impl Into<String>, text: impl Into<String>) -> Self {
        Self { title: title.into(), text: text.into(), links: Vec::new() }
    }

    /// Adds a link.
    pub(super) fn link(mut self, url: impl Into<String>, label: impl Into<String>) -> Self {
        self.links.push((url.into(), label.into()));
        self
    }

    /// Adds links with their labels.
    pub(super) fn links(mut self, links: impl IntoIterator<Item = (String, String)>) -> Self {
        self.links.extend(links);
        self
    }

    /// Returns a response with this page.
    #[expect(clippy::unnecessary_wraps, reason = "the last expression of most functions")]
    pub(super) fn into_response(self) -> Option<SiteResponse> {
        Some(SiteResponse::Page(self.to_html()))
    }

    /// Returns the page as HTML, with the navigation that all pages have.
    pub(super) fn to_html(&self) -> String {
        let links = self.links.iter().map(|(url, label)| {
            format!("<li><a href=\"{}\">{label}</a></li>\n", url.replace('&', "&amp;"))
        });
        let links: String = links.collect();
        let Self { title, text, .. } = self;
        format!(
            "<!doctype html><html><head><title>{title} - Example Society</title></head><body>\n\
             <nav><a href=\"/\">Home</a> <a href=\"/about\">About us</a></nav>\n\
             <h1>{title}</h1>\n<p>{text}</p>\n<ul>\n{links}</ul>\n\
             <footer>Example Society, a club for friends of examples. Write to us.</footer>\n\
             </body></html>"
        )
    }
}

/// Returns the home page, without the link to the trap.
pub(super) fn home_page() -> SitePage {
    SitePage::new("Welcome", prose(1, 60)).link("/news", "News").link("/guide/1", "Guide")
}

/// Returns the paths of the real pages of every site.
pub(super) fn real_paths() -> Vec<String> {
    let mut paths: Vec<String> = ["/", "/about", "/news"].map(str::to_owned).to_vec();
    paths.extend((1..=NEWS).map(|number| format!("/news/{}", slug(number))));
    paths.extend((1..=CHAPTERS).map(|number| format!("/guide/{number}")));
    paths.extend((1..=PEOPLE).map(|number| format!("/about/{}", slug(FIRST_PERSON + number))));
    paths
}

/// Returns a path segment of three words that depend on the number, such as
/// `river-stone-garden`.
pub(super) fn slug(number: u64) -> String {
    format!("{}-{}-{}", word(number), word(number * 31 + 7), word(number * 17 + 3))
}

/// Returns the real page with this path.
pub(super) fn real_page(path: &str) -> Option<SitePage> {
    let request = SiteRequest::parse(path);
    let names: Vec<&str> = request.segments.iter().map(String::as_str).collect();
    match *names.as_slice() {
        ["about"] => Some(list_page("About us", "/about", FIRST_PERSON, PEOPLE)),
        ["news"] => Some(list_page("News", "/news", 0, NEWS)),
        ["news", name] => {
            let number = (1..=NEWS).find(|number| slug(*number) == name)?;
            Some(SitePage::new(name.replace('-', " "), prose(1_000 + number, 90)))
        }
        ["about", name] => {
            let number = (1..=PEOPLE).find(|number| slug(FIRST_PERSON + number) == name)?;
            Some(SitePage::new(name.replace('-', " "), prose(2_000 + number, 40)))
        }
        ["guide", number] => {
            let number: u64 = number.parse().ok().filter(|n| (1..=CHAPTERS).contains(n))?;
            let page = SitePage::new(format!("Chapter {number}"), prose(3_000 + number, 120));
            let is_last = number == CHAPTERS;
            Some(if is_last { page } else { page.link(format!("/guide/{}", number + 1), "Next") })
        }
        _ => None,
    }
}

/// Returns a page that links to `count` pages of a directory, whose slugs are
/// numbered from `base`.
fn list_page(title: &str, directory: &str, base: u64, count: u64) -> SitePage {
    let links = (1..=count).map(|number| {
        let slug = slug(base + number);
        (format!("{directory}/{slug}"), slug.replace('-', " "))
    });
    SitePage::new(title, prose(seed_of(title), 30)).links(links)
}
