//! Formats the comparison of a page with a control: a URL that was fetched only for
//! comparison.

use relink_model::ControlSummary;

use super::resemblance;

/// Formats a comparison: `compared with http://a.test/xkq (a random name in the
/// same directory): 200, resemblance 0.99`. `url` must be safe to print. `share` is the share
/// of common text.
pub(crate) fn compared(url: &str, control: &ControlSummary, share: Option<f64>) -> String {
    let status = control.status.map_or("no response".to_owned(), |status| status.to_string());
    let resemblance =
        share.map_or(String::new(), |share| format!(", resemblance {}", resemblance(share)));
    format!("compared with {url} ({}): {status}{resemblance}", control.kind)
}
