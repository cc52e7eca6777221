//! From the text of a heading to its anchor, by the rules of each renderer.

/// GitHub: letters and digits in lower case, hyphens and underscores; a hyphen
/// for each space; the rest is dropped.
pub(super) fn github(text: &str) -> String {
    // A picture at the end leaves the space before it, which counts.
    text.to_lowercase().chars().filter_map(kept).collect()
}

/// Letters, digits, marks that belong to a letter, `-` and `_` stay.
fn kept(character: char) -> Option<char> {
    match character {
        ' ' => Some('-'),
        '-' | '_' => Some(character),
        _ if is_word(character) => Some(character),
        _ => None,
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || is_mark(character)
}

/// Whether the character is part of a letter, such as an accent, a vowel sign
/// or what makes a picture of the sign before it. To Rust these are no letters.
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
        | '\u{fe00}'..='\u{fe0f}'   // which form of a sign is meant
        | '\u{fe20}'..='\u{fe2f}')
}

/// GitLab: as GitHub, but hyphens never stand side by side, and a number alone
/// gets a word before it.
pub(super) fn gitlab(text: &str) -> String {
    let slug = squeezed(&github(text), '-');
    let is_number = !slug.is_empty() && slug.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { format!("anchor-{slug}") } else { slug }
}

/// mdBook: every white space is a hyphen.
pub(super) fn mdbook(text: &str) -> String {
    let keep = |character: char| match character {
        '-' | '_' => Some(character),
        _ if character.is_alphanumeric() => Some(character),
        _ if character.is_whitespace() => Some('-'),
        _ => None,
    };
    text.trim().chars().filter_map(keep).flat_map(char::to_lowercase).collect()
}

/// MkDocs: ASCII only, accents dropped; white space and hyphens in a row are
/// one hyphen.
pub(super) fn mkdocs(text: &str) -> String {
    let plain: String = text.chars().flat_map(plain).collect();
    let word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let kept: String = plain
        .chars()
        .filter(|character| word(*character) || character.is_whitespace() || *character == '-')
        .map(|character| if character.is_whitespace() { '-' } else { character })
        .collect();
    let first = kept.trim_start_matches('-');
    // Only white space is stripped; hyphens the writer put at the end stay one.
    squeezed(first, '-').to_lowercase()
}

/// MkDocs with Unicode slugs, as many sites set it.
pub(super) fn mkdocs_unicode(text: &str) -> String {
    squeezed(&github(text), '-')
}

/// docutils: whatever is no ASCII letter or digit parts words, and an anchor
/// begins with a letter.
pub(super) fn docutils(text: &str) -> String {
    let plain: String = text.to_lowercase().chars().flat_map(plain).collect();
    let kept: String = plain
        .chars()
        .filter(char::is_ascii)
        .map(|character| if character.is_ascii_alphanumeric() { character } else { '-' })
        .collect();
    let slug = squeezed(&kept, '-');
    let start = slug.trim_start_matches(|first: char| first == '-' || first.is_ascii_digit());
    start.trim_end_matches('-').to_owned()
}

/// Asciidoctor: a prefix, then words parted by a sign.
pub(super) fn asciidoctor(text: &str, prefix: &str, separator: &str) -> String {
    let lower = text.trim().to_lowercase();
    let kept: String = lower
        .chars()
        .filter_map(|character| match character {
            ' ' | '-' | '.' => Some(' '),
            '_' => Some('_'),
            _ if is_word(character) => Some(character),
            _ => None,
        })
        .collect();
    let words = kept.split(' ').filter(|word| !word.is_empty());
    format!("{prefix}{}", words.collect::<Vec<_>>().join(separator))
}

/// The text with one of each run of a sign.
fn squeezed(text: &str, sign: char) -> String {
    let mut last = None;
    let keep = |character: &char| {
        let repeats = *character == sign && last == Some(sign);
        last = Some(*character);
        !repeats
    };
    text.chars().filter(keep).collect()
}

/// A letter without its accent, as far as Latin goes; other letters are given
/// back as they are.
fn plain(letter: char) -> impl Iterator<Item = char> {
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
