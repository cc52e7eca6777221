//! Detects app shells: pages that are empty until scripts build them.
//!
//! The *root* of an app shell is the element that scripts fill, such as
//! `<div id=root>`. It is recognized by its id, class or attributes, which are
//! typical for a framework. Custom elements are filled by scripts, too. No tree is
//! built, so the end of an element is found by counting the tags of its name.

use super::element::Element;
use super::tokenizer::Tokenizer;

/// Words in the id or class of a root.
const ROOT_WORDS: &[&str] = &[
    "angular",
    "app",
    "application",
    "approot",
    "docusaurus",
    "ember",
    "flutter",
    "gatsby",
    "main",
    "mount",
    "next",
    "nuxt",
    "outlet",
    "react",
    "reactroot",
    "root",
    "spa",
    "svelte",
    "vue",
    "webapp",
];

/// Root words that are also common class names, and count only in ids.
const COMMON_CLASS_WORDS: [&str; 2] = ["main", "next"];

/// Attributes of a root.
const ROOT_ATTRIBUTES: &[&str] = &[
    "data-app",
    "data-ng-app",
    "data-ng-view",
    "data-reactroot",
    "ng-app",
    "ng-view",
    "ui-view",
    "v-cloak",
];

/// Words in the id or class of a loading indicator.
const SPINNER_WORDS: [&str; 7] =
    ["loader", "loading", "placeholder", "preloader", "progress", "skeleton", "spinner"];

/// Prefixes of texts that are shown while a page loads, in lower case.
const LOADING_TEXTS: &[&str] = &[
    "bitte warten",
    "cargando",
    "caricamento",
    "carregando",
    "chargement",
    "initializing",
    "indlæser",
    "laddar",
    "laden",
    "laster",
    "loading",
    "lädt",
    "memuat",
    "načítá",
    "please wait",
    "starting",
    "veuillez patienter",
    "wird geladen",
    "yükleniyor",
    "ładowanie",
    "đang tải",
    "загрузка",
    "جار",
    "加载",
    "加載",
    "正在",
    "載入",
    "読み込み",
    "로딩",
];

/// Maximum length of a loading text, in bytes.
const MAX_LOADING_TEXT_LENGTH: usize = 60;

/// Finds the empty roots and empty custom elements of a page.
#[derive(Debug, Default)]
pub(super) struct AppShellDetector<'t> {
    /// The innermost open root or custom element; `None` if it has content.
    open: Option<OpenElement<'t>>,
    /// The kind of empty root found so far; `Loading` takes precedence.
    pub(super) empty_root: Option<EmptyRoot>,
    /// Whether a custom element was empty.
    pub(super) has_empty_custom_element: bool,
    /// Whether the page has visible text other than a loading text.
    pub(super) has_content: bool,
}

/// A root without content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EmptyRoot {
    /// Has no text.
    Blank,
    /// Shows a loading indicator.
    Loading,
}

/// An open root or custom element that has no content so far.
#[derive(Debug)]
struct OpenElement<'t> {
    name: &'t str,
    is_custom: bool,
    /// Whether the element contains a loading indicator.
    is_loading: bool,
    /// Number of open elements of this name, including this element.
    depth: usize,
}

impl<'t> AppShellDetector<'t> {
    /// Reads the start tag of a visible block or custom element.
    pub(super) fn start_tag(&mut self, element: Element, name: &'t str, tokens: &Tokenizer<'_>) {
        let is_custom = element == Element::Custom;
        // Scripts fill the innermost root. Custom elements inside a root do
        // not replace it.
        let may_replace = self.open.is_none() || !is_custom;
        let is_loading = is_spinner(tokens);
        if may_replace && (is_custom || is_root(name, tokens)) {
            self.open = Some(OpenElement { name, is_custom, is_loading, depth: 1 });
        } else if let Some(open) = &mut self.open {
            open.is_loading |= is_loading;
            open.depth += usize::from(open.name.eq_ignore_ascii_case(name));
        }
    }

    /// Reads an end tag.
    pub(super) fn end_tag(&mut self, name: &str) {
        if let Some(open) = &mut self.open
            && open.name.eq_ignore_ascii_case(name)
        {
            open.depth -= 1;
            if open.depth == 0 {
                self.finish();
            }
        }
    }

    /// Reads visible text.
    pub(super) fn read_text(&mut self, text: &str) {
        // Further text would change nothing.
        if self.open.is_none() && self.has_content {
            return;
        }
        if is_content(text) {
            self.has_content = true;
            self.open = None;
        } else if let Some(open) = &mut self.open {
            // Words that are not content are a loading text.
            open.is_loading |= text.contains(char::is_alphanumeric);
        }
    }

    /// Records the open root or custom element, if there is one, as empty.
    pub(super) fn finish(&mut self) {
        if let Some(open) = self.open.take() {
            let empty = if open.is_loading { EmptyRoot::Loading } else { EmptyRoot::Blank };
            self.empty_root = self.empty_root.max((!open.is_custom).then_some(empty));
            self.has_empty_custom_element |= open.is_custom;
        }
    }
}

/// Whether the element of the current start tag is a loading indicator, by its
/// `aria-busy`, id and classes.
fn is_spinner(tokens: &Tokenizer<'_>) -> bool {
    let is_busy = |value: &str| value.trim().eq_ignore_ascii_case("true");
    let names = ["class", "id"].into_iter().filter_map(|name| tokens.attribute(name));
    let is_spinner_word =
        |word: &str| SPINNER_WORDS.iter().any(|spinner| spinner.eq_ignore_ascii_case(word));
    tokens.attribute("aria-busy").is_some_and(is_busy) || names.flat_map(words).any(is_spinner_word)
}

/// Whether the element of the current start tag is a root. Every `main` element is a
/// root.
fn is_root(name: &str, tokens: &Tokenizer<'_>) -> bool {
    name.eq_ignore_ascii_case("main")
        || tokens.attributes().iter().any(|attribute| is_root_attribute(attribute.name))
        || tokens.attribute("id").is_some_and(|id| words(id).any(is_root_word))
        || tokens.attribute("class").is_some_and(|class| {
            words(class).any(|word| is_root_word(word) && !is_common_class(word))
        })
}

fn is_root_attribute(name: &str) -> bool {
    // All root attributes have a hyphen; most other attributes do not.
    name.contains('-') && ROOT_ATTRIBUTES.iter().any(|root| root.eq_ignore_ascii_case(name))
}

/// Splits an id or a list of classes into words.
fn words(names: &str) -> impl Iterator<Item = &str> {
    names.split(|character: char| !character.is_ascii_alphanumeric())
}

fn is_root_word(word: &str) -> bool {
    ROOT_WORDS.iter().any(|root| root.eq_ignore_ascii_case(word))
}

fn is_common_class(word: &str) -> bool {
    COMMON_CLASS_WORDS.iter().any(|common| common.eq_ignore_ascii_case(word))
}

/// Whether a text has words and is not a loading text.
fn is_content(text: &str) -> bool {
    let text = text.trim_matches(|character: char| !character.is_alphanumeric());
    if text.is_empty() {
        return false;
    }
    text.len() > MAX_LOADING_TEXT_LENGTH || {
        let lower = text.to_lowercase();
        !LOADING_TEXTS.iter().any(|prefix| lower.starts_with(prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loading_text_is_not_content() {
        for text in ["Loading…", " ... ", "", "\u{a0}", "Wird geladen", "加载中", "Загрузка..."]
        {
            assert!(!is_content(text), "{text}");
        }
        let docks = format!("Loading docks {}", "of the old harbor ".repeat(4));
        for text in ["404", "Not found", "Home", docks.as_str()] {
            assert!(is_content(text), "{text}");
        }
    }
}
