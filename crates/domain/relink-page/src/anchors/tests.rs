//! Tests which anchors a document has.

use super::*;

/// Asserts that a document has the anchors `has` and does not have the anchors `lacks`.
#[track_caller]
fn check(format: DocumentFormat, style: SlugStyle, text: &str, has: &[&str], lacks: &[&str]) {
    let found = anchors(format, text.as_bytes(), style).expect("the format has anchors");
    for anchor in has {
        assert!(found.has(anchor), "no #{anchor} in {:?}", found.names);
    }
    for anchor in lacks {
        assert!(!found.has(anchor), "#{anchor} in {:?}", found.names);
    }
}

#[test]
fn github_retains_every_hyphen_and_numbers_duplicates() {
    let text = "# It's — done!\n\n## A `b_c` d\n\n## A `b_c` d\n\nSetext *one*\n===\n";
    let has = ["its--done", "a-b_c-d", "a-b_c-d-1", "setext-one", "user-content-setext-one"];
    check(DocumentFormat::Markdown, SlugStyle::GitHub, text, &has, &["its-done", "a-b_c-d-2"]);
    check(
        DocumentFormat::Markdown,
        SlugStyle::GitHub,
        "# Größe 你好",
        &["größe-你好", "Größe-你好"],
        &["grosse"],
    );
}

#[test]
fn space_before_an_image_and_emoji_selector_are_retained() {
    let text = "# errno [![b](b.svg)](c) [![d](d.svg)](e)\n\n# ⚠\u{fe0f} Warning\n\n# हिन्दी\n";
    let has = ["errno--", "\u{fe0f}-warning", "हिन्दी"];
    check(DocumentFormat::Markdown, SlugStyle::GitHub, text, &has, &["errno"]);
    check(
        DocumentFormat::Markdown,
        SlugStyle::Any,
        text,
        &["errno--", "errno", "-warning"],
        &["err"],
    );
}

#[test]
fn html_in_markdown_has_headings_and_multi_line_tags() {
    let text = "<h1 align=center>\n  <img src=a.png>\n  My &amp; tool\n</h1>\n\n<div\n  id=part>\n</div>\n";
    check(DocumentFormat::Markdown, SlugStyle::GitHub, text, &["my--tool", "part"], &["tool"]);
}

#[test]
fn thematic_break_is_not_front_matter() {
    check(
        DocumentFormat::Markdown,
        SlugStyle::GitHub,
        "# A\n\n---\n\n# B\n\n---\n",
        &["a", "b"],
        &[],
    );
}

#[test]
fn gitlab_collapses_hyphens() {
    let text = "# It's — done!\n# 2024\n";
    check(
        DocumentFormat::Markdown,
        SlugStyle::GitLab,
        text,
        &["its-done", "anchor-2024"],
        &["its--done"],
    );
}

#[test]
fn mdbook_replaces_each_space_with_a_hyphen() {
    check(
        DocumentFormat::Markdown,
        SlugStyle::MdBook,
        "# A & b\n# A & b",
        &["a--b", "a--b-1"],
        &["a-b"],
    );
}

#[test]
fn rst_whitespace_in_names_is_normalized() {
    let text = ".. _two\t  words: a.html\n\n.. [\t1] x\n";
    let has = ["two words", "two-words"];
    check(DocumentFormat::Rst, SlugStyle::Any, text, &has, &["twowords", "footnote-1"]);
}

#[test]
fn mkdocs_is_ascii_and_numbers_with_underscores() {
    let text = "# Café & co\n# Café & co\n";
    check(
        DocumentFormat::Markdown,
        SlugStyle::MkDocs,
        text,
        &["cafe-co", "cafe-co_1"],
        &["cafe-co-1"],
    );
}

#[test]
fn sphinx_anchors_begin_with_a_letter() {
    check(
        DocumentFormat::Rst,
        SlugStyle::Sphinx,
        "1. The ``x`` end\n=============\n",
        &["the-x-end"],
        &["1"],
    );
    check(
        DocumentFormat::Markdown,
        SlugStyle::Sphinx,
        "# a.b\n(my-label)=\n# c",
        &["a-b", "my-label"],
        &[],
    );
}

#[test]
fn any_style_has_the_anchors_of_all_renderers() {
    let text = "# It's — a café\n# It's — a café\n";
    let has = ["its--a-café", "its-a-café", "its-a-cafe", "its-a-cafe_1", "it-s-a-cafe"];
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &has, &["its"]);
}

#[test]
fn markdown_has_explicit_anchors() {
    let text = "# One {#first}\n\n## Two {: #second .big }\n\n<a id=\"third\"></a> <a name='4'/>\n\n\
                word{#fifth}\n\n## Six {/* #sixth */}\n\n<div id=\"seven\">\n\nText[^note]\n\n[^note]: x\n";
    let has = ["first", "second", "third", "4", "fifth", "sixth", "seven", "fn-note", "fnref-note"];
    check(DocumentFormat::Markdown, SlugStyle::GitHub, text, &has, &["one-first"]);
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["one", "first"], &["three"]);
}

#[test]
fn code_and_front_matter_have_no_headings() {
    let text = "---\n# comment\ntitle: x\n---\n\n```sh\n# code\n```\n\n    # code too\n\n# Real\n";
    check(
        DocumentFormat::Markdown,
        SlugStyle::Any,
        text,
        &["real"],
        &["code", "comment", "code-too"],
    );
}

#[test]
fn html_has_ids_and_names() {
    let text = "<h1 id=a&amp;b>x</h1><A NAME='c'></A><input name=d><!-- <p id=e> --><p ID=F>";
    check(DocumentFormat::Html, SlugStyle::Any, text, &["a&b", "c", "F"], &["d", "e", "f"]);
}

#[test]
fn rst_has_titles_and_targets() {
    let text = "=====\nTitle\n=====\n\nThe :ref:`x` part\n-----------------\n\n.. _My Target:\n\n\
                .. _`with: colon`: https://a.test\n\n.. figure:: a.png\n   :name: fig-a\n\n\
                An _`inline target`.\n\n.. [CIT] x\n\nTitle\n-----\n";
    let has = [
        "title",
        "the-x-part",
        "my-target",
        "My Target",
        "with-colon",
        "fig-a",
        "inline-target",
        "cit",
        "title-1",
        "id1",
    ];
    check(DocumentFormat::Rst, SlugStyle::Any, text, &has, &["inline"]);
}

#[test]
fn asciidoc_has_titles_and_ids() {
    let text = "= Book\n\n[[one]]\n== First part: x.y\n\n[#two.role]\n== Second\n\n[quote#three]\nq\n\n\
                [id=four]\ntext [[five,label]]inline anchor:six[] [#seven]#word#\n\n== Second\n";
    let has = [
        "one",
        "_first_part_x_y",
        "first-part-x-y",
        "two",
        "_second",
        "_second_2",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "First part: x.y",
    ];
    check(DocumentFormat::AsciiDoc, SlugStyle::Any, text, &has, &["_third", "label"]);
    let text = ":idprefix: s-\n:idseparator: -\n\n== A b\n";
    check(DocumentFormat::AsciiDoc, SlugStyle::Any, text, &["s-a-b", "_a_b"], &["s_a_b"]);
}

#[test]
fn top_and_text_fragments_need_no_anchor() {
    check(
        DocumentFormat::Html,
        SlugStyle::Any,
        "",
        &["", "top", "TOP", ":~:text=x"],
        &["a", "a:~:text=x"],
    );
}

#[test]
fn documents_with_includes_may_have_more_anchors() {
    let may_have_more = |format, text: &str| {
        anchors(format, text.as_bytes(), SlugStyle::Any)
            .is_some_and(|anchors| anchors.may_have_more() || anchors.includes().next().is_some())
    };
    assert!(may_have_more(DocumentFormat::Markdown, "{{#include a.md}}"));
    assert!(may_have_more(DocumentFormat::Markdown, "import A from './a.mdx'\n\n<A/>"));
    assert!(may_have_more(DocumentFormat::AsciiDoc, "include::a.adoc[]"));
    assert!(may_have_more(DocumentFormat::Rst, ".. include:: a.rst"));
    assert!(!may_have_more(DocumentFormat::Markdown, "# a"));
    assert!(may_have_more(
        DocumentFormat::Html,
        "<meta http-equiv=Refresh content='0;url=b.html'>"
    ));
    assert!(may_have_more(DocumentFormat::Html, "<div id=root></div><script src=app.js></script>"));
    assert!(!may_have_more(DocumentFormat::Html, "<p id=a><p id=b><script></script>"));
}

/// Asserts whether a Markdown document may have more anchors, because of generated text or
/// included documents.
#[track_caller]
fn check_may_have_more(text: &str, expect: bool) {
    let found = anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any);
    // The source of a component is read, but rarely adds anchors.
    let is_text = |file: &IncludedFile| !matches!(file, IncludedFile::Component(_));
    let may_have_more =
        |anchors: Anchors| anchors.may_have_more() || anchors.includes().any(is_text);
    assert_eq!(found.map(may_have_more), Some(expect), "{text}");
}

/// Asserts the included files of a Markdown document.
#[track_caller]
fn check_includes(text: &str, expect: &[IncludedFile]) {
    let found = anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any).unwrap();
    assert_eq!(found.includes().cloned().collect::<Vec<_>>(), expect, "{text}");
}

#[test]
fn includes_of_several_generators_are_found() {
    let path = |path: &str| [IncludedFile::Path(path.to_owned())];
    check_includes("{{#include a.md:2:5}}", &path("a.md"));
    check_includes("--8<-- \"docs/a.md\"", &path("docs/a.md"));
    check_includes("[!INCLUDE [note](../a.md)]", &path("../a.md"));
    check_includes("<!--@include: ./a.md{1,3}-->", &path("./a.md"));
    check_includes("```{include} ../a.md\n```\n", &path("../a.md"));
    check_includes(":::{include} a.md\n:::\n", &path("a.md"));
    check_includes("import A from './a.mdx'\n\n<A/>\n", &path("./a.mdx"));
    let partial = |name: &str| [IncludedFile::Partial(name.to_owned())];
    check_includes("{% include note.html x=1 %}", &partial("note.html"));
    check_includes("{% data reusables.a.b %}", &partial("reusables/a/b.md"));
    check_includes("{{% tab name=x %}}", &[IncludedFile::Shortcode("tab".to_owned())]);
}

#[test]
fn heading_with_a_placeholder_is_a_pattern() {
    let found =
        anchors(DocumentFormat::Markdown, b"## About {{ site.name }} teams\n", SlugStyle::Any)
            .unwrap();
    assert!(found.has("about-acme-teams") && !found.has("about-acme"));
}

#[test]
fn headings_after_components_are_found() {
    let text =
        "<Tabs>\n  <Tab label=\"a\">\n  ```sh\n  a\n\n  # b\n  ```\n  </Tab>\n</Tabs>\n\n## Next\n";
    let found = anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any).unwrap();
    assert!(found.has("next") && !found.may_have_more(), "{found:?}");
    let only = anchors(DocumentFormat::Markdown, b"<Page/>\n", SlugStyle::Any).unwrap();
    assert!(only.may_have_more());
}

#[test]
fn ids_in_brackets_and_terms_are_anchors() {
    let text = "## A title [own-id]\n\nMy term\n: Its definition.\n";
    let found = anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any).unwrap();
    assert!(found.has("own-id") && found.has("my-term"), "{found:?}");
}

#[test]
fn include_in_code_or_prose_adds_no_anchors() {
    check_may_have_more("# a\n\n```py\nimport os\n```\n", false);
    check_may_have_more("# a\n\n```liquid\n{% include b.md %}\n```\n", false);
    check_may_have_more("# a\n\nWrite `{{#include b.md}}` or `{!b.md!}`.\n", false);
    check_may_have_more("# a\n\nimport the file, then export it.\n", false);
    check_may_have_more("# a\n\n```\n{% include b.md %}\n```\n\n{% include b.md %}\n", true);
}

#[test]
fn import_of_a_component_adds_no_anchors() {
    check_may_have_more("import { Card } from '@astrojs/starlight/components'\n\n# a\n", false);
    check_may_have_more("import Tabs from '@theme/Tabs';\n\n# a\n\n<Tabs/>\n", false);
    check_may_have_more("import {\n  A,\n} from './a.jsx'\n\n# a\n", false);
    check_may_have_more("# a\n\nimport B from '@site/docs/_b.md';\n\n<B/>\n", true);
    check_may_have_more("import A from './a.js'\nimport B from \"./b.mdx\"\n\n# a\n", true);
}

#[test]
fn embedded_shortcode_adds_no_anchors() {
    check_may_have_more("# a\n\n[b]({{< ref \"b.md\" >}}) {{< figure src=\"c.png\" >}}\n", false);
    check_may_have_more("# a\n\n{{< highlight go >}}x{{< /highlight >}}\n", false);
    check_may_have_more("# a\n\n{{</* include \"b.md\" */>}}\n", false);
    check_may_have_more("# a\n\n{{< include \"b.md\" >}}\n", true);
}

#[test]
fn data_has_no_anchors() {
    for format in [
        DocumentFormat::Json,
        DocumentFormat::UrlList,
        DocumentFormat::Source,
        DocumentFormat::Notebook,
    ] {
        assert_eq!(anchors(format, b"# a", SlugStyle::Any), None);
    }
}

proptest::proptest! {
    #[test]
    fn any_input_does_not_panic(
        text in r#"([#=~`_\[\]{}<>:."' \n]|\.\. |id=|name|é|a){0,60}"#,
        wanted in ".{0,12}",
    ) {
        for format in [DocumentFormat::Markdown, DocumentFormat::Html, DocumentFormat::Rst, DocumentFormat::AsciiDoc] {
            let found = anchors(format, text.as_bytes(), SlugStyle::Any).expect("the format has anchors");
            found.nearest(&wanted);
        }
    }
}

#[test]
fn heading_id_in_brackets_may_start_with_a_hash() {
    let text = "## Größe [#size]\n\n## B [plain]\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["size", "plain"], &["#size"]);
}

#[test]
fn attribute_list_may_name_the_id_with_a_key() {
    let text = "### 9.7.0 <small>May</small> { id=\"9.7.0\" }\n";
    check(DocumentFormat::Markdown, SlugStyle::MkDocs, text, &["9.7.0"], &["9.7.1"]);
}

#[test]
fn renderers_replace_dashes_and_badges_in_headings() {
    let text = "## Part 1 -- more\n\n## tryIt :badge[v3]{color=\"x\"}\n\n## a :b c\n";
    let has = ["part-1--more", "tryit", "a-b-c"];
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &has, &["a-c"]);
}

#[test]
fn heading_with_a_leading_digit_has_the_anchor_of_vitepress() {
    let text = "## 1. Install\n\n## Step 2\n";
    let has = ["1-install", "_1-install", "step-2"];
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &has, &["_step-2"]);
}

#[test]
fn notations_of_build_scripts_are_anchors() {
    let text =
        "# A\n\n#### <!-- md:setting config.dir -->\n\nr[lex.token]\n<!-- just: a note -->\n";
    let has = ["config.dir", "r-lex.token"];
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &has, &["lex.token", "note"]);
}

#[test]
fn generated_reference_and_component_pages_may_have_more_anchors() {
    let may_have = |text: &str| {
        anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any).unwrap().may_have("x")
    };
    assert!(may_have("---\nautogenerated: rest\n---\n# A\n"));
    assert!(may_have("<Part a={1} />\n"));
    assert!(!may_have("---\ntitle: autogenerated\n---\n# A\n"));
    assert!(!may_have("```ts\nfunction f<T>(a: T): Promise<T>\n```\n"));
}

#[test]
fn ids_and_titles_of_asciidoc_use_attributes_and_macros() {
    let text = ":prefix: api\n\n[id=\"{prefix}-group\"]\n== Group\n\n[id=\"{other}-b\"]\n== B\n\n\
                === link:++https://example.org/++[pod.name]\n";
    let has = ["api-group", "anything-b", "pod-name", "_pod_name"];
    check(DocumentFormat::AsciiDoc, SlugStyle::Any, text, &has, &["{prefix}-group", "x-group"]);
}

#[test]
fn heading_without_letters_is_a_section() {
    let text = "### `$$`\n\n### `$?`\n";
    check(
        DocumentFormat::Markdown,
        SlugStyle::Any,
        text,
        &["section", "section-1"],
        &["section-2"],
    );
}

#[test]
fn keys_of_a_data_block_are_anchors() {
    let text =
        "# A\n\n{% configuration %}\nhost_name:\n  type: string\n{% endconfiguration %}\nnote: x\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["host_name"], &["note"]);
}

#[test]
fn anchor_that_extends_a_known_one_is_not_unknown() {
    let text = "---\nautogenerated: rest\n---\n## Install\n";
    let found = anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any).unwrap();
    assert!(found.may_have("list-items") && found.may_have("install-1"));
    assert!(!found.may_have("install-xyz"));
}

#[test]
fn deeply_indented_fence_in_a_component_is_closed() {
    let text = "<Tabs>\n  <Tab>\n    ```ts\n    a\n\n    b\n  ```\n  </Tab>\n</Tabs>\n\n## After\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["after"], &["b"]);
    let code =
        "1. a\n\n    ```xml\n    <Field\n      b=\"c\">\n    </Field>\n    ```\n\n## After\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, code, &["after"], &["b"]);
}

#[test]
fn attribute_list_without_an_id_is_not_part_of_the_anchor() {
    let text = "### `A` tool {.notranslate lang=en}\n\n### Set {x}\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["a-tool", "set-x"], &["set"]);
}

#[test]
fn tabs_and_code_of_mkdocs_have_anchors() {
    let text =
        "## Logo {#x}\n\n=== \":icon: Image file\"\n\n    a\n\n``` { .sh #example }\nb\n```\n";
    let has = ["image-file", "logo-image-file", "example"];
    check(DocumentFormat::Markdown, SlugStyle::MkDocs, text, &has, &["logo-image"]);
}

#[test]
fn productions_of_a_grammar_have_anchors() {
    let text =
        "# A\n\n```grammar,items\n@root Item ->\n    Name `;`\n\nName -> X\n```\n\nOther -> x\n";
    let has = ["grammar-Item", "grammar-Name"];
    check(DocumentFormat::Markdown, SlugStyle::MdBook, text, &has, &["grammar-Other"]);
}

#[test]
fn heading_id_in_other_delimiters_is_an_anchor() {
    let text = "## Первый %{#first}%\n\n## \\_Second %{#second}%\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["first", "second"], &["third"]);
}

#[test]
fn part_of_components_leaves_the_anchors_of_the_page_known() {
    let read = |text: &str| anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any);
    let part = read("Text with a <Badge/>.\n").expect("Markdown has anchors");
    assert!(part.may_have("other"));
    let mut page = read("# Title\n").expect("Markdown has anchors");
    page.merge(&part);
    assert!(!page.may_have("other"));
}

#[test]
fn embedded_rst_has_anchors_and_may_be_generated() {
    let read = |directive: &str| {
        let text = format!("# Title\n\n```{{eval-rst}}\n.. _part:\n\n{directive}\n```\n");
        anchors(DocumentFormat::Markdown, text.as_bytes(), SlugStyle::Any)
            .expect("Markdown has anchors")
    };
    assert!(read(".. note:: Text").has("part"));
    assert!(!read(".. note:: Text").may_have_more());
    assert!(read(".. autoclass:: a.B").may_have_more());
}

#[test]
fn ids_of_components_and_blocks_are_anchors() {
    let text =
        "# Title\n\n<Tabs>\n<Tab id='static'>\nText ^a1b2\n\n```jsx\n<Tab id=\"code\">\n```\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["static", "^a1b2"], &["code", "a1b2"]);
}

#[test]
fn include_of_a_url_leaves_the_anchors_of_a_page_known() {
    let include = "include::https://a.test/part.adoc[]\n";
    let read = |text: &str| anchors(DocumentFormat::AsciiDoc, text.as_bytes(), SlugStyle::Any);
    let page = read(&format!("== Title\n\n{include}")).expect("AsciiDoc has anchors");
    assert!(!page.may_have_more());
    assert!(read(include).expect("AsciiDoc has anchors").may_have_more());
}

#[test]
fn fence_in_an_example_of_components_is_code() {
    let text = "```mdx\n<Tabs>\n  <TabItem>\n    ```sh\n    a\n    ```\n  </TabItem>\n  <TabItem>\n    \
        ```sh\n    b\n    ```\n  </TabItem>\n</Tabs>\n```\n\n## After\n";
    check(DocumentFormat::Markdown, SlugStyle::Any, text, &["after"], &[]);
}
