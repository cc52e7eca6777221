//! Links in XML. The notation of expected links is described at [`check`].

use crate::properties::check;
use crate::{DocumentFormat, links};

/// Asserts the links of a document.
#[track_caller]
fn check_xml(document: &str, expect: &[&str]) {
    check(DocumentFormat::Xml, document, expect);
}

/// Asserts the decoded destinations of a document.
#[track_caller]
fn check_decoded(document: &str, expect: &[&str]) {
    let found = links(DocumentFormat::Xml, document.as_bytes()).links;
    let actual: Vec<&str> = found.iter().map(|link| link.target.text()).collect();
    assert_eq!(actual, expect);
}

#[test]
fn sitemap_locs_are_links() {
    check_xml(
        "<?xml version='1.0'?>\n<urlset xmlns='http://www.sitemaps.test/0.9'><url>\n\
         <loc> https://a.test/?b&amp;c </loc><image:image><image:loc>https://i.test/x</image:loc>\n\
         </image:image><xhtml:link rel='alternate' href='https://a.test/de'/></url></urlset>",
        &[
            "3:7 value https://a.test/?b&amp;c",
            "3:61 value https://i.test/x",
            "4:49 value https://a.test/de",
        ],
    );
    check_xml(
        "<sitemapindex><sitemap><loc>http://a.test/1.xml</loc></sitemap>",
        &["1:29 value http://a.test/1.xml"],
    );
    check_xml(
        "<urlset><url><loc>/relative</loc></url><url><loc></loc></url>",
        &["1:19 value /relative !"],
    );
    check_xml(
        "<s:urlset><s:loc><![CDATA[http://a.test/?b&c]]></s:loc>",
        &["1:27 value http://a.test/?b&c"],
    );
}

#[test]
fn rss_links_guids_and_enclosures_are_links() {
    check_xml(
        "<rss><channel><atom:link href='http://a.test/feed' rel='self'/><link>http://a.test</link>\n\
         <item><link>/1</link><guid>http://a.test/1</guid>\n\
         <guid isPermaLink='false'>http://a.test/2</guid><enclosure url='1.mp3'/>\n\
         <media:content url='http://a.test/m'/><media:content url='m'/></item></channel></rss>",
        &[
            "1:32 value http://a.test/feed",
            "1:70 value http://a.test",
            "2:13 value /1",
            "2:28 value http://a.test/1",
            "3:65 embed 1.mp3",
            "4:21 value http://a.test/m",
        ],
    );
}

#[test]
fn html_in_feeds_is_searched_for_bare_urls() {
    check_xml(
        "<rss><description>&lt;a href=&quot;http://a.test/x&quot;&gt;y&lt;/a&gt; &lt;img \
         src=\"http://b.test/\"&gt;</description>\n\
         <content:encoded><![CDATA[<a href='http://c.test'>see http://d.test.</a>]]></content:encoded>",
        &[
            "1:36 bare-url http://a.test/x",
            "1:86 bare-url http://b.test/",
            "2:36 bare-url http://c.test",
            "2:55 bare-url http://d.test",
        ],
    );
    check_decoded(
        "<p>http://a.test/?b&amp;amp;c d</p><p><![CDATA[http://a.test/?b&amp;c d]]></p>",
        &["http://a.test/?b&c", "http://a.test/?b&c"],
    );
}

#[test]
fn atom_links_are_links_and_ids_are_not() {
    let feed = "<feed xmlns='http://www.w3.test/Atom' xml:base='http://a.test/b&amp;c/'>\
                <id>http://a.test/id</id>\n<link href='x'/><link rel='self' href='http://a.test'/>\
                <content src='http://a.test/c'/><uri>http://me.test</uri></feed>";
    check_xml(
        feed,
        &[
            "2:13 value x",
            "2:40 value http://a.test",
            "2:70 embed http://a.test/c",
            "2:93 value http://me.test",
        ],
    );
    assert_eq!(
        links(DocumentFormat::Xml, feed.as_bytes()).base.as_deref(),
        Some("http://a.test/b&c/")
    );
}

#[test]
fn outline_urls_are_links() {
    check_xml(
        "<opml><body><outline text='A' xmlUrl='http://a.test/feed' htmlUrl=\"http://a.test\"/>",
        &["1:39 value http://a.test/feed", "1:68 value http://a.test"],
    );
}

#[test]
fn other_xml_has_links_in_known_attributes_and_text() {
    check_xml(
        "<project><url>http://a.test</url><name>x http://b.test y</name></project>",
        &["1:15 value http://a.test", "1:42 bare-url http://b.test"],
    );
    check_xml(
        "<topic href='b.dita' src='@drawable/x' url='x' URI='http://c.test' id='http://no.test'/>",
        &["1:14 value b.dita", "1:53 value http://c.test"],
    );
    check_xml(
        "<svg><a xlink:href='#x'/><use href='#y'/><image href='z.png'/>",
        &["1:21 hyperlink #x", "1:55 embed z.png"],
    );
    check_xml(
        "<?xml-stylesheet type='text/xsl' href='a.xsl'?><r xmlns:url='http://no.test'/>",
        &["1:40 resource a.xsl"],
    );
}

#[test]
fn urls_in_comments_are_skipped() {
    check_xml(
        "<!-- http://a.test --><a>http://b.test</a><!-- http://c.test",
        &[
            "1:6 bare-url http://a.test -",
            "1:26 value http://b.test",
            "1:48 bare-url http://c.test -",
        ],
    );
}

#[test]
fn entities_are_never_expanded() {
    let document = "<!DOCTYPE b [<!ENTITY a \"http://no.test ]>\">\n<!-- ' --><!ENTITY b '&a;&a;'>]>\n\
                <urlset><loc>http://a.test/&b;</loc></urlset>";
    check_xml(document, &["3:14 value http://a.test/&b;"]);
    let found = links(DocumentFormat::Xml, document.as_bytes());
    assert_eq!(
        found.problems[0].to_string(),
        "line 1: the document type declares entities; they are not expanded"
    );
    check_decoded(document, &["http://a.test/&b;"]);
}

#[test]
fn external_entities_are_never_read() {
    let document = "<!DOCTYPE r SYSTEM \"http://no.test/x.dtd\" [<!ENTITY x SYSTEM 'file:///etc/hostname'>\
               <!ENTITY % p SYSTEM 'http://no.test/'>%p;]><r><a href='&x;'/><b>&x;</b>http://a.test</r>";
    check_decoded(document, &["&x;", "http://a.test"]);
}

#[test]
fn broken_xml_yields_partial_results() {
    check_xml(
        "<r><a href='http://a.test'<b href='http://b.test'>",
        &["1:13 hyperlink http://a.test", "1:36 value http://b.test"],
    );
    check_xml("<r><b href='http://a.test><b href='http://b.test'/>", &["1:36 value http://b.test"]);
    check_xml("<r><loc>http://a.test</loc><loc href='http://b.te", &["1:9 value http://a.test"]);
    check_xml("a < b <r>http://a.test", &["1:10 value http://a.test"]);
    check_xml("<!DOCTYPE r [ <r>http://a.test</r>", &["1:18 value http://a.test"]);
    check_xml("<!DOCTYPE r ' <r>http://a.test</r>", &["1:18 value http://a.test"]);
    check_xml("<?x <r>http://a.test</r>", &["1:8 value http://a.test"]);
    for cut in
        ["", "<", "<!", "<?", "</", "<![CDATA[", "<!--", "<a ", "<a b", "<a b=", "<a b='", "&"]
    {
        check_xml(cut, &[]);
    }
}
