//! Reads a product and the list of its URLs from its folder.

use std::path::{Path, PathBuf};

use crate::XtaskError;

/// Parameters that every product ignores.
const EXTRA_PARAMETERS: [&str; 3] = ["x=1", "debug=1", "replyto=12"];
/// A line of a list. If it is present, the URLs are not also checked with extra
/// parameters.
const NO_VARIANTS: &str = "no-variants";

/// The true state of a URL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Truth {
    Alive,
    Dead,
    /// The server does not show whether the page exists, for example because it
    /// requires a login (`wall` in a list).
    Unknown,
}

impl Truth {
    /// Parses the first word of a line in a list.
    fn parse(name: &str) -> Option<Self> {
        match name {
            "alive" => Some(Self::Alive),
            "dead" => Some(Self::Dead),
            "wall" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// Returns the name in the table.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Alive => "alive",
            Self::Dead => "dead",
            Self::Unknown => "unknown",
        }
    }
}

/// A URL with its true state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Case {
    pub(super) truth: Truth,
    pub(super) path: String,
    /// Whether the path is a listed path with an extra parameter.
    pub(super) is_variant: bool,
}

/// A product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Product {
    pub(super) name: String,
    /// The script that installs and starts it.
    pub(super) start: PathBuf,
    pub(super) cases: Vec<Case>,
}

impl Product {
    /// Reads all products of a directory, sorted by name.
    pub(super) fn read_all(directory: &Path) -> Result<Vec<Self>, XtaskError> {
        let error = |source| XtaskError::io(directory, &source);
        let mut products = Vec::new();
        for entry in directory.read_dir().map_err(error)? {
            let path = entry.map_err(error)?.path();
            if path.join("start").is_file() {
                products.push(Self::read(&path)?);
            }
        }
        products.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(products)
    }

    /// Reads the product in this directory.
    fn read(directory: &Path) -> Result<Self, XtaskError> {
        let list = directory.join("urls");
        let text = std::fs::read_to_string(&list).map_err(|error| XtaskError::io(&list, &error))?;
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let cases = parse_cases(&text).map_err(|line| {
            XtaskError::new(format!("{}: invalid line `{line}`", list.display()))
        })?;
        Ok(Self { name, start: directory.join("start"), cases })
    }
}

/// Parses a list: `alive`, `dead` or `wall` and a path in each line. Returns the first
/// invalid line as the error.
fn parse_cases(text: &str) -> Result<Vec<Case>, String> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let has_variants = !lines.clone().any(|line| line == NO_VARIANTS);
    let mut cases = Vec::new();
    for line in lines.filter(|line| *line != NO_VARIANTS) {
        let parsed = line.split_once(' ').and_then(|(truth, path)| {
            Truth::parse(truth).filter(|_| path.starts_with('/')).map(|truth| (truth, path))
        });
        let (truth, path) = parsed.ok_or_else(|| line.to_owned())?;
        cases.push(Case { truth, path: path.to_owned(), is_variant: false });
        if has_variants {
            cases.extend(EXTRA_PARAMETERS.map(|extra| variant(truth, path, extra)));
        }
    }
    Ok(cases)
}

/// Returns the URL with an extra parameter.
fn variant(truth: Truth, path: &str, extra: &str) -> Case {
    let separator = match path.split_once('?') {
        None => '?',
        Some((_, query)) if query.contains(';') => ';',
        Some(_) => '&',
    };
    Case { truth, path: format!("{path}{separator}{extra}"), is_variant: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_url_gets_extra_parameters() {
        let cases = parse_cases("# note\nalive /a\ndead /b?p=1;q=2\n").unwrap();
        let paths: Vec<&str> = cases.iter().map(|case| case.path.as_str()).collect();
        assert_eq!(paths[..4], ["/a", "/a?x=1", "/a?debug=1", "/a?replyto=12"]);
        assert_eq!(paths[4..6], ["/b?p=1;q=2", "/b?p=1;q=2;x=1"]);
        assert_eq!((cases[5].truth, cases[5].is_variant), (Truth::Dead, true));
    }

    #[test]
    fn no_variants_and_invalid_lines_are_recognized() {
        assert_eq!(parse_cases("no-variants\nwall /a\n").unwrap().len(), 1);
        assert_eq!(parse_cases("dead a\n"), Err("dead a".to_owned()));
    }

    #[test]
    fn every_product_of_the_repository_can_be_read() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("truth");
        let products = Product::read_all(&directory).unwrap();
        assert!(products.iter().all(|product| product.cases.len() >= 4), "{products:?}");
    }
}
