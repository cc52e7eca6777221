//! SARIF 2.1.0, for code scanning.
//!
//! The output is within the limits of GitHub, which accepts at most 25,000 results.
//! Failing findings come first, because GitHub shows only the first 5,000.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use relink_judge::codes;
use relink_model::FindingCode;
use serde_json::{Value, json};

use super::{BrokenLink, CheckReport};

/// Maximum number of results of a run.
const MAX_RESULTS: usize = 25_000;

/// The schema of the format.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Name of the fingerprint. The fingerprint identifies a finding by its document and URL, so
/// it does not change if the link moves to another line.
const FINGERPRINT: &str = "relinkLink/v1";

/// Characters that a relative URI cannot contain.
const ENCODED_IN_URI: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'%')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'#')
    .add(b'?')
    .add(b'[')
    .add(b']')
    .add(b':');

/// Renders a report as SARIF.
pub fn sarif(report: &CheckReport) -> Value {
    let mut rules: Vec<FindingCode> =
        report.broken_links.iter().filter_map(|link| link.code).collect();
    rules.sort_unstable();
    rules.dedup();
    let mut links: Vec<&BrokenLink> = report.broken_links.iter().collect();
    links.sort_by_key(|link| !link.is_failing);
    let results: Vec<Value> =
        links.into_iter().take(MAX_RESULTS).map(|link| result(link, &rules)).collect();
    json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "Relink",
                "version": report.version,
                "rules": rules.iter().map(|code| rule(*code)).collect::<Vec<_>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

/// Returns the description of a finding code.
fn rule(code: FindingCode) -> Value {
    let (name, description, advice) = match codes::lookup(code) {
        Some(info) => (info.name, info.description, info.advice),
        None => ("unknown", "Unknown code.", ""),
    };
    json!({
        "id": code.to_string(),
        "shortDescription": { "text": name },
        "fullDescription": { "text": description },
        "help": { "text": advice },
    })
}

/// Returns a finding with its location. `rules` contains all codes of the report.
fn result(link: &BrokenLink, rules: &[FindingCode]) -> Value {
    let level = match (link.is_failing, link.is_known) {
        (true, _) => "error",
        (false, false) => "warning",
        (false, true) => "note",
    };
    let mut result = json!({
        "level": level,
        "message": { "text": format!("{}: {}", link.url, link.reason) },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&link.path) },
            "region": { "startLine": link.line.max(1), "startColumn": link.column.max(1) },
        }}],
        "partialFingerprints": { FINGERPRINT: link.id.to_string() },
    });
    if let Some(code) = link.code {
        let index = rules.iter().position(|rule| *rule == code);
        if let Some(members) = result.as_object_mut() {
            members.insert("ruleId".to_owned(), code.to_string().into());
            members.insert("ruleIndex".to_owned(), index.into());
        }
    }
    result
}

/// Returns a document as a URI. Paths are relative to the repository.
fn uri(path: &str) -> String {
    if path.starts_with("http://") || path.starts_with("https://") {
        return path.to_owned();
    }
    let encoded = utf8_percent_encode(path.trim_start_matches("./"), ENCODED_IN_URI).to_string();
    if encoded.starts_with('/') { format!("file://{encoded}") } else { encoded }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_safe, report};
    use super::*;

    #[test]
    fn sarif_has_rules_locations_and_fingerprints() {
        let value = sarif(&report());
        let run = &value["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "RL101");
        let first = &run["results"][0];
        let location = &first["locations"][0]["physicalLocation"];
        assert_eq!(location["artifactLocation"]["uri"], "docs/a%20b.md");
        assert_eq!((&first["ruleIndex"], &first["level"]), (&0.into(), &"error".into()));
        assert_eq!(run["results"][2]["level"], "note");
        assert_eq!(first["partialFingerprints"][FINGERPRINT].as_str().unwrap().len(), 16);
        check_safe(&value.to_string());
    }

    #[test]
    fn results_are_limited() {
        let mut large_report = report();
        large_report.broken_links = vec![large_report.broken_links[0].clone(); MAX_RESULTS + 1];
        let document = sarif(&large_report);
        assert_eq!(document["runs"][0]["results"].as_array().unwrap().len(), MAX_RESULTS);
    }

    #[test]
    fn fingerprint_does_not_depend_on_the_line() {
        let mut moved = report();
        moved.broken_links[0].line = 99;
        let fingerprint =
            |report| sarif(report)["runs"][0]["results"][0]["partialFingerprints"].clone();
        assert_eq!(fingerprint(&moved), fingerprint(&report()));
    }
}
