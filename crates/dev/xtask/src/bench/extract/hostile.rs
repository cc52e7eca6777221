//! Generates files that are made to be slow to parse.

/// The end of every file.
const LINKS: &str = "\n\n[a](b) <a href=c> https://a.test/ www.a.test [[d]]\n";

/// A file that repeats one text.
#[derive(Debug)]
pub(super) struct HostileFile {
    /// Its name. The extension is the format.
    pub(super) name: &'static str,
    repeated_text: &'static str,
}

impl HostileFile {
    /// Returns the text repeated up to this number of bytes, with some links at the end. A file
    /// without links would not be parsed at all.
    pub(super) fn content(&self, bytes: usize) -> Vec<u8> {
        self.repeated_text.bytes().cycle().take(bytes).chain(LINKS.bytes()).collect()
    }
}

const fn file(name: &'static str, repeated_text: &'static str) -> HostileFile {
    HostileFile { name, repeated_text }
}

/// All files.
pub(super) const FILES: &[HostileFile] = &[
    file("open-brackets.md", "["),
    file("brackets.md", "[]"),
    file("open-links.md", "[a]("),
    file("pages.md", "[[a|"),
    file("images.md", "![a"),
    file("references.md", "[a]["),
    file("footnotes.md", "[^a]"),
    file("headings.md", "a\n=\n"),
    file("angles.md", "<"),
    file("tables.md", "|a|\n|-|\n"),
    file("entities.md", "&amp;"),
    file("definitions.md", "[a]: b\n"),
    file("lists.md", "- - - - - "),
    file("deep-lists.md", " - a\n   "),
    file("quotes.md", "> > "),
    file("emphasis.md", "*a **"),
    file("backticks.md", "`a``"),
    file("tags.md", "<a "),
    file("comments.md", "<!-- a "),
    file("addresses.md", "http://a.test/("),
    file("tags.html", "<a href='"),
    file("entities.html", "<a href=&amp;"),
    file("elements.html", "<div><p>"),
    file("pages.wiki", "[[a|"),
    file("templates.wiki", "{{a|"),
    file("targets.rst", ".. _a: x\n"),
    file("inline.rst", "`a <b"),
    file("attributes.adoc", ":a: {a}\n"),
    file("inline.adoc", "link:a["),
    file("elements.xml", "<a><![CDATA["),
    file("cells.csv", "\"a,"),
    file("strings.json", "[\"a"),
    file("urls.css", "url("),
    file("addresses.txt", "http://a.test/("),
];
