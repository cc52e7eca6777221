//! Tests of walks over small directory trees.

use std::fs;

use tempfile::TempDir;

use super::*;

/// Creates a directory tree with these files.
fn tree(names: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in names {
        write(&directory, name, "text");
    }
    directory
}

/// Writes a file, creating its directory.
fn write(directory: &TempDir, name: &str, text: &str) {
    let path = directory.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// Returns the documents of inputs below the directory.
fn walk(directory: &TempDir, inputs: &[&str]) -> Result<Vec<DocumentSource>, FileError> {
    let settings = LocalFilesSettings {
        root: directory.path().to_owned(),
        ignored: IgnoredFiles::Skip,
        ..LocalFilesSettings::default()
    };
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    documents(&settings, &inputs).map(|result| result.documents)
}

/// Checks the labels of the documents that a walk finds.
#[track_caller]
fn check(directory: &TempDir, inputs: &[&str], expect: &[&str]) {
    let found = walk(directory, inputs).unwrap();
    let labels: Vec<&str> = found.iter().map(|document| document.label.as_str()).collect();
    assert_eq!(labels, expect);
    for document in &found {
        assert!(document.path.is_file(), "{}", document.path.display());
    }
}

/// Checks the error of a walk.
#[track_caller]
fn check_error(directory: &TempDir, inputs: &[&str], expect: &str) {
    assert_eq!(walk(directory, inputs).unwrap_err().to_string(), expect);
}

#[test]
fn directory_documents_are_sorted_by_path() {
    let tree = tree(&["docs/b.md", "docs/a/z.html", "docs/a.md", "docs/x.png"]);
    let expect = ["docs/a.md", "docs/a/z.html", "docs/b.md"];
    check(&tree, &["docs"], &expect);
    check(&tree, &["docs/"], &expect);
}

#[test]
fn labels_start_with_the_input_as_written() {
    let tree = tree(&["docs/a.md"]);
    check(&tree, &["."], &["docs/a.md"]);
    check(&tree, &["./"], &["./docs/a.md"]);
    check(&tree, &["./docs"], &["./docs/a.md"]);
    check(&tree, &["docs/../docs"], &["docs/../docs/a.md"]);
    check(&tree, &["./docs/*.md"], &["./docs/a.md"]);
    let absolute = tree.path().join("docs").to_str().unwrap().to_owned();
    check(&tree, &[&absolute], &[&format!("{absolute}/a.md")]);
}

#[test]
fn inputs_keep_their_order_and_documents_are_unique() {
    let tree = tree(&["a.md", "b.md", "c/d.md"]);
    check(&tree, &["c", "b.md", "./b.md", ".", "*.md"], &["c/d.md", "b.md", "a.md"]);
}

#[test]
fn explicit_file_is_included_whatever_its_name() {
    let tree = tree(&["Makefile", ".hidden.md", "out/x.md"]);
    write(&tree, ".gitignore", "out\n");
    let explicit = ["Makefile", ".hidden.md", "out/x.md"];
    check(&tree, &explicit, &explicit);
}

#[test]
fn hidden_and_ignored_files_are_skipped() {
    let tree = tree(&[".git/a.md", ".b/c.md", "node_modules/d.md", "e.md", "f.md"]);
    write(&tree, ".gitignore", "node_modules/\n");
    write(&tree, ".ignore", "f.md\n");
    check(&tree, &["."], &["e.md"]);
}

#[test]
fn build_directory_without_ignore_file_is_included() {
    let tree = tree(&["target/b.md"]);
    check(&tree, &["."], &["target/b.md"]);
}

#[test]
fn ignore_files_of_parent_directories_apply() {
    let tree = tree(&["docs/a.md", "docs/draft.md"]);
    write(&tree, ".gitignore", "draft.md\n");
    check(&tree, &["docs"], &["docs/a.md"]);
}

#[test]
fn explicit_directory_is_walked_even_if_ignored_or_hidden() {
    let tree = tree(&["out/a.md", ".github/b.md"]);
    write(&tree, ".gitignore", "/out\n");
    check(&tree, &["out", ".github"], &["out/a.md", ".github/b.md"]);
}

#[test]
fn include_setting_disables_ignore_files() {
    let tree = tree(&["a.md", ".b.md"]);
    write(&tree, ".gitignore", "a.md\n");
    let settings = LocalFilesSettings {
        root: tree.path().to_owned(),
        ignored: IgnoredFiles::Include,
        ..LocalFilesSettings::default()
    };
    assert_eq!(documents(&settings, &[".".into()]).unwrap().documents.len(), 2);
}

#[test]
fn pattern_returns_matching_files() {
    let tree = tree(&["a.md", "b.rst", "c/d.md", "c/e/f.md", "c/e/g.txt"]);
    check(&tree, &["*.rst"], &["b.rst"]);
    check(&tree, &["**/*.md"], &["a.md", "c/d.md", "c/e/f.md"]);
    check(&tree, &["c/*"], &["c/d.md"]);
    check(&tree, &["c/**"], &["c/d.md", "c/e/f.md", "c/e/g.txt"]);
    check(&tree, &["{a,c/d}.md"], &["a.md", "c/d.md"]);
}

#[test]
fn pattern_matches_hidden_directories_only_explicitly() {
    let tree = tree(&["a/.github/x.md", "a/b.md"]);
    check(&tree, &["**/*.md"], &["a/b.md"]);
    check(&tree, &["*/.github/*.md"], &["a/.github/x.md"]);
}

#[test]
fn existing_file_takes_precedence_over_pattern() {
    let tree = tree(&["a[1].md", "a1.md"]);
    check(&tree, &["a[1].md"], &["a[1].md"]);
    check(&tree, &["a[12].md"], &["a1.md"]);
}

#[test]
fn directory_without_documents_is_not_an_error() {
    let tree = tree(&["empty/x.png"]);
    check(&tree, &["empty"], &[]);
    check(&tree, &[], &[]);
}

#[test]
fn invalid_inputs_are_distinguished() {
    let tree = tree(&["a.md"]);
    check_error(&tree, &["a.md", "b.md"], "no such file or directory: `b.md`");
    check_error(&tree, &["a.md/b"], "no such file or directory: `a.md/b`");
    check_error(&tree, &["*.rst"], "no file matches `*.rst`");
    check_error(&tree, &["gone/*.md"], "no file matches `gone/*.md`");
    check_error(&tree, &["a\0b"], "cannot read `a\0b`");
    let error = walk(&tree, &["[z.md"]).unwrap_err();
    assert!(matches!(error, FileError::InvalidPattern { .. }), "{error}");
}

#[cfg(unix)]
mod symbolic_links {
    use std::os::unix::fs::symlink;

    use super::*;

    /// The user root can read every directory, so the walk then finds all documents.
    #[test]
    fn unreadable_directory_is_reported_with_the_other_documents() {
        use std::os::unix::fs::PermissionsExt as _;

        let directory = tree(&["docs/a.md", "docs/shut/b.md", "docs/z/c.md"]);
        let shut = directory.path().join("docs/shut");
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
        let is_root = fs::read_dir(&shut).is_ok();
        let settings = LocalFilesSettings {
            root: directory.path().to_owned(),
            ignored: IgnoredFiles::Skip,
            ..LocalFilesSettings::default()
        };
        let result = documents(&settings, &["docs".into()]).unwrap();
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
        if is_root {
            assert_eq!((result.documents.len(), result.unreadable.len()), (3, 0));
            return;
        }
        assert_eq!(result.documents.len(), 2);
        assert_eq!(result.unreadable[0].to_string(), "cannot read `docs/shut`");
    }

    #[test]
    fn symlink_cycle_is_not_followed() {
        let tree = tree(&["a/b.md"]);
        symlink("..", tree.path().join("a/up")).unwrap();
        check(&tree, &["."], &["a/b.md"]);
        check(&tree, &["**/*.md"], &["a/b.md"]);
    }

    #[test]
    fn symlink_to_file_is_included_unless_duplicate() {
        let tree = tree(&["a/b.md", "other/c.md"]);
        symlink("b.md", tree.path().join("a/same.md")).unwrap();
        symlink("../other/c.md", tree.path().join("a/d.md")).unwrap();
        symlink("nowhere.md", tree.path().join("a/dangling.md")).unwrap();
        check(&tree, &["a"], &["a/b.md", "a/d.md"]);
    }

    #[test]
    fn explicit_symlink_to_directory_is_walked() {
        let tree = tree(&["a/b.md"]);
        symlink("a", tree.path().join("link")).unwrap();
        check(&tree, &["link"], &["link/b.md"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn non_utf8_path_is_preserved_and_has_a_lossy_label() {
    use std::os::unix::ffi::OsStrExt;

    let tree = tree(&[]);
    let name = std::ffi::OsStr::from_bytes(b"a\xff.md");
    fs::write(tree.path().join(name), "text").unwrap();
    let found = walk(&tree, &["."]).unwrap();
    assert_eq!(found[0].label, "a\u{fffd}.md");
    assert_eq!(found[0].path.file_name(), Some(name));
}

#[test]
fn errors_contain_the_path_as_the_user_writes_it() {
    let error = |path: &str| ignore::Error::WithPath {
        path: path.into(),
        err: Box::new(ignore::Error::Io(io::ErrorKind::PermissionDenied.into())),
    };
    let message = |path| unreadable("docs/", Path::new("/top/docs/"), error(path)).to_string();
    assert_eq!(message("/top/docs/a/shut"), "cannot read `docs/a/shut`");
    assert_eq!(message("/elsewhere"), "cannot read `docs/`");
}

/// Returns the path and reason of each unreadable file of a walk.
#[cfg(unix)]
fn unreadable_in(directory: &TempDir, input: &str) -> Vec<String> {
    let settings = LocalFilesSettings {
        root: directory.path().to_owned(),
        ignored: IgnoredFiles::Skip,
        ..LocalFilesSettings::default()
    };
    let result = documents(&settings, &[PathBuf::from(input)]).unwrap();
    let messages = result.unreadable.iter().map(|error| {
        let source = std::error::Error::source(error).unwrap();
        format!("{error}: {source}")
    });
    messages.collect()
}

#[cfg(unix)]
#[test]
fn symlink_to_device_is_reported_with_path_and_reason() {
    let tree = tree(&["docs/a.md"]);
    std::os::unix::fs::symlink("/dev/zero", tree.path().join("docs/zero.md")).unwrap();
    std::os::unix::fs::symlink("/dev/zero", tree.path().join("docs/zero.png")).unwrap();
    check(&tree, &["docs"], &["docs/a.md"]);
    let expect = "cannot read `docs/zero.md`: it is a character device, not a regular file";
    assert_eq!(unreadable_in(&tree, "docs"), [expect]);
    assert_eq!(unreadable_in(&tree, "docs/*.md"), [expect]);
}

#[cfg(unix)]
#[test]
fn ignore_file_that_is_a_device_is_reported_and_not_read() {
    for (name, directory) in [("docs/deep/.gitignore", "docs/deep"), ("docs/.ignore", "docs")] {
        let tree = tree(&["docs/deep/a.md", "docs/b.md", "docs/.hidden.md"]);
        std::os::unix::fs::symlink("/dev/null", tree.path().join(name)).unwrap();
        check(&tree, &["docs"], &["docs/b.md", "docs/deep/a.md"]);
        let messages = unreadable_in(&tree, "docs");
        assert_eq!(messages.len(), 1, "{directory}: {messages:?}");
        assert!(messages[0].contains("is a character device"), "{messages:?}");
        assert!(messages[0].contains("no ignore file of `docs/` is applied"), "{messages:?}");
    }
}

#[cfg(unix)]
#[test]
fn non_utf8_paths_have_distinct_labels() {
    use std::os::unix::ffi::OsStrExt;

    let tree = tree(&["\u{fffd}.md"]);
    let name = |name: &'static [u8]| Path::new(std::ffi::OsStr::from_bytes(name));
    for file in [&b"\xfe.md"[..], b"\xff.md"] {
        fs::write(tree.path().join(name(file)), "text").unwrap();
    }
    let settings = LocalFilesSettings {
        root: tree.path().to_owned(),
        ignored: IgnoredFiles::Skip,
        ..LocalFilesSettings::default()
    };
    for inputs in [
        vec![PathBuf::from(".")],
        vec!["\u{fffd}.md".into(), name(b"\xfe.md").into(), name(b"\xff.md").into()],
    ] {
        let found = documents(&settings, &inputs).unwrap().documents;
        let labels: HashSet<&str> = found.iter().map(|document| document.label.as_str()).collect();
        assert_eq!((found.len(), labels.len()), (3, 3), "{labels:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn ignore_file_that_is_a_kernel_file_is_not_read() {
    let tree = tree(&["docs/a.md", "empty"]);
    fs::write(tree.path().join("empty"), "").unwrap();
    let link = tree.path().join("docs/.gitignore");
    std::os::unix::fs::symlink("/proc/self/status", &link).unwrap();
    assert_eq!(unreadable_in(&tree, "docs").len(), 1);
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(tree.path().join("empty"), &link).unwrap();
    assert_eq!(unreadable_in(&tree, "docs").len(), 0);
}
