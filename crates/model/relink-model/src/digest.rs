//! Compact summaries of page content. Page bodies are not stored.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::Sketch;

/// A summary of a page in a few hundred bytes, used to judge the page and to
/// compare it with other versions. Not a checksum.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Digest {
    /// The media type of the `Content-Type` header, without parameters, in
    /// lower case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// The number of body bytes read, after decoding.
    #[serde(default)]
    pub bytes: u64,
    /// Whether reading stopped at a size limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_truncated: bool,
    /// The title, with white space collapsed, truncated to a maximum length.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The first headings, in document order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub headings: Vec<String>,
    /// The declared language, in lower case (`de`, `pt-br`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The canonical URL that the page declares, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canonical: Option<String>,
    /// The date of the last change or of publication that the page states about
    /// itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stated_date: Option<Date>,
    /// The length of the visible text in characters, with white space
    /// collapsed.
    #[serde(default)]
    pub text_length: u64,
    /// The start of the visible text, with white space collapsed, at most
    /// [`Digest::MAX_TEXT_START`] characters.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text_start: String,
    /// The end of the visible text, if the text is longer than `text_start`.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text_end: String,
    /// The text outside of links, navigation, sidebars and page footers, if it is at most
    /// [`Digest::MAX_TEXT_START`] characters long and is not the whole visible text. An
    /// error page is usually a short text with the navigation of its site around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub main_text: Option<String>,
    /// Links of the page that have a query, as written. The queries show which values of a
    /// parameter the site uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub query_links: Vec<String>,
    /// A hash of the bytes read, if the content is not text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<u32>,
    /// The target of an immediate client-side redirect, as written: a meta
    /// refresh, or a script on a page with almost no visible text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_redirect: Option<String>,
    /// Detected page properties, without duplicates.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<PageFlag>,
    /// The sketch of the visible text: a sample of its word sequences, from which its
    /// resemblance to other texts is estimated.
    #[serde(default, skip_serializing_if = "Sketch::is_empty")]
    pub sketch: Sketch,
}

impl Digest {
    /// The maximum length of [`Digest::text_start`] in characters.
    pub const MAX_TEXT_START: usize = 400;

    /// The maximum length of [`Digest::text_end`] in characters.
    pub const MAX_TEXT_END: usize = 200;

    /// Whether a flag is set.
    pub fn has_flag(&self, flag: PageFlag) -> bool {
        self.flags.contains(&flag)
    }

    /// Whether [`Digest::text_start`] is the whole visible text.
    pub fn is_short(&self) -> bool {
        self.text_length <= Self::MAX_TEXT_START as u64
    }
}

/// A page property detected in the markup, not in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageFlag {
    /// A form with a password field.
    PasswordField,
    /// A `noindex` directive.
    NoIndex,
    /// Almost no visible text before scripts run, as in the shell of a web application.
    AppShell,
    /// Scripts or frames of a bot-detection service.
    BotChallenge,
    /// Scripts or frames of a domain-parking service.
    Parking,
    /// Scripts or frames of a consent service that blocks the page.
    Consent,
    /// A search field that contains a text, as on pages with search results.
    FilledSearchField,
}

/// A function of a page that does not work in an archived copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PageFunction {
    /// A login, or the registration of an account.
    Login,
    /// A subscription, for example to a newsletter.
    Subscription,
    /// Comments or feedback.
    Comments,
    /// A search of the site.
    Search,
    /// Links to pages that the provider recommends.
    Recommendations,
    /// Advertisements.
    Advertisements,
}
