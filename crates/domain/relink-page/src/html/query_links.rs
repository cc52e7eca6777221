//! Collects the links of a page that have a query. They show which values of a parameter the
//! site uses.

use super::tokenizer::Tokenizer;
use crate::link_sink::unescape_attribute;

/// Maximum number of links.
const MAX_LINKS: usize = 24;
/// Maximum number of links that differ only after the first parameter name.
const MAX_LINKS_OF_PARAMETER: usize = 6;
/// Maximum length of a link, in bytes; longer links are skipped.
const MAX_LINK_LENGTH: usize = 120;

/// The links that were read so far.
#[derive(Debug, Default)]
pub(super) struct QueryLinks(Vec<String>);

impl QueryLinks {
    /// Reads the current start tag, that of a link.
    pub(super) fn read(&mut self, tokens: &Tokenizer<'_>) {
        if self.0.len() >= MAX_LINKS {
            return;
        }
        let Some(href) = tokens.attribute("href").map(str::trim) else { return };
        if !href.contains('?') || href.len() > MAX_LINK_LENGTH {
            return;
        }
        let href = unescape_attribute(href);
        let link = href.split('#').next().unwrap_or_default();
        let parameter = first_parameter(link);
        let is_same = |other: &&String| first_parameter(other) == parameter;
        let is_known = self.0.iter().any(|other| other == link);
        if !is_known && self.0.iter().filter(is_same).count() < MAX_LINKS_OF_PARAMETER {
            self.0.push(link.to_owned());
        }
    }

    pub(super) fn finish(self) -> Vec<String> {
        self.0
    }
}

/// Returns a link up to the name of its first parameter.
fn first_parameter(link: &str) -> &str {
    let query = link.find('?').unwrap_or_default();
    let end = link.get(query..).and_then(|query| query.find('=')).map(|at| query + at);
    link.get(..end.unwrap_or(link.len())).unwrap_or(link)
}
