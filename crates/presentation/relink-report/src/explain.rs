//! The text of `relink explain`: what a code or a status means.

use std::str::FromStr;

use relink_judge::codes::{self, CodeInfo, CodeStatus};
use relink_judge::status::{self, StatusInfo};
use relink_model::FindingCode;
use thiserror::Error;

use crate::human::{TextStyle, padded, width};
use crate::printable;

/// Columns an explanation is wrapped to.
const COLUMNS: usize = 78;

/// Something that can be explained.
///
/// ```
/// use relink_report::explain::{Subject, explain};
/// use relink_report::human::Paint;
/// let text = explain(Paint::Plain, &"451".parse()?);
/// assert!(text.starts_with("451 Unavailable For Legal Reasons"));
/// # Ok::<(), relink_report::explain::UnknownSubject>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// A code of ours.
    Code(CodeInfo),
    /// An HTTP status.
    Status(StatusInfo),
}

/// The text is nothing that can be explained.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum UnknownSubject {
    /// It has the form of a code, but there is no such code.
    #[error("there is no code {0}")]
    NoSuchCode(FindingCode),
    /// It is neither a code nor a status.
    #[error("`{0}` is neither a code like `RL101` nor an HTTP status like `404`")]
    Neither(String),
}

impl FromStr for Subject {
    type Err = UnknownSubject;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if let Ok(code) = text.parse::<FindingCode>() {
            let meaning = codes::meaning(code).ok_or(UnknownSubject::NoSuchCode(code))?;
            return Ok(Self::Code(meaning));
        }
        let is_status = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
        match text.parse() {
            Ok(status @ 100..) if is_status => Ok(Self::Status(status::meaning(status))),
            _ => Err(UnknownSubject::Neither(printable(text).into_owned())),
        }
    }
}

/// Explains a code or a status.
pub fn explain(paint: TextStyle, subject: &Subject) -> String {
    match subject {
        Subject::Code(meaning) => explain_code(paint, meaning),
        Subject::Status(meaning) => explain_status(paint, meaning),
    }
}

/// Every code there is, one to a line.
pub fn list(paint: TextStyle) -> String {
    codes::all().iter().map(|row| listed(paint, row)).collect()
}

fn explain_code(paint: TextStyle, meaning: &CodeInfo) -> String {
    let label = format!("{} {}", meaning.code, meaning.verdict);
    let title = format!("{}: {}", paint.word(meaning.verdict, &label), meaning.name);
    let mut text = format!("{title}\n\n{}\n", wrapped("  ", "", meaning.description));
    text.push_str(&what_to_do(paint, meaning.advice));
    if meaning.status == CodeStatus::Reserved {
        text.push_str("\nThis number is reserved: this build does not give it.\n");
    }
    text
}

fn explain_status(paint: TextStyle, meaning: &StatusInfo) -> String {
    let name = paint.strong(&format!("{} {}", meaning.status, meaning.name));
    let title = format!("{name} ({}, {})", meaning.class, meaning.origin);
    let sentence = wrapped("  ", "", meaning.description);
    let advice = what_to_do(paint, meaning.advice);
    let word =
        paint.word(meaning.verdict, &format!("{} {}", meaning.verdict.symbol(), meaning.verdict));
    let code = meaning.code.map_or(String::new(), |code| format!(", {code}"));
    format!("{title}\n\n{sentence}\n{advice}\nRelink says: {word}{code}\n")
}

/// What to do, as a paragraph.
pub(crate) fn what_to_do(paint: TextStyle, advice: &str) -> String {
    const LABEL: &str = "what to do: ";
    labeled(LABEL, &paint.help(LABEL), advice)
}

/// A paragraph after a label, which is shown as `painted`.
pub(crate) fn labeled(label: &str, painted: &str, text: &str) -> String {
    let lines = wrapped("", label, text);
    format!("{painted}{}", lines.strip_prefix(label).unwrap_or(&lines))
}

fn listed(paint: TextStyle, row: &CodeInfo) -> String {
    // The widest sign, the longest words (`hijacked`, `soft-404`) and a gap.
    const WORD_COLUMNS: usize = 13;
    // Signs are one or two columns wide.
    let sign = padded(row.verdict.symbol().encode_utf8(&mut [0; 4]), 2);
    let word = padded(&format!("{sign} {}", row.verdict), WORD_COLUMNS);
    let word = paint.word(row.verdict, &word);
    let reserved = match row.status {
        CodeStatus::InUse => String::new(),
        CodeStatus::Reserved => paint.quiet(" (reserved)"),
    };
    format!("{}  {word}{}{reserved}\n", row.code, row.name)
}

/// A text broken into lines, each after `indent`, the first after `label` too.
pub(crate) fn wrapped(indent: &str, label: &str, text: &str) -> String {
    let mut lines = format!("{indent}{label}");
    let mut used = width(&lines);
    let margin = used;
    for (index, word) in text.split(' ').enumerate() {
        if index > 0 && used + 1 + width(word) > COLUMNS {
            lines.push('\n');
            lines.push_str(&" ".repeat(margin));
            used = margin;
        } else if index > 0 {
            lines.push(' ');
            used += 1;
        }
        lines.push_str(word);
        used += width(word);
    }
    lines.push('\n');
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn explained(text: &str) -> String {
        explain(TextStyle::Plain, &text.parse().unwrap())
    }

    #[test]
    fn a_code_is_explained_with_what_to_do() {
        let texts = ["RL101", "rl301", "RL510"].map(explained);
        insta::assert_snapshot!(texts.join("---\n"));
    }

    #[test]
    fn a_status_is_explained_with_our_word_for_it() {
        let texts = ["200", "301", "404", "451", "522", "299", "777", "999"].map(explained);
        insta::assert_snapshot!(texts.join("---\n"));
    }

    #[test]
    fn every_code_is_listed() {
        insta::assert_snapshot!(list(TextStyle::Plain));
    }

    #[test]
    fn everything_that_has_a_meaning_fits_its_columns() {
        let codes = codes::all().iter().map(|row| Subject::Code(*row));
        for subject in codes.chain(status::all().map(Subject::Status)) {
            for line in explain(TextStyle::Plain, &subject).lines().skip(1) {
                assert!(width(line) <= COLUMNS, "{line}");
            }
        }
    }

    #[track_caller]
    fn check_unknown(text: &str, expect: &str) {
        let error = text.parse::<Subject>().unwrap_err();
        assert_eq!(error.to_string(), expect);
    }

    #[test]
    fn what_cannot_be_explained_is_named() {
        check_unknown("RL999", "there is no code RL999");
        for text in ["", "4", "042", "4040", "+40", "dead"] {
            let expect =
                format!("`{text}` is neither a code like `RL101` nor an HTTP status like `404`");
            check_unknown(text, &expect);
        }
    }

    /// The commands of this build; an explanation may name no other.
    #[test]
    fn no_explanation_names_a_command_that_does_not_exist() {
        let all = codes::all().iter().map(|row| Subject::Code(*row));
        let texts: Vec<String> = all
            .chain(status::all().map(Subject::Status))
            .map(|subject| explain(TextStyle::Plain, &subject))
            .collect();
        assert!(!texts.concat().contains("`relink "));
    }
}
