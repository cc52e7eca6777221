//! Errors of an API that responds with status 200 and an error object in JSON, such as
//! `{"error":{"code":404,"message":"Item not found"}}`.

use relink_model::{DeadReason, InconclusiveReason};

use super::{ContentAssessor, Finding};
use crate::{codes, confidence};

/// Names of the member that contains the status.
const STATUS_NAMES: [&str; 6] =
    ["code", "status", "statuscode", "status_code", "errorcode", "error_code"];
/// Names of a member that only error objects contain.
const ERROR_NAMES: [&str; 5] = ["error", "errors", "message", "detail", "title"];

impl ContentAssessor<'_> {
    /// Returns a finding if the page is the error object of an API.
    pub(super) fn check_api_error(&self) -> Option<Finding> {
        let digest = self.page.digest;
        let is_json = digest.content_type.as_deref().is_some_and(|kind| kind.contains("json"));
        if !is_json || !digest.is_short() {
            return None;
        }
        let status = error_status(&digest.text_start)?;
        let reason = format!("status {}, but the error object has status {status}", self.status());
        match status {
            404 | 410 => Some(Finding::dead(
                DeadReason::Soft404,
                codes::SOFT_404,
                reason,
                confidence::SELF_REPORTED,
            )),
            // Some map servers send 498 and 499 for an invalid and a missing token.
            401 | 403 | 407 | 498 | 499 => Some(Finding::inconclusive(
                InconclusiveReason::Refused,
                codes::CONSENT_WALL,
                reason,
            )),
            _ => None,
        }
    }
}

/// Returns the status in an error object.
fn error_status(json: &str) -> Option<u16> {
    if !json.starts_with('{') {
        return None;
    }
    let members = || {
        let names = json.split('"').skip(1).step_by(2);
        names.zip(json.split('"').skip(2).step_by(2))
    };
    let is_named = |name: &str, names: &[&str]| names.contains(&name.to_ascii_lowercase().as_str());
    let has_error = members()
        .any(|(name, rest)| rest.trim_start().starts_with(':') && is_named(name, &ERROR_NAMES));
    let statuses = members().filter(|(name, _)| is_named(name, &STATUS_NAMES));
    let mut statuses = statuses.filter_map(|(_, rest)| {
        let number = rest.trim_start().strip_prefix(':')?.trim_start();
        number.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
    });
    statuses.find(|status| has_error && (400..500).contains(status))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_status_is_that_of_the_error_object() {
        for (json, expect) in [
            (r#"{"error":{"code":499,"message":"Token Required","details":[]}}"#, Some(499)),
            (r#"{ "status" : 404, "message": "Not Found" }"#, Some(404)),
            (r#"{"statusCode":404,"error":"Not Found"}"#, Some(404)),
            (r#"{"id":5,"status":404}"#, None),
            (r#"{"code":200,"message":"404"}"#, None),
            (r#"[{"code":404,"message":"a list of errors"}]"#, None),
            ("{\"error\"", None),
        ] {
            assert_eq!(error_status(json), expect, "{json}");
        }
    }
}
