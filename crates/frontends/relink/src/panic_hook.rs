//! What the program says of its own bugs: one line for each panic, their number
//! at the end, and an exit code that is not success.
//!
//! The engine catches a panic in the work on one page or document, so that the
//! run continues. The message of a panic may quote a URL or a page, and with
//! them a password, so only its place in the source is printed.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::atomic::{AtomicU64, Ordering};

use relink_engine::isolated_item;
use relink_report::human::counted;
use relink_report::{printable, redact};

use crate::error::{CommandError, Exit};

/// Panics so far, in all threads.
static PANICS: AtomicU64 = AtomicU64::new(0);

/// What to do about an internal error.
const HINT: &str = "this is a bug in Relink; please report it with the line above";

/// Replaces the standard hook, which prints messages and backtraces.
pub fn install() {
    set_hook(Box::new(|info| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        print(&line(info));
    }));
}

/// The exit code of a run that would end with `exit`: what was not read because
/// of an internal error was not checked, so a clean end is not clean.
pub fn exit(exit: Exit) -> Exit {
    exit_after(PANICS.load(Ordering::Relaxed), exit)
}

/// Whether there was an internal error.
pub fn has_panicked() -> bool {
    PANICS.load(Ordering::Relaxed) > 0
}

/// Runs a command; a panic that the engine does not catch is its failure.
pub fn run<T>(command: impl FnOnce() -> Result<T, CommandError>) -> Result<T, CommandError> {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        Err(CommandError::internal("internal error").hint(format!(
            "{HINT}; what was found until then is stored, and the same command continues"
        )))
    })
}

/// Says how many internal errors there were.
pub fn report() {
    let panics = PANICS.load(Ordering::Relaxed);
    if panics > 0 {
        print(&summary(panics));
    }
}

fn exit_after(panics: u64, exit: Exit) -> Exit {
    if panics > 0 && exit == Exit::Clean { Exit::InternalError } else { exit }
}

fn summary(panics: u64) -> String {
    let errors = counted(panics, "internal error");
    format!("warning: {errors}; what is named above was not read to its end\nhint: {HINT}")
}

/// `warning: internal error at src/piece.rs:142:42 while reading https://…`
fn line(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map(|place| format!(" at {place}")).unwrap_or_default();
    let item = isolated_item().map(|item| format!(" while reading {}", redact(&item)));
    printable(&format!("warning: internal error{place}{}", item.unwrap_or_default())).into_owned()
}

#[expect(clippy::print_stderr, reason = "bugs are reported beside the results")]
fn print(text: &str) {
    eprintln!("{text}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_after_panic_is_not_clean() {
        assert_eq!(exit_after(1, Exit::Clean), Exit::InternalError);
        assert_eq!(exit_after(0, Exit::Clean), Exit::Clean);
        for specific in [Exit::Findings, Exit::Usage, Exit::Inconclusive, Exit::Interrupted] {
            assert_eq!(exit_after(1, specific), specific);
        }
    }

    #[test]
    fn summary_counts_panics() {
        assert!(summary(1).starts_with("warning: 1 internal error;"));
        assert!(summary(3).starts_with("warning: 3 internal errors;"));
    }

    #[test]
    fn hook_panic_prints_one_line_without_message() {
        use std::sync::{Arc, Mutex};
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let seen = Arc::clone(&lines);
        let earlier = std::panic::take_hook();
        set_hook(Box::new(move |info| seen.lock().unwrap().push(line(info))));
        let ended: Result<(), CommandError> =
            run(|| panic!("a canary of http://u:hunter2@a.test/"));
        set_hook(earlier);
        assert!(ended.is_err_and(|failure| failure.says("internal error")));
        let lines = lines.lock().unwrap();
        let ours = lines.iter().filter(|line| line.contains(file!())).collect::<Vec<_>>();
        assert_eq!(ours.len(), 1, "{lines:?}");
        assert!(ours.iter().all(|line| !line.contains("hunter2") && !line.contains('\n')));
    }
}
