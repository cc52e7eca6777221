//! Broken URLs of a site against the list of its live pages.
//!
//! A site moves its pages together, so they are asked about together: every
//! dead page first makes its own guesses among the live ones, then the guesses
//! vote on how the site moved (FABLE, §3: "there is usually a pattern"), and
//! each guess is weighed in the light of the votes of all others. That is done
//! twice: in the second round those vote louder whom the first made surer. What
//! is not likely enough is left unanswered: about three in four broken links
//! of the web have no alias, so a false answer is easily given.
//!
//! Nothing here fetches; that a live page is on the list is all that is known
//! of it. Texts are not compared, only addresses and titles.
//!
//! ```
//! use relink_revive::matching::{Answer, Page, Study};
//! let page = |url| Page { url, title: None, text: None };
//! let dead = ["a", "b", "c"].map(|name| format!("https://example.org/old/{name}-guide"));
//! let live = ["a", "b", "d"].map(|name| format!("https://example.org/new/{name}-guide"));
//! let dead: Vec<Page> = dead.iter().map(|url| page(url.as_str())).collect();
//! let live: Vec<Page> = live.iter().map(|url| page(url.as_str())).collect();
//! let study = Study::new(&dead, &live, &[]);
//! assert!(matches!(study.answer(2), Answer::Nothing(_)));
//! ```

mod address;
mod answer;
mod baseline;
mod calibration;
mod candidates;
mod clue;
mod collective;
mod features;
mod live_page_index;
mod model;
mod moves;
mod page;
mod pair_model;
mod profile;
mod programs;
mod site_matcher;
#[cfg(test)]
mod tests;
mod vocabulary;
mod votes;
mod weights;
mod words;

pub use answer::{AUTOMATIC, Abstention, Match, MatchResult, TO_BE_ASKED};
pub use baseline::Baseline;
pub use clue::MatchEvidence;
pub use page::{KnownAlias, PageInfo};
pub use site_matcher::SiteMatcher;
