//! Adds terminal colors to texts, if they are enabled.

use anstyle::{AnsiColor, Style};
use relink_model::Verdict;

/// Whether text has terminal colors.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    /// No colors: for files, pipes and `NO_COLOR`.
    Plain,
    /// With ANSI escape sequences: for terminals.
    Ansi,
}

impl TextStyle {
    /// Formats text in the color of a verdict.
    pub fn verdict(self, verdict: Verdict, text: &str) -> String {
        self.styled(verdict_style(verdict), text)
    }

    /// Formats emphasized text.
    pub fn strong(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// Formats dimmed text.
    pub fn quiet(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    /// Formats the label of a hint.
    pub fn help(self, text: &str) -> String {
        self.styled(AnsiColor::Cyan.on_default().bold(), text)
    }

    /// Applies a style, if the output has colors.
    fn styled(self, style: Style, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("{style}{text}{style:#}"),
        }
    }
}

/// Returns the color of a verdict.
const fn verdict_style(verdict: Verdict) -> Style {
    let color = match verdict {
        Verdict::Alive => AnsiColor::Green,
        Verdict::Moved | Verdict::Drifted => AnsiColor::Blue,
        Verdict::Dead | Verdict::Hijacked | Verdict::Local => AnsiColor::Red,
        Verdict::Soft404 => AnsiColor::Magenta,
        Verdict::Failing | Verdict::Blocked | Verdict::AtRisk => AnsiColor::Yellow,
    };
    color.on_default().bold()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ansi_text_has_escape_sequences() {
        assert_eq!(TextStyle::Plain.verdict(Verdict::Dead, "dead"), "dead");
        let text = TextStyle::Ansi.verdict(Verdict::Dead, "dead");
        assert_eq!(text, "\u{1b}[1m\u{1b}[31mdead\u{1b}[0m");
    }
}
