//! Escapes text for XML documents.

/// Escapes text for XML, and removes characters that XML does not allow. Replaces tabs and
/// line breaks by spaces.
pub fn escape_xml(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '&' => escaped += "&amp;",
            '"' => escaped += "&quot;",
            '\t' | '\n' | '\r' => escaped.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => {}
            char if char.is_control() => {}
            char => escaped.push(char),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_xml_replaces_markup_and_removes_invalid_characters() {
        assert_eq!(escape_xml("a<b> & \"c\""), "a&lt;b&gt; &amp; &quot;c&quot;");
        assert_eq!(escape_xml("x\r\ny\u{0}\u{1b}\u{FFFF}z"), "x  yz");
    }
}
