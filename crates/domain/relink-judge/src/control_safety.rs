//! Detects URLs for which a control request would be harmful.
//!
//! A control is a random URL that is requested only for comparison. Two kinds are
//! avoided. Programs such as fail2ban ban clients that request scripts which do not
//! exist, because attackers do so. And a random identifier in the URL of an action
//! (`/unsubscribe?id=7`) could change the data of another person.

use crate::url_parts::{UrlParts, parameters};
use crate::url_words::{percent_decoded, words};

/// Extensions of programs that a web server runs, in lower case.
const SCRIPT_EXTENSIONS: [&str; 22] = [
    "action", "ashx", "asmx", "asp", "aspx", "axd", "cfm", "cgi", "dll", "do", "exe", "fcgi",
    "jsf", "jsp", "jspx", "nsf", "php", "phtml", "pl", "py", "rb", "sh",
];

/// Directories that the log filters of fail2ban watch for attacks.
const FILTERED_DIRECTORIES: [&str; 15] = [
    "cgi-bin",
    "php",
    "roundcube",
    "mail",
    "extmail",
    "horde",
    "webmail",
    "v-webmail",
    "vwebmail",
    "pma",
    "myadmin",
    "phpmyadmin",
    "mysqladmin",
    "typo3",
    "xampp",
];

/// Words of URLs that change something when they are requested.
const ACTION_WORDS: [&str; 34] = [
    "activate",
    "approve",
    "ban",
    "basket",
    "buy",
    "cancel",
    "cart",
    "checkout",
    "confirm",
    "deactivate",
    "delete",
    "destroy",
    "dislike",
    "downvote",
    "erase",
    "invite",
    "logoff",
    "logout",
    "optout",
    "pay",
    "purchase",
    "purge",
    "remove",
    "reset",
    "revoke",
    "signout",
    "subscribe",
    "token",
    "trash",
    "unsubscribe",
    "upvote",
    "verify",
    "vote",
    "wishlist",
];

/// Words of actions that are also recognized inside other words.
const ACTION_STEMS: [&str; 6] =
    ["unsubscri", "addtocart", "delete", "logout", "signout", "authtoken"];

/// Whether an extension with its dot is that of a script: `.php`, `.php5`.
pub(crate) fn is_script(suffix: &str) -> bool {
    let letters = suffix.trim_start_matches('.').to_ascii_lowercase();
    let bare = letters.trim_end_matches(|c: char| c.is_ascii_digit());
    SCRIPT_EXTENSIONS.contains(&bare)
}

/// Whether a request for a missing name next to this URL looks like an attack to
/// common log filters.
pub(crate) fn triggers_attack_filters(parts: &UrlParts<'_>) -> bool {
    let is_filtered =
        |segment: &str| FILTERED_DIRECTORIES.iter().any(|name| segment.eq_ignore_ascii_case(name));
    let directory = parts.parent();
    directory.split('/').any(is_filtered)
}

/// Whether a URL looks like an action: unsubscribe, delete, vote, log out, put into
/// a cart, or a secret token.
pub(crate) fn is_action(parts: &UrlParts<'_>) -> bool {
    let query = parts.query.unwrap_or_default();
    // A value is an action only if it is the name of one (`do=delete`): a text may
    // contain such a word.
    let in_query = parameters(query).any(|parameter| {
        names_action(parameter.name)
            || (!parameter.value.contains(['+', ' ']) && names_action(parameter.value))
    });
    names_action(parts.path) || in_query
}

/// Whether the directory of a URL looks like an action.
pub(crate) fn is_action_directory(parts: &UrlParts<'_>) -> bool {
    names_action(parts.parent())
}

fn names_action(text: &str) -> bool {
    let decoded = percent_decoded(text);
    let is_action = |word: String| {
        ACTION_WORDS.contains(&word.as_str())
            || ACTION_STEMS.iter().any(|stem| word.contains(stem))
            || matches!(word.strip_suffix('d'), Some("unsubscribe"))
    };
    words(&decoded).any(is_action)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_are_recognized_with_version_and_case() {
        for suffix in [".php", ".PHP5", ".aspx", ".cgi", ".pl", ".jsp"] {
            assert!(is_script(suffix), "{suffix}");
        }
        for suffix in ["", "/", ".html", ".pdf", ".js", ".mp3"] {
            assert!(!is_script(suffix), "{suffix}");
        }
    }

    #[track_caller]
    fn check(url: &str, expect: bool) {
        assert_eq!(is_action(&UrlParts::parse(url).unwrap()), expect, "{url}");
    }

    #[test]
    fn actions_are_recognized_by_their_words() {
        check("http://a.test/user/12/unsubscribe", true);
        check("http://a.test/?do=delete&id=3", true);
        check("http://a.test/cart/add?id=3", true);
        check("http://a.test/AddToCart?id=3", true);
        check("http://a.test/a?access_token=3", true);
        check("http://a.test/cartoons/voters?id=3", false);
        check("http://a.test/search?q=how+to+vote", false);
    }
}
