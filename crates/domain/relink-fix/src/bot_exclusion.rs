//! Templates by which wiki pages exclude bots: `{{bots}}` and `{{nobots}}`.
//!
//! The rules are defined by Template:Bots of the English Wikipedia. Templates in comments and
//! `<nowiki>` do not count.

/// Templates that mark a page that a person is editing.
const IN_USE: [&str; 3] = ["in use", "inuse", "in creation"];

/// Elements whose content is not markup.
const VERBATIM: [(&str, &str); 4] =
    [("<!--", "-->"), ("<nowiki>", "</nowiki>"), ("<pre>", "</pre>"), ("<code>", "</code>")];

/// Returns the reason why a bot with this user name must not edit a page, or `None` if it may edit
/// the page.
pub fn bot_exclusion(text: &str, user: &str) -> Option<String> {
    let text = without_verbatim(text);
    let user = normalize(user);
    templates(&text).find_map(|template| {
        let mut parts = template.split('|');
        let name = normalize(parts.next()?);
        let parameters: Vec<&str> = parts.collect();
        let is_excluded = match name.as_str() {
            "nobots" => nobots_excludes(&parameters, &user),
            "bots" => bots_excludes(&parameters, &user),
            name => IN_USE.contains(&name),
        };
        is_excluded.then(|| format!("the page has `{{{{{}}}}}`", template.trim()))
    })
}

/// Whether `{{nobots}}` with these parameters excludes a user. Without parameters, it excludes
/// all bots. `{{nobots|A,B}}` excludes only `A` and `B`.
fn nobots_excludes(parameters: &[&str], user: &str) -> bool {
    parameters.is_empty() || parameters.iter().any(|names| list_contains(names, user))
}

/// Whether `{{bots}}` with these parameters excludes a user. Without parameters, it allows all
/// bots. `allow` and `deny` have lists of names.
fn bots_excludes(parameters: &[&str], user: &str) -> bool {
    parameters.iter().filter_map(|parameter| parameter.split_once('=')).any(|(key, names)| {
        match normalize(key).as_str() {
            "allow" => !list_contains(names, user) && !list_contains(names, "all"),
            "deny" => list_contains(names, user) || list_contains(names, "all"),
            _ => false,
        }
    })
}

/// Whether a list of names contains `name`. Names are compared as in MediaWiki.
fn list_contains(names: &str, name: &str) -> bool {
    names.split(',').any(|other| normalize(other) == name)
}

/// Returns a name in lower case, with single spaces.
fn normalize(name: &str) -> String {
    let words: Vec<&str> = name.split([' ', '_', '\n']).filter(|word| !word.is_empty()).collect();
    words.join(" ").to_lowercase()
}

/// Returns the content of each template, from the innermost `{{` to the next `}}`.
fn templates(text: &str) -> impl Iterator<Item = &str> {
    text.split("{{").skip(1).filter_map(|rest| rest.split_once("}}").map(|(content, _)| content))
}

/// Removes comments and verbatim elements.
fn without_verbatim(text: &str) -> String {
    let mut output = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let lower = rest.to_ascii_lowercase();
        let first = VERBATIM
            .iter()
            .filter_map(|(open, close)| Some((lower.find(open)?, *open, *close)))
            .min_by_key(|(position, ..)| *position);
        let Some((position, open, close)) = first else {
            output.push_str(rest);
            return output;
        };
        let inside = position + open.len();
        let end = lower.get(inside..).and_then(|inside| inside.find(close));
        output.push_str(rest.get(..position).unwrap_or_default());
        // After an unclosed element, the remaining text is markup. After an unclosed comment, the
        // remaining text is part of the comment.
        rest = match end {
            Some(end) => rest.get(inside + end + close.len()..).unwrap_or_default(),
            None if open == "<!--" => "",
            None => {
                output.push_str(open);
                rest.get(inside..).unwrap_or_default()
            }
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts whether a wiki page excludes `RelinkBot`.
    #[track_caller]
    fn check(text: &str, is_excluded: bool) {
        assert_eq!(bot_exclusion(text, "RelinkBot").is_some(), is_excluded, "{text}");
    }

    #[test]
    fn page_that_excludes_the_bot_is_recognized() {
        for text in [
            "{{nobots}}",
            "a {{ Nobots }} b",
            "{{bots|deny=all}}",
            "{{bots|deny=Other, relinkBot}}",
            "{{bots|allow=none}}",
            "{{bots|allow=Other}}",
            "{{nobots|RelinkBot}}",
            "{{in use|section}}",
        ] {
            check(text, true);
        }
    }

    #[test]
    fn page_that_allows_the_bot_is_not_excluded() {
        for text in [
            "no template",
            "{{bots}}",
            "{{bots|allow=all}}",
            "{{bots|allow=Other,RelinkBot}}",
            "{{bots|deny=Other}}",
            "{{bots|deny=none}}",
            "{{nobots|Other}}",
            "<!-- {{nobots}} --> <nowiki>{{nobots}}</nowiki>",
            "<!-- {{nobots}}",
            "{{nobots",
        ] {
            check(text, false);
        }
    }

    #[test]
    fn template_behind_an_unclosed_element_counts() {
        check("<nowiki> {{nobots}}", true);
        check("<!-- a --> {{nobots}} <!-- b -->", true);
    }
}
