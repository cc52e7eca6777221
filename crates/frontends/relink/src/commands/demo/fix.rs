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
    /// The diff of the document with the fewest changed lines.
    shortest: String,
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
    let (shortest, groups) = (String::new(), PatchGroups::default());
    let mut demo = DemoFix { links: 0, files: 0, shortest, groups };
    let is_in_same_document = |a: &LinkFix, b: &LinkFix| a.location.path == b.location.path;
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
        if demo.shortest.is_empty() || diff.lines().count() < demo.shortest.lines().count() {
            demo.shortest = diff;
        }
    }
    Ok(demo)
}

impl DemoFix {
    /// Returns the lines of the demo: the counts by cause, and one diff.
    pub fn text(&self) -> String {
        let links = counted(self.links as u64, "link");
        let files = counted(self.files as u64, "file");
        let headings: Vec<String> = self.groups.headings().collect();
        let counts = headings.iter().flat_map(|heading| heading.trim_start_matches("# ").lines());
        let diff = self.shortest.lines().filter(|line| !line.starts_with("diff "));
        let indented = |line| ["             ".into(), printable(line), "\n".into()];
        let details: String = counts.chain(diff.take(MAX_LINES)).flat_map(indented).collect();
        format!("8/8 fix      {links} in {files} (dry run)\n{details}")
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
