//! Formats findings with one common cause as one block of lines.

use relink_gate::CauseKind;
use relink_model::{FindingCode, Verdict};

use super::finding::{location_list, reason_line};
use super::{TextStyle, counted, grouped, padded, shown_prose, shown_url, width};
use crate::LocationView;

/// Maximum number of listed targets. The others are counted.
const MAX_TARGETS: usize = 5;

/// Maximum width of the column with the targets.
const TARGET_COLUMNS: usize = 60;

/// Findings with one common cause, with all text borrowed.
#[derive(Debug, Clone, Copy)]
pub struct CauseView<'a> {
    /// The common cause of the findings.
    pub kind: &'a CauseKind,
    /// The verdict of the findings.
    pub verdict: Verdict,
    /// The code of the findings.
    pub code: Option<FindingCode>,
    /// The URLs of the findings as written, each with its number of links.
    pub targets: &'a [(&'a str, u64)],
    /// The number of different files or pages among the targets. Targets that differ only in
    /// the fragment count once.
    pub pages: u64,
    /// The first locations of the links.
    pub locations: &'a [LocationView<'a>],
    /// The reason of the first finding.
    pub reason: &'a str,
    /// The directory that contains the missing files now, if it was renamed.
    pub renamed_to: Option<&'a str>,
    /// The advice.
    pub help: Option<&'a str>,
}

impl CauseView<'_> {
    /// Returns the total number of links.
    pub fn links(&self) -> u64 {
        self.targets.iter().map(|(_, links)| links).sum()
    }

    /// Returns the name of the cause.
    pub fn name(&self) -> String {
        match self.kind {
            CauseKind::MissingDirectory(path) => format!("{}/", shown_url(path)),
            CauseKind::MissingFile(name)
            | CauseKind::MissingAnchors(name)
            | CauseKind::Host(name)
            | CauseKind::WebDirectory(name) => shown_url(name),
            CauseKind::Single => {
                self.targets.first().map_or(String::new(), |(url, _)| shown_url(url))
            }
        }
    }

    /// Describes the cause: `missing directory, 9 links to 4 files`.
    pub fn description(&self) -> String {
        let links = counted(self.links(), "link");
        match self.kind {
            CauseKind::Single => links,
            CauseKind::MissingFile(_) => format!("missing file, {links}"),
            CauseKind::MissingDirectory(_) => {
                format!("missing directory, {links} to {}", counted(self.pages, "file"))
            }
            CauseKind::MissingAnchors(_) => {
                let anchors = counted(self.targets.len() as u64, "anchor");
                format!("{anchors} missing, {links}")
            }
            CauseKind::Host(_) => format!("host, {links} to {}", counted(self.pages, "page")),
            CauseKind::WebDirectory(_) => {
                format!("directory, {links} to {}", counted(self.pages, "page"))
            }
        }
    }

    /// Formats the code and the verdict.
    fn label(&self, style: TextStyle) -> String {
        let code = self.code.map_or(String::new(), |code| format!("{code} "));
        style.verdict(self.verdict, &format!("{code}{}", self.verdict))
    }
}

/// Formats a cause: name, locations, targets, reason and advice.
pub fn cause(style: TextStyle, view: &CauseView) -> String {
    let mut text = format!(
        "{} · {} ({})\n",
        view.label(style),
        style.strong(&view.name()),
        view.description()
    );
    let arrow = style.quiet("  -->");
    text.extend([format!("{arrow} {}\n", location_list(view.locations, view.links()))]);
    text += &target_lines(style, view.targets);
    text += &reason_line(style, &shown_prose(view.reason));
    if let Some(directory) = view.renamed_to {
        let hint = format!("these files exist in `{}/`", shown_url(directory));
        text += &reason_line(style, &hint);
    }
    if let Some(help) = view.help {
        text.extend([format!("{} {}\n", style.help("help:"), shown_prose(help))]);
    }
    text
}

/// Formats a cause as one line, for `--quiet`.
pub fn cause_line(style: TextStyle, view: &CauseView) -> String {
    let first_location = match view.locations.first() {
        Some(first) => format!("{}: ", location_list(&[*first], 1)),
        None => String::new(),
    };
    let reason = shown_prose(view.reason);
    let (label, name) = (view.label(style), view.name());
    let links = match (view.kind, view.links()) {
        (CauseKind::Single, 0 | 1) => String::new(),
        _ => format!(" ({})", view.description()),
    };
    format!("{first_location}{label} {name}: {reason}{links}\n")
}

/// Formats the first targets of a cause with their numbers of links.
fn target_lines(style: TextStyle, targets: &[(&str, u64)]) -> String {
    let gutter = style.quiet("   |");
    let listed: Vec<(String, u64)> =
        targets.iter().take(MAX_TARGETS).map(|(url, links)| (shown_url(url), *links)).collect();
    let widest = listed.iter().map(|(url, _)| width(url)).max().unwrap_or(0);
    let columns = widest.min(TARGET_COLUMNS);
    let mut lines: Vec<String> = listed
        .iter()
        .map(|(url, links)| format!("{}  {}", padded(url, columns), counted(*links, "link")))
        .collect();
    let omitted = targets.len().saturating_sub(MAX_TARGETS) as u64;
    if omitted > 0 {
        lines.push(format!("… and {} more", grouped(omitted)));
    }
    lines.iter().flat_map(|line| [&gutter, "  ", line, "\n"]).collect()
}

#[cfg(test)]
mod tests {
    use relink_model::{LinkKind, SourceLocation};

    use super::*;

    /// Creates a location in line 3, column 5 of a document.
    fn location(path: &str) -> LocationView<'_> {
        let location =
            SourceLocation { span: (0..1).into(), line: 3, column: 5, kind: LinkKind::Hyperlink };
        LocationView { path, location }
    }

    /// Creates a view of missing local files.
    fn view<'a>(kind: &'a CauseKind, targets: &'a [(&'a str, u64)]) -> CauseView<'a> {
        CauseView {
            kind,
            verdict: Verdict::Local,
            code: Some(FindingCode::new(601)),
            targets,
            pages: targets.len() as u64,
            locations: &[],
            reason: "no such file",
            renamed_to: None,
            help: Some("Correct the path, or add the file."),
        }
    }

    #[test]
    fn cause_of_missing_directory_is_one_block() {
        let kind = CauseKind::MissingDirectory("docs/old".to_owned());
        let locations = [location("docs/a.md"), location("docs/b.md")];
        let view = CauseView {
            locations: &locations,
            renamed_to: Some("docs/new"),
            ..view(&kind, &[("old/x.md", 40), ("old/long-name.md", 1)])
        };
        insta::assert_snapshot!(cause(TextStyle::Plain, &view), @r"
        RL601 local · docs/old/ (missing directory, 41 links to 2 files)
          --> docs/a.md:3:5, docs/b.md:3:5 and 39 more
           |  old/x.md          40 links
           |  old/long-name.md  1 link
           =  no such file
           =  these files exist in `docs/new/`
        help: Correct the path, or add the file.
        ");
    }

    #[test]
    fn description_counts_targets_with_different_fragments_as_one_file() {
        let targets = [("old/x.md", 1), ("old/x.md#y", 2)];
        let description = |kind| CauseView { pages: 1, ..view(&kind, &targets) }.description();
        let directory = CauseKind::MissingDirectory("old".to_owned());
        assert_eq!(description(directory), "missing directory, 3 links to 1 file");
        let anchors = CauseKind::MissingAnchors("old/x.md".to_owned());
        assert_eq!(description(anchors), "2 anchors missing, 3 links");
    }

    #[test]
    fn cause_counts_targets_beyond_the_maximum() {
        let kind = CauseKind::Host("example.org".to_owned());
        let text = cause(TextStyle::Plain, &view(&kind, &[("https://example.org/", 1); 12]));
        assert!(text.contains("… and 7 more"), "{text}");
    }

    #[test]
    fn cause_line_has_location_and_reason() {
        let locations = [location("a.md")];
        let single = CauseKind::Single;
        let view = CauseView { locations: &locations, ..view(&single, &[("x.md", 1)]) };
        assert_eq!(
            cause_line(TextStyle::Plain, &view),
            "a.md:3:5: RL601 local x.md: no such file\n"
        );
    }

    #[test]
    fn cause_replaces_control_characters_in_names() {
        let kind = CauseKind::MissingFile("a\u{1b}[2J\n.md".to_owned());
        let text = cause(TextStyle::Plain, &view(&kind, &[("\u{202e}x", 1)]));
        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    }
}
