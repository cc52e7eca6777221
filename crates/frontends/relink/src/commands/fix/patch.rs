//! Prints the changes as a patch, grouped by cause.
//!
//! Each group has a heading, which `git apply` and `patch` skip. A document with repairs of
//! several causes has one diff in each of these groups. The diffs of a document apply one
//! after the other. Large groups are stored in temporary files, because the first group is
//! complete only after all documents are read.

use std::collections::BTreeMap;
use std::io::{self, BufRead as _, BufReader, IsTerminal as _, Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

use relink_fix::unified_diff;
use relink_model::Span;
use relink_repair::{DocumentFix, FixStyle, LinkFix};
use relink_report::human::{TextStyle, counted};
use relink_report::{REPAIR_CAUSES, printable};
use tempfile::SpooledTempFile;

use crate::error::CommandError;
use crate::output::{print, write_file};

/// Maximum size of a group in memory, in bytes. Larger groups are written to a file.
const MAX_GROUP_MEMORY: usize = 4 << 20;
/// Number of bytes that are printed at a time on a terminal.
const PRINT_CHUNK: usize = 64 << 10;

/// The repairs that are shown together, in the order in which they are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PatchGroup {
    /// Repairs of one cause, given by its index in [`REPAIR_CAUSES`].
    Cause(usize),
    /// Attributes of robust links.
    RobustLinks,
    /// The file with the original URLs of replaced links.
    OriginalUrls,
}

impl PatchGroup {
    /// Returns the group of a repair.
    pub fn of(fix: &LinkFix) -> Self {
        if fix.style == FixStyle::Annotate {
            return Self::RobustLinks;
        }
        let index = REPAIR_CAUSES.iter().position(|(cause, _)| *cause == fix.cause.name());
        // An unknown cause is shown after all others.
        Self::Cause(index.unwrap_or(REPAIR_CAUSES.len()))
    }

    fn title(self) -> &'static str {
        match self {
            Self::Cause(index) => REPAIR_CAUSES.get(index).map_or("Repairs", |(_, title)| title),
            Self::RobustLinks => "Archived copies of live pages",
            Self::OriginalUrls => "Original URLs of replaced links",
        }
    }
}

/// The change of one document by the repairs of one group.
#[derive(Debug)]
pub struct GroupDiff {
    pub group: PatchGroup,
    pub diff: Vec<u8>,
    /// Number of repaired links.
    pub links: usize,
}

/// The diffs of one group, and the number of their links and files.
struct DiffSpool {
    links: usize,
    files: usize,
    diffs: SpooledTempFile,
}

/// The diffs of all documents, by group.
#[derive(Default)]
pub struct PatchGroups(BTreeMap<PatchGroup, DiffSpool>);

impl PatchGroups {
    /// Adds the diffs of a document.
    pub fn add(&mut self, diffs: impl IntoIterator<Item = GroupDiff>) -> Result<(), CommandError> {
        for GroupDiff { group, diff, links } in diffs {
            let spool = self.0.entry(group).or_insert_with(|| DiffSpool {
                links: 0,
                files: 0,
                diffs: SpooledTempFile::new(MAX_GROUP_MEMORY),
            });
            spool.links += links;
            spool.files += 1;
            spool.diffs.write_all(&diff).map_err(|error| cannot_write(&error))?;
        }
        Ok(())
    }

    /// Returns the headings of the groups.
    pub fn headings(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|(group, spool)| heading(*group, spool))
    }

    /// Returns the patch.
    pub fn patch(&mut self) -> Result<Vec<u8>, CommandError> {
        let mut patch = Vec::new();
        for (group, spool) in &mut self.0 {
            patch.extend_from_slice(heading(*group, spool).as_bytes());
            let read = spool.diffs.rewind().and_then(|()| spool.diffs.read_to_end(&mut patch));
            read.map_err(|error| cannot_write(&error))?;
        }
        Ok(patch)
    }
}

/// Prints the diffs of all documents, or writes them to a file.
pub struct PatchPrinter {
    is_shown: bool,
    style: TextStyle,
    output: Option<PathBuf>,
    groups: PatchGroups,
}

impl PatchPrinter {
    /// Creates a printer that writes to standard output if `is_shown`, and to
    /// `output` if given.
    pub fn new(is_shown: bool, style: TextStyle, output: Option<&Path>) -> Self {
        let output = output.map(Path::to_owned);
        Self { is_shown, style, output, groups: PatchGroups::default() }
    }

    /// Adds the diffs of a document, if they are printed or written.
    pub fn add(&mut self, diffs: impl IntoIterator<Item = GroupDiff>) -> Result<(), CommandError> {
        if self.is_shown || self.output.is_some() { self.groups.add(diffs) } else { Ok(()) }
    }

    /// Prints the groups and writes the patch file.
    pub fn finish(mut self) -> Result<(), CommandError> {
        let mut groups = std::mem::take(&mut self.groups);
        if self.is_shown {
            for (group, spool) in &mut groups.0 {
                let heading = heading(*group, spool);
                spool.diffs.rewind().map_err(|error| cannot_write(&error))?;
                self.print(&heading, &mut spool.diffs)?;
            }
        }
        self.output.map_or(Ok(()), |path| write_output(&path, &groups.patch()?))
    }

    /// Prints the diffs of a group: with their exact bytes to a file or pipe, and without
    /// control characters to a terminal.
    fn print(&self, heading: &str, diffs: &mut SpooledTempFile) -> Result<(), CommandError> {
        let mut out = io::stdout().lock();
        if !out.is_terminal() && self.style == TextStyle::Plain {
            let written = out
                .write_all(heading.as_bytes())
                .and_then(|()| io::copy(diffs, &mut out))
                .and_then(|_| out.flush());
            return match written {
                Ok(()) => Ok(()),
                // The reader of the output, such as `head`, closed the pipe.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
                Err(error) => Err(cannot_write(&error)),
            };
        }
        // `output::print` locks standard output too.
        drop(out);
        let mut text = self.terminal_line(heading.trim_end());
        let mut line = Vec::new();
        let mut diffs = BufReader::new(diffs);
        while diffs.read_until(b'\n', &mut line).map_err(|error| cannot_write(&error))? > 0 {
            let content = line.strip_suffix(b"\n").unwrap_or(&line);
            text.push_str(&self.terminal_line(&String::from_utf8_lossy(content)));
            line.clear();
            if text.len() > PRINT_CHUNK {
                print(&std::mem::take(&mut text))?;
            }
        }
        print(&text)
    }

    /// Returns a line for the terminal, with the colors of `git diff`.
    fn terminal_line(&self, line: &str) -> String {
        let color = match line.as_bytes().first() {
            Some(b'+') => "\x1b[32m",
            Some(b'-') => "\x1b[31m",
            Some(b'@') => "\x1b[36m",
            Some(b'#') => "\x1b[1m",
            _ => "",
        };
        let text = printable(line);
        if self.style == TextStyle::Plain || color.is_empty() {
            return format!("{text}\n");
        }
        format!("{color}{text}\x1b[0m\n")
    }
}

/// Returns the heading of a group. The links in the file with the original URLs are not
/// counted, because the other groups contain them.
fn heading(group: PatchGroup, spool: &DiffSpool) -> String {
    let DiffSpool { links, files, .. } = spool;
    let title = group.title();
    if group == PatchGroup::OriginalUrls {
        return format!("# {title}\n");
    }
    let (links, files) = (counted(*links as u64, "link"), counted(*files as u64, "file"));
    format!("# {title}: {links} in {files}\n")
}

fn cannot_write(error: &io::Error) -> CommandError {
    CommandError::internal("cannot write the diff").cause(error.to_string())
}

/// Returns the directory to which the paths of a patch are relative, as in `git diff`: the top
/// level of the git work tree around the current directory, or else the current directory.
pub fn patch_base() -> Option<PathBuf> {
    let current = std::env::current_dir().and_then(|path| path.canonicalize()).ok()?;
    let top_level = current.ancestors().find(|directory| directory.join(".git").exists());
    Some(top_level.unwrap_or(&current).to_owned())
}

/// Returns the path of a file in a patch: relative to `base`, without `.`, `..` and symbolic
/// links.
pub fn patch_label(base: Option<&Path>, path: &Path) -> String {
    let absolute = path.canonicalize().ok().or_else(|| canonical_new_file(path));
    let absolute = absolute.as_deref().unwrap_or(path);
    let relative = base.and_then(|base| absolute.strip_prefix(base).ok()).unwrap_or(absolute);
    relative.to_string_lossy().replace('\\', "/").trim_start_matches('/').to_owned()
}

/// Returns the canonical path of a file that does not exist yet, in an existing directory.
fn canonical_new_file(path: &Path) -> Option<PathBuf> {
    let directory = path.parent()?;
    let is_current = directory.as_os_str().is_empty();
    let directory = if is_current { Path::new(".") } else { directory };
    Some(directory.canonicalize().ok()?.join(path.file_name()?))
}

/// Returns the change of a document as diffs, one for each group of its repairs. Prints a
/// warning if a diff cannot describe the change. `label` is the path in the diff.
pub fn document_diffs(
    label: &str,
    document: &DocumentFix,
    fixes: &[LinkFix],
) -> Result<Vec<GroupDiff>, CommandError> {
    let path = label.trim_start_matches("./").trim_start_matches('/');
    if document.old.contains(&0) || document.new.contains(&0) {
        CommandError::usage(format!("`{}` is not in the patch", printable(label)))
            .cause("the file contains NUL bytes, which a patch cannot describe")
            .hint("use `--apply` to change it")
            .warn();
        return Ok(Vec::new());
    }
    let groups: BTreeMap<Span, PatchGroup> =
        fixes.iter().map(|fix| (fix.location.location.span, PatchGroup::of(fix))).collect();
    let group_of = |span| groups.get(&span).copied().unwrap_or(PatchGroup::Cause(0));
    // A step contains the edits of one group.
    let steps = document.steps(|link| group_of(link.span)).map_err(|error| {
        CommandError::internal(format!("cannot describe the change of `{}`", printable(label)))
            .cause(error.to_string())
    })?;
    let diffs = steps.into_iter().filter_map(|step| {
        let diff = unified_diff(path, &step.old, &step.new)?;
        Some(GroupDiff { group: step.key, diff, links: step.links })
    });
    Ok(diffs.collect())
}

/// Writes a file that the user named.
pub fn write_output(path: &Path, content: &[u8]) -> Result<(), CommandError> {
    write_file(path, content).map_err(|error| {
        CommandError::usage(format!("cannot write `{}`", path.display())).cause(error.to_string())
    })
}
