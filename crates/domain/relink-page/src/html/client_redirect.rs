//! Where a page sends its reader at once: by a refresh, or by a script.
//!
//! The address is given as written, with character references and escapes
//! resolved; what it is relative to is not known here.

use std::ops::Range;

use relink_model::Digest;

use super::attribute_value::refresh;
use super::script_redirect::script_redirect;
use super::tokenizer::Tokenizer;
use crate::cut::{ByteAt as _, Cut as _};
use crate::link_sink::unescaped;

/// The longest wait, in seconds, that still sends the reader on at once.
pub(super) const PATIENCE: u64 = 10;

/// The longest address that is kept, in bytes.
pub(super) const ADDRESS_LENGTH: usize = 8 * 1024;

/// The longest handler that is read, in bytes.
const HANDLER_LENGTH: usize = 2048;

/// What was seen so far that may send a reader on.
#[derive(Debug, Default)]
pub(super) struct ClientRedirectDetector {
    refresh: Option<String>,
    /// The script that runs once the page is loaded.
    onload: Option<String>,
}

impl ClientRedirectDetector {
    /// Takes in a `meta` that readers with scripts get.
    pub(super) fn meta(&mut self, tokens: &Tokenizer<'_>) {
        let is_refresh = tokens
            .attribute("http-equiv")
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
        if !is_refresh || self.refresh.is_some() {
            return;
        }
        let content = tokens.attribute("content").unwrap_or_default();
        if content.len() <= 2 * ADDRESS_LENGTH {
            self.refresh = refresh_address(&unescaped(content));
        }
    }

    /// Takes in the start of the body.
    pub(super) fn body(&mut self, tokens: &Tokenizer<'_>) {
        let handler = tokens.attribute("onload").filter(|script| script.len() <= HANDLER_LENGTH);
        if self.onload.is_none() {
            self.onload = handler.map(|script| unescaped(script).into_owned());
        }
    }

    /// Where the page leads, with its inline scripts at `scripts` of `html`.
    ///
    /// A script counts only on a page of little text: on others it is one
    /// that waits for something.
    pub(super) fn finish(
        self,
        html: &str,
        scripts: &[Range<usize>],
        text_length: u64,
    ) -> Option<String> {
        if self.refresh.is_some() || text_length > Digest::OPENING_LENGTH as u64 {
            return self.refresh;
        }
        let onload = self.onload.unwrap_or_default();
        scripts
            .iter()
            .map(|range| html.cut(range.clone()))
            .chain([onload.as_str()])
            .find_map(|script| script_redirect(script, &onload))
            .and_then(|address| elsewhere(&address))
    }
}

/// The address of a refresh that comes soon.
fn refresh_address(content: &str) -> Option<String> {
    let seconds = content.trim_start().split(|character: char| !character.is_ascii_digit()).next();
    // No digits before the point mean none; too many for a number, too long a wait.
    let is_soon = seconds.is_some_and(|digits| {
        digits.is_empty() || digits.parse().is_ok_and(|seconds: u64| seconds <= PATIENCE)
    });
    if !is_soon {
        return None;
    }
    refresh(content).and_then(|range| elsewhere(content.cut(range)))
}

/// The address, if it leads to another page.
fn elsewhere(address: &str) -> Option<String> {
    let address = address.trim_matches(|character: char| character <= ' ');
    let leads = !address.is_empty()
        && !address.starts_with('#')
        && address.len() <= ADDRESS_LENGTH
        && is_of_the_web(address);
    leads.then(|| address.to_owned())
}

/// Whether the address is relative, or of a scheme that pages are fetched by.
fn is_of_the_web(address: &str) -> bool {
    let end = address
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')));
    match end {
        Some(end) if address.as_bytes().byte(end) == b':' => {
            ["http", "https"].iter().any(|scheme| address.cut(..end).eq_ignore_ascii_case(scheme))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(html: &str, expect: Option<&str>) {
        let digest = crate::digest(Some("text/html"), None, html.as_bytes(), false);
        assert_eq!(digest.client_redirect.as_deref(), expect, "{html}");
    }

    #[track_caller]
    fn refresh_leads(content: &str, expect: Option<&str>) {
        assert_eq!(refresh_address(content).as_deref(), expect, "{content}");
    }

    #[test]
    fn a_refresh_is_read_as_browsers_read_it() {
        for content in [
            "0;url=/a",
            "0; URL=/a",
            " 5 ; url = '/a' ",
            "10,url=\"/a\"x",
            "0;/a",
            "0 /a",
            "0.9;url=/a",
            ".5;url=/a",
            "0;\nurl='/a",
            "0;url= /a ",
        ] {
            refresh_leads(content, Some("/a"));
        }
        refresh_leads("0;url=https://a.test/?b=c;d", Some("https://a.test/?b=c;d"));
        refresh_leads("0;url=url=x", Some("url=x"));
    }

    #[test]
    fn a_refresh_that_is_late_or_leads_nowhere_is_none() {
        for content in [
            "11;url=/a",
            "99999999999999999999999;url=/a",
            "30",
            "0",
            "0;",
            "0;url=",
            "0;url=''",
            "0;url=#top",
            "url=/a",
            "",
            "-1;url=/a",
            "x;url=/a",
            "0;url=javascript:f()",
            "0;url=mailto:a@b.test",
        ] {
            refresh_leads(content, None);
        }
    }

    #[test]
    fn a_refresh_sends_on_from_any_page() {
        let refresh = "<META HTTP-EQUIV=' Refresh' CONTENT='0;url=&#39;/a?b&amp;c&#39;'>";
        check(refresh, Some("/a?b&c"));
        check(&format!("{refresh}<p>{}", "word ".repeat(200)), Some("/a?b&c"));
        check(&format!("<meta http-equiv=refresh content=60>{refresh}"), Some("/a?b&c"));
        check(
            &format!("{refresh}<meta http-equiv=refresh content='0;url=/later'>"),
            Some("/a?b&c"),
        );
    }

    #[test]
    fn a_refresh_for_readers_without_scripts_is_none() {
        check("<noscript><meta http-equiv=refresh content='0;url=/a'></noscript>", None);
        check("<template><meta http-equiv=refresh content='0;url=/a'></template>", None);
        check("<!-- <meta http-equiv=refresh content='0;url=/a'> -->", None);
        check("<meta name=refresh content='0;url=/a'>", None);
    }

    #[test]
    fn a_script_sends_on_from_a_page_of_little_text() {
        let script = "<title>Moved</title><script>location.replace('/a')</script><p>Moved.";
        check(script, Some("/a"));
        check(&format!("{script}{}", "word ".repeat(100)), None);
    }

    #[test]
    fn only_scripts_that_run_count() {
        check("<script src=x>location='/a'</script>", None);
        check("<script type='application/ld+json'>location='/a'</script>", None);
        check("<script type=text/template>location='/a'</script>", None);
        check("<template><script>location='/a'</script></template>", None);
        check("<script TYPE='Text/JavaScript'>location='/a'</script>", Some("/a"));
        check("<script type=module>location='/a'</script>", Some("/a"));
        check("<script>location='#a'</script>", None);
        check("<script>location=''</script>", None);
        check("<script>f()</script><script>location='/a'</script>", Some("/a"));
    }

    #[test]
    fn a_body_may_send_on_once_loaded() {
        check("<body onload=\"location.href=&quot;/a&quot;\">", Some("/a"));
        check(
            "<script>function go() { top.location = '/a' }</script><body onload='go()'>",
            Some("/a"),
        );
        check("<script>function go() { top.location = '/a' }</script><body>", None);
    }

    #[test]
    fn a_very_long_address_is_none() {
        let long = "x".repeat(ADDRESS_LENGTH + 1);
        refresh_leads(&format!("0;url={long}"), None);
        refresh_leads(&format!("0;url={}", long.cut(1..)), Some(long.cut(1..)));
    }
}
