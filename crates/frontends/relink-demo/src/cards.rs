//! The catalog cards of the library: pages with a title and two paragraphs.

use crate::hosts::LIBRARY;
use crate::pages::Page;

/// A catalog card, which describes a book.
pub(crate) struct Card {
    number: u16,
    title: &'static str,
    author: &'static str,
    year: u16,
    shelf: &'static str,
    note: &'static str,
}

impl Card {
    /// Returns the path of the page.
    pub(crate) fn path(&self) -> String {
        format!("/cards/{}", self.number)
    }

    /// Returns the title of the book.
    pub(crate) fn title(&self) -> &'static str {
        self.title
    }

    /// Returns the shelf mark.
    pub(crate) fn shelf(&self) -> &'static str {
        self.shelf
    }

    /// Returns the page of the card.
    pub(crate) fn page(&self) -> Page {
        let Self { number, title, author, year, shelf, note } = self;
        let facts = format!(
            "Card {number}. {title}, by {author}, first edition of {year}. \
             It stands at {shelf} and may be borrowed for three weeks by any reader who can find it."
        );
        Page {
            host: LIBRARY,
            path: self.path(),
            title: format!("{title} ({author}, {year})"),
            paragraphs: vec![facts, (*note).to_owned()],
        }
    }
}

/// All cards of the catalog.
#[rustfmt::skip]
pub(crate) static CARDS: &[Card] = &[
    card(101, "A Short History of Long Winters", "H. Orchard", 1887, "Hi 12",
        "Bound in sheepskin by a man who had evidently met the sheep. The chapter on the frozen mill race was written at the mill race, and the ink shows it. A later reader has corrected every temperature by one degree."),
    card(102, "The Amateur's Beehive", "Constance Pym", 1902, "Na 4",
        "Mostly sound advice, except page ninety, which the bee club asks us to keep closed with a paper clip. The plates are colored by hand. There is honey on the index, which may be why it reads so pleasantly."),
    card(103, "Bridges I Have Fallen From", "Col. R. Tarn", 1911, "Tr 7",
        "Memoirs of an engineer, written without rancor and in order of height. The eleventh bridge is ours. The town council sent a reply, which is bound in at the end, and a bill, which is not."),
    card(104, "Chess by Post, and Other Slow Passions", "Ida Lindqvist", 1924, "Sp 31",
        "Includes the complete game between the author and a lighthouse keeper, begun in 1903 and adjourned. Readers are asked not to pencil suggestions in the margin; the game has been difficult enough for both parties."),
    card(105, "Field Names of the Lower Valley", "The Rev. A. Cope", 1879, "Lo 2",
        "Four hundred fields and what they were called before anyone wrote it down: Cuckoo Pen, Farther Nothing, Widow's Acre, Hungry Hill. The map at the back folds out to the size of a small tablecloth and has been used as one."),
    card(106, "Knots for the Landlocked", "Wm. Bell", 1931, "Te 19",
        "Written by a bargeman who retired forty miles from water. Every diagram is exact. The library's copy has a practice cord sewn to its cover, much worn, and no one has ever returned it untied."),
    card(107, "Mushrooms, Doubtful and Otherwise", "Dr. E. Sorrel", 1908, "Na 9",
        "A book that improves with each edition, since the author tested his own entries. We hold the fourth, in which the word probably has been removed from eleven places and put back in two."),
    card(108, "On the Repair of Clocks by Candlelight", "J. P. Quill", 1863, "Te 3",
        "The standard work on the tower clock of the old market, which gained nine minutes a week until it was read. Wax on most pages. The chapter on patience is missing, and was presumably lent out separately."),
    card(109, "Railway Timetables as Literature", "Nora Haskell", 1938, "Li 44",
        "A critic looks at the branch line and finds a tragedy in five acts with a refreshment room. Praised in its day for the reading of the Sunday service. Out of date in every fact and right in every judgment."),
    card(110, "Songs Overheard at the Ferry", "Coll. M. Duffy", 1896, "Mu 15",
        "Sixty songs noted down on the far bank while the ferryman was not looking. He later contributed six more, on condition that the others be called inaccurate. Tunes are given in sol-fa, tempers in footnotes."),
    card(111, "The Weather in This Town", "Several Hands", 1950, "Lo 8",
        "A diary kept by the librarian at the desk, one line for each day since the library opened. Rain is entered by its first letter to save paper. The volume for the dry summer is very thin and much borrowed."),
    card(112, "What the Compositor Knew", "Anon.", 1913, "Li 50",
        "A novel in which every misprint is a clue. The Gazette reviewed it and misspelled the title, by accident or design. Three readers claim to have solved it; each names a different alderman, and all of them are plausible."),
];

/// Creates a card. The parameters have the order of the fields of [`Card`].
const fn card(
    number: u16,
    title: &'static str,
    author: &'static str,
    year: u16,
    shelf: &'static str,
    note: &'static str,
) -> Card {
    Card { number, title, author, year, shelf, note }
}
