//! The text of `relink explain CODE` and `relink explain STATUS`.

use std::str::FromStr;

use relink_judge::codes::{self, CodeInfo, CodeStatus};
use relink_judge::status::{self, StatusInfo};
use relink_model::FindingCode;
use thiserror::Error;

use crate::human::{TextStyle, padded, width};
use crate::printable;

/// Maximum width of an explanation.
const MAX_COLUMNS: usize = 78;

/// A code or an HTTP status to explain.
///
/// ```
/// use relink_report::explain::{Subject, explain};
/// use relink_report::human::TextStyle;
/// let text = explain(TextStyle::Plain, &"451".parse()?);
/// assert!(text.starts_with("451 Unavailable For Legal Reasons"));
/// # Ok::<(), relink_report::explain::UnknownSubject>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A code of Relink.
    Code(CodeInfo),
    /// An HTTP status.
    Status(StatusInfo),
}

/// The text is neither a known code nor an HTTP status.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum UnknownSubject {
    /// The text has the form of a code, but the code does not exist.
    #[error("unknown code {0}")]
    NoSuchCode(FindingCode),
    /// The text is neither a code nor a status.
    #[error(
        "invalid subject `{0}` (expected a code such as `RL101` or an HTTP status such as `404`)"
    )]
    Neither(String),
}

impl FromStr for Subject {
    type Err = UnknownSubject;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(code) = text.parse::<FindingCode>() {
            let info = codes::lookup(code).ok_or(UnknownSubject::NoSuchCode(code))?;
            return Ok(Self::Code(info));
        }
        let is_status = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(status @ 100..) if is_status => Ok(Self::Status(status::lookup(status))),
            _ => Err(UnknownSubject::Neither(printable(text).into_owned())),
        }
    }
}

/// Explains a code or a status.
pub fn explain(style: TextStyle, subject: &Subject) -> String {
    match subject {
        Subject::Code(info) => explain_code(style, info),
        Subject::Status(info) => explain_status(style, info),
    }
}

/// Lists all codes, one per line.
pub fn list(style: TextStyle) -> String {
    codes::all().iter().map(|row| code_line(style, row)).collect()
}

/// Formats the description of a finding code.
fn explain_code(style: TextStyle, info: &CodeInfo) -> String {
    let label = format!("{} {}", info.code, info.verdict);
    let title = format!("{}: {}", style.verdict(info.verdict, &label), info.name);
    let mut text = format!("{title}\n\n{}\n", wrapped("  ", "", info.description));
    text.push_str(&what_to_do(style, info.advice));
    if info.status == CodeStatus::Reserved {
        text.push_str("\nThis code is reserved and not used by this version.\n");
    }
    text
}

/// Formats the description of an HTTP status.
fn explain_status(style: TextStyle, info: &StatusInfo) -> String {
    let name = style.strong(&format!("{} {}", info.status, info.name));
    let source = info.specification.map_or(String::new(), |section| format!(", {section}"));
    let title = format!("{name} ({}, {}{source})", info.class, info.origin);
    let description = wrapped("  ", "", info.description);
    let advice = what_to_do(style, info.advice);
    let verdict_name = format!("{} {}", info.verdict.symbol(), info.verdict);
    let verdict = style.verdict(info.verdict, &verdict_name);
    let code = info.code.map_or(String::new(), |code| format!(", {code}"));
    format!("{title}\n\n{description}\n{advice}\nverdict: {verdict}{code}\n")
}

/// Formats the advice as a paragraph.
pub(crate) fn what_to_do(style: TextStyle, advice: &str) -> String {
    const LABEL: &str = "what to do: ";
    labeled(LABEL, &style.help(LABEL), advice)
}

/// Formats a paragraph after a label. `styled_label` is the label with escape sequences. The
/// width of the plain label is used to wrap the lines, because escape sequences have no width.
pub(crate) fn labeled(label: &str, styled_label: &str, text: &str) -> String {
    let lines = wrapped("", label, text);
    format!("{styled_label}{}", lines.strip_prefix(label).unwrap_or(&lines))
}

/// Formats a finding code as one line of the list of all codes.
fn code_line(style: TextStyle, row: &CodeInfo) -> String {
    // Two columns for the symbol, eight for the longest verdicts (`hijacked`, `soft-404`), and
    // three for spaces.
    const VERDICT_COLUMNS: usize = 13;
    let symbol = padded(row.verdict.symbol().encode_utf8(&mut [0; 4]), 2);
    let verdict = padded(&format!("{symbol} {}", row.verdict), VERDICT_COLUMNS);
    let verdict = style.verdict(row.verdict, &verdict);
    let reserved = match row.status {
        CodeStatus::InUse => String::new(),
        CodeStatus::Reserved => style.quiet(" (reserved)"),
    };
    format!("{}  {verdict}{}{reserved}\n", row.code, row.name)
}

/// Wraps a text. The first line starts with `indent` and `label`, the others are indented
/// to the same column.
pub(crate) fn wrapped(indent: &str, label: &str, text: &str) -> String {
    let mut lines = format!("{indent}{label}");
    let margin = width(&lines);
    let mut line_width = margin;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 && line_width + 1 + width(word) > MAX_COLUMNS {
            lines.push('\n');
            lines.push_str(&" ".repeat(margin));
            line_width = margin;
        } else if index > 0 {
            lines.push(' ');
            line_width += 1;
        }
        lines.push_str(word);
        line_width += width(word);
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the explanation of a code or status.
    fn explained(text: &str) -> String {
        explain(TextStyle::Plain, &text.parse().unwrap())
    }

    #[test]
    fn explain_code_includes_advice() {
        let texts = ["RL101", "rl301", "RL510"].map(explained);
        insta::assert_snapshot!(texts.join("---\n"));
    }

    #[test]
    fn explain_status_includes_the_verdict() {
        let texts = ["200", "301", "404", "451", "522", "299", "777", "999"].map(explained);
        insta::assert_snapshot!(texts.join("---\n"));
    }

    #[test]
    fn list_contains_every_code() {
        insta::assert_snapshot!(list(TextStyle::Plain));
    }

    #[test]
    fn explanations_fit_the_maximum_width() {
        let codes = codes::all().iter().map(|row| Subject::Code(*row));
        for subject in codes.chain(status::all().map(Subject::Status)) {
            for line in explain(TextStyle::Plain, &subject).lines().skip(1) {
                assert!(width(line) <= MAX_COLUMNS, "{line}");
            }
        }
    }

    /// Checks the error message for an unknown subject.
    #[track_caller]
    fn check_unknown(text: &str, expect: &str) {
        let error = text.parse::<Subject>().unwrap_err();
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn parse_rejects_unknown_subjects() {
        check_unknown("RL999", "unknown code RL999");
        for text in ["", "4", "042", "4040", "+40", "dead"] {
            let expect = format!(
                "invalid subject `{text}` (expected a code such as `RL101` or an HTTP status such as `404`)"
            );
            check_unknown(text, &expect);
        }
    }

    /// Explanations must not name commands: if a command is renamed, no test would notice the
    /// outdated text.
    #[test]
    fn explanations_name_no_commands() {
        let all = codes::all().iter().map(|row| Subject::Code(*row));
        let texts: Vec<String> = all
            .chain(status::all().map(Subject::Status))
            .map(|subject| explain(TextStyle::Plain, &subject))
            .collect();
        assert!(!texts.concat().contains("`relink "));
    }
}
