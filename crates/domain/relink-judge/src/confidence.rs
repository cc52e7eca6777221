//! Confidence of each kind of verdict.
//!
//! The value is the share of such verdicts that were correct on the development
//! scenarios, shrunk towards one half for rare kinds. `relink-eval calibrate`
//! prints the table.

use relink_model::Confidence;

/// The same hard failure in two attempts.
pub(crate) const HARD_FAILURE_TWICE: Confidence = Confidence::from_percent(99);
/// Failed in several runs over several days.
pub(crate) const FAILED_REPEATEDLY: Confidence = Confidence::from_percent(95);
/// Failed in this run. The verdict does not claim that the failure persists.
pub(crate) const FAILED_NOW: Confidence = Confidence::from_percent(90);
/// An access wall, which is not evidence for or against the page.
pub(crate) const WALL: Confidence = Confidence::from_percent(95);
/// Alive: the server rejects random names.
pub(crate) const ALIVE_RANDOM_NAME_REJECTED: Confidence = Confidence::from_percent(98);
/// Alive: unchanged since an earlier run.
pub(crate) const ALIVE_UNCHANGED: Confidence = Confidence::from_percent(98);
/// Alive: random names get a success response, but a different page.
pub(crate) const ALIVE_UNLIKE_RANDOM_NAME: Confidence = Confidence::from_percent(95);
/// Alive by its response alone, without a comparison.
pub(crate) const ALIVE_UNCOMPARED: Confidence = Confidence::from_percent(90);
/// Alive, but no control can confirm it: a search, an empty list, a front page with
/// a query.
pub(crate) const NOT_COMPARABLE: Confidence = Confidence::from_percent(60);
/// Alive: a home page, which is not compared with random names.
pub(crate) const ALIVE_HOME_PAGE: Confidence = Confidence::from_percent(96);
/// Redirected to the same URL as random names.
pub(crate) const SAME_FINAL_URL: Confidence = Confidence::from_percent(97);
/// The same page as for random names.
pub(crate) const SAME_PAGE: Confidence = Confidence::from_percent(96);
/// A page that changes with every request, as the response to random names does.
pub(crate) const SAME_ROTATING: Confidence = Confidence::from_percent(92);
/// Redirected to the same URL as a known neighbor.
pub(crate) const SAME_AS_NEIGHBOR: Confidence = Confidence::from_percent(93);
/// Redirected to a parent directory.
pub(crate) const REDIRECTED_TO_PARENT: Confidence = Confidence::from_percent(88);
/// Redirected to a URL that names an error page.
pub(crate) const REDIRECTED_TO_ERROR: Confidence = Confidence::from_percent(92);
/// Rejected like a random value, while a neighbor is accepted.
pub(crate) const REJECTED_LIKE_RANDOM: Confidence = Confidence::from_percent(90);
/// The text of the page says that it was not found.
pub(crate) const SELF_REPORTED: Confidence = Confidence::from_percent(90);
/// A placeholder.
pub(crate) const PLACEHOLDER: Confidence = Confidence::from_percent(93);
/// A parked domain.
pub(crate) const PARKED: Confidence = Confidence::from_percent(95);
/// The domain changed its owner since an earlier run.
pub(crate) const CHANGED_OWNER: Confidence = Confidence::from_percent(90);
/// A home page that advertises something else than its host name.
pub(crate) const SPAM_HOME_PAGE: Confidence = Confidence::from_percent(85);
/// A document that became a web page.
pub(crate) const FILE_BECAME_PAGE: Confidence = Confidence::from_percent(88);
/// Other content at the same URL.
pub(crate) const DRIFTED: Confidence = Confidence::from_percent(75);
