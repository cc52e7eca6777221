//! Good pages of the library, its archive, the press and the clubs.

use crate::cards::CARDS;
use crate::hosts::{ARCHIVE, CLUB, LIBRARY, PRESS};
use crate::issues::ISSUES;

/// A good page.
#[derive(Debug)]
pub(crate) struct Page {
    /// The host name.
    pub(crate) host: &'static str,
    /// The path, as clients send it.
    pub(crate) path: String,
    /// The title, also used as the heading.
    pub(crate) title: String,
    /// The paragraphs of the text.
    pub(crate) paragraphs: Vec<String>,
}

impl Page {
    /// Returns host and path.
    pub(crate) fn route_key(&self) -> String {
        format!("{}{}", self.host, self.path)
    }

    /// Returns the HTML. A home page lists the pages of its site.
    pub(crate) fn html(&self) -> String {
        let paragraphs: Vec<&str> = self.paragraphs.iter().map(String::as_str).collect();
        let links = if self.path == "/" { page_links(self.host) } else { home_link() };
        html(&self.title, &paragraphs, &links)
    }
}

/// Returns a page as HTML. Links are pairs of URL and text.
pub(crate) fn html(title: &str, paragraphs: &[&str], links: &[(String, String)]) -> String {
    let paragraph = |text: &&str| format!("<p>{text}</p>\n");
    let text: String = paragraphs.iter().map(paragraph).collect();
    let list_item =
        |(url, text): &(String, String)| format!("<li><a href=\"{url}\">{text}</a></li>\n");
    let list: String = links.iter().map(list_item).collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title></head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n{text}</main>\n<nav><ul>\n{list}</ul></nav>\n</body>\n</html>\n"
    )
}

/// Returns all good pages in a fixed order.
pub(crate) fn all() -> Vec<Page> {
    let unique_pages = UNIQUE_PAGES.iter().map(|(host, path, title, text)| Page {
        host,
        path: (*path).to_owned(),
        title: (*title).to_owned(),
        paragraphs: vec![(*text).to_owned()],
    });
    let cards = CARDS.iter().map(crate::cards::Card::page);
    let issues = ISSUES.iter().map(crate::issues::Issue::page);
    unique_pages.chain(cards).chain(issues).collect()
}

/// Returns the links of a home page to the pages of its site.
fn page_links(host: &str) -> Vec<(String, String)> {
    let pages = all().into_iter().filter(|page| page.host == host && page.path != "/");
    pages.map(|page| (page.path, page.title)).collect()
}

fn home_link() -> Vec<(String, String)> {
    vec![("/".to_owned(), "Front page".to_owned())]
}

/// Pages that are neither cards nor issues: host, path, title, text.
#[rustfmt::skip]
static UNIQUE_PAGES: &[(&str, &str, &str, &str)] = &[
    (LIBRARY, "/", "The Town Library",
        "Welcome to the town library, three floors of books and one of maps. We lend to anyone who lives here, works here or has missed the last train. Most shelves are open, most chairs are comfortable, and the stove in the reading room is lit from October. If a page of this site has gone missing, please tell the desk: links rot as paper does, only faster and with less warning."),
    (LIBRARY, "/hours", "Opening hours",
        "Monday to Friday from ten to six, Saturday from nine to one. On Thursdays the late desk stays open until ten in the evening, with one lamp and one librarian. We close on public holidays, on the day of the spring fair, and whenever the river is in the cellar. The clock above the door is right; the one on the market gains a little, so please do not argue from it."),
    (LIBRARY, "/catalog", "The card catalog",
        "The catalog stands in the hall: forty-eight drawers of oak, each with a brass handle worn to the shape of a thumb. A card tells you the author, the title, the shelf mark and what the last three librarians thought. Cards are never thrown away, only corrected. A selection is shown here, typed as it stands, with the remarks left in because readers asked for them."),
    (LIBRARY, "/membership", "Becoming a reader",
        "A reader's ticket is free and green. Bring something with your name on it and something with your address on it; an envelope will do for both. You may borrow six books for three weeks and renew them by telephone, letter or an honest face. Fines are a penny a day and go toward the stove. Children get a ticket of their own as soon as they can sign it."),
    (LIBRARY, "/building", "The building",
        "The library was built in 1874 by a man who usually built barns, and it keeps books as dry as hay. The reading room was added in 1902, the lift in 1926 and the ramp, at last, in 1989. From the second landing you can see the river, the bridge and the place where the earlier bridge was. The weathervane is a goose, for reasons given in the archive."),
    (LIBRARY, "/children", "The junior corner",
        "Low shelves, a round rug and a stuffed heron called Admiral. Stories are read aloud on Wednesdays at four by the reader with the loudest voice that week. Books may be borrowed with jam on the hands but should be returned without it. The heron is not for lending, although he has twice been found in a bicycle basket on the way to the river."),
    (LIBRARY, "/history", "A history of the library",
        "It began with eleven books, a twelfth having been lent before the doors opened. Four librarians have served since, of whom the first stayed forty years and the second forty-one. The collection survived two floods, one council and a plan to put everything on film. In 1994 a computer came in two boxes; the oak drawers stayed, and the two have agreed ever since on all but three cards."),

    (ARCHIVE, "/", "The archive",
        "The archive lives behind the boiler room, where the air is dry and warm and smells a little of toast. It keeps what the town has written about itself: minutes, maps, ledgers, letters and one very long petition about geese. Visitors are welcome on Tuesdays with clean hands and a pencil. Ink, umbrellas and opinions about the 1911 bridge are to be left with the archivist."),
    (ARCHIVE, "/maps", "Maps and plans",
        "The oldest map shows the town as a ring of houses around a pond, with a dragon where the station is now. Later sheets are more careful and less useful. Room 404 holds the large ones, which may be unrolled by two people of similar height. Copies are made by hand, by a volunteer, at a rate of one square mile for each winter."),
    (ARCHIVE, "/floods", "The two floods",
        "In 1882 the river came to the third step and in 1947 to the ninth. Both levels are marked by brass lines in the hall, and a third line, much higher, was added by someone with a sense of humor. The first flood took the ledgers for two years; the second brought back one of them, which is still being dried, page by page, by the boiler."),
    (ARCHIVE, "/geese", "The goose petition",
        "In 1871 four hundred and twelve people, that is to say nearly everybody, signed a petition to let the geese graze on the market green. It is nine yards long and was carried to the county town by twelve men and a goose. The answer was a single word. The weathervane was put up the year after, and it faces the county town in all weathers."),
    (ARCHIVE, "/librarians", "The four librarians",
        "Hester Orchard, who began the cards; Josiah Quill, who mended the clock and was never on time; Nora Haskell, who took the train; and the present one, who would rather not be written about. Their portraits hang on the stairs in order of patience. The archive keeps their letters, their spectacles and the key to a cupboard that has not been found."),

    (PRESS, "/", "The Gazette",
        "The Gazette has come out every Saturday since 1868, except for one week in 1947 when the type was under water. It reports what happened, corrects what did not, and prints the results of the chess club in full. Back issues are shown here as they were set. Advertisements for turnips have been kept, since several readers still inquire about the price and one about the turnips."),
    (PRESS, "/about", "About this newspaper",
        "One editor, one compositor, one boy with a bicycle; the names change and the numbers do not. The press is a flatbed from 1860 that once printed seed catalogs and still leaves a faint trace of cabbage on warm days. Letters are welcome if they are short, signed and not about parking. The office is above the ironmonger, and the stairs are steeper than they look."),

    (CLUB, "/", "Clubs at the library",
        "Three clubs meet in the library after hours and one of them on the roof. The chess club wants silence, the bee club wants flowers, and the bell ringers want a rope that was promised in 1962. New members may come to any evening and are under no obligation to be good at it. Tea is a penny, biscuits are by agreement, and the last to leave puts out the stove."),
    (CLUB, "/chess/", "The chess club",
        "The chess club meets on Fridays at seven in the reading room, under the board on which the lighthouse game still stands. Beginners play white, champions wash up. The club's only trophy is a salt cellar won from the next town in 1933 and defended every year since, twice by accident. Moves in the long game arrive by post and are announced with a small bell."),
    (CLUB, "/bees/", "The bee club",
        "Six hives stand on the flat roof, painted the colors of the reading tickets. The club was founded on the evening of the great swarm of 1889 and has been stung, in round figures, ten thousand times. Honey is sold at the desk in August until it is gone. Readers who fear bees are asked to use the front stairs; the bees have agreed to use the back."),
    (CLUB, "/bells/", "The bell ringers",
        "The library has one bell, which says closing time, and a band of eight ringers, which takes turns. Practice is on Mondays, without the bell, out of regard for the neighbors. Twice a year a true peal is rung on forty handbells laid out in the hall in the order of the catalog drawers, and the whole thing is over in time for supper."),
];

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn there_are_forty_good_pages() {
        assert_eq!(all().len(), 40);
    }

    #[test]
    fn pages_have_distinct_urls_and_titles() {
        let pages = all();
        let keys: HashSet<String> = pages.iter().map(Page::route_key).collect();
        let titles: HashSet<&str> = pages.iter().map(|page| page.title.as_str()).collect();
        assert_eq!((keys.len(), titles.len()), (pages.len(), pages.len()));
    }

    #[test]
    fn pages_have_55_to_150_words() {
        for page in all() {
            let words = page.paragraphs.iter().flat_map(|text| text.split_whitespace()).count();
            assert!((55..=150).contains(&words), "{} has {words} words", page.route_key());
        }
    }

    #[test]
    fn home_page_links_to_every_other_page_of_its_site() {
        let pages = all();
        for home_page in pages.iter().filter(|page| page.path == "/") {
            let html = home_page.html();
            for page in pages.iter().filter(|page| page.host == home_page.host) {
                let is_listed = html.contains(&format!("href=\"{}\"", page.path));
                assert_eq!(is_listed, page.path != "/", "{}", page.route_key());
            }
        }
    }
}
