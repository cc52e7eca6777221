//! Formats a check as a code quality report of GitLab.

use serde_json::{Value, json};

use super::CheckReport;

/// Renders a report as a GitLab code quality report.
pub fn gitlab(report: &CheckReport) -> Value {
    let issues = report.broken_links.iter().map(|link| {
        // A known link is exempted from failing the run.
        let severity = match (link.is_failing, link.is_known) {
            (true, _) => "major",
            (false, false) => "minor",
            (false, true) => "info",
        };
        json!({
            "description": format!("{} {}: {}", link.label(), link.url, link.reason),
            "check_name": link.code.map_or_else(|| link.verdict.to_string(), |code| code.to_string()),
            // GitLab requires a different fingerprint for each issue.
            "fingerprint": format!("{}-{}-{}", link.id, link.line, link.column),
            "severity": severity,
            "location": { "path": link.path.trim_start_matches("./"), "lines": { "begin": link.line } },
        })
    });
    Value::Array(issues.collect())
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_safe, report};
    use super::*;

    #[test]
    fn issues_have_the_required_members() {
        let issues = gitlab(&report());
        assert_eq!(issues[0]["location"]["lines"]["begin"], 3);
        assert_eq!(
            (&issues[0]["severity"], &issues[2]["severity"]),
            (&"major".into(), &"info".into())
        );
        assert_eq!(issues[0]["check_name"], "RL101");
        check_safe(&issues.to_string());
    }
}
