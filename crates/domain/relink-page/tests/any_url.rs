//! What holds for every URL and every text that stands in a document: targets,
//! anchors and spans in every format.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use relink_model::LinkTarget;
use relink_page::{
    DocumentFormat, Options, SlugStyle, anchors, classify, digest, ignore_directives, links_with,
    text_digest,
};
use relink_testkit::any_url::{any_segment, any_text, any_url_text};

/// Ways in which documents write a URL.
fn written(url: &str, text: &str) -> String {
    format!(
        "# {text}\n[{text}]({url}) <{url}> `{text} <{url}>`__ {url}[{text}] [[{url}|{text}]]\n\
         <a id=\"{text}\" href=\"{url}\">{text}</a> url({url}) \"{url}\",{url}\t{{\"url\":\"{url}\"}}\n"
    )
}

proptest! {
    #[test]
    fn classify_any_text_returns_a_target(text in any_text()) {
        let target = classify(&text);
        if let LinkTarget::Web(url) = &target {
            prop_assert!(!url.is_empty());
        }
    }

    #[test]
    fn links_any_url_in_any_format_have_spans_inside(url in any_url_text(), text in any_text()) {
        let document = written(&url, &text);
        for format in DocumentFormat::ALL {
            for link in links_with(format, document.as_bytes(), &Options::default()).links {
                let span = document.as_bytes().get(link.location.span.range());
                prop_assert_eq!(span, Some(link.raw.as_bytes()), "{}", format);
            }
            ignore_directives(format, document.as_bytes());
        }
    }

    #[test]
    fn anchors_any_name_is_found_again(name in any_segment(), other in any_text()) {
        let document = written(&other, &name);
        for format in DocumentFormat::ALL {
            for slugs in SlugStyle::ALL {
                let Some(anchors) = anchors(format, document.as_bytes(), slugs) else { continue };
                for anchor in anchors.iter() {
                    let fragment = utf8_percent_encode(anchor, NON_ALPHANUMERIC).to_string();
                    prop_assert!(anchors.has(&fragment), "{} {:?}", format, anchor);
                }
                anchors.has(&other);
                anchors.nearest(&other);
            }
        }
    }

    #[test]
    fn digest_any_text_is_read(url in any_url_text(), text in any_text()) {
        let document = written(&url, &text);
        digest(Some(&text), Some(&text), document.as_bytes(), false);
        digest(Some("text/html"), None, document.as_bytes(), true);
        text_digest(Some(&text), &document, Some(&url));
        DocumentFormat::of_file(Some(&url), document.as_bytes());
        Options::of_name(&url);
    }
}
