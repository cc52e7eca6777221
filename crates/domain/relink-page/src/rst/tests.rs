//! Links in reStructuredText. The notation of expected links is described at
//! [`check_format`](crate::properties::check).

use relink_model::LinkTarget;
use relink_model::SkipReason::{Code, Comment, Unused};

use crate::properties::check as check_format;
use crate::{DocumentFormat, links};

/// Asserts the links of a document.
#[track_caller]
fn check(rst: &str, expect: &[&str]) {
    check_format(DocumentFormat::Rst, rst, expect);
}

/// Asserts that the document has no links.
#[track_caller]
fn check_no_links(rst: &str) {
    check(rst, &[]);
}

/// Asserts the source text and the decoded text of the only destination.
#[track_caller]
fn check_destination(rst: &str, raw: &str, decoded: &str) {
    let found = links(DocumentFormat::Rst, rst.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!((link.raw.as_str(), link.target.text()), (raw, decoded));
}

#[test]
fn url_in_angle_brackets_is_a_link() {
    check("See `the docs <https://a.test/b>`_.", &["1:16 hyperlink https://a.test/b"]);
    check("`a <b.html>`__ and `<c.html>`_", &["1:5 hyperlink b.html", "1:22 hyperlink c.html"]);
    check("`a\n  <https://a.test>`_", &["2:4 hyperlink https://a.test"]);
    check_destination(
        "`a <https://a.test/\n   b\\_>`_",
        "https://a.test/\n   b\\_",
        "https://a.test/b_",
    );
    check_destination("`a <x\\ y>`_", "x\\ y", "xy");
    check_no_links("`a<b>`_ `a <b>` ` a <c>`_");
}

#[test]
fn bare_urls_are_links() {
    check(
        "See https://a.test/b_c, (http://d.test).",
        &["1:5 bare-url https://a.test/b_c", "1:26 bare-url http://d.test"],
    );
    check("<https://a.test>", &["1:2 bare-url https://a.test"]);
    check(":Home: https://a.test\n:b: c", &["1:8 bare-url https://a.test"]);
    check("\\https://a.test", &["1:2 bare-url https://a.test -"]);
    check_destination("https://a.test/b\\_c", "https://a.test/b\\_c", "https://a.test/b_c");
}

#[test]
fn target_is_reported_once() {
    check("See a_ and `A`_.\n\n.. _a: https://a.test\n", &["3:8 definition https://a.test"]);
    check(
        "`a b`_\n\n.. _a B: x\n.. _`c: d`: y\n\n`c: d`_",
        &["3:10 definition x", "4:13 definition y"],
    );
    check("a_\n\n.. _a:\n   https://a.test/\n   b\n", &["4:4 definition https://a.test/\n   b"]);
    check("|a|_\n\n.. _a: x\n", &["3:8 definition x"]);
    check(
        "a_ b.c-d_\n\n.. _a\\: b: y\n.. _b.c-d: z\n.. _a: x",
        &["3:12 definition y -", "4:12 definition z", "5:8 definition x"],
    );
}

#[test]
fn anonymous_targets_match_references_in_order() {
    check(
        "`a`__ b__\n\n.. __: x\n__ y\n\n__ z\n",
        &["3:8 definition x", "4:4 definition y", "6:4 definition z -"],
    );
}

#[test]
fn target_may_refer_to_another_target() {
    check("a_\n\n.. _a: b_\n.. _b: x\n", &["4:8 definition x"]);
    check("a_\n\n.. _a:\n.. _b: x\n", &["4:8 definition x"]);
    check("`text <a_>`_\n\n.. _a: x\n", &["3:8 definition x"]);
    check("a_\n\n.. _a:\n\ntext\n\n.. _b: x\n", &["7:8 definition x -"]);
}

#[test]
fn unused_target_is_skipped() {
    let found = links(DocumentFormat::Rst, b".. _a: https://a.test/b\\_\n").links;
    let expect = LinkTarget::Skipped("https://a.test/b_".into(), Unused);
    assert_eq!(found[0].target, expect);
}

#[test]
fn images_have_a_file_and_an_optional_link() {
    check(
        ".. image:: a.png\n   :alt: b\n   :target: https://a.test\n",
        &["1:12 embed a.png", "3:13 hyperlink https://a.test"],
    );
    check(
        ".. figure:: a.png\n   :target: b_\n\n   See https://c.test\n\n.. _b: x\n",
        &["1:13 embed a.png", "4:8 bare-url https://c.test", "6:8 definition x"],
    );
    check("|a|\n\n.. |a| image:: a.png\n", &["3:16 embed a.png"]);
    check(
        "- .. image:: https://a.test/\n       b.png\n",
        &["1:14 embed https://a.test/\n       b.png"],
    );
}

#[test]
fn files_and_pages_are_references() {
    check(".. include:: a.txt\n", &["1:14 reference a.txt"]);
    check(".. literalinclude:: ../a.py\n   :language: python\n", &["1:21 reference ../a.py"]);
    check_no_links(".. include:: <isonum.txt>\n");
    check(".. csv-table:: Title\n   :file: a.csv\n", &["2:11 reference a.csv"]);
    check(":doc:`a/b`, :doc:`text </c>`", &["1:7 reference a/b", "1:25 reference /c"]);
    check(":download:`get <a.zip>`", &["1:17 reference a.zip"]);
    check_destination(":ref:`text <label>`", "label", "#label");
    check_destination(":ref:`text<label>`", "label", "#label");
    check_destination(":doc:`a <b> <page>`", "page", "page");
    check_destination("`label`:ref:", "label", "#label");
    check(
        ".. toctree::\n   :maxdepth: 2\n\n   a\n   B <b/c>\n   D <https://d.test>\n   e/*\n\nf\n",
        &["4:4 reference a", "5:7 reference b/c", "6:7 hyperlink https://d.test"],
    );
}

#[test]
fn directive_content_is_text() {
    check(
        ".. note:: See https://a.test\n\n   `b <x>`_\n",
        &["1:15 bare-url https://a.test", "3:8 hyperlink x"],
    );
    check(
        ".. [1] https://a.test\n.. [b] `c <x>`_\n",
        &["1:8 bare-url https://a.test", "2:12 hyperlink x"],
    );
    check(".. |a| replace:: https://a.test\n", &["1:18 bare-url https://a.test"]);
    check(".. raw:: html\n\n   <a href='x'>\n\ny\n", &["3:13 hyperlink x"]);
}

/// Asserts that `https://a.test` is skipped for `reason`, and that all other links are
/// `https://b.test`.
#[track_caller]
fn check_skipped(rst: &str, reason: relink_model::SkipReason) {
    let found = links(DocumentFormat::Rst, rst.as_bytes()).links;
    let skipped: Vec<_> = found
        .iter()
        .filter(|link| matches!(link.target, LinkTarget::Skipped(_, why) if why == reason))
        .map(|link| link.raw.as_str())
        .collect();
    assert_eq!(skipped, ["https://a.test"], "{rst}");
    let all: Vec<_> = found.iter().map(|link| link.raw.as_str()).collect();
    assert!(all.iter().all(|raw| *raw == "https://a.test" || *raw == "https://b.test"), "{rst}");
    assert_eq!(all.len(), 1 + rst.matches("https://b.test").count(), "{rst}");
}

#[test]
fn urls_in_literal_text_are_skipped() {
    check_skipped("``https://a.test``", Code);
    check_skipped("`https://a.test`", Code);
    check_skipped(":code:`https://a.test`", Code);
    check_skipped("Text::\n\n  https://a.test\n\n  `a <x>`_\n\nhttps://b.test", Code);
    check_skipped("- Text::\n\n    https://a.test\n\n  https://b.test", Code);
    check_skipped("::\n\n> https://a.test\n\nhttps://b.test", Code);
    check_skipped(
        ".. code-block:: sh\n   :caption: a\n\n   https://a.test\n\nhttps://b.test",
        Code,
    );
    check_skipped(">>> https://a.test\n\nhttps://b.test", Code);
    check_skipped(".. raw:: latex\n\n   https://a.test\n\nhttps://b.test", Code);
}

#[test]
fn urls_in_comments_are_skipped() {
    check_skipped(".. https://a.test\n\nhttps://b.test", Comment);
    check_skipped("..\n   https://a.test\n\n   `a <x>`_\n\nhttps://b.test", Comment);
    check("..\n\n   https://a.test\n", &["3:4 bare-url https://a.test"]);
}
