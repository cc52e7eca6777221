//! Tests of `extract` with files in memory.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use async_trait::async_trait;

use super::*;

/// Files in memory. A path with `!` cannot be opened, and a directory `denied` cannot be
/// read. Every prefix of a path is a directory.
#[derive(Default)]
struct MemoryFiles(BTreeMap<String, Vec<u8>>);

impl MemoryFiles {
    fn with(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.0.insert(path.to_owned(), bytes.as_ref().to_vec());
        self
    }
}

#[async_trait]
impl Files for MemoryFiles {
    async fn walk(&self, walk: &WalkRequest) -> Result<WalkResult, FileError> {
        let mut found = Vec::new();
        for input in walk.inputs.iter().map(|input| input.to_str().unwrap()) {
            let found_before = found.len();
            let matches = self.0.keys().filter(|path| path.starts_with(input));
            found.extend(
                matches.map(|path| DocumentSource { label: path.clone(), path: path.into() }),
            );
            if found.len() == found_before {
                return Err(FileError::Missing { path: input.to_owned() });
            }
        }
        let is_unreadable = |source: &DocumentSource| source.label.contains("/denied/");
        let (errors, documents): (Vec<_>, Vec<_>) = found.into_iter().partition(is_unreadable);
        let errors = errors.into_iter().map(|source| FileError::Unreadable {
            path: source.path.parent().unwrap().display().to_string(),
            source: io::ErrorKind::PermissionDenied.into(),
        });
        Ok(WalkResult { documents, unreadable: errors.collect(), auxiliary: 0 })
    }

    async fn read(&self, path: &Path) -> Result<Vec<u8>, FileError> {
        Ok(self.0[path.to_str().unwrap()].clone())
    }

    fn open(&self, path: &Path) -> Result<Box<dyn Read + Send>, FileError> {
        let path = path.to_str().unwrap().to_owned();
        if path.contains('!') {
            let source = io::ErrorKind::PermissionDenied.into();
            return Err(FileError::Unreadable { path, source });
        }
        Ok(Box::new(io::Cursor::new(self.0[&path].clone())))
    }

    async fn exists(&self, _: &Path) -> bool {
        false
    }

    async fn is_dir(&self, _: &Path) -> bool {
        false
    }

    async fn list_dir(&self, _: &Path) -> Vec<String> {
        Vec::new()
    }
}

fn settings(paths: &[&str]) -> ExtractSettings {
    ExtractSettings {
        paths: paths.iter().map(PathBuf::from).collect(),
        format: None,
        column: None,
        link_format: LinkFormat::Human,
        today: jiff::civil::date(2026, 11, 16),
    }
}

/// Extracts the links, and returns the printed text and the summary.
async fn run(files: &MemoryFiles, settings: &ExtractSettings) -> (String, ExtractSummary) {
    run_with(files, settings, None).await
}

/// Extracts the links of files and of a text on standard input.
async fn run_with(
    files: &MemoryFiles,
    settings: &ExtractSettings,
    stdin: Option<&'static str>,
) -> (String, ExtractSummary) {
    let stdin = stdin.map(|text| Box::new(text.as_bytes()) as StdinReader);
    let mut text = Vec::new();
    let mut write = |chunk: &[u8]| {
        text.extend_from_slice(chunk);
        Ok(())
    };
    let summary = extract(files, settings, stdin, &mut write).await.unwrap();
    (String::from_utf8(text).unwrap(), summary)
}

/// Returns the problems as `path: message`.
fn problems(summary: &ExtractSummary) -> Vec<String> {
    let problems = summary.first_problems.iter();
    problems.map(|problem| format!("{}: {}", problem.path, problem.text)).collect()
}

#[tokio::test]
async fn links_are_in_document_order() {
    let mut files = MemoryFiles::default();
    let mut expected = Vec::new();
    for number in 0..500 {
        let path = format!("a/{number:03}.md");
        let links = number % 7;
        files = files.with(&path, "x [y](z)\n".repeat(links));
        expected.extend((1..=links).map(|line| format!("{path}:{line}:7 hyperlink z\n")));
    }
    let (text, summary) = run(&files, &settings(&["a"])).await;
    assert_eq!(text, expected.concat());
    assert_eq!(summary.documents, 500);
}

#[tokio::test]
async fn unreadable_directory_is_a_problem() {
    let files = MemoryFiles::default().with("a/b.md", "[y](z)").with("a/denied/c.md", "[y](z)");
    let (text, summary) = run(&files, &settings(&["a"])).await;
    assert_eq!(text, "a/b.md:1:5 hyperlink z\n");
    assert_eq!(problems(&summary), ["a/denied: cannot be read: permission denied"]);
}

#[tokio::test]
async fn document_with_many_links_is_written_in_parts() {
    let files =
        MemoryFiles::default().with("a.md", "[y](z)\n".repeat(200_000)).with("b.md", "[b](c)");
    let mut largest = 0;
    let mut write = |chunk: &[u8]| {
        largest = largest.max(chunk.len());
        Ok(())
    };
    let settings = settings(&["a.md", "b.md"]);
    let summary = extract(&files, &settings, None, &mut write).await.unwrap();
    assert_eq!(summary.links, 200_001);
    assert!(largest < 2 << 20, "{largest}");
}

#[tokio::test]
async fn unreadable_documents_are_problems() {
    let files = MemoryFiles::default()
        .with("a/1!.md", "")
        .with("a/2.md", "[y](z)")
        .with("a/3.md", b"\0\0\0")
        .with("a/4.md", "<!-- relink:ignore RL101 sometime -->\n[y](w)");
    let (text, summary) = run(&files, &settings(&["gone", "a"])).await;
    assert_eq!(text, "a/2.md:1:5 hyperlink z\na/4.md:2:5 hyperlink w\n");
    let problems = problems(&summary);
    assert_eq!(problems[0], "gone: no such file or directory");
    assert_eq!(problems[1], "a/1!.md: cannot be read: permission denied");
    assert_eq!(problems[2], "a/3.md: may not be text (NUL bytes or a PDF header); read as text");
    assert!(problems[3].contains("`sometime`"), "{problems:?}");
    assert_eq!((summary.documents, summary.problems), (3, 4));
}

#[tokio::test]
async fn gzip_document_format_follows_inner_name() {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(b"a [b](c)").unwrap();
    let files = MemoryFiles::default().with("a.md.gz", encoder.finish().unwrap());
    let (text, _) = run(&files, &settings(&["a.md.gz"])).await;
    assert_eq!(text, "a.md.gz:1:7 hyperlink c\n");
}

#[tokio::test]
async fn stdin_is_read_with_the_given_format_and_its_directives() {
    let stdin = Some("a [b](c) <!-- relink:ignore until 2026-11-16 -->");
    let settings = ExtractSettings { format: Some(DocumentFormat::Markdown), ..settings(&[]) };
    let (text, summary) = run_with(&MemoryFiles::default(), &settings, stdin).await;
    assert_eq!(text, "-:1:7 hyperlink c (skipped: ignored)\n");
    assert_eq!(summary.skipped, 1);
    let tomorrow = ExtractSettings { today: jiff::civil::date(2026, 11, 17), ..settings };
    assert_eq!(run_with(&MemoryFiles::default(), &tomorrow, stdin).await.0, "-:1:7 hyperlink c\n");
}

/// Returns a list so large that it is read in windows, and its number of URLs without the
/// last one, which is ignored. A long comment precedes each URL.
fn large_list() -> (String, u64) {
    const COMMENT_LENGTH: usize = 60_000;
    let comment = format!("# {}\n", "-".repeat(COMMENT_LENGTH));
    let urls = 1 + (crate::LARGE_DOCUMENT_SIZE / COMMENT_LENGTH) as u64;
    let comment_and_url = |number| format!("{comment}https://127.0.0.1/{number}\n");
    let list: Vec<String> = (1..=urls).map(comment_and_url).collect();
    (list.concat() + "# relink:ignore\nhttps://127.0.0.1/last", urls)
}

#[tokio::test]
async fn large_document_is_read_in_windows() {
    let (list, urls) = large_list();
    let files = MemoryFiles::default().with("a.list", &list);
    let (text, summary) = run(&files, &settings(&["a.list"])).await;
    assert_eq!((summary.links, summary.skipped), (urls + 1, 1));
    let expected = format!("a.list:{}:1 list-entry https://127.0.0.1/{urls}", 2 * urls);
    assert!(text.contains(&expected), "{expected}");
    let expected_end =
        format!("a.list:{}:1 list-entry https://127.0.0.1/last (skipped: ignored)\n", 2 * urls + 2);
    assert!(text.ends_with(&expected_end), "{expected_end}");
}

#[tokio::test]
async fn large_gzip_document_can_be_truncated() {
    use std::io::Write as _;
    let (list, urls) = large_list();
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(list.as_bytes()).unwrap();
    let compressed = encoder.finish().unwrap();
    let truncated = &compressed[..compressed.len() - 100_000];
    let files = MemoryFiles::default().with("a.list.gz", &compressed).with("b.list.gz", truncated);
    let (_, summary) = run(&files, &settings(&["a.list.gz"])).await;
    assert_eq!((summary.links, summary.problems), (urls + 1, 0));
    let (_, summary) = run(&files, &settings(&["b.list.gz"])).await;
    assert!(summary.links >= urls - 2, "{summary:?}");
    assert!(problems(&summary)[0].contains("truncated"), "{summary:?}");
}
