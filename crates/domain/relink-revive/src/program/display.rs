//! Displays a program in one line: `docs.example.org/<last>`.
//!
//! The line shows the shape of the new URL, without styles and delimiters. The
//! JSON form is complete.

use std::fmt;

use super::{
    DatePart, Extract, HostPart, NewQuery, Part, Segment, Slash, Substring, TextSource, TitlePiece,
    UrlProgram,
};

impl fmt::Display for UrlProgram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.host.iter().try_for_each(|part| part.fmt(f))?;
        for segment in &self.path {
            f.write_str("/")?;
            match segment {
                Segment::Component(parts) => parts.iter().try_for_each(|part| part.fmt(f))?,
                Segment::Run { .. } => f.write_str("<path>")?,
            }
        }
        if self.slash == Slash::With {
            f.write_str("/")?;
        }
        match &self.query {
            NewQuery::None => Ok(()),
            NewQuery::Keep => f.write_str("?<query>"),
            NewQuery::Make(parameters) => show_query(parameters, f),
        }
    }
}

fn show_query(parameters: &[(String, Vec<Part>)], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (at, (name, value)) in parameters.iter().enumerate() {
        f.write_str(if at == 0 { "?" } else { "&" })?;
        if !name.is_empty() {
            write!(f, "{name}=")?;
        }
        value.iter().try_for_each(|part| write!(f, "{part}"))?;
    }
    Ok(())
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Extract(extract) => extract.fmt(f),
        }
    }
}

impl fmt::Display for Extract {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("<")?;
        if let Some(piece) = self.piece {
            f.write_str(match piece {
                Substring::Field { .. } | Substring::After(_) | Substring::Before(_) => "part of ",
                Substring::Number(_) => "number in ",
            })?;
        }
        match &self.source {
            TextSource::Path(-1) => f.write_str("name")?,
            TextSource::Path(position) if *position < 0 => write!(f, "folder {position}")?,
            TextSource::Path(position) => write!(f, "folder {}", position + 1)?,
            TextSource::Query(name) => write!(f, "?{name}")?,
            TextSource::Title(TitlePiece::Whole) => f.write_str("title")?,
            TextSource::Title(TitlePiece::First | TitlePiece::Last) => {
                f.write_str("title piece")?;
            }
            TextSource::Date(DatePart::Year) => f.write_str("year")?,
            TextSource::Date(DatePart::Month) => f.write_str("month")?,
            TextSource::Date(DatePart::Day) => f.write_str("day")?,
            TextSource::Label(position) => write!(f, "label {position}")?,
            TextSource::Host(HostPart::Whole | HostPart::Bare) => f.write_str("host")?,
        }
        f.write_str(">")
    }
}

#[cfg(test)]
mod tests {
    use crate::OldPage;
    use crate::program::{Example, learn};

    #[test]
    fn display_resembles_a_url() {
        let example = |name: &str| Example {
            old: OldPage::new(format!("https://example.org/guide/{name}.html").parse().unwrap()),
            new: format!("https://docs.example.org/v2/{name}").parse().unwrap(),
            is_certain: true,
        };
        let learned = learn(&["setup", "build", "deploy"].map(example));
        assert_eq!(learned[0].program.to_string(), "docs.example.org/v2/<name>");
    }
}
