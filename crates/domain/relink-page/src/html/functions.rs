//! Detects functions of a page that an archived copy cannot offer.
//!
//! The paper on FABLE (Zhu et al. 2023) counts these functions in table 11 (section
//! 5.3): login, subscription, comments, recommendations and advertisements. Functions
//! are recognized by markup and well-known services, so a function that only a script
//! adds is not found. This module does not check whether a function works.

use std::collections::BTreeSet;

use relink_model::PageFunction;

use super::tokenizer::{TextElement, Token, Tokenizer};

/// Last segments of the URL paths of login pages, without file extension.
const LOGIN_PATHS: [&str; 8] =
    ["login", "log-in", "signin", "sign-in", "signup", "sign-up", "register", "logon"];

/// Words that indicate a function if they occur in an id, a class or a URL. A word is a run
/// of letters and digits.
const WORDS: [(PageFunction, &[&str]); 4] = [
    (PageFunction::Subscription, &["subscribe", "newsletter", "mailinglist"]),
    (
        PageFunction::Comments,
        &["comments", "commentform", "respond", "disqus", "giscus", "utterances", "commento"],
    ),
    (
        PageFunction::Recommendations,
        &["related", "recommended", "recommendation", "recommendations", "taboola", "outbrain"],
    ),
    (
        PageFunction::Advertisements,
        &[
            "adsbygoogle",
            "googlesyndication",
            "doubleclick",
            "googletagservices",
            "adnxs",
            "criteo",
            "pubmatic",
            "advert",
            "advertisement",
            "carbonads",
            "ethicalads",
        ],
    ),
];

/// Starts of headings above recommendations.
const RECOMMENDING_HEADINGS: [&str; 7] = [
    "related ",
    "recommended",
    "you may also",
    "you might also",
    "more stories",
    "read next",
    "see also",
];

/// Types of `input` elements and the functions to which they belong.
const INPUT_TYPES: [(&str, PageFunction); 3] = [
    ("password", PageFunction::Login),
    ("email", PageFunction::Subscription),
    ("search", PageFunction::Search),
];

/// Returns the functions of an HTML page.
pub(crate) fn read_functions(html: &str) -> BTreeSet<PageFunction> {
    let mut found = BTreeSet::new();
    let mut tokens = Tokenizer::new(html);
    let mut heading = None::<String>;
    while let Some(token) = tokens.next_token() {
        match token {
            Token::Start(name) => {
                if is_heading(name) {
                    heading = Some(String::new());
                }
                read_element(name, &tokens, &mut found);
            }
            Token::Text(text) => {
                if let Some(heading) = &mut heading {
                    heading.push_str(text);
                }
            }
            Token::End(name) if is_heading(name) => {
                if heading.take().is_some_and(|heading| is_recommending(&heading)) {
                    found.insert(PageFunction::Recommendations);
                }
            }
            Token::Content(content) if content.element == TextElement::Textarea => {
                found.insert(PageFunction::Comments);
            }
            Token::Content(_) | Token::End(_) => {}
        }
    }
    found
}

/// Adds the functions to which an element belongs.
fn read_element(name: &str, tokens: &Tokenizer<'_>, found: &mut BTreeSet<PageFunction>) {
    let is = |other: &str| name.eq_ignore_ascii_case(other);
    if is("input") {
        let input_type = tokens.attribute("type").unwrap_or_default().trim();
        for (known, function) in INPUT_TYPES {
            if input_type.eq_ignore_ascii_case(known) {
                found.insert(function);
            }
        }
    }
    if is("textarea") {
        found.insert(PageFunction::Comments);
    }
    if is("a") && tokens.attribute("href").is_some_and(is_login_path) {
        found.insert(PageFunction::Login);
    }
    // A style sheet of a comment system does not show comments.
    if is("link") {
        return;
    }
    let mut attributes = vec!["id", "class"];
    if is("script") || is("iframe") {
        attributes.push("src");
    }
    if is("form") {
        attributes.push("action");
    }
    for value in attributes.into_iter().filter_map(|name| tokens.attribute(name)) {
        found.extend(functions_in(value));
    }
}

/// Returns the functions whose words occur in an attribute value.
fn functions_in(value: &str) -> impl Iterator<Item = PageFunction> {
    let has = |words: &[&str]| {
        value
            .split(|letter: char| !letter.is_ascii_alphanumeric())
            .any(|part| words.iter().any(|word| part.eq_ignore_ascii_case(word)))
    };
    WORDS.iter().filter(move |(_, words)| has(words)).map(|(function, _)| *function)
}

fn is_heading(name: &str) -> bool {
    matches!(name.as_bytes(), [b'h' | b'H', b'1'..=b'6'])
}

fn is_recommending(heading: &str) -> bool {
    let heading = heading.trim().to_lowercase();
    RECOMMENDING_HEADINGS.iter().any(|start| heading.starts_with(start))
}

/// Whether a link leads to a login page.
fn is_login_path(href: &str) -> bool {
    let path = href.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let last = path.rsplit('/').next().unwrap_or_default();
    let stem = last.split('.').next().unwrap_or_default();
    LOGIN_PATHS.iter().any(|path| stem.eq_ignore_ascii_case(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the functions of a page.
    #[track_caller]
    fn check(html: &str, expect: &[PageFunction]) {
        let found: Vec<PageFunction> = read_functions(html).into_iter().collect();
        assert_eq!(found, expect, "{html}");
    }

    #[test]
    fn forms_and_links_show_functions() {
        use PageFunction as F;
        check("<form><input type=Password></form>", &[F::Login]);
        check("<a href='/account/login.php?next=/a'>Log in</a>", &[F::Login]);
        check("<form><input type=email></form>", &[F::Subscription]);
        check("<form action='/newsletter'><input name=who></form>", &[F::Subscription]);
        check("<form><textarea name=note></textarea></form>", &[F::Comments]);
        check("<div id=disqus_thread></div>", &[F::Comments]);
        check("<input type=search name=q>", &[F::Search]);
    }

    #[test]
    fn headings_and_services_show_recommendations_and_advertisements() {
        use PageFunction as F;
        check("<h3>Related <em>articles</em></h3>", &[F::Recommendations]);
        check("<div class='sidebar related-posts'></div>", &[F::Recommendations]);
        check("<ins class=adsbygoogle></ins>", &[F::Advertisements]);
        check(
            "<script src='https://pagead2.googlesyndication.com/x.js'></script>",
            &[F::Advertisements],
        );
    }

    #[test]
    fn prose_about_functions_is_not_a_function() {
        check("<h1>How we relate comments to a login</h1><p>Please subscribe.</p>", &[]);
        check("<a href='/guides/login-pages/overview'>Guide</a><p class=correlated>x</p>", &[]);
        check("<link rel=stylesheet href='/disqus.css' class=comments>", &[]);
    }
}
