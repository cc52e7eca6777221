//! Reads the JSON of the API (`formatversion=2`).

use jiff::Timestamp;
use relink_ports::{WikiError, WikiPage, WikiPageEntry};
use serde_json::{Map, Value};

/// Returns a value at a path of keys.
pub(crate) fn value_at<'a>(content: &'a Value, path: &[&str]) -> Option<&'a Value> {
    path.iter().try_fold(content, |value, key| value.get(key))
}

/// Returns a text at a path of keys.
pub(crate) fn text_at<'a>(content: &'a Value, path: &[&str]) -> Option<&'a str> {
    value_at(content, path).and_then(Value::as_str)
}

/// Returns a time at a path of keys.
pub(crate) fn time_at(content: &Value, path: &[&str]) -> Option<Timestamp> {
    text_at(content, path)?.parse().ok()
}

/// Returns the pages of a query.
pub(crate) fn pages(content: &Value) -> &[Value] {
    value_at(content, &["query", "pages"]).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the parameters that continue a query.
pub(crate) fn continuation(content: &Value) -> Option<&Map<String, Value>> {
    content.get("continue").and_then(Value::as_object)
}

/// Parses a page of a list. Returns `None` if the page does not exist.
pub(crate) fn parse_page_entry(page: &Value) -> Option<WikiPageEntry> {
    Some(WikiPageEntry {
        id: page.get("pageid")?.as_u64()?,
        title: page.get("title")?.as_str()?.to_owned(),
        revision: page.get("lastrevid")?.as_u64()?,
    })
}

/// Parses a page with its current revision. Returns `None` if the response does not contain
/// the revision.
pub(crate) fn parse_page(page: &Value) -> Option<WikiPage> {
    let revision = page.get("revisions")?.get(0)?;
    let slot = value_at(revision, &["slots", "main"])?;
    let is_wikitext = text_at(slot, &["contentmodel"]) == Some("wikitext");
    Some(WikiPage {
        id: page.get("pageid")?.as_u64()?,
        title: page.get("title")?.as_str()?.to_owned(),
        revision: revision.get("revid")?.as_u64()?,
        revised_at: time_at(revision, &["timestamp"])?,
        text: text_at(slot, &["content"]).filter(|_| is_wikitext).map(str::to_owned),
    })
}

/// Returns the number of the new revision of a successful edit, or `None` if the page is
/// unchanged. Fails if the wiki rejected the edit.
pub(crate) fn edit_result(content: &Value) -> Result<Option<u64>, WikiError> {
    let edit = content.get("edit").ok_or(WikiError::InvalidResponse { expected: "an edit" })?;
    if text_at(edit, &["result"]) != Some("Success") {
        // If a filter or a captcha rejects an edit, the response has no error code of the
        // API.
        let causes = ["code", "captcha", "spamblacklist", "abusefilter"];
        let cause = causes.into_iter().find(|key| edit.get(key).is_some()).unwrap_or("failure");
        let message =
            text_at(edit, &["info"]).unwrap_or("the wiki did not save the edit").to_owned();
        let code = text_at(edit, &["code"]).unwrap_or(cause).to_owned();
        return Err(WikiError::Rejected { code, message });
    }
    Ok(edit.get("newrevid").and_then(Value::as_u64))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn page_that_is_not_wikitext_has_no_text() {
        let slot = |model: &str| json!({"main": {"contentmodel": model, "content": "x"}});
        for (model, expected) in [("wikitext", Some("x".to_owned())), ("Scribunto", None)] {
            let content = json!({"pageid": 1, "title": "A", "revisions": [
                {"revid": 7, "timestamp": "2026-11-18T10:00:00Z", "slots": slot(model)}]});
            assert_eq!(parse_page(&content).unwrap().text, expected);
        }
        assert_eq!(parse_page(&json!({"title": "A", "missing": true})), None);
    }

    #[test]
    fn edit_that_a_captcha_stops_is_rejected() {
        let content = json!({"edit": {"result": "Failure", "captcha": {"id": "1"}}});
        let error = edit_result(&content).unwrap_err();
        assert!(matches!(error, WikiError::Rejected { code, .. } if code == "captcha"));
        let content = json!({"edit": {"result": "Success", "nochange": true}});
        assert_eq!(edit_result(&content).unwrap(), None);
    }
}
