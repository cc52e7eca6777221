//! Confirms a change with a second fetch. Parts of a page that differ between two
//! fetches, such as a clock, are *volatile* and not a change.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::compare::{Change, compare};
use crate::signature::Signature;
use crate::volatile::VolatileParts;

/// The result of fetching a page twice.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Confirmation {
    /// Both fetches show the reference version, except for volatile parts.
    Unchanged,
    /// Both fetches show the same change.
    Changed(Box<Change>),
    /// The fetches differ, so the change is not confirmed. Fetch again later.
    Unstable,
}

/// Decides whether a page changed since its reference version, from two
/// fetches shortly after each other.
///
/// Returns the decision, and `known` extended by new volatile parts. Parts that
/// differ between the fetches are volatile, unless one fetch shows the text of
/// the reference version. In this case, the servers of the site may return different
/// versions, and the change is not confirmed. If such parts come and go in a second run,
/// they are volatile, too.
///
/// ```
/// use relink_change::{Confirmation, Signature, VolatileParts, confirm};
/// use relink_page::{DocumentFormat, block_text};
/// let fetch = |text: &str, clock: &str| {
///     let html = format!("<p>{text}</p><p id=clock>{clock}</p>");
///     Signature::new(html.as_bytes(), &block_text(DocumentFormat::Html, html.as_bytes()))
/// };
/// let reference = fetch("Owls hoot", "10:00");
/// let (first, second) = (fetch("Owls hoot", "11:01"), fetch("Owls hoot", "11:02"));
/// let (result, _) = confirm(&reference, &first, &second, &VolatileParts::default());
/// assert_eq!(result, Confirmation::Unchanged);
/// ```
pub fn confirm(
    reference: &Signature,
    first: &Signature,
    second: &Signature,
    known: &VolatileParts,
) -> (Confirmation, VolatileParts) {
    let mut counted = known.clone();
    counted.count_rotation(first, second);
    // Text of the reference version is not volatile, unless it is known to be.
    let is_ignored = counted.ignored_blocks(reference);
    let stable: HashSet<u64> = reference
        .blocks
        .iter()
        .zip(is_ignored)
        .filter(|(_, is_ignored)| !is_ignored)
        .map(|(block, _)| block.hash)
        .collect();
    let mut volatile = counted.clone();
    volatile.extend(VolatileParts::learn_except(first, second, &stable));
    let change = compare(reference, second, &volatile);
    let confirmation = if compare(first, second, &volatile).is_visible() {
        return (Confirmation::Unstable, counted);
    } else if change.is_visible() {
        Confirmation::Changed(Box::new(change))
    } else {
        Confirmation::Unchanged
    };
    (confirmation, volatile)
}

#[cfg(test)]
mod tests;
