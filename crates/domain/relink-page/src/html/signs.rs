//! What marks a page bears, told by its markup.
//!
//! Signs are gathered as bits while the page is read, and judged at its end:
//! most mean something only where the page shows little else, and how much
//! it shows is known last. Once too much has been shown for a sign to count,
//! it is no longer looked for, so long pages cost next to nothing.

use std::ops::Range;

use memchr::memchr2_iter;
use relink_model::{Digest, PageFlag};

use super::app_shell::{AppShellDetector, EmptyRoot};
use super::element::Element;
use super::script_builder::{defines_elements, writes_content};
use super::service::Services;
use super::tokenizer::Tokenizer;
use crate::cut::Cut as _;

/// The most text of a page that shows little, in characters.
const LITTLE_TEXT: u64 = Digest::OPENING_LENGTH as u64;

/// The most text of a page that shows next to nothing, in characters.
const SHELL_TEXT: u64 = 100;

/// The most text around a block that scripts fill, in characters: a header and
/// a footer, but no article.
const FRAME_TEXT: u64 = 1_000;

/// From this length on, in bytes, an inline script may build a page.
const BUILDER_LENGTH: usize = 1024;

/// How much of an inline script is looked at for the names of services.
const SCRIPT_START: usize = 2048;

/// With so many fields to fill in, a form is more than a test of its visitor.
const FORM_FIELDS: u32 = 2;

/// Types of `input` that a reader writes in.
const FIELD_TYPES: [&str; 6] = ["", "text", "email", "tel", "password", "url"];

/// Who is asked not to index.
const INDEXERS: [&str; 2] = ["robots", "googlebot"];

/// A set of signs.
#[derive(Debug, Clone, Copy, Default)]
struct Bits(u16);

impl Bits {
    const PASSWORD: Self = Self(1);
    const NO_INDEX: Self = Self(1 << 1);
    /// A script that may build the page.
    const BUILDER: Self = Self(1 << 2);
    /// A script of a framework that builds pages.
    const BUNDLE: Self = Self(1 << 3);
    /// Readers without scripts are told to switch them on.
    const ASKS_FOR_SCRIPTS: Self = Self(1 << 4);
    const WALL: Self = Self(1 << 5);
    const WIDGET: Self = Self(1 << 6);
    const GUARD: Self = Self(1 << 7);
    const PARKING: Self = Self(1 << 8);
    /// A mere link or picture of a parking service.
    const PARKING_LINK: Self = Self(1 << 9);
    const CONSENT: Self = Self(1 << 10);
    /// A form or frame that asks for consent.
    const CONSENT_FORM: Self = Self(1 << 11);
    /// An inline script that writes content.
    const WRITER: Self = Self(1 << 12);
    /// An inline script that defines elements or builds shadow trees.
    const DEFINER: Self = Self(1 << 13);
}

/// Where the name of a service was found.
#[derive(Clone, Copy)]
enum Role {
    Script,
    Inline,
    Style,
    Frame,
    Form,
    Block,
    Link,
}

/// The signs seen so far.
#[derive(Debug, Default)]
pub(super) struct FlagDetector<'t> {
    bits: Bits,
    fields: u32,
    shell: AppShellDetector<'t>,
}

impl<'t> FlagDetector<'t> {
    /// Takes in a start tag that readers with scripts get, after `shown`
    /// characters of visible text.
    pub(super) fn open(
        &mut self,
        element: Element,
        name: &'t str,
        tokens: &Tokenizer<'_>,
        shown: u64,
    ) {
        match element {
            Element::Meta => self.meta(tokens),
            Element::Input => self.input(tokens),
            Element::Script => self.script(tokens),
            Element::Link => self.address(tokens, "href", Role::Style),
            Element::Frame => self.address(tokens, "src", Role::Frame),
            _ if shown > LITTLE_TEXT => {}
            Element::Form => {
                self.address(tokens, "action", Role::Form);
                self.names(tokens, Role::Form);
            }
            Element::Anchor => self.address(tokens, "href", Role::Link),
            Element::Image => self.address(tokens, "src", Role::Link),
            Element::Block => self.names(tokens, Role::Block),
            _ => {}
        }
        if shown <= FRAME_TEXT && matches!(element, Element::Block | Element::Custom) {
            self.shell.open(element, name, tokens);
        }
    }

    /// Takes in an end tag.
    pub(super) fn close(&mut self, name: &str) {
        self.shell.close(name);
    }

    /// Takes in visible text, after `shown` characters of it.
    pub(super) fn see(&mut self, text: &str, shown: u64) {
        if shown <= FRAME_TEXT {
            self.shell.see(text);
        }
    }

    /// Takes in text for readers without scripts.
    pub(super) fn see_without_scripts(&mut self, text: &str) {
        if !self.has(Bits::ASKS_FOR_SCRIPTS) && names_javascript(text) {
            self.add(Bits::ASKS_FOR_SCRIPTS);
        }
    }

    /// Takes in an inline script by its length.
    pub(super) fn inline(&mut self, length: usize) {
        if length >= BUILDER_LENGTH {
            self.add(Bits::BUILDER);
        }
    }

    /// Puts the marks on a digest that is otherwise complete; `scripts` are
    /// the places of the inline scripts in `html`.
    pub(super) fn finish(mut self, html: &str, scripts: &[Range<usize>], digest: &mut Digest) {
        self.shell.finish();
        if digest.text_length <= FRAME_TEXT {
            for range in scripts {
                self.read_script(html.get(range.clone()).unwrap_or_default());
            }
        }
        if digest.text_length <= LITTLE_TEXT {
            for range in scripts {
                let script = html.as_bytes().cut(range.clone());
                let start = script.cut(..script.len().min(SCRIPT_START));
                self.serve(Services::of_text(start), Role::Inline);
            }
            if let Some(onward) = &digest.client_redirect {
                self.serve(Services::of_address(onward), Role::Link);
            }
        }
        digest.flags = self.marks(digest);
    }

    /// Looks in an inline script for what builds a page.
    fn read_script(&mut self, script: &str) {
        if defines_elements(script) {
            self.add(Bits::DEFINER);
        }
        if writes_content(script) {
            self.add(Bits::WRITER);
        }
    }

    fn has(&self, bits: Bits) -> bool {
        self.bits.0 & bits.0 != 0
    }

    fn add(&mut self, bits: Bits) {
        self.bits.0 |= bits.0;
    }

    fn meta(&mut self, tokens: &Tokenizer<'_>) {
        let is_for_indexers = tokens.attribute("name").is_some_and(|name| {
            INDEXERS.iter().any(|other| name.trim().eq_ignore_ascii_case(other))
        });
        let forbids = |content: &str| {
            content
                .split(|character: char| character == ',' || character.is_ascii_whitespace())
                .any(|rule| ["noindex", "none"].iter().any(|no| rule.eq_ignore_ascii_case(no)))
        };
        if is_for_indexers && tokens.attribute("content").is_some_and(forbids) {
            self.add(Bits::NO_INDEX);
        }
    }

    fn input(&mut self, tokens: &Tokenizer<'_>) {
        let kind = tokens.attribute("type").unwrap_or_default();
        if kind.eq_ignore_ascii_case("password") {
            self.add(Bits::PASSWORD);
        }
        if FIELD_TYPES.iter().any(|field| kind.eq_ignore_ascii_case(field)) {
            self.fields = self.fields.saturating_add(1);
        }
    }

    fn script(&mut self, tokens: &Tokenizer<'_>) {
        let kind = tokens.attribute("type").unwrap_or_default();
        if kind.eq_ignore_ascii_case("module") {
            self.add(Bits::BUILDER);
            self.add(Bits::BUNDLE);
        }
        if let Some(source) = tokens.attribute("src") {
            self.serve(Services::of_address(source), Role::Script);
        }
    }

    fn address(&mut self, tokens: &Tokenizer<'_>, attribute: &str, role: Role) {
        let address = tokens.attribute(attribute).unwrap_or_default().trim_ascii_start();
        // Other services are not on the page's own host, so most links of a
        // page need no look.
        let may_be_relative = !matches!(role, Role::Link | Role::Style);
        if may_be_relative || is_absolute(address) {
            self.serve(Services::of_address(address), role);
        }
    }

    /// Looks at what a block or form is called.
    fn names(&mut self, tokens: &Tokenizer<'_>, role: Role) {
        for attribute in ["id", "class"] {
            if let Some(names) = tokens.attribute(attribute) {
                self.serve(Services::of_address(names), role);
            }
        }
    }

    /// Takes in the services found in a place.
    fn serve(&mut self, services: Services, role: Role) {
        use Services as S;
        if matches!(role, Role::Script) && !services.is_of_others() {
            self.add(Bits::BUILDER);
        }
        if services == S::default() {
            return;
        }
        let signs = [
            (S::WALL, !matches!(role, Role::Link | Role::Style), Bits::WALL),
            (S::WIDGET, !matches!(role, Role::Link | Role::Style | Role::Inline), Bits::WIDGET),
            (S::GUARD, matches!(role, Role::Script | Role::Inline), Bits::GUARD),
            // A frame of what else runs unseen is the wall itself.
            (S::GUARD, matches!(role, Role::Frame), Bits::WALL),
            (S::PARKING, matches!(role, Role::Link | Role::Form), Bits::PARKING_LINK),
            (S::PARKING, !matches!(role, Role::Link | Role::Form), Bits::PARKING),
            (S::CONSENT, matches!(role, Role::Form | Role::Frame), Bits::CONSENT_FORM),
            (S::CONSENT, matches!(role, Role::Script | Role::Block), Bits::CONSENT),
            (S::BUNDLE, matches!(role, Role::Script | Role::Inline), Bits::BUNDLE),
        ];
        for (_, _, bits) in
            signs.iter().filter(|(service, counts, _)| *counts && services.has(*service))
        {
            self.add(*bits);
        }
    }

    fn marks(&self, digest: &Digest) -> Vec<PageFlag> {
        let is_little = digest.text_length <= LITTLE_TEXT;
        let is_bare = digest.text_length <= SHELL_TEXT && !self.shell.says_something;
        let is_shell = self.is_shell(digest, is_bare);
        let is_test = self.has(Bits::WALL)
            || (self.has(Bits::WIDGET) && self.fields < FORM_FIELDS)
            || (self.has(Bits::GUARD) && is_bare);
        let is_parked = self.has(Bits::PARKING) || (self.has(Bits::PARKING_LINK) && is_little);
        let is_consent =
            self.has(Bits::CONSENT_FORM) || (self.has(Bits::CONSENT) && is_bare && !is_shell);
        [
            (PageFlag::PasswordField, self.has(Bits::PASSWORD)),
            (PageFlag::NoIndex, self.has(Bits::NO_INDEX)),
            (PageFlag::AppShell, is_shell),
            (PageFlag::BotChallenge, is_test && is_little),
            (PageFlag::Parking, is_parked),
            (PageFlag::Consent, is_consent && is_little),
        ]
        .into_iter()
        .filter_map(|(mark, holds)| holds.then_some(mark))
        .collect()
    }

    fn is_shell(&self, digest: &Digest, is_bare: bool) -> bool {
        // What has a heading was written for readers, even if another line
        // asks them to switch scripts on.
        let asks = self.has(Bits::ASKS_FOR_SCRIPTS) && digest.headings.is_empty();
        let is_empty = self.shell.has_empty_custom || self.has(Bits::BUNDLE);
        let shell = &self.shell;
        let writes = self.has(Bits::WRITER) || self.has(Bits::DEFINER);
        let is_bare_shell = digest.text_length <= SHELL_TEXT
            && self.has(Bits::BUILDER)
            && (shell.empty_root.is_some() || asks || (is_bare && is_empty));
        // With a header and a footer around it, a block must be filled by a
        // script that is known to write, or say itself that it is being loaded.
        let is_framed_shell = digest.text_length <= FRAME_TEXT
            && ((shell.empty_root.is_some() && writes)
                || (shell.empty_root == Some(EmptyRoot::Waiting) && self.has(Bits::BUILDER))
                || (shell.has_empty_custom && self.has(Bits::DEFINER)));
        is_bare_shell || is_framed_shell || (is_bare && writes)
    }
}

fn is_absolute(address: &str) -> bool {
    address.starts_with("//")
        || address.get(..4).is_some_and(|head| head.eq_ignore_ascii_case("http"))
}

/// Whether a text names JavaScript, in whatever case, as most languages do.
fn names_javascript(text: &str) -> bool {
    memchr2_iter(b'j', b'J', text.as_bytes()).any(|at| {
        ["javascript", "java script"].iter().any(|name| {
            let word = text.as_bytes().get(at..at + name.len());
            word.is_some_and(|word| word.eq_ignore_ascii_case(name.as_bytes()))
        })
    })
}

#[cfg(test)]
mod tests;
