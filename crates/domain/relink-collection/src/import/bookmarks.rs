//! Bookmarks of browsers (the Netscape format), and web pages with headings and
//! links.
//!
//! In bookmarks, `<h3>` names the folder of the following `<dl>`, and `<dd>` is the
//! description of the entry or folder before it. In other pages, headings are
//! folders and the rest of a list item is the annotation of its link.

use html5gum::{StartTag, Token, Tokenizer};

use crate::outline::{OutlineBuilder, OutlineEntry, split_tags};

/// The text that is being collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TextRole {
    /// Ignored.
    None,
    /// The title of the file.
    Title,
    /// The title of a folder.
    Folder,
    /// The title of an entry.
    Link,
    /// A description.
    Description,
}

/// Reads bookmarks.
pub(super) fn read(text: &str, builder: &mut OutlineBuilder) {
    let start: String = text.chars().take(500).collect();
    let is_netscape = start.to_ascii_lowercase().contains("netscape-bookmark-file");
    let mut reader = Reader {
        builder,
        is_netscape,
        role: TextRole::None,
        text: String::new(),
        link: None,
        folder: None,
        depth: 0,
        describes_folder: true,
    };
    for token in Tokenizer::new(text) {
        // The pattern is irrefutable: the error type of the tokenizer has no values.
        let Ok(token) = token;
        reader.read_token(&token);
    }
    reader.finish_text();
}

/// Reads the tokens of a file and adds its folders and entries to the builder.
struct Reader<'b> {
    builder: &'b mut OutlineBuilder,
    is_netscape: bool,
    role: TextRole,
    text: String,
    link: Option<OutlineEntry>,
    /// The title of the folder whose list has not started yet.
    folder: Option<String>,
    /// Number of open lists.
    depth: usize,
    /// Whether a description belongs to the folder and not to the last entry.
    describes_folder: bool,
}

impl Reader<'_> {
    fn read_token(&mut self, token: &Token) {
        match token {
            Token::StartTag(tag) => self.read_start_tag(tag),
            Token::EndTag(tag) => self.read_end_tag(&tag.name),
            Token::String(text) if self.role != TextRole::None => {
                self.text.push_str(&String::from_utf8_lossy(text));
            }
            _ => {}
        }
    }

    fn read_start_tag(&mut self, tag: &StartTag<()>) {
        match &**tag.name {
            b"title" | b"h1" => self.start_text(TextRole::Title),
            b"h3" if self.is_netscape => self.start_text(TextRole::Folder),
            b"h2" | b"h3" | b"h4" | b"h5" | b"h6" if !self.is_netscape => {
                self.depth = heading_depth(&tag.name);
                self.start_text(TextRole::Folder);
            }
            b"dl" if self.is_netscape => self.open_list(),
            b"dt" | b"dl" | b"li" | b"p" => self.finish_text(),
            b"dd" if self.is_netscape => self.start_text(TextRole::Description),
            b"a" => self.start_link(tag),
            _ => {}
        }
    }

    fn read_end_tag(&mut self, name: &[u8]) {
        match name {
            b"title" | b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" | b"li" | b"p" => {
                self.finish_text();
            }
            b"a" => self.end_link(),
            b"dl" if self.is_netscape => self.close_list(),
            _ => {}
        }
    }

    /// Starts to collect text with this role.
    fn start_text(&mut self, role: TextRole) {
        self.finish_text();
        self.role = role;
    }

    fn start_link(&mut self, tag: &StartTag<()>) {
        self.finish_text();
        let attribute = |name: &[u8]| {
            let value = tag.attributes.get(name);
            value.map(|value| String::from_utf8_lossy(value).into_owned()).unwrap_or_default()
        };
        let url = attribute(b"href");
        if !url.is_empty() {
            let tags = split_tags(&attribute(b"tags"));
            self.link = Some(OutlineEntry { url, tags, ..Default::default() });
            self.role = TextRole::Link;
        }
    }

    fn end_link(&mut self) {
        let is_link = self.role == TextRole::Link;
        self.finish_text();
        if is_link && !self.is_netscape {
            self.role = TextRole::Description;
        }
    }

    /// Opens a list. The list after a folder title is a nested collection; the
    /// outermost list is the root.
    fn open_list(&mut self) {
        self.finish_text();
        match self.folder.take() {
            Some(title) => self.builder.open(&title),
            // A list inside another list is a folder, even without a title.
            None if self.depth > 0 => self.builder.open("untitled"),
            None => {}
        }
        self.depth += 1;
        self.describes_folder = true;
    }

    fn close_list(&mut self) {
        self.finish_text();
        if self.depth > 1 {
            self.builder.close();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    /// Uses the collected text according to its role.
    fn finish_text(&mut self) {
        let text = std::mem::take(&mut self.text);
        match std::mem::replace(&mut self.role, TextRole::None) {
            TextRole::Title => self.builder.set_title(&text),
            TextRole::Folder if self.is_netscape => {
                self.folder = Some(text);
                self.describes_folder = true;
            }
            TextRole::Folder => self.builder.open_at(self.depth, &text),
            TextRole::Link => {
                if let Some(link) = self.link.take() {
                    self.builder.add(OutlineEntry { title: text, ..link });
                    self.describes_folder = false;
                }
            }
            TextRole::Description => self.add_description(&text),
            TextRole::None => {}
        }
    }

    fn add_description(&mut self, text: &str) {
        let text = text.trim_start_matches([' ', ':', '-', '–', '—', '\n', '\t']);
        match &self.folder {
            // The folder of the description is not open yet.
            Some(title) if self.describes_folder => {
                let title = title.clone();
                self.builder.open(&title);
                self.builder.describe(text);
                self.builder.close();
            }
            _ if self.describes_folder => self.builder.describe(text),
            _ => self.builder.annotate(text),
        }
    }
}

/// Returns the depth of a heading: 0 for `h2`.
fn heading_depth(name: &[u8]) -> usize {
    let level = name.get(1).map_or(2, |digit| usize::from(digit.saturating_sub(b'0')));
    level.saturating_sub(2)
}

#[cfg(test)]
mod tests {
    use crate::{ImportFormat, read_outline};

    const FILE: &str = "<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
  <DT><A HREF=\"https://a.test/top\">Top</A>
  <DT><H3 ADD_DATE=\"1\">Owls &amp; hawks</H3>
  <DD>Birds of prey
  <DL><p>
    <DT><A HREF=\"https://a.test/owl?a=1&amp;b=2\" TAGS=\"bird,night\">Snowy owl</A>
    <DD>White in winter
    <DT><H3>Deep</H3>
    <DL><p><DT><A HREF=\"https://a.test/deep\">Deep page</A></DL><p>
    <DT><A HREF=\"javascript:x()\">Bookmarklet</A>
  </DL><p>
  <DT><A HREF=\"https://a.test/last\">Last</A>
</DL><p>";

    #[test]
    fn bookmarks_keep_folders_annotations_and_tags() {
        let outline = read_outline(ImportFormat::Bookmarks, FILE);
        assert_eq!(outline.title.as_deref(), Some("Bookmarks"));
        let paths: Vec<_> = outline.folders.iter().map(|folder| folder.path.join("/")).collect();
        assert_eq!(paths, ["", "Owls & hawks", "Owls & hawks/Deep"]);
        let [root, owls, deep] = &outline.folders[..] else { panic!("{outline:?}") };
        assert_eq!(owls.description, "Birds of prey");
        let urls = |entries: &[crate::OutlineEntry]| -> Vec<String> {
            entries.iter().map(|entry| entry.url.clone()).collect()
        };
        assert_eq!(urls(&root.entries), ["https://a.test/top", "https://a.test/last"]);
        assert_eq!(urls(&owls.entries), ["https://a.test/owl?a=1&b=2"]);
        assert_eq!(urls(&deep.entries), ["https://a.test/deep"]);
        let owl = &owls.entries[0];
        assert_eq!((owl.annotation.as_str(), owl.tags.len()), ("White in winter", 2));
        assert_eq!(outline.skipped, 1);
    }

    #[test]
    fn headings_of_other_pages_are_folders() {
        let page = "<h1>List</h1><h2>Owls</h2><ul><li><a href=http://a.test/1>One</a> - good</ul>\
                    <h3>Small</h3><p><a href=http://a.test/2>Two</a></p><h2>Hawks</h2>\
                    <a href=http://a.test/3>Three</a>";
        let outline = read_outline(ImportFormat::Bookmarks, page);
        let paths: Vec<_> = outline.folders.iter().map(|folder| folder.path.join("/")).collect();
        assert_eq!(paths, ["", "Owls", "Owls/Small", "Hawks"]);
        assert_eq!(outline.folders[1].entries[0].annotation, "good");
    }

    #[test]
    fn unclosed_and_extra_tags_do_not_panic() {
        for text in
            ["</dl></dl><a href=http://a.test>x", "<dl><dl><dl><h3>a<dl><a href=>", "<h2><a"]
        {
            read_outline(ImportFormat::Bookmarks, text);
            read_outline(ImportFormat::Bookmarks, &format!("netscape-bookmark-file {text}"));
        }
    }
}
