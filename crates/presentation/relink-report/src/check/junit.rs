//! Formats a check as JUnit XML: one test case per link with a finding, grouped by
//! document.

use std::collections::BTreeMap;

use super::{BrokenLink, CheckReport};
use crate::site::html::markup::{Markup, element};

/// Renders a report as JUnit XML.
pub fn junit(report: &CheckReport) -> String {
    let mut documents: BTreeMap<&str, Vec<&BrokenLink>> = BTreeMap::new();
    for link in &report.broken_links {
        documents.entry(&link.path).or_default().push(link);
    }
    let mut suites: Markup =
        documents.iter().map(|(path, links)| document_suite(path, links)).collect();
    if documents.is_empty() {
        // CI systems reject a report without test cases.
        let case = element("testcase", [("classname", "relink"), ("name", "all links")], "");
        let (tests, failures, skipped) = (1, 0, 0);
        suites.push(test_suite("relink", tests, failures, skipped, case));
    }
    let failures = report.broken_links.iter().filter(|link| link.is_failing).count().to_string();
    let tests = report.broken_links.len().max(1).to_string();
    let attributes =
        [("name", "relink"), ("tests", tests.as_str()), ("failures", &failures), ("errors", "0")];
    element("testsuites", attributes, suites).into_xml()
}

/// Returns the test suite of a document; each link is a test case.
fn document_suite(path: &str, links: &[&BrokenLink]) -> Markup {
    let failures = links.iter().filter(|link| link.is_failing).count();
    let cases: Markup = links.iter().map(|link| test_case(link)).collect();
    test_suite(path, links.len(), failures, links.len() - failures, cases)
}

/// Returns a test suite with its counts.
fn test_suite(name: &str, tests: usize, failures: usize, skipped: usize, cases: Markup) -> Markup {
    let [tests, failures, skipped] = [tests, failures, skipped].map(|number| number.to_string());
    let attributes = [
        ("name", name),
        ("tests", tests.as_str()),
        ("failures", &failures),
        ("errors", "0"),
        ("skipped", &skipped),
    ];
    element("testsuite", attributes, cases)
}

/// Returns the test case of a link. A link that does not fail the run is a skipped test.
fn test_case(link: &BrokenLink) -> Markup {
    let name = format!("{}:{} {}", link.line, link.column, link.url);
    let message = format!("{}: {}", link.label(), link.reason);
    let result = if link.is_failing {
        let text = format!("{}:{}:{}: {message}", link.path, link.line, link.column);
        let kind = link.label();
        element("failure", [("message", message.as_str()), ("type", &kind)], text)
    } else {
        element("skipped", [("message", message.as_str())], "")
    };
    element("testcase", [("classname", link.path.as_str()), ("name", &name)], result)
}

#[cfg(test)]
mod tests {
    use super::super::tests::{check_safe, report};
    use super::*;

    #[test]
    fn junit_counts_failures_and_skipped_tests() {
        let text = junit(&report());
        assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"), "{text}");
        assert!(text.contains("<testsuites name=\"relink\" tests=\"3\" failures=\"2\""), "{text}");
        assert_eq!(text.matches("<failure ").count(), 2, "{text}");
        assert_eq!(text.matches("<skipped ").count(), 1, "{text}");
        assert!(!text.contains("<script>"), "{text}");
        check_safe(&text);
    }

    #[test]
    fn clean_report_has_one_passed_test() {
        let mut clean = report();
        clean.broken_links.clear();
        let text = junit(&clean);
        assert!(text.contains("tests=\"1\" failures=\"0\""), "{text}");
    }
}
