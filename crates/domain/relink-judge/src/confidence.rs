//! How sure each kind of conclusion is.
//!
//! The share of such conclusions that were right over the development
//! scenarios, drawn towards one half where there were few of them
//! (`relink-eval calibrate` prints the table).

use relink_model::Confidence;

/// The same hard evidence, twice.
pub(crate) const HARD_TWICE: Confidence = Confidence::percent(99);
/// Failed over many runs and days.
pub(crate) const FAILED_REPEATEDLY: Confidence = Confidence::percent(95);
/// Failed in this run; whether it lasts is not known, and not claimed.
pub(crate) const FAILED_NOW: Confidence = Confidence::percent(90);
/// A wall says nothing either way.
pub(crate) const WALL: Confidence = Confidence::percent(95);
/// Alive, and the server tells strays apart.
pub(crate) const ALIVE_HONEST: Confidence = Confidence::percent(98);
/// Alive, and as it was before.
pub(crate) const ALIVE_AS_BEFORE: Confidence = Confidence::percent(98);
/// Alive, though strays are answered too: the page differs from theirs.
pub(crate) const ALIVE_APART: Confidence = Confidence::percent(95);
/// Alive on a host that told strays apart in every directory seen.
pub(crate) const ALIVE_BY_HABIT: Confidence = Confidence::percent(95);
/// Alive by its answer alone.
pub(crate) const ALIVE_UNCOMPARED: Confidence = Confidence::percent(90);
/// A front page cannot be compared with a stray.
pub(crate) const ALIVE_FRONT: Confidence = Confidence::percent(96);
/// Redirected to where strays are redirected.
pub(crate) const SAME_LANDING: Confidence = Confidence::percent(97);
/// The very page that strays get.
pub(crate) const SAME_PAGE: Confidence = Confidence::percent(96);
/// A page that is new each time, as that of strays is.
pub(crate) const SAME_ROTATING: Confidence = Confidence::percent(92);
/// Redirected to where a known neighbor is redirected.
pub(crate) const SAME_AS_NEIGHBOR: Confidence = Confidence::percent(93);
/// Redirected to a directory above.
pub(crate) const SENT_UP: Confidence = Confidence::percent(88);
/// Redirected to what calls itself an error page.
pub(crate) const SENT_TO_ERROR: Confidence = Confidence::percent(92);
/// Says by itself that it is not there.
pub(crate) const SAYS_SO: Confidence = Confidence::percent(90);
/// A placeholder.
pub(crate) const PLACEHOLDER: Confidence = Confidence::percent(93);
/// A parked domain.
pub(crate) const PARKED: Confidence = Confidence::percent(95);
/// Another owner, by what an earlier visit saw.
pub(crate) const RESOLD: Confidence = Confidence::percent(90);
/// A document that became a web page.
pub(crate) const FLIPPED: Confidence = Confidence::percent(88);
/// Other content at the same address.
pub(crate) const DRIFTED: Confidence = Confidence::percent(75);
