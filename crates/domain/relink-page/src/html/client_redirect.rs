//! Detects client-side redirects: `meta` refreshes and inline scripts.
//!
//! In the returned URLs, character references and escapes are resolved. Relative URLs
//! are not resolved against a base.

use std::ops::Range;

use relink_model::Digest;

use super::attribute_value::refresh;
use super::script_redirect::script_redirect;
use super::tokenizer::Tokenizer;
use crate::link_sink::unescape_attribute;
use crate::safe_slice::{ByteAt as _, SafeSlice as _};

/// Maximum delay of a refresh that counts as a redirect, in seconds.
pub(super) const MAX_DELAY_SECONDS: u64 = 10;

/// Maximum length of a URL, in bytes; longer URLs are ignored.
pub(super) const MAX_URL_LENGTH: usize = 8 * 1024;

/// Maximum length of an event handler that is scanned, in bytes.
const MAX_HANDLER_LENGTH: usize = 2048;

/// Collects the refresh and the `onload` handler of a page.
#[derive(Debug, Default)]
pub(super) struct ClientRedirectDetector {
    refresh: Option<String>,
    /// The script that runs when the page is loaded.
    onload: Option<String>,
}

impl ClientRedirectDetector {
    /// Reads a visible `meta` element.
    pub(super) fn read_meta(&mut self, tokens: &Tokenizer<'_>) {
        let is_refresh = tokens
            .attribute("http-equiv")
            .is_some_and(|name| name.trim().eq_ignore_ascii_case("refresh"));
        if !is_refresh || self.refresh.is_some() {
            return;
        }
        let content = tokens.attribute("content").unwrap_or_default();
        if content.len() <= 2 * MAX_URL_LENGTH {
            self.refresh = refresh_url(&unescape_attribute(content));
        }
    }

    /// Reads the start tag of the body.
    pub(super) fn read_body(&mut self, tokens: &Tokenizer<'_>) {
        let handler =
            tokens.attribute("onload").filter(|script| script.len() <= MAX_HANDLER_LENGTH);
        if self.onload.is_none() {
            self.onload = handler.map(|script| unescape_attribute(script).into_owned());
        }
    }

    /// Returns the URL that the page redirects to. `scripts` are the ranges of
    /// its inline scripts in `html`, `text_length` is the length of its visible text.
    ///
    /// Scripts count only on pages with little text: on other pages, a redirect
    /// in a script depends on an event.
    pub(super) fn finish(
        self,
        html: &str,
        scripts: &[Range<usize>],
        text_length: u64,
    ) -> Option<String> {
        if self.refresh.is_some() || text_length > Digest::MAX_TEXT_START as u64 {
            return self.refresh;
        }
        let onload = self.onload.unwrap_or_default();
        let inline_scripts = scripts.iter().map(|range| html.slice(range.clone()));
        // A script may also define a function that the `onload` handler calls.
        let url = inline_scripts
            .chain([onload.as_str()])
            .find_map(|script| script_redirect(script, &onload))?;
        redirect_target(&url)
    }
}

/// Returns the URL of a refresh whose delay is short.
fn refresh_url(content: &str) -> Option<String> {
    let seconds = content.trim_start().split(|character: char| !character.is_ascii_digit()).next();
    // No digits before the point mean zero seconds. A number that overflows is
    // a long delay.
    let is_soon = seconds.is_some_and(|digits| {
        digits.is_empty() || digits.parse().is_ok_and(|seconds: u64| seconds <= MAX_DELAY_SECONDS)
    });
    if !is_soon {
        return None;
    }
    refresh(content).and_then(|range| redirect_target(content.slice(range)))
}

/// Returns the trimmed URL if it leads to another web page.
fn redirect_target(url: &str) -> Option<String> {
    let url = url.trim_matches(|character: char| character <= ' ');
    let is_target = !url.is_empty()
        && !url.starts_with('#')
        && url.len() <= MAX_URL_LENGTH
        && is_relative_or_http(url);
    is_target.then(|| url.to_owned())
}

/// Whether the URL is relative or has the scheme `http` or `https`.
fn is_relative_or_http(url: &str) -> bool {
    let end = url
        .bytes()
        .position(|byte| !(byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')));
    match end {
        Some(end) if url.as_bytes().byte(end) == b':' => {
            ["http", "https"].iter().any(|scheme| url.slice(..end).eq_ignore_ascii_case(scheme))
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asserts the client-side redirect of a page.
    #[track_caller]
    fn check(html: &str, expect: Option<&str>) {
        let digest = crate::digest(Some("text/html"), None, html.as_bytes(), false);
        assert_eq!(digest.client_redirect.as_deref(), expect, "{html}");
    }

    /// Asserts the URL in the content of a refresh.
    #[track_caller]
    fn check_refresh(content: &str, expect: Option<&str>) {
        assert_eq!(refresh_url(content).as_deref(), expect, "{content}");
    }

    #[test]
    fn refresh_is_parsed_as_in_browsers() {
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
            check_refresh(content, Some("/a"));
        }
        check_refresh("0;url=https://a.test/?b=c;d", Some("https://a.test/?b=c;d"));
        check_refresh("0;url=url=x", Some("url=x"));
    }

    #[test]
    fn refresh_with_long_delay_or_without_target_is_ignored() {
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
            check_refresh(content, None);
        }
    }

    #[test]
    fn refresh_redirects_from_pages_of_any_length() {
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
    fn refresh_in_invisible_content_is_ignored() {
        check("<noscript><meta http-equiv=refresh content='0;url=/a'></noscript>", None);
        check("<template><meta http-equiv=refresh content='0;url=/a'></template>", None);
        check("<!-- <meta http-equiv=refresh content='0;url=/a'> -->", None);
        check("<meta name=refresh content='0;url=/a'>", None);
    }

    #[test]
    fn script_redirects_only_from_pages_with_little_text() {
        let script = "<title>Moved</title><script>location.replace('/a')</script><p>Moved.";
        check(script, Some("/a"));
        check(&format!("{script}{}", "word ".repeat(100)), None);
    }

    #[test]
    fn scripts_that_browsers_do_not_run_are_ignored() {
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
    fn onload_handler_redirects() {
        check("<body onload=\"location.href=&quot;/a&quot;\">", Some("/a"));
        check(
            "<script>function go() { top.location = '/a' }</script><body onload='go()'>",
            Some("/a"),
        );
        check("<script>function go() { top.location = '/a' }</script><body>", None);
    }

    #[test]
    fn url_over_the_maximum_length_is_ignored() {
        let long = "x".repeat(MAX_URL_LENGTH + 1);
        check_refresh(&format!("0;url={long}"), None);
        check_refresh(&format!("0;url={}", long.slice(1..)), Some(long.slice(1..)));
    }
}
