//! The last step of the demo: the diff that `relink fix` would print.

use std::path::Path;

use relink_engine::CheckSettings;
use relink_fix::unified_diff;
use relink_model::RunId;
use relink_repair::{FixSettings, LinkFix, plan_document, plan_fixes, verify_fixes};
use relink_report::human::counted;
use relink_report::printable;
use relink_requests::{Ports, StopSignal};

use super::VerdictCollector;
use crate::commands::fix::{PatchGroups, document_diffs};
use crate::error::CommandError;

/// Maximum number of lines of the printed diff.
const MAX_LINES: usize = 12;

/// The planned repairs of the demo's documents.
pub struct DemoFix {
    links: usize,
    files: usize,
    /// The shortest diff of a document, which is printed as an example.
    shortest_diff: String,
    /// The diffs of all documents, grouped by cause.
    groups: PatchGroups,
}

/// Plans the repairs of the findings of a check. Writes nothing.
pub async fn plan(
    ports: &Ports,
    run: RunId,
    settings: &CheckSettings,
    collection: &Path,
) -> Result<DemoFix, CommandError> {
    let mut fixes = plan_fixes(ports, run, FixSettings::default()).await?;
    let mut observer = VerdictCollector::default();
    verify_fixes(ports, settings, &mut fixes, &mut observer, &StopSignal::never()).await?;
    let mut demo = DemoFix {
        links: 0,
        files: 0,
        shortest_diff: String::new(),
        groups: PatchGroups::default(),
    };
    let is_in_same_document =
        |fix: &LinkFix, next: &LinkFix| fix.location.path == next.location.path;
    for document_fixes in fixes.chunk_by_mut(is_in_same_document) {
        let options = &settings.load.read_options;
        let planned = plan_document(&*ports.files, options, None, document_fixes).await;
        let Ok(Some(document)) = planned else { continue };
        demo.files += 1;
        // Diffs show the path without the temporary directory.
        let path = document.path.strip_prefix(collection).unwrap_or(&document.path);
        let label = path.to_string_lossy();
        let diffs = document_diffs(&label, &document, document_fixes)?;
        demo.links += diffs.iter().map(|diff| diff.links).sum::<usize>();
        demo.groups.add(diffs)?;
        let diff = unified_diff(&label, &document.old, &document.new).unwrap_or_default();
        let diff = String::from_utf8_lossy(&diff).into_owned();
        let is_shorter = diff.lines().count() < demo.shortest_diff.lines().count();
        if demo.shortest_diff.is_empty() || is_shorter {
            demo.shortest_diff = diff;
        }
    }
    Ok(demo)
}

impl DemoFix {
    /// Returns the lines of the demo: the counts by cause, and one diff.
    pub fn text(&self) -> String {
        let links = counted(self.links as u64, "link");
        let files = counted(self.files as u64, "file");
        let mut text = format!("8/8 fix      {links} in {files} (dry run)\n");
        let headings: Vec<String> = self.groups.headings().collect();
        let counts = headings.iter().flat_map(|heading| heading.trim_start_matches("# ").lines());
        let diff = self.shortest_diff.lines().filter(|line| !line.starts_with("diff "));
        for line in counts.chain(diff.take(MAX_LINES)) {
            text.extend(["             ", &printable(line), "\n"]);
        }
        text
    }

    /// Returns the patch of all documents.
    pub fn patch(&mut self) -> Result<Vec<u8>, CommandError> {
        self.groups.patch()
    }

    /// Whether the diff repairs at least one link.
    pub fn has_edits(&self) -> bool {
        self.links > 0
    }
}
