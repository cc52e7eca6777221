//! What `extract` tells, from files in memory.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

use async_trait::async_trait;

use super::*;

/// Files in memory; a path with `!` cannot be opened.
#[derive(Default)]
struct Shelf(BTreeMap<String, Vec<u8>>);

impl Shelf {
    fn with(mut self, path: &str, bytes: impl AsRef<[u8]>) -> Self {
        self.0.insert(path.to_owned(), bytes.as_ref().to_vec());
        self
    }
}

#[async_trait]
impl Files for Shelf {
    async fn walk(&self, walk: &WalkRequest) -> Result<WalkResult, FileError> {
        let mut found = Vec::new();
        for input in walk.inputs.iter().map(|input| input.to_str().unwrap()) {
            let before = found.len();
            let below = self.0.keys().filter(|path| path.starts_with(input));
            found.extend(
                below.map(|path| DocumentSource { label: path.clone(), path: path.into() }),
            );
            if found.len() == before {
                return Err(FileError::Missing { path: input.to_owned() });
            }
        }
        let is_shut = |source: &DocumentSource| source.label.contains("/shut/");
        let (shut, documents): (Vec<_>, Vec<_>) = found.into_iter().partition(is_shut);
        let unreadable = shut.into_iter().map(|source| FileError::Unreadable {
            path: source.path.parent().unwrap().display().to_string(),
            source: io::ErrorKind::PermissionDenied.into(),
        });
        Ok(WalkResult { documents, unreadable: unreadable.collect() })
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
        shape: LinkFormat::Human,
        today: jiff::civil::date(2026, 11, 16),
    }
}

async fn run(shelf: &Shelf, settings: &ExtractSettings) -> (String, ExtractSummary) {
    run_with(shelf, settings, None).await
}

async fn run_with(
    shelf: &Shelf,
    settings: &ExtractSettings,
    stdin: Option<&'static str>,
) -> (String, ExtractSummary) {
    let stdin = stdin.map(|text| Box::new(text.as_bytes()) as StdinReader);
    let mut text = Vec::new();
    let mut write = |piece: &[u8]| {
        text.extend_from_slice(piece);
        Ok(())
    };
    let extracted = extract(shelf, settings, stdin, &mut write).await.unwrap();
    (String::from_utf8(text).unwrap(), extracted)
}

fn problems(extracted: &ExtractSummary) -> Vec<String> {
    let told = extracted.first_problems.iter();
    told.map(|problem| format!("{}: {}", problem.path, problem.text)).collect()
}

#[tokio::test]
async fn links_come_in_the_order_of_their_documents() {
    let mut shelf = Shelf::default();
    let mut expect = Vec::new();
    for n in 0..500 {
        let path = format!("a/{n:03}.md");
        shelf = shelf.with(&path, "x [y](z)\n".repeat(n % 7));
        expect.extend((1..=n % 7).map(|line| format!("{path}:{line}:7 link z\n")));
    }
    let (text, extracted) = run(&shelf, &settings(&["a"])).await;
    assert_eq!(text, expect.concat());
    assert_eq!(extracted.documents, 500);
}

#[tokio::test]
async fn a_directory_that_cannot_be_read_is_a_problem_beside_the_links() {
    let shelf = Shelf::default().with("a/b.md", "[y](z)").with("a/shut/c.md", "[y](z)");
    let (text, extracted) = run(&shelf, &settings(&["a"])).await;
    assert_eq!(text, "a/b.md:1:5 link z\n");
    assert_eq!(problems(&extracted), ["a/shut: cannot be read: permission denied"]);
}

#[tokio::test]
async fn a_page_of_very_many_links_comes_in_parts() {
    let shelf = Shelf::default().with("a.md", "[y](z)\n".repeat(200_000)).with("b.md", "[b](c)");
    let mut largest = 0;
    let mut write = |piece: &[u8]| {
        largest = largest.max(piece.len());
        Ok(())
    };
    let settings = settings(&["a.md", "b.md"]);
    let extracted = extract(&shelf, &settings, None, &mut write).await.unwrap();
    assert_eq!(extracted.links, 200_001);
    assert!(largest < 2 << 20, "{largest}");
}

#[tokio::test]
async fn what_cannot_be_read_is_a_problem_beside_the_links() {
    let shelf = Shelf::default()
        .with("a/1!.md", "")
        .with("a/2.md", "[y](z)")
        .with("a/3.md", b"\0\0\0")
        .with("a/4.md", "<!-- relink:ignore RL101 sometime -->\n[y](w)");
    let (text, extracted) = run(&shelf, &settings(&["gone", "a"])).await;
    assert_eq!(text, "a/2.md:1:5 link z\na/4.md:2:5 link w\n");
    let problems = problems(&extracted);
    assert_eq!(problems[0], "gone: there is no such file or directory");
    assert_eq!(problems[1], "a/1!.md: cannot be read: permission denied");
    assert_eq!(
        problems[2],
        "a/3.md: it may not be text: it has NUL bytes or is a PDF; it is read as text"
    );
    assert!(problems[3].contains("`sometime`"), "{problems:?}");
    assert_eq!((extracted.documents, extracted.problems), (3, 4));
}

#[tokio::test]
async fn packed_documents_are_read_by_their_inner_name() {
    use std::io::Write as _;
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(b"a [b](c)").unwrap();
    let shelf = Shelf::default().with("a.md.gz", packed.finish().unwrap());
    let (text, _) = run(&shelf, &settings(&["a.md.gz"])).await;
    assert_eq!(text, "a.md.gz:1:7 link c\n");
}

#[tokio::test]
async fn standard_input_and_a_given_format() {
    let stdin = Some("a [b](c) <!-- relink:ignore until 2026-11-16 -->");
    let settings = ExtractSettings { format: Some(DocumentFormat::Markdown), ..settings(&[]) };
    let (text, extracted) = run_with(&Shelf::default(), &settings, stdin).await;
    assert_eq!(text, "-:1:7 link c (skipped: ignored)\n");
    assert_eq!(extracted.skipped, 1);
    let tomorrow = ExtractSettings { today: jiff::civil::date(2026, 11, 17), ..settings };
    assert_eq!(run_with(&Shelf::default(), &tomorrow, stdin).await.0, "-:1:7 link c\n");
}

/// A list of more bytes than are read at once, mostly of long comments, with
/// an address in each second line.
fn huge_list() -> (String, u64) {
    let comment = format!("# {}\n", "-".repeat(60_000));
    let lines = 1 + crate::HUGE as u64 / 60_000;
    let pair = |n| format!("{comment}https://127.0.0.1/{n}\n");
    let list: Vec<String> = (1..=lines).map(pair).collect();
    (list.concat() + "# relink:ignore\nhttps://127.0.0.1/last", lines)
}

#[tokio::test]
async fn a_huge_document_is_read_in_windows_as_if_whole() {
    let (list, lines) = huge_list();
    let shelf = Shelf::default().with("a.list", &list);
    let (text, extracted) = run(&shelf, &settings(&["a.list"])).await;
    assert_eq!((extracted.links, extracted.skipped), (lines + 1, 1));
    let expect = format!("a.list:{}:1 line https://127.0.0.1/{lines}", 2 * lines);
    assert!(text.contains(&expect), "{expect}");
    let ending =
        format!("a.list:{}:1 line https://127.0.0.1/last (skipped: ignored)\n", 2 * lines + 2);
    assert!(text.ends_with(&ending), "{ending}");
}

#[tokio::test]
async fn a_huge_document_may_be_packed_and_cut_short() {
    use std::io::Write as _;
    let (list, lines) = huge_list();
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::none());
    packed.write_all(list.as_bytes()).unwrap();
    let packed = packed.finish().unwrap();
    let cut = &packed[..packed.len() - 100_000];
    let shelf = Shelf::default().with("a.list.gz", &packed).with("b.list.gz", cut);
    let (_, extracted) = run(&shelf, &settings(&["a.list.gz"])).await;
    assert_eq!((extracted.links, extracted.problems), (lines + 1, 0));
    let (_, extracted) = run(&shelf, &settings(&["b.list.gz"])).await;
    assert!(extracted.links >= lines - 2, "{extracted:?}");
    assert!(problems(&extracted)[0].contains("ends early"), "{extracted:?}");
}
