//! A comparison with another page, in words.

use relink_model::ControlSummary;

use super::resemblance;

/// `compared with http://a.test/xkq (a random name in the same directory): 200,
/// resemblance 0.99`, with the address as it is to be shown.
pub(crate) fn compared(address: &str, control: &ControlSummary, share: Option<f64>) -> String {
    let answer = control.status.map_or("no answer".to_owned(), |status| status.to_string());
    let share =
        share.map_or(String::new(), |share| format!(", resemblance {}", resemblance(share)));
    format!("compared with {address} ({}): {answer}{share}", control.kind)
}
