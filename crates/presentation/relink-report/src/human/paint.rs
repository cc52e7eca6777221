//! Colour, or none.

use anstyle::{AnsiColor, Style};
use relink_model::Verdict;

/// Whether text is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextStyle {
    /// As it is: for files, pipes and `NO_COLOR`.
    Plain,
    /// With ANSI escape sequences: for terminals.
    Ansi,
}

impl TextStyle {
    /// Text in the color of a word.
    pub fn word(self, word: Verdict, text: &str) -> String {
        self.styled(style_of(word), text)
    }

    /// Text that catches the eye.
    pub fn strong(self, text: &str) -> String {
        self.styled(Style::new().bold(), text)
    }

    /// Text that stays in the background.
    pub fn quiet(self, text: &str) -> String {
        self.styled(Style::new().dimmed(), text)
    }

    /// Text that helps.
    pub fn help(self, text: &str) -> String {
        self.styled(AnsiColor::Cyan.on_default().bold(), text)
    }

    fn styled(self, style: Style, text: &str) -> String {
        match self {
            Self::Plain => text.to_owned(),
            Self::Ansi => format!("{style}{text}{style:#}"),
        }
    }
}

const fn style_of(word: Verdict) -> Style {
    let color = match word {
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
    fn plain_text_has_no_escapes_and_painted_text_ends_its_own() {
        assert_eq!(TextStyle::Plain.word(Verdict::Dead, "dead"), "dead");
        let painted = TextStyle::Ansi.word(Verdict::Dead, "dead");
        assert_eq!(painted, "\u{1b}[1m\u{1b}[31mdead\u{1b}[0m");
    }
}
