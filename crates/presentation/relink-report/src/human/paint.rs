//! Colour, or none.

use anstyle::{AnsiColor, Style};
use relink_model::Word;

/// Whether text is painted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paint {
    /// As it is: for files, pipes and `NO_COLOR`.
    Plain,
    /// With ANSI escape sequences: for terminals.
    Ansi,
}

impl Paint {
    /// Text in the color of a word.
    pub fn word(self, word: Word, text: &str) -> String {
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

const fn style_of(word: Word) -> Style {
    let color = match word {
        Word::Alive => AnsiColor::Green,
        Word::Moved | Word::Drifted => AnsiColor::Blue,
        Word::Dead | Word::Hijacked | Word::Local => AnsiColor::Red,
        Word::Soft404 => AnsiColor::Magenta,
        Word::Failing | Word::Blocked | Word::AtRisk => AnsiColor::Yellow,
    };
    color.on_default().bold()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_has_no_escapes_and_painted_text_ends_its_own() {
        assert_eq!(Paint::Plain.word(Word::Dead, "dead"), "dead");
        let painted = Paint::Ansi.word(Word::Dead, "dead");
        assert_eq!(painted, "\u{1b}[1m\u{1b}[31mdead\u{1b}[0m");
    }
}
