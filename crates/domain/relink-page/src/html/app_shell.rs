//! Signs that scripts build the page, and that without them it is empty.
//!
//! The sign of most frameworks is one block, known by its name, that stays
//! empty until their script has run. The block's end is told by counting tags
//! of its name, since no tree is built.

use super::element::Element;
use super::tokenizer::Tokenizer;

/// Words in the identifier of a block that scripts fill.
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

/// Those that also are everyday names of classes.
const EVERYDAY_WORDS: [&str; 2] = ["main", "next"];

/// Attributes of a block that scripts fill.
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

/// Words in the names of what is shown while something is loaded.
const SPINNER_WORDS: [&str; 7] =
    ["loader", "loading", "placeholder", "preloader", "progress", "skeleton", "spinner"];

/// How texts begin that are shown until a script has run, in lower case.
const WAITING: &[&str] = &[
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

/// The longest text that says no more than that, in bytes.
const WAITING_LENGTH: usize = 60;

/// What is known of the page's empty blocks so far.
#[derive(Debug, Default)]
pub(super) struct AppShellDetector<'t> {
    root: Option<Root<'t>>,
    /// A block with the name of a root was empty, or only waiting.
    pub(super) empty_root: Option<EmptyRoot>,
    /// An element of the page's own making was empty.
    pub(super) has_empty_custom: bool,
    /// The page shows more than that it is being loaded.
    pub(super) says_something: bool,
}

/// A block with the name of a root that holds no text of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum EmptyRoot {
    /// Nothing is in it.
    Silent,
    /// It says that it is being loaded.
    Waiting,
}

/// An open block that scripts may fill, and in which no text was seen yet.
#[derive(Debug)]
struct Root<'t> {
    name: &'t str,
    is_custom: bool,
    /// Whether something in it says that it is being loaded.
    is_waiting: bool,
    /// How many elements of this name are open, itself included.
    depth: usize,
}

impl<'t> AppShellDetector<'t> {
    pub(super) fn open(&mut self, element: Element, name: &'t str, tokens: &Tokenizer<'_>) {
        let is_custom = element == Element::Custom;
        // The innermost named block is the one that is filled; elements of the
        // page's own making within it are not.
        let may_replace = self.root.is_none() || !is_custom;
        let is_waiting = is_spinner(tokens);
        if may_replace && (is_custom || is_root(name, tokens)) {
            self.root = Some(Root { name, is_custom, is_waiting, depth: 1 });
        } else if let Some(root) = &mut self.root {
            root.is_waiting |= is_waiting;
            root.depth += usize::from(root.name.eq_ignore_ascii_case(name));
        }
    }

    pub(super) fn close(&mut self, name: &str) {
        if let Some(root) = &mut self.root
            && root.name.eq_ignore_ascii_case(name)
        {
            root.depth -= 1;
            if root.depth == 0 {
                self.finish();
            }
        }
    }

    /// Takes in visible text.
    pub(super) fn see(&mut self, text: &str) {
        if self.root.is_none() && self.says_something {
            return;
        }
        if says_something(text) {
            self.says_something = true;
            self.root = None;
        } else if let Some(root) = &mut self.root {
            root.is_waiting |= text.contains(char::is_alphanumeric);
        }
    }

    /// Ends the open block, if there is one.
    pub(super) fn finish(&mut self) {
        if let Some(root) = self.root.take() {
            let empty = if root.is_waiting { EmptyRoot::Waiting } else { EmptyRoot::Silent };
            self.empty_root = self.empty_root.max((!root.is_custom).then_some(empty));
            self.has_empty_custom |= root.is_custom;
        }
    }
}

/// Whether the block just opened shows that something is being loaded.
fn is_spinner(tokens: &Tokenizer<'_>) -> bool {
    let is_busy = |value: &str| value.trim().eq_ignore_ascii_case("true");
    let names = ["class", "id"].into_iter().filter_map(|name| tokens.attribute(name));
    let is_spinner_word =
        |word: &str| SPINNER_WORDS.iter().any(|spinner| spinner.eq_ignore_ascii_case(word));
    tokens.attribute("aria-busy").is_some_and(is_busy) || names.flat_map(words).any(is_spinner_word)
}

/// Whether the block just opened is named as those that scripts fill. An empty
/// `main` is one by its meaning.
fn is_root(name: &str, tokens: &Tokenizer<'_>) -> bool {
    name.eq_ignore_ascii_case("main")
        || tokens.attributes().iter().any(|attribute| is_root_attribute(attribute.name))
        || tokens.attribute("id").is_some_and(|id| words(id).any(is_root_word))
        || tokens
            .attribute("class")
            .is_some_and(|class| words(class).any(|word| is_root_word(word) && !is_everyday(word)))
}

fn is_root_attribute(name: &str) -> bool {
    name.contains('-') && ROOT_ATTRIBUTES.iter().any(|root| root.eq_ignore_ascii_case(name))
}

fn words(names: &str) -> impl Iterator<Item = &str> {
    names.split(|character: char| !character.is_ascii_alphanumeric())
}

fn is_root_word(word: &str) -> bool {
    ROOT_WORDS.iter().any(|root| root.eq_ignore_ascii_case(word))
}

fn is_everyday(word: &str) -> bool {
    EVERYDAY_WORDS.iter().any(|everyday| everyday.eq_ignore_ascii_case(word))
}

/// Whether a text says more than that something is being loaded.
fn says_something(text: &str) -> bool {
    let text = text.trim_matches(|character: char| !character.is_alphanumeric());
    if text.is_empty() {
        return false;
    }
    text.len() > WAITING_LENGTH || {
        let lower = text.to_lowercase();
        !WAITING.iter().any(|waiting| lower.starts_with(waiting))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waiting_text_says_nothing() {
        for text in ["Loading…", " ... ", "", "\u{a0}", "Wird geladen", "加载中", "Загрузка..."]
        {
            assert!(!says_something(text), "{text}");
        }
        let docks = format!("Loading docks {}", "of the old harbor ".repeat(4));
        for text in ["404", "Not found", "Home", docks.as_str()] {
            assert!(says_something(text), "{text}");
        }
    }
}
