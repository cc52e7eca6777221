//! Classes of characters that several crates need to split text into words.

/// Whether a character of the Indic blocks (U+0900 to U+0DFF) is punctuation or a symbol, such
/// as the danda, which ends a sentence. The other characters of these blocks are parts of
/// words: letters, digits and combining marks.
///
/// ```
/// use relink_model::is_indic_punctuation;
/// assert!(is_indic_punctuation('।') && is_indic_punctuation('৳'));
/// assert!(!is_indic_punctuation('क') && !is_indic_punctuation('्') && !is_indic_punctuation('.'));
/// ```
pub const fn is_indic_punctuation(character: char) -> bool {
    // The characters with the categories P and S in Unicode 14.
    matches!(
        character,
        '\u{964}'..='\u{965}' // danda and double danda
            | '\u{970}' // Devanagari abbreviation sign
            | '\u{9F2}'..='\u{9F3}' | '\u{9FA}'..='\u{9FB}' | '\u{9FD}' // Bengali
            | '\u{A76}' // Gurmukhi
            | '\u{AF0}'..='\u{AF1}' // Gujarati
            | '\u{B70}' // Oriya
            | '\u{BF3}'..='\u{BFA}' // Tamil
            | '\u{C77}' | '\u{C7F}' // Telugu
            | '\u{C84}' // Kannada
            | '\u{D4F}' | '\u{D79}' // Malayalam
            | '\u{DF4}' // Sinhala
    )
}
