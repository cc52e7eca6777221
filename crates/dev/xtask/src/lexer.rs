//! Replaces comments and literals in Rust source by spaces.
//!
//! The result can be searched for words and braces without matches inside strings and
//! comments. Line breaks stay, so line numbers do not change. This is not a parser.

/// Returns the source with every comment and literal replaced by spaces.
///
/// ```
/// assert_eq!(xtask::lexer::blank_literals("a(\"{\"); // {"), "a(   );     ");
/// ```
pub fn blank_literals(source: &str) -> String {
    let mut blanked = String::with_capacity(source.len());
    let mut rest = source;
    while !rest.is_empty() {
        let literal = literal_length(rest, blanked.chars().last());
        let length = literal.unwrap_or_else(|| rest.chars().next().map_or(1, char::len_utf8));
        let (piece, after) = rest.split_at(length);
        if literal.is_some() {
            blanked.extend(piece.chars().map(|char| match char {
                '\n' => '\n',
                _ => ' ',
            }));
        } else {
            blanked.push_str(piece);
        }
        rest = after;
    }
    blanked
}

/// Returns the length of the comment or literal at the start of `rest`, or `None` if there is no
/// comment or literal. `before` is the character before `rest`: an `r` inside of a word does not
/// start a raw string.
fn literal_length(rest: &str, before: Option<char>) -> Option<usize> {
    let in_word = before.is_some_and(|char| char.is_alphanumeric() || char == '_');
    match rest.as_bytes()[0] {
        b'/' if rest.starts_with("//") => Some(rest.find('\n').unwrap_or(rest.len())),
        b'/' if rest.starts_with("/*") => Some(block_comment_length(rest)),
        b'"' => Some(string_length(rest)),
        b'r' | b'b' | b'c' if !in_word => raw_string_length(rest),
        b'\'' => char_length(rest),
        _ => None,
    }
}

/// Returns the length of a block comment. Block comments nest.
fn block_comment_length(rest: &str) -> usize {
    let (mut depth, mut position) = (0_usize, 0);
    loop {
        let tail = &rest.as_bytes()[position..];
        match tail {
            [b'/', b'*', ..] => (depth, position) = (depth + 1, position + 2),
            [b'*', b'/', ..] => (depth, position) = (depth - 1, position + 2),
            [] => return rest.len(),
            _ => position += 1,
        }
        if depth == 0 {
            return position;
        }
    }
}

/// Returns the length of a string literal.
fn string_length(rest: &str) -> usize {
    let mut escaped = false;
    for (position, byte) in rest.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return position + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a raw string: `r"…"`, `r#"…"#` or `br"…"`. For `b"…"`,
/// [`string_length`] gets the part after the `b`.
fn raw_string_length(rest: &str) -> Option<usize> {
    let after = rest.trim_start_matches(['b', 'c']).strip_prefix('r')?;
    let text = after.trim_start_matches('#');
    let hash_count = after.len() - text.len();
    let body = text.strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hash_count));
    let body_length = body.find(&end).map_or(body.len(), |position| position + end.len());
    Some(rest.len() - body.len() + body_length)
}

/// Returns the length of a character literal. A lifetime has no closing quote
/// after its first letter.
fn char_length(rest: &str) -> Option<usize> {
    let inside = rest.get(1..).unwrap_or_default();
    if let Some(escape) = inside.strip_prefix('\\') {
        let first = escape.chars().next()?.len_utf8();
        return Some(2 + first + escape.get(first..).unwrap_or_default().find('\'')? + 1);
    }
    let first = inside.chars().next()?.len_utf8();
    inside.get(first..).unwrap_or_default().starts_with('\'').then_some(first + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(source: &str, expect: &str) {
        let blanked = blank_literals(source);
        let words: Vec<&str> = blanked.split_whitespace().collect();
        assert_eq!(words.join(" "), expect, "{source}");
        assert_eq!(blanked.lines().count(), source.lines().count());
    }

    #[test]
    fn comments_are_blanked() {
        check("a // b \" c\nd", "a d");
        check("a /* b /* c */ \n d */ e", "a e");
        check("//! header\n/// doc\nfn", "fn");
    }

    #[test]
    fn all_kinds_of_strings_are_blanked() {
        check(r#"a "{ \" // {" b"#, "a b");
        check(r##"a r#"{ " {"# b"##, "a b");
        check(r#"a b"{" br"\" c"#, "a b c");
        check("a \"{\n{\" b", "a b");
    }

    #[test]
    fn characters_are_blanked_and_lifetimes_are_not() {
        check(r"a '{' '\'' '\u{7b}' '\\' 'é' b", "a b");
        check("fn a<'b>(c: &'b str) {}", "fn a<'b>(c: &'b str) {}");
    }

    #[test]
    fn words_that_end_in_r_are_unchanged() {
        check("for\"x\" r#type", "for r#type");
    }
}
