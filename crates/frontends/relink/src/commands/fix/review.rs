//! `relink fix --review`: the user decides in the terminal about uncertain repairs.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use relink_repair::{FixStatus, LinkFix};
use relink_report::printable;

use super::report::evidence;

/// Asks about every repair that needs review, once per pair of old and new URL. `y` accepts
/// the repair, `n` declines it. `q` or the end of the input leaves all other repairs
/// undecided.
pub fn review(
    fixes: &mut [LinkFix],
    input: &mut dyn BufRead,
    output: &mut dyn Write,
) -> io::Result<()> {
    // Whether the user accepted the repair, by its old and new URL.
    let mut decisions: BTreeMap<(String, String), bool> = BTreeMap::new();
    for fix in fixes.iter_mut() {
        let FixStatus::NeedsReview(reason) = &fix.status else { continue };
        let urls = (fix.old_url.clone(), fix.new_url.clone());
        let is_accepted = if let Some(is_accepted) = decisions.get(&urls) {
            *is_accepted
        } else {
            write_question(output, fix, &reason.to_string())?;
            let Some(is_accepted) = read_answer(input, output)? else { return Ok(()) };
            decisions.insert(urls, is_accepted);
            is_accepted
        };
        fix.status = if is_accepted {
            FixStatus::Ready
        } else {
            FixStatus::Rejected("declined in the review".to_owned())
        };
    }
    Ok(())
}

fn write_question(output: &mut dyn Write, fix: &LinkFix, reason: &str) -> io::Result<()> {
    let location = &fix.location.location;
    let path = printable(&fix.location.path);
    writeln!(output, "\n{path}:{}:{}", location.line, location.column)?;
    let code = fix.code.map(|code| format!("{code} ")).unwrap_or_default();
    writeln!(output, "  old: {}  ({code}{})", printable(&fix.old_url), printable(&fix.finding))?;
    writeln!(output, "  new: {}  ({})", printable(&fix.new_url), printable(&evidence(fix)))?;
    // Show the archived copy, unless the copy is the new URL.
    if let Some(version) = fix.version.as_ref().filter(|version| version.url != fix.new_url) {
        let gaps: Vec<String> = fix.copy_gaps.iter().map(ToString::to_string).collect();
        let gaps = if gaps.is_empty() { String::new() } else { format!("; {}", gaps.join("; ")) };
        writeln!(output, "  copy: {}  ({}{gaps})", printable(&version.url), version.date)?;
    }
    writeln!(output, "  {reason}")
}

/// Reads `y`, `n` or `q`. Returns `None` for `q` and at the end of the input.
fn read_answer(input: &mut dyn BufRead, output: &mut dyn Write) -> io::Result<Option<bool>> {
    loop {
        write!(output, "repair this link? [y/n/q] ")?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        match line.trim().to_ascii_lowercase().as_str() {
            "y" | "yes" => return Ok(Some(true)),
            "n" | "no" => return Ok(Some(false)),
            "q" | "quit" => return Ok(None),
            _ => {}
        }
    }
}
