//! The findings of the terminal report: as blocks by cause, or as lists by file,
//! host or code.

use std::collections::{BTreeMap, HashSet};
use std::io::Write;

use relink_gate::CauseKind;
use relink_judge::codes;
use relink_model::FindingCode;
use relink_ports::CheckedTarget;
use relink_report::LocationView;
use relink_report::human::{self, CauseView, FindingView, ListedFinding, TextStyle};
use relink_requests::Ports;
use url::Url;

use super::findings::FindingGroup;
use super::source_line::source_line;
use super::{RevivalText, cannot_write, location_views};
use crate::cli::GroupByArg;
use crate::error::CommandError;

/// The group of links whose locations are not loaded, in a list by file.
const UNLISTED_FILES: &str = "further pages";

/// The group of local files in a list by host.
const LOCAL_FILES: &str = "local files";

/// A list of findings and its layout.
pub(super) struct FindingList {
    pub(super) style: TextStyle,
    pub(super) group_by: GroupByArg,
    /// Maximum number of blocks or lines.
    pub(super) max_findings: usize,
    /// Whether each finding is one line.
    pub(super) is_quiet: bool,
    /// Whether dead pages are listed with the result of the search for their new URLs.
    pub(super) shows_revivals: bool,
}

/// One line of a list, with the name of its group.
struct Entry {
    group: String,
    links: u64,
    line: String,
}

impl FindingList {
    /// Writes the findings.
    pub(super) async fn write(
        &self,
        out: &mut (dyn Write + Send),
        ports: &Ports,
        groups: &[FindingGroup],
    ) -> Result<(), CommandError> {
        if self.group_by != GroupByArg::Cause {
            return self.write_lists(out, groups);
        }
        // The codes whose advice was printed. The advice for a code is printed once.
        let mut explained: HashSet<FindingCode> = HashSet::new();
        for group in groups.iter().take(self.max_findings) {
            let text = if self.is_quiet {
                cause_line(self.style, group)
            } else {
                format!("\n{}", self.block(ports, group, &mut explained).await?)
            };
            out.write_all(text.as_bytes()).map_err(cannot_write)?;
        }
        let omitted = groups.get(self.max_findings..).unwrap_or_default();
        write_omitted(out, omitted.len(), omitted.iter().map(FindingGroup::links).sum())
    }

    /// Writes known findings, which do not fail the run, one line per cause.
    pub(super) fn write_known(
        &self,
        out: &mut (dyn Write + Send),
        title: &str,
        groups: &[FindingGroup],
    ) -> Result<(), CommandError> {
        let mut text = format!("\n{title}\n");
        for group in groups.iter().take(self.max_findings) {
            text.extend(["  ", &cause_line(self.style, group)]);
        }
        out.write_all(text.as_bytes()).map_err(cannot_write)?;
        let omitted = groups.get(self.max_findings..).unwrap_or_default();
        write_omitted(out, omitted.len(), omitted.iter().map(FindingGroup::links).sum())
    }

    /// Formats a group as a block. Adds its code to `explained` if the block contains the
    /// advice for the code.
    async fn block(
        &self,
        ports: &Ports,
        group: &FindingGroup,
        explained: &mut HashSet<FindingCode>,
    ) -> Result<String, CommandError> {
        let Some(first) = group.first() else { return Ok(String::new()) };
        let new_code = first.result.code.filter(|code| !explained.contains(code));
        let advice = new_code.and_then(codes::lookup).map(|meaning| meaning.advice);
        let text = if group.kind == CauseKind::Single {
            self.finding(ports, first, advice).await?
        } else {
            with_cause_view(group, advice, |view| human::cause(self.style, view))
        };
        // The text has no advice if it suggests a new URL instead.
        if advice.is_some_and(|advice| text.contains(advice)) {
            explained.extend(new_code);
        }
        Ok(text)
    }

    /// Formats a single finding with its source line.
    async fn finding(
        &self,
        ports: &Ports,
        target: &CheckedTarget,
        help: Option<&str>,
    ) -> Result<String, CommandError> {
        let result = &target.result;
        let revival = if self.shows_revivals && result.verdict.is_gone() {
            RevivalText::load(&*ports.store, &target.url).await?
        } else {
            None
        };
        let snippet = match target.locations.first() {
            Some(location) => source_line(&*ports.files, location).await,
            None => None,
        };
        let revival = revival.as_ref().map(RevivalText::view);
        let view = FindingView {
            code: result.code,
            verdict: result.verdict,
            url: &target.original_url,
            reason: &result.reason,
            confidence: result.confidence,
            evidence: &result.evidence,
            locations: &location_views(target),
            links: target.inlinks,
            snippet: snippet.as_ref(),
            help,
            revival: revival.as_ref(),
        };
        Ok(human::finding(self.style, &view))
    }

    /// Writes one line per link or target, below the title of its file, host or code.
    fn write_lists(
        &self,
        out: &mut (dyn Write + Send),
        groups: &[FindingGroup],
    ) -> Result<(), CommandError> {
        let targets = groups.iter().flat_map(|group| &group.members);
        let entries: Vec<Entry> = match self.group_by {
            GroupByArg::File => targets.flat_map(|target| self.link_entries(target)).collect(),
            _ => targets.map(|target| self.target_entry(target)).collect(),
        };
        let listed = entries.len().min(self.max_findings);
        let mut lists: BTreeMap<&str, (u64, String)> = BTreeMap::new();
        for entry in entries.iter().take(listed) {
            let (links, text) = lists.entry(&entry.group).or_default();
            *links += entry.links;
            text.push_str(&entry.line);
        }
        for (name, (links, lines)) in lists {
            let text = human::group_title(self.style, name, links) + &lines;
            out.write_all(text.as_bytes()).map_err(cannot_write)?;
        }
        let omitted = entries.get(listed..).unwrap_or_default();
        write_omitted(out, omitted.len(), omitted.iter().map(|entry| entry.links).sum())
    }

    /// Returns one line per link to a target, grouped by the file of the link. Links whose
    /// locations are not loaded share one line.
    fn link_entries(&self, target: &CheckedTarget) -> Vec<Entry> {
        let entry = |location: &relink_ports::LinkLocation| {
            let position = format!("{}:{}", location.location.line, location.location.column);
            let line = self.line(target, &position, 1);
            Entry { group: location.path.clone(), links: 1, line }
        };
        let mut entries: Vec<Entry> = target.locations.iter().map(entry).collect();
        // Only some locations are loaded if many links lead to the target.
        let other_links = target.inlinks.saturating_sub(entries.len() as u64);
        if other_links > 0 {
            let line = self.line(target, "", other_links);
            entries.push(Entry { group: UNLISTED_FILES.to_owned(), links: other_links, line });
        }
        entries
    }

    /// Returns the line of a target, grouped by host or code.
    fn target_entry(&self, target: &CheckedTarget) -> Entry {
        let group = match (self.group_by, target.result.code) {
            (GroupByArg::Code, Some(code)) => {
                let name = codes::lookup(code).map_or("", |info| info.name);
                format!("{code} {name}")
            }
            (GroupByArg::Code, None) => target.result.verdict.to_string(),
            _ => host_name(&target.url),
        };
        let location = target.locations.first().map_or(String::new(), |first| {
            format!("{}:{}:{}", first.path, first.location.line, first.location.column)
        });
        Entry { group, links: target.inlinks, line: self.line(target, &location, target.inlinks) }
    }

    fn line(&self, target: &CheckedTarget, location: &str, links: u64) -> String {
        let finding = ListedFinding {
            code: target.result.code,
            verdict: target.result.verdict,
            url: &target.original_url,
            reason: &target.result.reason,
            location,
            links,
        };
        human::listed_finding(self.style, &finding)
    }
}

/// Writes the number of findings that are not listed.
fn write_omitted(
    out: &mut (dyn Write + Send),
    count: usize,
    links: u64,
) -> Result<(), CommandError> {
    if count == 0 {
        return Ok(());
    }
    let (count, links) = (human::grouped(count as u64), human::counted(links, "link"));
    let text = format!("\n… and {count} more ({links}); `--max-findings 0` lists all\n");
    out.write_all(text.as_bytes()).map_err(cannot_write)
}

/// Returns the host of a target, or [`LOCAL_FILES`].
fn host_name(target: &str) -> String {
    let host = Url::parse(target).ok().and_then(|url| url.host_str().map(str::to_owned));
    host.unwrap_or_else(|| LOCAL_FILES.to_owned())
}

/// Formats a group as one line.
pub(super) fn cause_line(style: TextStyle, group: &FindingGroup) -> String {
    with_cause_view(group, None, |view| human::cause_line(style, view))
}

fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(page, _)| page)
}

/// Calls `format` with the view of a group and returns its result. The view borrows from local
/// values, so it cannot be returned.
pub(super) fn with_cause_view<T>(
    group: &FindingGroup,
    help: Option<&str>,
    format: impl FnOnce(&CauseView) -> T,
) -> T {
    let first = group.first().expect("a group has at least one finding");
    let targets: Vec<(&str, u64)> =
        group.members.iter().map(|target| (target.original_url.as_str(), target.inlinks)).collect();
    // The URL of a local target contains the path of the file.
    let pages: HashSet<&str> =
        group.members.iter().map(|target| without_fragment(&target.url)).collect();
    let locations: Vec<LocationView> = group.members.iter().flat_map(location_views).collect();
    format(&CauseView {
        kind: &group.kind,
        verdict: first.result.verdict,
        code: first.result.code,
        targets: &targets,
        pages: pages.len() as u64,
        locations: &locations,
        reason: &first.result.reason,
        renamed_to: group.renamed_to.as_deref(),
        help,
    })
}
