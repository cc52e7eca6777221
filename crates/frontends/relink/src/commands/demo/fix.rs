//! The last step of the demo: the diff that `relink fix` would print.

use std::path::Path;

use relink_engine::{
    CheckSettings, FixSettings, LinkFix, Ports, StopSignal, plan_document, plan_fixes, verify_fixes,
};
use relink_fix::unified_diff;
use relink_model::RunId;
use relink_report::human::counted;
use relink_report::printable;

use super::VerdictCollector;
use crate::error::CommandError;

/// Maximum number of lines of the printed diff.
const MAX_LINES: usize = 12;

/// The planned repairs of the demo's documents.
pub struct DemoFix {
    edits: usize,
    files: usize,
    /// The diff of the document with the fewest changed lines.
    shortest: String,
}

/// Plans the repairs of a check.
pub async fn plan(
    ports: &Ports,
    run: RunId,
    settings: &CheckSettings,
    collection: &Path,
) -> Result<DemoFix, CommandError> {
    let mut fixes = plan_fixes(ports, run, FixSettings::default()).await?;
    let mut observer = VerdictCollector::default();
    verify_fixes(ports, settings, &mut fixes, &mut observer, &StopSignal::new().1).await?;
    let mut demo = DemoFix { edits: 0, files: 0, shortest: String::new() };
    let is_same = |one: &LinkFix, other: &LinkFix| one.location.path == other.location.path;
    for document_fixes in fixes.chunk_by_mut(is_same) {
        let options = &settings.load.read_options;
        let Ok(Some(document)) = plan_document(&*ports.files, options, document_fixes).await else {
            continue;
        };
        demo.edits += document.edits.len();
        demo.files += 1;
        let path = document.path.strip_prefix(collection).unwrap_or(&document.path);
        let diff = unified_diff(&path.to_string_lossy(), &document.old, &document.new);
        let diff = diff.map(|diff| String::from_utf8_lossy(&diff).into_owned()).unwrap_or_default();
        if demo.shortest.is_empty() || diff.lines().count() < demo.shortest.lines().count() {
            demo.shortest = diff;
        }
    }
    Ok(demo)
}

impl DemoFix {
    /// Returns the lines of the demo.
    pub fn text(&self) -> String {
        let edits = counted(self.edits as u64, "edit");
        let files = counted(self.files as u64, "file");
        let lines = self.shortest.lines().filter(|line| !line.starts_with("diff "));
        let indented = |line| ["             ".into(), printable(line), "\n".into()];
        let diff: String = lines.take(MAX_LINES).flat_map(indented).collect();
        format!("6/8 fix      {edits} in {files} (dry run)\n{diff}")
    }

    /// Whether the diff repairs something.
    pub fn has_edits(&self) -> bool {
        self.edits > 0
    }
}
