//! Back issues of the newspaper: healthy pages with a headline and a text.

use crate::hosts::PRESS;
use crate::pages::Page;

/// An issue: its date, headline and report.
pub(crate) struct Issue {
    day: &'static str,
    headline: &'static str,
    report: &'static str,
}

impl Issue {
    /// Returns the path of the page.
    pub(crate) fn path(&self) -> String {
        format!("/issues/{}", self.day)
    }

    /// Returns the headline.
    pub(crate) fn headline(&self) -> &'static str {
        self.headline
    }

    /// Returns the page of the issue.
    pub(crate) fn page(&self) -> Page {
        let Self { day, headline, report } = self;
        let imprint = format!(
            "From the Gazette of {day}, as set that week and not improved since. \
             Letters about this report fill a drawer of their own at the library."
        );
        Page {
            host: PRESS,
            path: self.path(),
            title: format!("{headline} ({day})"),
            paragraphs: vec![(*report).to_owned(), imprint],
        }
    }
}

/// The issues, oldest first.
#[rustfmt::skip]
pub(crate) static ISSUES: &[Issue] = &[
    issue("1868-05-02", "A Newspaper Is Founded",
        "The first number was printed on the press of the seed merchant, whose catalog of turnips appears on the back. The editor promised truth every Saturday and apologized in advance for the type, of which the letter k had not arrived."),
    issue("1874-11-14", "Library Opens With Eleven Books",
        "Twelve were announced. The mayor spoke of a beacon, the vicar of a lamp, and the builder of the roof, which he said would be finished by spring. Four books were borrowed on the first evening, and one of them came back."),
    issue("1889-07-20", "Swarm Settles on Town Clock",
        "For two hours on market day it was twenty past ten. The bees hung from the minute hand until Miss Pym came with a ladder, a skep and a remark which this newspaper will not print. The bee club was founded the same night."),
    issue("1903-02-28", "Lighthouse Replies: Knight to F Six",
        "The first move of the postal game has arrived after nineteen days at sea. Miss Lindqvist is said to be unsurprised and has set up a board in the reading room, with a card asking visitors not to breathe on it."),
    issue("1911-09-09", "Colonel Tarn Opens Bridge, Briefly",
        "The ribbon was cut at noon. At four minutes past, the colonel was in the river and in good humor, and declared the foundations instructive. The band played on from the bank. A second opening will be announced when there is a second bridge."),
    issue("1926-04-10", "Workmen Find a Room",
        "Taking down a wall on the fourth floor, two masons found a door, and behind it a room full of maps. None is later than 1799. The librarian was called, sat down on the only chair, and asked everyone to be quiet for a while."),
    issue("1938-12-03", "Branch Line to Close on Sundays",
        "It never ran on Sundays, as readers wrote to say in unusual numbers. The company regrets the notice and will run one train by way of apology. Miss Haskell of the library intends to be on it, with sandwiches and a notebook."),
    issue("1951-06-16", "No Rain Reported",
        "The weather diary at the desk shows a whole week without the letter r. The oldest reader remembers another such week and was right, for it was looked up. Buckets were put away, and by Thursday taken out again for a different reason."),
    issue("1969-07-26", "Moon Visited; Library Open as Usual",
        "The landing was watched on a set lent by the chess club, who had hoped to finish a tournament. Nine books about the moon were out by closing time. The tenth was found in the junior corner, under a junior."),
    issue("1994-03-05", "Computer Arrives in Two Boxes",
        "The catalog will be copied onto it by the summer, the council says, and the cards burned by the autumn. The librarian has taken the cards home for safety, drawer by drawer, by bicycle, and has brought back a receipt."),
];

/// Creates an issue. `day` is a date such as `1868-05-02`.
const fn issue(day: &'static str, headline: &'static str, report: &'static str) -> Issue {
    Issue { day, headline, report }
}
