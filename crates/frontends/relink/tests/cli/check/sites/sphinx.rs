//! Sites of Sphinx and Jupyter Book, with reStructuredText and `MyST`.

use super::{check, site, summary};
use crate::sandbox::Sandbox;

#[test]
fn sphinx_resolves_labels_of_all_documents() {
    check(
        &[
            ("doc/conf.py", "project = 'T'\nextensions = ['myst_parser']\n"),
            ("doc/other.md", "(my-label)=\n# Other\n"),
            ("doc/third.rst", ".. _rst-label:\n\nThird\n=====\n"),
            ("doc/img/a.png", ""),
        ],
        "doc/a.md",
        &["other.md", "#my-label", "my-label", "#rst-label", "/img/a.png", "third.html"],
        &["gone.md", "#no-label", "/img/gone.png"],
    );
}

#[test]
fn jupyter_book_has_labels_of_documents_and_notebooks() {
    let notebook = r##"{"cells":[{"cell_type":"markdown","source":["(cell-label)=\n","# N\n"]},
        {"cell_type":"code","source":["#| label: fig:plot\n","plot()\n"]}]}"##;
    check(
        &[
            ("book/_config.yml", "title: T\n"),
            ("book/_toc.yml", "root: intro\n"),
            ("book/intro.md", "# Intro\n\n(topic/part)=\n## Part\n\n$$ (eq:one)\n"),
            ("book/plot.ipynb", notebook),
        ],
        "book/guide/a.md",
        &["topic/part", "cell-label", "#fig:plot", "#eq:one", "/intro.md"],
        &["topic/gone", "/gone.md", "#fig:gone"],
    );
}

#[test]
fn sphinx_documents_may_be_text_files() {
    let sandbox = Sandbox::new();
    sandbox
        .write("docs/conf.py", "project = 'T'\nsource_suffix = {\".txt\": \"restructuredtext\"}\n")
        .write("docs/topics/db.txt", ".. _db-label:\n\nDatabases\n=========\n")
        .write(
            "docs/index.txt",
            ":doc:`/topics/db` :ref:`Data<db-label>` :doc:`/topics/gone` :ref:`no-label`\n",
        );
    let rows = sandbox.check(&["--offline", "docs"]).rows();
    assert_eq!(rows.verdicts(), ["alive", "alive", "local", "local"]);
}

#[test]
fn label_that_only_shares_a_part_with_another_may_be_in_another_project() {
    let sandbox = Sandbox::new();
    sandbox
        .write("conf.py", "project = 'T'\nextensions = ['sphinx.ext.intersphinx']\n")
        .write("b.rst", ".. _logging-config:\n\nLogging\n=======\n\n.. _exceptions:\n\nE\n=\n")
        .write(
            "a.rst",
            ":ref:`logging-config-dictschema` :ref:`bltin-exceptions` :ref:`exception` \
             :ref:`logging-configs` :ref:`logging-config-old`\n",
        );
    let summary = summary(&sandbox);
    assert_eq!(summary["skipped"]["anchor"], 3, "{summary}");
    assert_eq!(summary["verdicts"]["local"], 2, "{summary}");
}

#[test]
fn files_that_the_configuration_copies_are_not_checked() {
    let files = |config: &str| {
        site(
            &[("docs/conf.py", config), ("docs/images/a.png", ""), ("docs/parts/b.md", "# B\n")],
            "docs/guide/own.md",
            &["../images/a.png", "../images/copied.png", "../parts/gone.md"],
        )
    };
    let names = "IMAGES = 'images'\nPARTS = \"parts\"\n";
    let copying = files(&format!("project = 'T'\nimport shutil\n{names}shutil.copyfile(a, b)\n"));
    let found = summary(&copying);
    assert_eq!(
        (&found["skipped"]["generated"], &found["verdicts"]["local"]),
        (&1.into(), &1.into())
    );
    let found = summary(&files(&format!("project = 'T'\n{names}")));
    assert_eq!(found["verdicts"]["local"], 2, "{found}");
}

#[test]
fn link_in_several_lines_of_a_table_cell_is_read() {
    let sandbox = Sandbox::new();
    sandbox.write("b-long.md", "# B\n").write(
        "a.rst",
        "+-----+--------------+-----+\n\
         | one | `two <b-     | x   |\n\
         |     | long.md>`_   | y   |\n\
         +-----+--------------+-----+\n",
    );
    assert_eq!(sandbox.check(&["--offline", "."]).rows().verdicts(), ["alive"]);
}
