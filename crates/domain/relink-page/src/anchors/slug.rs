//! Generates the anchor (slug) of a heading from its text, by the rules of each
//! renderer.

/// GitHub: converts to lower case, retains letters, digits, hyphens and
/// underscores, replaces each space with a hyphen, and drops the rest.
pub(super) fn github(text: &str) -> String {
    // The text is not trimmed: the space before an image at the end becomes a
    // hyphen.
    text.to_lowercase().chars().filter_map(github_character).collect()
}

/// Maps a character of a heading to one of the anchor.
fn github_character(character: char) -> Option<char> {
    match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ if is_word(character) => Some(character),
        _ => None,
    }
}

/// Whether the character is a letter, a digit or a combining mark.
fn is_word(character: char) -> bool {
    character.is_alphanumeric() || is_mark(character)
}

/// Whether the character is a combining mark or variation selector: an accent,
/// a vowel sign, or an emoji selector. `char::is_alphanumeric` excludes them.
fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{300}'..='\u{36f}'       // Latin, Greek, Cyrillic
        | '\u{591}'..='\u{5bd}'     // Hebrew
        | '\u{64b}'..='\u{65f}'     // Arabic
        | '\u{93c}' | '\u{94d}' | '\u{9bc}' | '\u{9cd}' | '\u{a3c}' | '\u{a4d}'
        | '\u{abc}' | '\u{acd}' | '\u{b3c}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}'
        | '\u{cbc}' | '\u{ccd}' | '\u{d4d}' | '\u{dca}' // languages of India
        | '\u{e3a}' | '\u{e47}'..='\u{e4e}' // Thai
        | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}'
        | '\u{20d0}'..='\u{20f0}'
        | '\u{3099}' | '\u{309a}'   // Japanese
        | '\u{fe00}'..='\u{fe0f}'   // variation selectors
        | '\u{fe20}'..='\u{fe2f}')
}

/// GitLab: like GitHub, but consecutive hyphens become one, and a number gets a
/// prefix.
pub(super) fn gitlab(text: &str) -> String {
    let slug = collapse_runs(&github(text), '-');
    let is_number = !slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("anchor-{slug}") } else { slug }
}

/// mdBook: replaces every white space character with a hyphen.
pub(super) fn mdbook(text: &str) -> String {
    let map_character = |character: char| match character {
        '-' | '_' => Some(character),
        _ if character.is_alphanumeric() => Some(character),
        _ if character.is_whitespace() => Some('-'),
        _ => None,
    };
    text.trim().chars().filter_map(map_character).flat_map(char::to_lowercase).collect()
}

/// MkDocs: drops accents and other non-ASCII characters, and replaces runs of
/// white space and hyphens with one hyphen.
pub(super) fn mkdocs(text: &str) -> String {
    let plain: String = text.chars().flat_map(without_accent).collect();
    let is_ascii_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let filtered: String = plain
        .chars()
        .filter(|&character| {
            is_ascii_word(character) || character.is_whitespace() || character == '-'
        })
        .map(|character| if character.is_whitespace() { '-' } else { character })
        .collect();
    // Hyphens at the end are collapsed but not removed.
    collapse_runs(filtered.trim_start_matches('-'), '-').to_lowercase()
}

/// MkDocs with Unicode slugs, a common setting.
pub(super) fn mkdocs_unicode(text: &str) -> String {
    collapse_runs(&github(text), '-')
}

/// docutils: splits words at every character that is not an ASCII letter or
/// digit, joins them with hyphens, and removes hyphens and digits at the start.
pub(super) fn docutils(text: &str) -> String {
    let plain: String = text.to_lowercase().chars().flat_map(without_accent).collect();
    let filtered: String = plain
        .chars()
        .filter(char::is_ascii)
        .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
        .collect();
    let slug = collapse_runs(&filtered, '-');
    let start = slug.trim_start_matches(|first: char| first == '-' || first.is_ascii_digit());
    start.trim_end_matches('-').to_owned()
}

/// Asciidoctor: returns the prefix and the words joined with the separator.
pub(super) fn asciidoctor(text: &str, prefix: &str, separator: &str) -> String {
    let lower = text.trim().to_lowercase();
    let filtered: String = lower
        .chars()
        .filter_map(|character| match character {
            ' ' | '-' | '.' => Some(' '),
            '_' => Some('_'),
            _ if is_word(character) => Some(character),
            _ => None,
        })
        .collect();
    let words = filtered.split(' ').filter(|word| !word.is_empty());
    format!("{prefix}{}", words.collect::<Vec<_>>().join(separator))
}

/// Replaces consecutive separators with one separator.
fn collapse_runs(text: &str, separator: char) -> String {
    let mut last = None;
    let is_retained = |character: &char| {
        let is_repetition = *character == separator && last == Some(separator);
        last = Some(*character);
        !is_repetition
    };
    text.chars().filter(is_retained).collect()
}

/// Returns a Latin letter without its accent, and other characters unchanged.
fn without_accent(letter: char) -> impl Iterator<Item = char> {
    const PLAIN: [(&str, &str); 30] = [
        ("ÀÁÂÃÄÅĀĂĄ", "A"),
        ("àáâãäåāăą", "a"),
        ("ÇĆĈĊČ", "C"),
        ("çćĉċč", "c"),
        ("Ď", "D"),
        ("ď", "d"),
        ("ÈÉÊËĒĔĖĘĚ", "E"),
        ("èéêëēĕėęě", "e"),
        ("ĜĞĠĢ", "G"),
        ("ĝğġģ", "g"),
        ("ÌÍÎÏĨĪĬĮİ", "I"),
        ("ìíîïĩīĭį", "i"),
        ("ĹĻĽ", "L"),
        ("ĺļľ", "l"),
        ("ÑŃŅŇ", "N"),
        ("ñńņň", "n"),
        ("ÒÓÔÕÖŌŎŐ", "O"),
        ("òóôõöōŏő", "o"),
        ("ŔŖŘ", "R"),
        ("ŕŗř", "r"),
        ("ŚŜŞŠ", "S"),
        ("śŝşš", "s"),
        ("ŢŤ", "T"),
        ("ţť", "t"),
        ("ÙÚÛÜŨŪŬŮŰŲ", "U"),
        ("ùúûüũūŭůűų", "u"),
        ("ÝŸ", "Y"),
        ("ýÿ", "y"),
        ("ŹŻŽ", "Z"),
        ("źżž", "z"),
    ];
    let found = (!letter.is_ascii())
        .then(|| PLAIN.iter().find(|(accented, _)| accented.contains(letter)))
        .flatten();
    let plain = found.and_then(|(_, plain)| plain.chars().next());
    std::iter::once(plain.unwrap_or(letter))
}
