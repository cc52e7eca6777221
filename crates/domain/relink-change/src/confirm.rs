//! A change counts only if a second fetch agrees.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::compare::{Change, compare};
use crate::signature::Signature;
use crate::volatile::Volatile;

/// The result of fetching a page twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// Both fetches show the reference, apart from volatile parts.
    Unchanged,
    /// Both fetches show the same change.
    Changed(Box<Change>),
    /// The fetches disagree, so nothing is known yet; fetch again later.
    Unstable,
}

/// Decides whether a page changed since its reference version, from two
/// fetches made shortly after each other.
///
/// Returns the decision, and the volatile parts known by now. Parts that
/// differ between the fetches are volatile, unless one of the fetches shows
/// them as the reference does: then servers of the site disagree, and the
/// change is not confirmed.
///
/// ```
/// use relink_change::{Confirmation, Signature, Volatile, confirm};
/// use relink_page::{Format, block_text};
/// let fetch = |text: &str, clock: &str| {
///     let html = format!("<p>{text}</p><p id=clock>{clock}</p>");
///     Signature::new(html.as_bytes(), &block_text(Format::Html, html.as_bytes()))
/// };
/// let reference = fetch("Owls hoot", "10:00");
/// let known = Volatile::default();
/// let (result, _) = confirm(&reference, &fetch("Owls hoot", "11:01"), &fetch("Owls hoot", "11:02"), &known);
/// assert_eq!(result, Confirmation::Unchanged);
/// ```
pub fn confirm(
    reference: &Signature,
    first: &Signature,
    second: &Signature,
    known: &Volatile,
) -> (Confirmation, Volatile) {
    let is_ignored = known.ignored(reference);
    let stable: HashSet<u64> = reference
        .blocks
        .iter()
        .zip(is_ignored)
        .filter(|(_, is_ignored)| !is_ignored)
        .map(|(block, _)| block.hash)
        .collect();
    let mut volatile = known.clone();
    volatile.extend(Volatile::learn_except(first, second, &stable));
    let change = compare(reference, second, &volatile);
    let confirmation = if compare(first, second, &volatile).is_visible() {
        Confirmation::Unstable
    } else if change.is_visible() {
        Confirmation::Changed(Box::new(change))
    } else {
        Confirmation::Unchanged
    };
    (confirmation, volatile)
}

#[cfg(test)]
mod tests;
