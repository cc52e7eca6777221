//! Claims about walking, each on a small tree of its own.

use std::fs;

use tempfile::TempDir;

use super::*;

/// A tree of files with these names, each saying nothing much.
fn tree(names: &[&str]) -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    for name in names {
        write(&directory, name, "text");
    }
    directory
}

fn write(directory: &TempDir, name: &str, text: &str) {
    let path = directory.path().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn walk(directory: &TempDir, inputs: &[&str]) -> Result<Vec<DocumentSource>, FileError> {
    let settings =
        LocalFilesSettings { root: directory.path().to_owned(), ignored: IgnoredFiles::Skip };
    let inputs: Vec<PathBuf> = inputs.iter().map(PathBuf::from).collect();
    documents(&settings, &inputs).map(|walked| walked.documents)
}

#[track_caller]
fn check(directory: &TempDir, inputs: &[&str], expect: &[&str]) {
    let found = walk(directory, inputs).unwrap();
    let labels: Vec<&str> = found.iter().map(|found| found.label.as_str()).collect();
    assert_eq!(labels, expect);
    for document in &found {
        assert!(document.path.is_file(), "{}", document.path.display());
    }
}

#[track_caller]
fn check_error(directory: &TempDir, inputs: &[&str], expect: &str) {
    assert_eq!(walk(directory, inputs).unwrap_err().to_string(), expect);
}

#[test]
fn a_directory_gives_its_documents_sorted_by_path() {
    let tree = tree(&["docs/b.md", "docs/a/z.html", "docs/a.md", "docs/x.png"]);
    let expect = ["docs/a.md", "docs/a/z.html", "docs/b.md"];
    check(&tree, &["docs"], &expect);
    check(&tree, &["docs/"], &expect);
}

#[test]
fn labels_keep_the_prefix_the_user_wrote() {
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
fn inputs_keep_their_order_and_each_document_comes_once() {
    let tree = tree(&["a.md", "b.md", "c/d.md"]);
    check(&tree, &["c", "b.md", "./b.md", ".", "*.md"], &["c/d.md", "b.md", "a.md"]);
}

#[test]
fn a_named_file_is_taken_whatever_it_is_called() {
    let tree = tree(&["Makefile", ".hidden.md", "out/x.md"]);
    write(&tree, ".gitignore", "out\n");
    let named = ["Makefile", ".hidden.md", "out/x.md"];
    check(&tree, &named, &named);
}

#[test]
fn hidden_and_ignored_files_are_left_out() {
    let tree = tree(&[".git/a.md", ".b/c.md", "node_modules/d.md", "e.md", "f.md"]);
    write(&tree, ".gitignore", "node_modules/\n");
    write(&tree, ".ignore", "f.md\n");
    check(&tree, &["."], &["e.md"]);
}

#[test]
fn no_name_is_left_out_unless_an_ignore_file_says_so() {
    let tree = tree(&["node_modules/a.md", "target/b.md"]);
    check(&tree, &["."], &["node_modules/a.md", "target/b.md"]);
}

#[test]
fn ignore_files_of_parent_directories_count() {
    let tree = tree(&["docs/a.md", "docs/draft.md"]);
    write(&tree, ".gitignore", "draft.md\n");
    check(&tree, &["docs"], &["docs/a.md"]);
}

#[test]
fn a_named_directory_is_walked_even_if_ignored_or_hidden() {
    let tree = tree(&["out/a.md", ".github/b.md"]);
    write(&tree, ".gitignore", "/out\n");
    check(&tree, &["out", ".github"], &["out/a.md", ".github/b.md"]);
}

#[test]
fn ignore_files_can_be_disregarded() {
    let tree = tree(&["a.md", ".b.md"]);
    write(&tree, ".gitignore", "a.md\n");
    let settings = LocalFilesSettings { root: tree.path().to_owned(), ignored: IgnoredFiles::Take };
    assert_eq!(documents(&settings, &[".".into()]).unwrap().documents.len(), 2);
}

#[test]
fn a_pattern_gives_the_files_it_matches() {
    let tree = tree(&["a.md", "b.rst", "c/d.md", "c/e/f.md", "c/e/g.txt"]);
    check(&tree, &["*.rst"], &["b.rst"]);
    check(&tree, &["**/*.md"], &["a.md", "c/d.md", "c/e/f.md"]);
    check(&tree, &["c/*"], &["c/d.md"]);
    check(&tree, &["c/**"], &["c/d.md", "c/e/f.md", "c/e/g.txt"]);
    check(&tree, &["{a,c/d}.md"], &["a.md", "c/d.md"]);
}

#[test]
fn a_pattern_meets_hidden_directories_only_by_name() {
    let tree = tree(&["a/.github/x.md", "a/b.md"]);
    check(&tree, &["**/*.md"], &["a/b.md"]);
    check(&tree, &["*/.github/*.md"], &["a/.github/x.md"]);
}

#[test]
fn a_file_whose_name_looks_like_a_pattern_is_that_file() {
    let tree = tree(&["a[1].md", "a1.md"]);
    check(&tree, &["a[1].md"], &["a[1].md"]);
    check(&tree, &["a[12].md"], &["a1.md"]);
}

#[test]
fn a_directory_without_documents_is_fine() {
    let tree = tree(&["empty/x.png"]);
    check(&tree, &["empty"], &[]);
    check(&tree, &[], &[]);
}

#[test]
fn what_cannot_be_used_is_told_apart() {
    let tree = tree(&["a.md"]);
    check_error(&tree, &["a.md", "b.md"], "no such file or directory: `b.md`");
    check_error(&tree, &["a.md/b"], "no such file or directory: `a.md/b`");
    check_error(&tree, &["*.rst"], "no file matches `*.rst`");
    check_error(&tree, &["gone/*.md"], "no file matches `gone/*.md`");
    check_error(&tree, &["a\0b"], "cannot read `a\0b`");
    let error = walk(&tree, &["[z.md"]).unwrap_err();
    assert!(matches!(error, FileError::BadPattern { .. }), "{error}");
}

#[cfg(unix)]
mod symbolic_links {
    use std::os::unix::fs::symlink;

    use super::*;

    /// Whoever may read anything sees no difference.
    #[test]
    fn a_directory_that_cannot_be_read_is_told_beside_the_others() {
        use std::os::unix::fs::PermissionsExt as _;

        let directory = tree(&["docs/a.md", "docs/shut/b.md", "docs/z/c.md"]);
        let shut = directory.path().join("docs/shut");
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o000)).unwrap();
        let may_read_anything = fs::read_dir(&shut).is_ok();
        let settings =
            LocalFilesSettings { root: directory.path().to_owned(), ignored: IgnoredFiles::Skip };
        let walked = documents(&settings, &["docs".into()]).unwrap();
        fs::set_permissions(&shut, fs::Permissions::from_mode(0o700)).unwrap();
        if may_read_anything {
            assert_eq!((walked.documents.len(), walked.unreadable.len()), (3, 0));
            return;
        }
        assert_eq!(walked.documents.len(), 2);
        assert_eq!(walked.unreadable[0].to_string(), "cannot read `docs/shut`");
    }

    #[test]
    fn a_circle_of_directories_ends() {
        let tree = tree(&["a/b.md"]);
        symlink("..", tree.path().join("a/up")).unwrap();
        check(&tree, &["."], &["a/b.md"]);
        check(&tree, &["**/*.md"], &["a/b.md"]);
    }

    #[test]
    fn a_link_to_a_file_is_a_document_unless_the_file_came_already() {
        let tree = tree(&["a/b.md", "other/c.md"]);
        symlink("b.md", tree.path().join("a/same.md")).unwrap();
        symlink("../other/c.md", tree.path().join("a/d.md")).unwrap();
        symlink("nowhere.md", tree.path().join("a/dangling.md")).unwrap();
        check(&tree, &["a"], &["a/b.md", "a/d.md"]);
    }

    #[test]
    fn a_named_link_to_a_directory_is_walked() {
        let tree = tree(&["a/b.md"]);
        symlink("a", tree.path().join("link")).unwrap();
        check(&tree, &["link"], &["link/b.md"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_path_that_is_not_utf8_is_kept_exactly_and_shown_as_well_as_it_goes() {
    use std::os::unix::ffi::OsStrExt;

    let tree = tree(&[]);
    let name = std::ffi::OsStr::from_bytes(b"a\xff.md");
    fs::write(tree.path().join(name), "text").unwrap();
    let found = walk(&tree, &["."]).unwrap();
    assert_eq!(found[0].label, "a\u{fffd}.md");
    assert_eq!(found[0].path.file_name(), Some(name));
}

#[test]
fn a_fault_is_told_by_the_path_as_the_user_writes_it() {
    let error = |path: &str| ignore::Error::WithPath {
        path: path.into(),
        err: Box::new(ignore::Error::Io(io::ErrorKind::PermissionDenied.into())),
    };
    let told = |path| unreadable("docs/", Path::new("/top/docs/"), error(path)).to_string();
    assert_eq!(told("/top/docs/a/shut"), "cannot read `docs/a/shut`");
    assert_eq!(told("/elsewhere"), "cannot read `docs/`");
}

/// What the walk could not use: path and reason.
#[cfg(unix)]
fn unreadable_in(directory: &TempDir, input: &str) -> Vec<String> {
    let settings =
        LocalFilesSettings { root: directory.path().to_owned(), ignored: IgnoredFiles::Skip };
    let walked = documents(&settings, &[PathBuf::from(input)]).unwrap();
    let told = walked.unreadable.iter().map(|error| {
        let source = std::error::Error::source(error).unwrap();
        format!("{error}: {source}")
    });
    told.collect()
}

#[cfg(unix)]
#[test]
fn walk_symlink_to_device_reports_path_and_reason() {
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
fn walk_ignore_file_that_is_a_device_is_reported_and_not_read() {
    for (name, folder) in [("docs/deep/.gitignore", "docs/deep"), ("docs/.ignore", "docs")] {
        let tree = tree(&["docs/deep/a.md", "docs/b.md", "docs/.hidden.md"]);
        std::os::unix::fs::symlink("/dev/null", tree.path().join(name)).unwrap();
        check(&tree, &["docs"], &["docs/b.md", "docs/deep/a.md"]);
        let told = unreadable_in(&tree, "docs");
        assert_eq!(told.len(), 1, "{folder}: {told:?}");
        assert!(told[0].contains("is a character device"), "{told:?}");
        assert!(told[0].contains("no ignore file of `docs/` is applied"), "{told:?}");
    }
}

#[cfg(unix)]
#[test]
fn walk_paths_that_are_not_utf8_have_labels_of_their_own() {
    use std::os::unix::ffi::OsStrExt;

    let tree = tree(&["\u{fffd}.md"]);
    let name = |name: &'static [u8]| Path::new(std::ffi::OsStr::from_bytes(name));
    for file in [&b"\xfe.md"[..], b"\xff.md"] {
        fs::write(tree.path().join(name(file)), "text").unwrap();
    }
    let settings = LocalFilesSettings { root: tree.path().to_owned(), ignored: IgnoredFiles::Skip };
    for inputs in [
        vec![PathBuf::from(".")],
        vec!["\u{fffd}.md".into(), name(b"\xfe.md").into(), name(b"\xff.md").into()],
    ] {
        let found = documents(&settings, &inputs).unwrap().documents;
        let labels: HashSet<&str> = found.iter().map(|found| found.label.as_str()).collect();
        assert_eq!((found.len(), labels.len()), (3, 3), "{labels:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn walk_ignore_file_that_leads_to_the_kernel_is_not_read() {
    let tree = tree(&["docs/a.md", "empty"]);
    fs::write(tree.path().join("empty"), "").unwrap();
    let link = tree.path().join("docs/.gitignore");
    std::os::unix::fs::symlink("/proc/self/status", &link).unwrap();
    assert_eq!(unreadable_in(&tree, "docs").len(), 1);
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(tree.path().join("empty"), &link).unwrap();
    assert_eq!(unreadable_in(&tree, "docs").len(), 0);
}
