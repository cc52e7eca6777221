//! Property tests with arbitrary URLs and texts: targets, anchors and spans in
//! every format.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use proptest::prelude::*;
use relink_model::LinkTarget;
use relink_page::{
    DocumentFormat, Options, SlugStyle, anchors, classify, digest, ignore_directives, links_with,
    text_digest,
};
use relink_testkit::any_url::{any_segment, any_text, any_url_text};

/// Returns a document with a URL in the link syntaxes of several formats.
fn document_with(url: &str, text: &str) -> String {
    format!(
        "# {text}\n[{text}]({url}) <{url}> `{text} <{url}>`__ {url}[{text}] [[{url}|{text}]]\n\
         <a id=\"{text}\" href=\"{url}\">{text}</a> url({url}) \"{url}\",{url}\t{{\"url\":\"{url}\"}}\n"
    )
}

proptest! {
    #[test]
    fn classify_accepts_any_text(text in any_text()) {
        let target = classify(&text);
        if let LinkTarget::Web(url) = &target {
            prop_assert!(!url.is_empty());
        }
    }

    #[test]
    fn link_spans_of_any_url_are_inside_the_document(url in any_url_text(), text in any_text()) {
        let document = document_with(&url, &text);
        for format in DocumentFormat::ALL {
            for link in links_with(format, document.as_bytes(), &Options::default()).links {
                let span = document.as_bytes().get(link.location.span.range());
                prop_assert_eq!(span, Some(link.raw.as_bytes()), "{}", format);
            }
            ignore_directives(format, document.as_bytes());
        }
    }

    #[test]
    fn every_anchor_is_found_by_its_escaped_name(name in any_segment(), other in any_text()) {
        let document = document_with(&other, &name);
        for format in DocumentFormat::ALL {
            for style in SlugStyle::ALL {
                let Some(anchors) = anchors(format, document.as_bytes(), style) else { continue };
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
    fn digest_accepts_any_text(url in any_url_text(), text in any_text()) {
        let document = document_with(&url, &text);
        digest(Some(&text), Some(&text), document.as_bytes(), false);
        digest(Some("text/html"), None, document.as_bytes(), true);
        text_digest(Some(&text), &document, Some(&url));
        DocumentFormat::from_file(Some(&url), document.as_bytes());
        Options::from_file_name(&url);
    }
}
