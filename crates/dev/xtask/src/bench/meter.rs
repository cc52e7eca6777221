//! Measures the run time and the peak memory of a program.

use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::XtaskError;

/// GNU time, which reports the peak recorded by the kernel.
const GNU_TIME: &str = "/usr/bin/time";

/// Interval between two memory readings if GNU time is not installed.
const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The time and memory of one run of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Measurement {
    /// Wall time in seconds.
    pub(super) seconds: f64,
    /// Peak resident memory in KiB.
    pub(super) peak_kib: u64,
}

/// Returns the median time and the largest peak of the runs.
pub(super) fn summarize(runs: &[Measurement]) -> Option<Measurement> {
    let mut seconds: Vec<f64> = runs.iter().map(|run| run.seconds).collect();
    seconds.sort_by(f64::total_cmp);
    Some(Measurement {
        seconds: *seconds.get(seconds.len() / 2)?,
        peak_kib: runs.iter().map(|run| run.peak_kib).max()?,
    })
}

/// Runs a program to its end, with stdout to the file `out` and stderr to `err`.
/// Ignores the exit code: it is not zero if there are dead links.
pub(super) fn measure(
    scratch: &Path,
    program: &Path,
    args: &[&str],
) -> Result<Measurement, XtaskError> {
    let time_file = scratch.join("time");
    let mut command = with_gnu_time(program, &time_file);
    let open = |name| {
        let path = scratch.join(name);
        File::create(&path).map_err(|error| XtaskError::io(&path, &error))
    };
    command.args(args).stdin(Stdio::null()).stdout(open("out")?).stderr(open("err")?);
    let start = Instant::now();
    let mut child = command.spawn().map_err(|error| XtaskError::io(program, &error))?;
    let polled_peak = poll_peak(&mut child)?;
    let seconds = start.elapsed().as_secs_f64();
    let text = std::fs::read_to_string(&time_file).ok();
    Ok(Measurement {
        seconds,
        peak_kib: text.and_then(|text| last_number(&text)).unwrap_or(polled_peak),
    })
}

/// Returns the peak memory of this program so far, in KiB.
pub(crate) fn own_peak_kib() -> Option<u64> {
    parse_peak(&std::fs::read_to_string("/proc/self/status").ok()?)
}

/// Returns the program, run by GNU time if that is installed.
fn with_gnu_time(program: &Path, time_file: &Path) -> Command {
    if !Path::new(GNU_TIME).exists() {
        return Command::new(program);
    }
    let mut command = Command::new(GNU_TIME);
    command.args(["-f", "%M", "-o"]).arg(time_file).arg(program);
    command
}

/// Waits until the program ends. Without GNU time, also reads its peak memory
/// repeatedly, and returns the last value in KiB.
fn poll_peak(child: &mut Child) -> Result<u64, XtaskError> {
    let wait_error = |error| XtaskError::new(format!("cannot wait for a program: {error}"));
    if Path::new(GNU_TIME).exists() {
        child.wait().map_err(wait_error)?;
        return Ok(0);
    }
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().map_err(wait_error)?.is_none() {
        let status = std::fs::read_to_string(&status_file).ok();
        peak = peak.max(status.as_deref().and_then(parse_peak).unwrap_or(0));
        sleep(POLL_INTERVAL);
    }
    Ok(peak)
}

/// Returns the peak memory in KiB from the text of `/proc/PID/status`.
pub(super) fn parse_peak(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

/// Returns the number in the last line. GNU time may print the exit code above
/// it.
fn last_number(text: &str) -> Option<u64> {
    text.lines().last()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peak_is_read_from_proc_and_gnu_time() {
        assert_eq!(parse_peak("VmPeak:\t9 kB\nVmHWM:\t  4312 kB\n"), Some(4312));
        assert_eq!(last_number("Command exited with non-zero status 1\n71234\n"), Some(71234));
    }

    #[test]
    fn summarize_returns_median_time_and_largest_peak() {
        let run = |seconds, peak_kib| Measurement { seconds, peak_kib };
        let runs = [run(3.0, 10), run(1.0, 30), run(2.0, 20)];
        assert_eq!(summarize(&runs), Some(run(2.0, 30)));
        assert_eq!(summarize(&[]), None);
    }

    #[test]
    fn measure_ignores_the_exit_code() {
        let scratch = crate::bench::scratch::Scratch::new().unwrap();
        let args = ["-c", "echo text; exit 1"];
        let run = measure(scratch.path(), Path::new("/bin/sh"), &args).unwrap();
        assert!(run.seconds > 0.0);
        let output = std::fs::read_to_string(scratch.path().join("out")).unwrap();
        assert_eq!(output, "text\n");
    }
}
