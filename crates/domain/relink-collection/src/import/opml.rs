//! OPML outlines. An `outline` element with a URL is an entry; any other is a folder.

use html5gum::{StartTag, Token, Tokenizer};

use crate::outline::{OutlineBuilder, OutlineEntry, split_tags};

/// Reads an OPML file. The tokenizer of HTML is sufficient, because OPML stores
/// everything in attributes.
pub(super) fn read(text: &str, builder: &mut OutlineBuilder) {
    // Whether each open outline is a folder.
    let mut open: Vec<bool> = Vec::new();
    let mut is_title = false;
    for token in Tokenizer::new(text) {
        let Ok(token) = token;
        match token {
            Token::StartTag(tag) if **tag.name == *b"outline" => {
                let is_folder = read_outline_tag(&tag, builder);
                if tag.self_closing {
                    if is_folder {
                        builder.close();
                    }
                } else {
                    open.push(is_folder);
                }
            }
            Token::EndTag(tag) if **tag.name == *b"outline" => {
                let is_folder = open.pop() == Some(true);
                if is_folder {
                    builder.close();
                }
            }
            Token::StartTag(tag) => is_title = **tag.name == *b"title",
            Token::EndTag(_) => is_title = false,
            Token::String(title) if is_title => {
                builder.set_title(&String::from_utf8_lossy(&title));
            }
            _ => {}
        }
    }
}

/// Adds an entry, or opens a folder and returns true.
fn read_outline_tag(tag: &StartTag<()>, builder: &mut OutlineBuilder) -> bool {
    // The tokenizer converts the names of attributes to lower case.
    let attribute = |names: &[&str]| {
        let mut values = names.iter().filter_map(|name| tag.attributes.get(name.as_bytes()));
        values.next().map(|value| String::from_utf8_lossy(value).into_owned())
    };
    let title = attribute(&["text", "title"]).unwrap_or_default();
    let annotation = attribute(&["description", "_note", "comment"]).unwrap_or_default();
    let tags = split_tags(&attribute(&["category", "tags"]).unwrap_or_default());
    // For a feed, use the URL of its site (`htmlUrl`) before that of the feed (`xmlUrl`).
    let url = attribute(&["htmlurl", "url", "href", "xmlurl"]);
    let is_folder = url.is_none();
    if let Some(url) = url {
        builder.add(OutlineEntry { url, title, annotation, tags });
    } else {
        builder.open(&title);
        builder.describe(&annotation);
        builder.tag(&tags);
    }
    is_folder
}

#[cfg(test)]
mod tests {
    use crate::{ImportFormat, read_outline};

    #[test]
    fn outlines_with_urls_are_entries_and_others_folders() {
        let text = "<?xml version='1.0'?><opml><head><title>Feeds</title></head><body>\
            <outline text='Owls' description='Birds'>\
            <outline text='Site' htmlUrl='http://a.test/' xmlUrl='http://a.test/feed' \
             description='good &amp; old' category='x,y'/>\
            <outline text='Nested'><outline text='Two' url='http://a.test/2'/></outline>\
            </outline><outline text='Three' type='link' url='http://a.test/3'/></body></opml>";
        let outline = read_outline(ImportFormat::Opml, text);
        assert_eq!(outline.title.as_deref(), Some("Feeds"));
        let paths: Vec<_> = outline.folders.iter().map(|folder| folder.path.join("/")).collect();
        assert_eq!(paths, ["", "Owls", "Owls/Nested"]);
        assert_eq!(outline.folders[0].entries[0].url, "http://a.test/3");
        let site = &outline.folders[1].entries[0];
        assert_eq!((site.annotation.as_str(), site.tags.len()), ("good & old", 2));
        assert_eq!(outline.folders[1].description, "Birds");
    }
}
