//! Detects the [`PageFlag`]s of a page from its markup.
//!
//! A *signal* is a sign in the markup, such as a password field. Signals are collected
//! as bits while the page is parsed. They are evaluated at the end of the page, because most
//! signals count only if the page has little text. The search for such a signal stops after
//! too much text. [`super::app_shell`] explains app shells.

use std::ops::Range;

use memchr::memchr2_iter;
use relink_model::{Digest, PageFlag};

use super::app_shell::{AppShellDetector, EmptyRoot};
use super::element::Element;
use super::inline_script::{defines_elements, writes_content};
use super::services::Services;
use super::tokenizer::Tokenizer;
use crate::safe_slice::SafeSlice as _;

/// Maximum text length of a page with little text, in characters. Most signals
/// count only on such pages.
const MAX_LITTLE_TEXT: u64 = Digest::MAX_TEXT_START as u64;

/// Maximum text length of an app shell without header and footer (a bare app shell),
/// in characters.
const MAX_BARE_SHELL_TEXT: u64 = 100;

/// Maximum text length of an app shell with header and footer, in characters.
/// Articles are longer.
const MAX_SHELL_TEXT: u64 = 1_000;

/// Minimum length of an inline script that may build a page, in bytes.
const MIN_BUILDER_LENGTH: usize = 1024;

/// Maximum number of bytes at the start of an inline script that are searched for
/// service names.
const MAX_SEARCH_LENGTH: usize = 2048;

/// Minimum number of input fields of an ordinary form. The form of a bot challenge has
/// fewer input fields.
const MIN_FORM_FIELDS: u32 = 2;

/// Types of `input` elements that accept typed text.
const FIELD_TYPES: [&str; 6] = ["", "text", "email", "tel", "password", "url"];

/// Names of search fields.
const SEARCH_NAMES: [&str; 12] = [
    "q",
    "s",
    "query",
    "search",
    "searchterm",
    "keyword",
    "keywords",
    "term",
    "terms",
    "find",
    "wd",
    "text",
];

/// Names of `meta` elements with directives for search engines.
const INDEXERS: [&str; 2] = ["robots", "googlebot"];

/// A set of signals.
#[derive(Debug, Clone, Copy, Default)]
struct Signals(u16);

impl Signals {
    /// A password field.
    const PASSWORD: Self = Self(1);
    /// A `meta` element that forbids indexing.
    const NO_INDEX: Self = Self(1 << 1);
    /// A script that may build the page: a module, a long inline script, or a file
    /// that does not belong to a service with another purpose.
    const POSSIBLE_BUILDER: Self = Self(1 << 2);
    /// A script bundle of a framework that builds pages.
    const BUNDLE: Self = Self(1 << 3);
    /// A `noscript` element mentions JavaScript.
    const REQUIRES_SCRIPTS: Self = Self(1 << 4);
    /// A bot challenge that is shown instead of the page ([`Services::CHALLENGE`]).
    const CHALLENGE: Self = Self(1 << 5);
    /// A captcha, which may be part of an ordinary form ([`Services::CAPTCHA`]).
    const CAPTCHA: Self = Self(1 << 6);
    /// Bot detection that may run in the background ([`Services::BOT_DETECTION`]).
    const BOT_DETECTION: Self = Self(1 << 7);
    /// A script, style sheet or frame of a parking service.
    const PARKING: Self = Self(1 << 8);
    /// A link or form that leads to a parking service, or an image of a parking service.
    const PARKING_LINK: Self = Self(1 << 9);
    /// A script or block of a consent service.
    const CONSENT: Self = Self(1 << 10);
    /// A form or frame that requests consent.
    const CONSENT_FORM: Self = Self(1 << 11);
    /// An inline script that writes content.
    const CONTENT_WRITER: Self = Self(1 << 12);
    /// An inline script that defines elements or builds shadow trees.
    const ELEMENT_DEFINER: Self = Self(1 << 13);
    /// A search field that contains a text.
    const FILLED_SEARCH_FIELD: Self = Self(1 << 14);
}

/// The part of the page in which the name of a service was found.
#[derive(Clone, Copy)]
enum Source {
    Script,
    InlineScript,
    Style,
    Frame,
    Form,
    Block,
    Link,
}

/// Collects the signals of a page and derives its flags.
#[derive(Debug, Default)]
pub(super) struct FlagDetector<'t> {
    signals: Signals,
    /// Number of input fields.
    fields: u32,
    shell: AppShellDetector<'t>,
}

impl<'t> FlagDetector<'t> {
    /// Reads a visible start tag. `text_before` is the number of visible characters before it.
    pub(super) fn start_tag(
        &mut self,
        element: Element,
        name: &'t str,
        tokens: &Tokenizer<'_>,
        text_before: u64,
    ) {
        match element {
            Element::Meta => self.read_meta(tokens),
            Element::Input => self.read_input(tokens),
            Element::Script => self.read_script(tokens),
            Element::Link => self.record_url(tokens, "href", Source::Style),
            Element::Frame => self.record_url(tokens, "src", Source::Frame),
            _ if text_before > MAX_LITTLE_TEXT => {}
            Element::Form => {
                self.record_url(tokens, "action", Source::Form);
                self.record_names(tokens, Source::Form);
            }
            Element::Anchor => self.record_url(tokens, "href", Source::Link),
            Element::Image => self.record_url(tokens, "src", Source::Link),
            Element::Block => self.record_names(tokens, Source::Block),
            _ => {}
        }
        if text_before <= MAX_SHELL_TEXT && matches!(element, Element::Block | Element::Custom) {
            self.shell.start_tag(element, name, tokens);
        }
    }

    /// Reads an end tag.
    pub(super) fn end_tag(&mut self, name: &str) {
        self.shell.end_tag(name);
    }

    /// Reads visible text. `text_before` is the number of visible characters before it.
    pub(super) fn read_text(&mut self, text: &str, text_before: u64) {
        if text_before <= MAX_SHELL_TEXT {
            self.shell.read_text(text);
        }
    }

    /// Reads the text of a `noscript` element.
    pub(super) fn read_noscript(&mut self, text: &str) {
        if !self.has(Signals::REQUIRES_SCRIPTS) && mentions_javascript(text) {
            self.add(Signals::REQUIRES_SCRIPTS);
        }
    }

    /// Records an inline script of `length` bytes. Its code is searched later, in
    /// [`FlagDetector::finish`].
    pub(super) fn record_inline_script(&mut self, length: usize) {
        if length >= MIN_BUILDER_LENGTH {
            self.add(Signals::POSSIBLE_BUILDER);
        }
    }

    /// Sets the flags of a digest that is otherwise complete. `scripts` are the
    /// ranges of the inline scripts in `html`.
    pub(super) fn finish(mut self, html: &str, scripts: &[Range<usize>], digest: &mut Digest) {
        self.shell.finish();
        if digest.text_length <= MAX_SHELL_TEXT {
            for range in scripts {
                self.inspect_script(html.get(range.clone()).unwrap_or_default());
            }
        }
        if digest.text_length <= MAX_LITTLE_TEXT {
            for range in scripts {
                let script = html.as_bytes().slice(range.clone());
                let start = script.slice(..script.len().min(MAX_SEARCH_LENGTH));
                self.record_services(Services::in_text(start), Source::InlineScript);
            }
            if let Some(redirect) = &digest.client_redirect {
                self.record_services(Services::in_value(redirect), Source::Link);
            }
        }
        digest.flags = self.flags(digest);
    }

    /// Searches an inline script for code that builds a page.
    fn inspect_script(&mut self, script: &str) {
        if defines_elements(script) {
            self.add(Signals::ELEMENT_DEFINER);
        }
        if writes_content(script) {
            self.add(Signals::CONTENT_WRITER);
        }
    }

    /// Whether at least one of these signals was found.
    fn has(&self, signals: Signals) -> bool {
        self.signals.0 & signals.0 != 0
    }

    fn add(&mut self, signals: Signals) {
        self.signals.0 |= signals.0;
    }

    /// Records a `meta` element that forbids indexing.
    fn read_meta(&mut self, tokens: &Tokenizer<'_>) {
        let is_for_indexers = tokens.attribute("name").is_some_and(|name| {
            INDEXERS.iter().any(|other| name.trim().eq_ignore_ascii_case(other))
        });
        let forbids = |content: &str| {
            content
                .split(|character: char| character == ',' || character.is_ascii_whitespace())
                .any(|rule| ["noindex", "none"].iter().any(|name| rule.eq_ignore_ascii_case(name)))
        };
        if is_for_indexers && tokens.attribute("content").is_some_and(forbids) {
            self.add(Signals::NO_INDEX);
        }
    }

    /// Counts the input fields. Records password fields and filled search fields.
    fn read_input(&mut self, tokens: &Tokenizer<'_>) {
        let kind = tokens.attribute("type").unwrap_or_default();
        if kind.eq_ignore_ascii_case("password") {
            self.add(Signals::PASSWORD);
        }
        if FIELD_TYPES.iter().any(|field| kind.eq_ignore_ascii_case(field)) {
            self.fields = self.fields.saturating_add(1);
        }
        if is_filled_search_field(kind, tokens) {
            self.add(Signals::FILLED_SEARCH_FIELD);
        }
    }

    /// Records a module, and the services of a script file.
    fn read_script(&mut self, tokens: &Tokenizer<'_>) {
        let kind = tokens.attribute("type").unwrap_or_default();
        if kind.eq_ignore_ascii_case("module") {
            self.add(Signals::POSSIBLE_BUILDER);
            self.add(Signals::BUNDLE);
        }
        if let Some(source) = tokens.attribute("src") {
            self.record_services(Services::in_value(source), Source::Script);
        }
    }

    /// Records the services named in a URL attribute.
    fn record_url(&mut self, tokens: &Tokenizer<'_>, attribute: &str, source: Source) {
        let url = tokens.attribute(attribute).unwrap_or_default().trim_ascii_start();
        // Relative links and style sheets are on the page's own host, so they do
        // not name a third-party service. Scripts, frames and forms may: some
        // services, such as Cloudflare, serve them from the page's own host.
        let may_be_relative = !matches!(source, Source::Link | Source::Style);
        if may_be_relative || is_absolute(url) {
            self.record_services(Services::in_value(url), source);
        }
    }

    /// Records the services named in the id and the classes of a block or form.
    fn record_names(&mut self, tokens: &Tokenizer<'_>, source: Source) {
        for attribute in ["id", "class"] {
            if let Some(names) = tokens.attribute(attribute) {
                self.record_services(Services::in_value(names), source);
            }
        }
    }

    /// Records the signals of the services found in one part of the page.
    fn record_services(&mut self, services: Services, source: Source) {
        use Services as S;
        // A script file may build the page, unless its service has another purpose.
        if matches!(source, Source::Script) && !services.has_other_purpose() {
            self.add(Signals::POSSIBLE_BUILDER);
        }
        if services == S::default() {
            return;
        }
        // Each rule has a service, whether it applies to this source, and the resulting signal.
        let rules = [
            (S::CHALLENGE, !matches!(source, Source::Link | Source::Style), Signals::CHALLENGE),
            (
                S::CAPTCHA,
                !matches!(source, Source::Link | Source::Style | Source::InlineScript),
                Signals::CAPTCHA,
            ),
            (
                S::BOT_DETECTION,
                matches!(source, Source::Script | Source::InlineScript),
                Signals::BOT_DETECTION,
            ),
            // A frame of a bot detection service shows its challenge.
            (S::BOT_DETECTION, matches!(source, Source::Frame), Signals::CHALLENGE),
            (S::PARKING, matches!(source, Source::Link | Source::Form), Signals::PARKING_LINK),
            (S::PARKING, !matches!(source, Source::Link | Source::Form), Signals::PARKING),
            (S::CONSENT, matches!(source, Source::Form | Source::Frame), Signals::CONSENT_FORM),
            (S::CONSENT, matches!(source, Source::Script | Source::Block), Signals::CONSENT),
            (S::BUNDLE, matches!(source, Source::Script | Source::InlineScript), Signals::BUNDLE),
        ];
        for (_, _, signals) in
            rules.iter().filter(|(service, applies, _)| *applies && services.has(*service))
        {
            self.add(*signals);
        }
    }

    /// Derives the flags from the signals and the length of the text.
    fn flags(&self, digest: &Digest) -> Vec<PageFlag> {
        let has_little_text = digest.text_length <= MAX_LITTLE_TEXT;
        let has_no_content = digest.text_length <= MAX_BARE_SHELL_TEXT && !self.shell.has_content;
        let is_shell = self.is_shell(digest, has_no_content);
        let is_challenge = self.has(Signals::CHALLENGE)
            || (self.has(Signals::CAPTCHA) && self.fields < MIN_FORM_FIELDS)
            || (self.has(Signals::BOT_DETECTION) && has_no_content);
        let is_parked =
            self.has(Signals::PARKING) || (self.has(Signals::PARKING_LINK) && has_little_text);
        let is_consent = self.has(Signals::CONSENT_FORM)
            || (self.has(Signals::CONSENT) && has_no_content && !is_shell);
        [
            (PageFlag::PasswordField, self.has(Signals::PASSWORD)),
            (PageFlag::NoIndex, self.has(Signals::NO_INDEX)),
            (PageFlag::AppShell, is_shell),
            (PageFlag::BotChallenge, is_challenge && has_little_text),
            (PageFlag::Parking, is_parked),
            (PageFlag::Consent, is_consent && has_little_text),
            (PageFlag::FilledSearchField, self.has(Signals::FILLED_SEARCH_FIELD)),
        ]
        .into_iter()
        .filter_map(|(flag, is_set)| is_set.then_some(flag))
        .collect()
    }

    /// Whether the page is an app shell: it has little text, and there are signs
    /// that scripts add the content.
    fn is_shell(&self, digest: &Digest, has_no_content: bool) -> bool {
        // A page with a heading has content, even if it also mentions scripts.
        let requires_scripts = self.has(Signals::REQUIRES_SCRIPTS) && digest.headings.is_empty();
        let shell = &self.shell;
        let has_app_signal = shell.has_empty_custom_element || self.has(Signals::BUNDLE);
        let has_writer = self.has(Signals::CONTENT_WRITER) || self.has(Signals::ELEMENT_DEFINER);
        let is_bare_shell = digest.text_length <= MAX_BARE_SHELL_TEXT
            && self.has(Signals::POSSIBLE_BUILDER)
            && (shell.empty_root.is_some()
                || requires_scripts
                || (has_no_content && has_app_signal));
        // On a page with header and footer, an empty block counts only if a script
        // is known to write content, or if the block shows a loading indicator.
        let is_shell_with_header = digest.text_length <= MAX_SHELL_TEXT
            && ((shell.empty_root.is_some() && has_writer)
                || (shell.empty_root == Some(EmptyRoot::Loading)
                    && self.has(Signals::POSSIBLE_BUILDER))
                || (shell.has_empty_custom_element && self.has(Signals::ELEMENT_DEFINER)));
        is_bare_shell || is_shell_with_header || (has_no_content && has_writer)
    }
}

/// Whether a URL has a host: `//host`, `http:` or `https:`.
fn is_absolute(url: &str) -> bool {
    url.starts_with("//") || url.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("http"))
}

/// Whether an `input` element is a search field with a text. A text that only
/// labels the field, such as "Search…", does not count.
fn is_filled_search_field(kind: &str, tokens: &Tokenizer<'_>) -> bool {
    let is_text = kind.is_empty() || kind.eq_ignore_ascii_case("text");
    let name = tokens.attribute("name").unwrap_or_default();
    let is_search_name = SEARCH_NAMES.iter().any(|other| name.eq_ignore_ascii_case(other));
    let is_search = kind.eq_ignore_ascii_case("search") || (is_text && is_search_name);
    let value = tokens.attribute("value").unwrap_or_default().trim();
    let is_label = value.get(..6).is_some_and(|start| start.eq_ignore_ascii_case("search"));
    is_search && !value.is_empty() && !is_label
}

/// Whether a text mentions JavaScript. Most languages use the English name.
fn mentions_javascript(text: &str) -> bool {
    memchr2_iter(b'j', b'J', text.as_bytes()).any(|at| {
        ["javascript", "java script"].iter().any(|name| {
            let word = text.as_bytes().get(at..at + name.len());
            word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
        })
    })
}

#[cfg(test)]
mod tests;
