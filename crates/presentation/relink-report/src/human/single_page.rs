//! Formats the responses of a single URL on the command line: redirects, status and
//! title.

use relink_model::Hop;

use super::{TextStyle, duration, shown_prose, shown_url, size};

/// The responses of one page.
#[derive(Debug, Clone, Copy)]
pub struct SinglePageView<'a> {
    /// The URL as given.
    pub url: &'a str,
    /// The hops of the last request.
    pub hops: &'a [Hop],
    /// The title of the page.
    pub title: Option<&'a str>,
    /// The number of bytes read.
    pub bytes: Option<u64>,
    /// The duration of the last request in milliseconds.
    pub duration_ms: Option<u64>,
}

/// Formats the status of every hop, and the title of the page.
pub fn single_page(style: TextStyle, view: &SinglePageView) -> String {
    let mut lines = format!("{}\n", style.strong(&shown_url(view.url)));
    for hop in view.hops {
        let info = relink_judge::status::lookup(hop.status);
        let target = match &hop.location {
            Some(location) => format!("→ {}", shown_url(location)),
            None => String::new(),
        };
        let line = format!("  {} {} {target}", hop.status, info.name);
        lines.push_str(line.trim_end());
        lines.push('\n');
    }
    let facts = [
        view.title.map(|title| format!("\"{}\"", shown_prose(title))),
        view.bytes.map(size),
        view.duration_ms.map(duration),
    ];
    let facts: Vec<String> = facts.into_iter().flatten().collect();
    if !facts.is_empty() {
        lines.extend(["  ", &facts.join(", "), "\n"]);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_page_shows_status_hops_and_title() {
        let hop = |url: &str, status, location: Option<&str>| Hop {
            url: url.to_owned(),
            status,
            location: location.map(str::to_owned),
            ip: None,
        };
        let view = SinglePageView {
            url: "https://example.org/old",
            hops: &[hop("https://example.org/old", 301, Some("/new")), hop("/new", 200, None)],
            title: Some("New \u{1b}page"),
            bytes: Some(1200),
            duration_ms: Some(83),
        };
        insta::assert_snapshot!(single_page(TextStyle::Plain, &view), @r#"
        https://example.org/old
          301 Moved Permanently → /new
          200 OK
          "New ␛page", 1.2 kB, 83 ms
        "#);
    }
}
