//! Notices of broken and restored links as RSS 2.0 and Atom feeds.
//!
//! There is one entry per affected record. Ids never change, so that feed readers recognize
//! known entries.

use std::fmt::Write as _;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_model::escape_xml as escape;

use super::{Notice, NoticeItem};
use crate::redact;

/// A notice with its identity and time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedNotice {
    /// A key that identifies the notice.
    pub key: String,
    /// The time of the event.
    pub at: Timestamp,
    /// The notice.
    pub notice: Notice,
}

/// Writes notices as RSS 2.0, in the given order. `link` is the URL of the feed or its site.
pub fn rss(provider: &str, link: &str, notices: &[PublishedNotice]) -> String {
    let mut xml =
        String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<rss version=\"2.0\">\n");
    let title = escape(&format!("Links of {provider}"));
    let link = escape(link);
    let _ = write!(
        xml,
        "<channel>\n<title>{title}</title>\n<link>{link}</link>\n<description>Broken and restored \
         links of {}</description>\n",
        escape(provider)
    );
    if let Some(newest) = notices.iter().map(|published| published.at).max() {
        let _ = writeln!(xml, "<lastBuildDate>{}</lastBuildDate>", rfc822(newest));
    }
    for (published, index, item) in entries(notices) {
        let _ = write!(
            xml,
            "<item>\n<title>{}</title>\n<link>{}</link>\n<guid isPermaLink=\"false\">{}</guid>\n\
             <pubDate>{}</pubDate>\n<category>{}</category>\n<description>{}</description>\n</item>\n",
            escape(&entry_title(published, item)),
            escape(&redact(&item.url).to_string()),
            escape(&entry_id(published, index)),
            rfc822(published.at),
            published.notice.kind.as_str(),
            escape(&entry_text(item))
        );
    }
    xml + "</channel>\n</rss>\n"
}

/// Writes notices as Atom, in the given order.
pub fn atom(provider: &str, link: &str, notices: &[PublishedNotice]) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<feed xmlns=\"http://www.w3.org/2005/Atom\">\n",
    );
    let updated =
        notices.iter().map(|published| published.at).max().unwrap_or(Timestamp::UNIX_EPOCH);
    let _ = write!(
        xml,
        "<title>{}</title>\n<id>urn:relink:feed:{}</id>\n<updated>{}</updated>\n\
         <link href=\"{}\"/>\n<author><name>Relink</name></author>\n",
        escape(&format!("Links of {provider}")),
        escape(&urn_text(provider)),
        rfc3339(updated),
        escape(link)
    );
    for (published, index, item) in entries(notices) {
        let _ = write!(
            xml,
            "<entry>\n<title>{}</title>\n<id>{}</id>\n<updated>{}</updated>\n<link href=\"{}\"/>\n\
             <category term=\"{}\"/>\n<summary>{}</summary>\n</entry>\n",
            escape(&entry_title(published, item)),
            escape(&entry_id(published, index)),
            rfc3339(published.at),
            escape(&redact(&item.url).to_string()),
            published.notice.kind.as_str(),
            escape(&entry_text(item))
        );
    }
    xml + "</feed>\n"
}

/// Returns the items of all notices, each with its notice and its index in the notice.
fn entries(
    notices: &[PublishedNotice],
) -> impl Iterator<Item = (&PublishedNotice, usize, &NoticeItem)> {
    notices.iter().flat_map(|published| {
        (0..).zip(&published.notice.items).map(move |(index, item)| (published, index, item))
    })
}

/// Returns the title of an entry.
fn entry_title(published: &PublishedNotice, item: &NoticeItem) -> String {
    let name = item.title.as_deref().unwrap_or(&item.record);
    format!("{}: {name}", published.notice.kind.as_str())
}

/// Returns the id of an entry, which never changes.
fn entry_id(published: &PublishedNotice, index: usize) -> String {
    format!("urn:relink:notice:{}:{index}", urn_text(&published.key))
}

/// Replaces all characters that are not allowed in a URN by `:`.
fn urn_text(text: &str) -> String {
    let is_allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '.' | '_');
    text.chars().map(|char| if is_allowed(char) { char } else { ':' }).collect()
}

/// Returns the text of an entry.
fn entry_text(item: &NoticeItem) -> String {
    let record = if item.record.is_empty() { String::new() } else { format!("{}: ", item.record) };
    format!("{record}{} (since {})", item.reason, item.since)
}

/// Formats a time for RSS: `Sat, 31 Jan 2026 09:00:00 GMT`.
fn rfc822(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// Formats a time for Atom: `2026-01-31T09:00:00Z`.
fn rfc3339(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::super::NoticeKind;
    use super::*;

    /// Creates a notice whose texts contain markup, control characters and a password.
    fn hostile_notice() -> PublishedNotice {
        PublishedNotice {
            key: "1/hidden/2026-01-31/00ff".to_owned(),
            at: "2026-01-31T09:00:00.5Z".parse().unwrap(),
            notice: Notice {
                provider: "p".to_owned(),
                kind: NoticeKind::Hidden,
                day: date(2026, 1, 31),
                time: "2026-01-08 10:00 CET".to_owned(),
                deadline: None,
                contacts: Vec::new(),
                items: vec![NoticeItem {
                    record: "oai:1".to_owned(),
                    title: Some("<script>\u{0}A & B\r\nX".to_owned()),
                    url: "http://user:secret@a.test/?a=1&b=2".to_owned(),
                    reason: "404".to_owned(),
                    host: None,
                    since: date(2026, 1, 1),
                }],
            },
        }
    }

    #[test]
    fn entries_are_escaped_and_have_stable_ids() {
        for feed in [
            rss("p", "http://x.test/", &[hostile_notice()]),
            atom("p", "http://x.test/", &[hostile_notice()]),
        ] {
            assert!(feed.contains("hidden: &lt;script&gt;A &amp; B  X"), "{feed}");
            assert!(feed.contains("urn:relink:notice:1:hidden:2026-01-31:00ff:0"), "{feed}");
            assert!(!feed.contains("secret") && !feed.contains('\u{0}'), "{feed}");
        }
        assert!(rss("p", "x", &[hostile_notice()]).contains("Sat, 31 Jan 2026 09:00:00 GMT"));
    }
}
