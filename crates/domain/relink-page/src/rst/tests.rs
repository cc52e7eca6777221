//! reStructuredText and the links in it.

use relink_model::LinkTarget;
use relink_model::SkipReason::{Code, Comment, Unused};

use crate::properties::check as check_format;
use crate::{DocumentFormat, links};

#[track_caller]
fn check(rst: &str, expect: &[&str]) {
    check_format(DocumentFormat::Rst, rst, expect);
}

#[track_caller]
fn none(rst: &str) {
    check(rst, &[]);
}

/// Checks how the only destination of a document is written, and what it means.
#[track_caller]
fn dest(rst: &str, raw: &str, meaning: &str) {
    let found = links(DocumentFormat::Rst, rst.as_bytes()).links;
    let [link] = found.as_slice() else {
        panic!("one link, not {found:?}");
    };
    assert_eq!((link.raw.as_str(), link.target.text()), (raw, meaning));
}

#[test]
fn a_link_has_its_address_in_angle_brackets() {
    check("See `the docs <https://a.test/b>`_.", &["1:16 link https://a.test/b"]);
    check("`a <b.html>`__ and `<c.html>`_", &["1:5 link b.html", "1:22 link c.html"]);
    check("`a\n  <https://a.test>`_", &["2:4 link https://a.test"]);
    dest("`a <https://a.test/\n   b\\_>`_", "https://a.test/\n   b\\_", "https://a.test/b_");
    dest("`a <x\\ y>`_", "x\\ y", "xy");
    none("`a<b>`_ `a <b>` ` a <c>`_");
}

#[test]
fn addresses_stand_for_themselves() {
    check(
        "See https://a.test/b_c, (http://d.test).",
        &["1:5 bare https://a.test/b_c", "1:26 bare http://d.test"],
    );
    check("<https://a.test>", &["1:2 bare https://a.test"]);
    check(":Home: https://a.test\n:b: c", &["1:8 bare https://a.test"]);
    check("\\https://a.test", &["1:2 bare https://a.test -"]);
    dest("https://a.test/b\\_c", "https://a.test/b\\_c", "https://a.test/b_c");
}

#[test]
fn a_target_is_reported_once_where_it_stands() {
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
fn targets_without_a_name_belong_to_references_in_order() {
    check(
        "`a`__ b__\n\n.. __: x\n__ y\n\n__ z\n",
        &["3:8 definition x", "4:4 definition y", "6:4 definition z -"],
    );
}

#[test]
fn names_may_stand_for_each_other() {
    check("a_\n\n.. _a: b_\n.. _b: x\n", &["4:8 definition x"]);
    check("a_\n\n.. _a:\n.. _b: x\n", &["4:8 definition x"]);
    check("`text <a_>`_\n\n.. _a: x\n", &["3:8 definition x"]);
    check("a_\n\n.. _a:\n\ntext\n\n.. _b: x\n", &["7:8 definition x -"]);
}

#[test]
fn a_target_nobody_refers_to_is_told_as_skipped() {
    let found = links(DocumentFormat::Rst, b".. _a: https://a.test/b\\_\n").links;
    let expect = LinkTarget::Skipped("https://a.test/b_".into(), Unused);
    assert_eq!(found[0].target, expect);
}

#[test]
fn pictures_have_a_file_and_perhaps_a_link() {
    check(
        ".. image:: a.png\n   :alt: b\n   :target: https://a.test\n",
        &["1:12 embed a.png", "3:13 link https://a.test"],
    );
    check(
        ".. figure:: a.png\n   :target: b_\n\n   See https://c.test\n\n.. _b: x\n",
        &["1:13 embed a.png", "4:8 bare https://c.test", "6:8 definition x"],
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
    none(".. include:: <isonum.txt>\n");
    check(".. csv-table:: Title\n   :file: a.csv\n", &["2:11 reference a.csv"]);
    check(":doc:`a/b`, :doc:`text </c>`", &["1:7 reference a/b", "1:25 reference /c"]);
    check(":download:`get <a.zip>`", &["1:17 reference a.zip"]);
    dest(":ref:`text <label>`", "label", "#label");
    dest("`label`:ref:", "label", "#label");
    check(
        ".. toctree::\n   :maxdepth: 2\n\n   a\n   B <b/c>\n   D <https://d.test>\n   e/*\n\nf\n",
        &["4:4 reference a", "5:7 reference b/c", "6:7 link https://d.test"],
    );
}

#[test]
fn what_stands_in_a_directive_is_text() {
    check(
        ".. note:: See https://a.test\n\n   `b <x>`_\n",
        &["1:15 bare https://a.test", "3:8 link x"],
    );
    check(".. [1] https://a.test\n.. [b] `c <x>`_\n", &["1:8 bare https://a.test", "2:12 link x"]);
    check(".. |a| replace:: https://a.test\n", &["1:18 bare https://a.test"]);
    check(".. raw:: html\n\n   <a href='x'>\n\ny\n", &["3:13 link x"]);
}

#[track_caller]
fn skipped(rst: &str, reason: relink_model::SkipReason) {
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
fn addresses_in_literal_text_are_told_as_skipped() {
    skipped("``https://a.test``", Code);
    skipped("`https://a.test`", Code);
    skipped(":code:`https://a.test`", Code);
    skipped("Text::\n\n  https://a.test\n\n  `a <x>`_\n\nhttps://b.test", Code);
    skipped("- Text::\n\n    https://a.test\n\n  https://b.test", Code);
    skipped("::\n\n> https://a.test\n\nhttps://b.test", Code);
    skipped(".. code-block:: sh\n   :caption: a\n\n   https://a.test\n\nhttps://b.test", Code);
    skipped(">>> https://a.test\n\nhttps://b.test", Code);
    skipped(".. raw:: latex\n\n   https://a.test\n\nhttps://b.test", Code);
}

#[test]
fn addresses_in_comments_are_told_as_skipped() {
    skipped(".. https://a.test\n\nhttps://b.test", Comment);
    skipped("..\n   https://a.test\n\n   `a <x>`_\n\nhttps://b.test", Comment);
    check("..\n\n   https://a.test\n", &["3:4 bare https://a.test"]);
}
