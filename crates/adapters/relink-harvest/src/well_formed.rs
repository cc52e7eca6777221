//! Makes the metadata of a record well-formed, so that it can be part of another document.
//!
//! The parser accepts more than XML allows. Mistakes with a clear meaning are repaired: characters
//! that XML forbids are removed, entities of HTML become characters, and `<` and `&` without a
//! meaning are escaped. Undeclared prefixes, repeated attributes and invalid names are errors.

use std::collections::HashSet;

use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::ResolveResult;

/// Maximum length of the name or number of a reference.
const MAX_REFERENCE: usize = 32;

/// Returns the element as well-formed XML without comments and processing instructions.
///
/// # Errors
///
/// Fails with the reason if the element cannot be repaired.
pub(crate) fn well_formed(element: &str) -> Result<String, String> {
    let repaired = repair(element);
    check(&repaired)?;
    Ok(repaired)
}

/// Whether XML 1.0 allows a character (section 2.2).
pub(crate) fn is_allowed(char: char) -> bool {
    !matches!(char, '\u{0}'..='\u{8}' | '\u{B}' | '\u{C}' | '\u{E}'..='\u{1F}' | '\u{FFFE}' | '\u{FFFF}')
}

/// Returns the text without characters that XML forbids.
pub(crate) fn allowed_text(text: &str) -> String {
    text.chars().filter(|char| is_allowed(*char)).collect()
}

/// Returns the text of an entity of XML or HTML.
pub(crate) fn entity_text(name: &str) -> Option<String> {
    if let Some(text) = resolve_predefined_entity(name) {
        return Some(text.to_owned());
    }
    let reference = format!("&{name};");
    let text = htmlize::unescape(reference.as_str());
    // Only complete references count: `&notit;` would become `¬it;`.
    (!text.ends_with(';') && text != reference).then(|| text.into_owned())
}

fn repair(xml: &str) -> String {
    let mut repaired = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some(start) = rest.find('<') {
        let (text, markup) = rest.split_at(start);
        repair_text(text, &mut repaired);
        rest = repair_markup(markup, &mut repaired);
    }
    repair_text(rest, &mut repaired);
    repaired
}

/// Repairs the markup at the start of `xml` and appends it to `repaired`. Returns the text after
/// the markup.
fn repair_markup<'a>(xml: &'a str, repaired: &mut String) -> &'a str {
    if xml.starts_with("<!--") {
        return xml.split_once("-->").map_or("", |(_, rest)| rest);
    }
    if xml.starts_with("<?") {
        return xml.split_once("?>").map_or("", |(_, rest)| rest);
    }
    if let Some(data) = xml.strip_prefix("<![CDATA[") {
        let (text, rest) = data.split_once("]]>").unwrap_or((data, ""));
        repaired.extend(["<![CDATA[", &allowed_text(text), "]]>"]);
        return rest;
    }
    let end = tag_end(xml);
    let (tag, rest) = xml.split_at(end);
    repair_tag(tag, repaired);
    rest
}

/// Returns the offset after the `>` of a tag.
fn tag_end(xml: &str) -> usize {
    let mut quote = None;
    for (offset, char) in xml.char_indices() {
        match (quote, char) {
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            (None, '>') => return offset + 1,
            _ => {}
        }
    }
    xml.len()
}

/// Repairs the values of the attributes of a tag.
fn repair_tag(tag: &str, repaired: &mut String) {
    let mut rest = tag;
    while let Some(start) = rest.find(['"', '\'']) {
        let (before, quoted) = rest.split_at(start);
        let quote = if quoted.starts_with('"') { '"' } else { '\'' };
        let (value, after) = quoted
            .strip_prefix(quote)
            .and_then(|value| value.split_once(quote))
            .unwrap_or((quoted, ""));
        repaired.extend([before, quote.encode_utf8(&mut [0; 4])]);
        let mut text = String::new();
        repair_text(value, &mut text);
        *repaired += &text.replace('<', "&lt;");
        repaired.push(quote);
        rest = after;
    }
    *repaired += &allowed_text(rest);
}

/// Repairs the references and characters of a text without markup.
fn repair_text(text: &str, repaired: &mut String) {
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        let (before, reference) = rest.split_at(start);
        *repaired += &plain_text(before);
        let after = reference.strip_prefix('&').unwrap_or_default();
        let name = after.split_once(';').filter(|(name, _)| is_reference(name));
        let (text, after) = match name {
            Some((name, after)) => (reference_text(name), after),
            None => ("&amp;".to_owned(), after),
        };
        *repaired += &text;
        rest = after;
    }
    *repaired += &plain_text(rest);
}

/// Removes forbidden characters, and escapes `]]>`, which text may not contain.
fn plain_text(text: &str) -> String {
    allowed_text(text).replace("]]>", "]]&gt;")
}

/// Whether the text between `&` and `;` is the name or number of a reference.
fn is_reference(name: &str) -> bool {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || char == '#';
    !name.is_empty() && name.len() <= MAX_REFERENCE && name.chars().all(is_allowed)
}

/// Returns a reference as XML: forbidden characters are removed, entities of HTML are replaced,
/// and unknown entities are escaped.
fn reference_text(name: &str) -> String {
    if let Some(number) = name.strip_prefix('#') {
        let hex = number.strip_prefix(['x', 'X']);
        let code = match hex {
            Some(hex) => u32::from_str_radix(hex, 16),
            None => number.parse(),
        };
        let char = code.ok().and_then(char::from_u32).filter(|char| is_allowed(*char));
        return char.map(|char| format!("&#{};", u32::from(char))).unwrap_or_default();
    }
    if resolve_predefined_entity(name).is_some() {
        return format!("&{name};");
    }
    entity_text(name).map_or_else(|| format!("&amp;{name};"), |text| text.replace('&', "&amp;"))
}

/// Checks names, prefixes and attributes.
fn check(xml: &str) -> Result<(), String> {
    let mut reader = NsReader::from_str(xml);
    loop {
        match reader.read_event().map_err(|error| error.to_string())? {
            Event::Start(start) | Event::Empty(start) => check_element(&reader, &start)?,
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn check_element(reader: &NsReader<&[u8]>, start: &BytesStart<'_>) -> Result<(), String> {
    check_name(start.name().into_inner())?;
    if let ResolveResult::Unknown(_) = reader.resolver().resolve_element(start.name()).0 {
        return Err(format!("the prefix of `{}` is not declared", start.name().into_inner()));
    }
    let mut known = HashSet::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|error| error.to_string())?;
        let name = attribute.key.into_inner();
        check_name(name)?;
        let (namespace, local) = reader.resolver().resolve_attribute(attribute.key);
        if let ResolveResult::Unknown(_) = namespace {
            return Err(format!("the prefix of `{name}` is not declared"));
        }
        if !known.insert((format!("{namespace:?}"), local.into_inner().to_owned())) {
            return Err(format!("the attribute `{name}` is repeated"));
        }
    }
    Ok(())
}

/// Checks the ASCII characters of a name. All other characters are accepted.
fn check_name(name: &str) -> Result<(), String> {
    let is_start = |char: char| char.is_ascii_alphabetic() || char == '_' || !char.is_ascii();
    let is_part =
        |char: char| is_start(char) || char.is_ascii_digit() || matches!(char, '-' | '.' | ':');
    let is_valid =
        name.split(':').all(|part| part.starts_with(is_start)) && name.chars().all(is_part);
    if is_valid { Ok(()) } else { Err(format!("`{name}` is not a name")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_repaired(xml: &str, expect: &str) {
        assert_eq!(well_formed(xml).as_deref(), Ok(expect), "{xml}");
    }

    #[track_caller]
    fn check_error(xml: &str, expect: &str) {
        let reason = well_formed(xml).unwrap_err();
        assert!(reason.contains(expect), "{xml}: {reason}");
    }

    #[test]
    fn well_formed_repairs_characters_and_references() {
        check_repaired("<a>x\u{1}y\u{FFFF}</a>", "<a>xy</a>");
        check_repaired("<a>&#1;&#xD800;&#99999999999;&#65;&#x1F600;</a>", "<a>&#65;&#128512;</a>");
        check_repaired("<a>&eacute;&nbsp;&amp;&lt;</a>", "<a>é\u{a0}&amp;&lt;</a>");
        check_repaired("<a>&unknown; a&b & c&;</a>", "<a>&amp;unknown; a&amp;b &amp; c&amp;;</a>");
        check_repaired("<a>]]></a>", "<a>]]&gt;</a>");
        check_repaired("<a b='x<y&z' c=\"&eacute;'\"/>", "<a b='x&lt;y&amp;z' c=\"é'\"/>");
        check_repaired("<a><!-- -- x --><?p x?><![CDATA[<&\u{2}]]></a>", "<a><![CDATA[<&]]></a>");
        check_repaired(
            "<x:a xmlns:x='u' x:y=\"1\">Grüße > 1</x:a>",
            "<x:a xmlns:x='u' x:y=\"1\">Grüße > 1</x:a>",
        );
    }

    #[test]
    fn well_formed_rejects_what_cannot_be_repaired() {
        check_error("<x:a/>", "prefix of `x:a`");
        check_error("<a x:b='1'/>", "prefix of `x:b`");
        check_error("<a b='1' b='2'/>", "");
        check_error("<a xmlns:x='u' xmlns:y='u' x:b='1' y:b='2'/>", "repeated");
        check_error("<a><1b/></a>", "not a name");
        check_error("<a b=1/>", "");
    }
}
