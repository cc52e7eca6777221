//! Formats each broken link as one line, for editors and CI systems (`--format
//! concise`, `--format github`).

use relink_model::{FindingCode, Verdict};

use crate::{printable, redact};

/// A broken link at one location.
#[derive(Debug, Clone, Copy)]
pub struct FindingLine<'a> {
    /// The path or URL of the document.
    pub path: &'a str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// The code of the finding.
    pub code: Option<FindingCode>,
    /// The verdict.
    pub verdict: Verdict,
    /// The URL as written.
    pub url: &'a str,
    /// The reason of the verdict.
    pub reason: &'a str,
    /// Whether the link fails the run.
    pub is_failing: bool,
    /// Whether `--since`, `--baseline` or `--accept` exempts the link from failing the run.
    pub is_known: bool,
}

impl FindingLine<'_> {
    /// Returns the line of the format `concise`, as compilers print it:
    /// `path:line:column: code verdict url: reason`.
    pub fn concise(&self) -> String {
        let Self { line, column, verdict, .. } = self;
        let (path, url, reason) = self.texts();
        let code = self.code.map(|code| format!("{code} ")).unwrap_or_default();
        let known = if self.is_known { " (known)" } else { "" };
        format!("{path}:{line}:{column}: {code}{verdict} {url}: {reason}{known}\n")
    }

    /// Returns a workflow command of GitHub Actions, which shows the finding next
    /// to the changed line.
    pub fn github(&self) -> String {
        let Self { line, column, verdict, .. } = self;
        let (path, url, reason) = self.texts();
        let level = if self.is_failing { "error" } else { "warning" };
        let title = match self.code {
            Some(code) => format!("{code} {verdict}"),
            None => verdict.to_string(),
        };
        let (path, title) = (escape_property(&path), escape_property(&title));
        let message = escape_message(&format!("{url}: {reason}"));
        format!("::{level} file={path},line={line},col={column},title={title}::{message}\n")
    }

    /// Returns path, URL and reason without control characters and secrets.
    fn texts(&self) -> (String, String, String) {
        let url = redact(self.url).to_string();
        (
            printable(self.path).into_owned(),
            printable(&url).into_owned(),
            printable(self.reason).into_owned(),
        )
    }
}

/// Escapes the message of a workflow command.
fn escape_message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// Escapes a property of a workflow command.
fn escape_property(text: &str) -> String {
    escape_message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates a dead link in line 3, column 7 of a document.
    fn finding<'a>(path: &'a str, url: &'a str) -> FindingLine<'a> {
        FindingLine {
            path,
            line: 3,
            column: 7,
            code: Some(FindingCode::new(101)),
            verdict: Verdict::Dead,
            url,
            reason: "404 in 2 attempts",
            is_failing: true,
            is_known: false,
        }
    }

    #[test]
    fn concise_line_has_location_code_and_reason() {
        assert_eq!(
            finding("a.md", "http://example.org/x").concise(),
            "a.md:3:7: RL101 dead http://example.org/x: 404 in 2 attempts\n"
        );
    }

    #[test]
    fn github_command_escapes_its_parts() {
        assert_eq!(
            finding("a,b:%.md", "http://example.org/%20").github(),
            "::error file=a%2Cb%3A%25.md,line=3,col=7,title=RL101 dead::\
             http://example.org/%2520: 404 in 2 attempts\n"
        );
    }

    #[test]
    fn lines_of_hostile_text_are_single_lines() {
        let hostile =
            finding("a\n::error ::x\x1b[2J.md", "http://u:secret@example.org/\r\n::warning::");
        for line in [hostile.concise(), hostile.github()] {
            assert_eq!(line.lines().count(), 1, "{line:?}");
            assert!(!line.contains('\x1b') && !line.contains("secret"), "{line:?}");
        }
    }
}
