//! Reports panics: one line per panic, the number of panics at the end of a run, and an
//! exit code other than 0.
//!
//! The engine catches panics that one page or document causes, so that the run
//! continues. A panic message may contain a URL with a password, so only the source
//! location of the panic is printed.

use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::sync::atomic::{AtomicU64, Ordering};

use relink_report::human::counted;
use relink_report::{printable, redact};
use relink_requests::isolated_item;

use crate::error::{CommandError, Exit};

/// Number of panics in all threads.
static PANIC_COUNT: AtomicU64 = AtomicU64::new(0);

/// The hint for internal errors.
const BUG_HINT: &str = "this is a bug in Relink; please report it with the line above";

/// Replaces the standard hook, which prints messages and backtraces.
pub fn install() {
    set_hook(Box::new(|info| {
        PANIC_COUNT.fetch_add(1, Ordering::Relaxed);
        print(&panic_line(info));
    }));
}

/// Returns the exit code of a run that would end with `exit`. After a panic,
/// [`Exit::Clean`] becomes [`Exit::InternalError`], because a page was not checked.
pub fn exit_code(exit: Exit) -> Exit {
    exit_after(PANIC_COUNT.load(Ordering::Relaxed), exit)
}

/// Whether a panic occurred.
pub fn has_panicked() -> bool {
    PANIC_COUNT.load(Ordering::Relaxed) > 0
}

/// Runs a command. Returns an error if it panics.
pub fn run<T>(command: impl FnOnce() -> Result<T, CommandError>) -> Result<T, CommandError> {
    catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|_| {
        Err(CommandError::internal("internal error")
            .hint(format!("{BUG_HINT}; results so far are saved; run the same command to resume")))
    })
}

/// Prints the number of internal errors, if there were any.
pub fn report() {
    let panics = PANIC_COUNT.load(Ordering::Relaxed);
    if panics > 0 {
        print(&summary(panics));
    }
}

fn exit_after(panics: u64, exit: Exit) -> Exit {
    if panics > 0 && exit == Exit::Clean { Exit::InternalError } else { exit }
}

fn summary(panics: u64) -> String {
    let errors = counted(panics, "internal error");
    format!("warning: {errors}; the items above were not read completely\nhint: {BUG_HINT}")
}

/// Formats a panic: `warning: internal error at src/piece.rs:142:42 while reading https://…`
fn panic_line(info: &PanicHookInfo<'_>) -> String {
    let mut line = "warning: internal error".to_owned();
    if let Some(location) = info.location() {
        line.extend([format!(" at {location}")]);
    }
    if let Some(item) = isolated_item() {
        line.extend([format!(" while reading {}", redact(&item))]);
    }
    printable(&line).into_owned()
}

#[expect(clippy::print_stderr, reason = "warnings go to stderr")]
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
        for exit in [Exit::Findings, Exit::Usage, Exit::Inconclusive, Exit::Interrupted] {
            assert_eq!(exit_after(1, exit), exit);
        }
    }

    #[test]
    fn summary_counts_panics() {
        assert!(summary(1).starts_with("warning: 1 internal error;"));
        assert!(summary(3).starts_with("warning: 3 internal errors;"));
    }

    #[test]
    fn panic_line_contains_the_location_without_the_message() {
        use std::sync::{Arc, Mutex};
        let lines: Arc<Mutex<Vec<String>>> = Arc::default();
        let recorded = Arc::clone(&lines);
        let previous = std::panic::take_hook();
        set_hook(Box::new(move |info| recorded.lock().unwrap().push(panic_line(info))));
        let result: Result<(), CommandError> =
            run(|| panic!("cannot read http://u:hunter2@a.test/"));
        set_hook(previous);
        assert!(result.is_err_and(|error| error.has_message("internal error")));
        let lines = lines.lock().unwrap();
        // Other tests in this process may panic too, but not in this file.
        let own_lines = lines.iter().filter(|line| line.contains(file!())).collect::<Vec<_>>();
        assert_eq!(own_lines.len(), 1, "{lines:?}");
        assert!(own_lines.iter().all(|line| !line.contains("hunter2") && !line.contains('\n')));
    }
}
