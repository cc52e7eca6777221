//! Recognizes auxiliary documents, which are not written for readers of the project: test
//! data and copies of dependencies. Their links are often broken on purpose, or belong to
//! another project.
//!
//! The rule uses paths only, relative to the directory that the user supplied.

use std::path::{Component, Path};

/// Directories of test data and dependencies, in lower case.
const AUXILIARY: [&str; 13] = [
    "__fixtures__",
    "__mocks__",
    "__snapshots__",
    "__tests__",
    "bower_components",
    "node_modules",
    "site-packages",
    "test-data",
    "test-fixtures",
    "test_data",
    "test_fixtures",
    "testdata",
    "testfixtures",
];
/// Directories of test data and dependencies, unless a directory of documentation
/// contains them.
const AMBIGUOUS: [&str; 11] = [
    "e2e",
    "fixture",
    "fixtures",
    "golden",
    "goldens",
    "snapshots",
    "spec",
    "test",
    "tests",
    "third_party",
    "vendor",
];
/// Directories of documentation, in which `tests` may be a chapter.
const DOCUMENTATION: [&str; 12] = [
    "blog",
    "book",
    "content",
    "doc",
    "docs",
    "documentation",
    "guide",
    "guides",
    "manual",
    "pages",
    "site",
    "website",
];

/// Whether a document is test data or belongs to a dependency. A README in an ambiguous
/// directory is not auxiliary, because it describes the tests or dependencies for
/// readers.
pub(crate) fn is_auxiliary(relative: &Path) -> bool {
    let mut directories = relative.parent().into_iter().flat_map(Path::components);
    let mut is_in_documentation = false;
    let mut is_in_ambiguous_directory = false;
    let is_auxiliary = directories.any(|component| {
        let Component::Normal(name) = component else { return false };
        let name = name.to_string_lossy().to_ascii_lowercase();
        is_in_documentation |= DOCUMENTATION.contains(&name.as_str());
        is_in_ambiguous_directory |= !is_in_documentation && AMBIGUOUS.contains(&name.as_str());
        AUXILIARY.contains(&name.as_str())
    });
    is_auxiliary || is_in_ambiguous_directory && !is_readme(relative) || is_vendored(relative)
}

/// Whether a document is in the copy of a dependency (`vendor/lib/README.md`), and not directly in
/// the directory of all copies (`vendor/README.md`).
fn is_vendored(relative: &Path) -> bool {
    let directories: Vec<_> = relative.parent().into_iter().flat_map(Path::components).collect();
    let is_vendor = |component: &Component<'_>| component.as_os_str() == "vendor";
    directories.first().is_some_and(is_vendor) && directories.len() > 1
}

fn is_readme(path: &Path) -> bool {
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().to_ascii_lowercase());
    stem.is_some_and(|stem| stem == "readme")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_data_and_dependencies_are_auxiliary() {
        for path in [
            "node_modules/a/README.md",
            "src/__tests__/a.md",
            "test/Build.Tests/TestData/a.md",
            "tests/cases/a.rst",
            "vendor/lib/guide.md",
            "vendor/lib/README.md",
            "docs/node_modules/a.md",
        ] {
            assert!(is_auxiliary(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn documentation_is_not_auxiliary() {
        for path in [
            "README.md",
            "tests.md",
            "tests/README.md",
            "docs/tests/unit.md",
            "website/docs/vendor/setup.md",
            "testing/guide.md",
        ] {
            assert!(!is_auxiliary(Path::new(path)), "{path}");
        }
    }
}
