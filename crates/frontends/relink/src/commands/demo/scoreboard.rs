//! Compares the verdicts that the demo reported with the expected ones. A planted fault is a
//! fault that the demo site contains on purpose.
//!
//! Correct verdicts are grouped by verdict and code. Wrong ones are listed with their
//! URL.

use std::collections::{BTreeMap, HashMap, HashSet};

use relink_demo::ExpectedFinding;
use relink_model::{FindingCode, Verdict};
use relink_report::human::{TextStyle, counted};

/// Maximum width of a line.
const MAX_WIDTH: usize = 100;
/// Width of symbol, verdict and code at the start of a line.
const INDENT: usize = 21;

/// A verdict and its code.
type ReportedVerdict = (Verdict, Option<FindingCode>);

/// The reported verdict of each URL, as written in the document.
pub(super) type ReportedVerdicts = HashMap<String, ReportedVerdict>;

/// The comparison of expected and reported verdicts.
pub(super) struct Scoreboard<'a> {
    expected: &'a [ExpectedFinding],
    reported: &'a ReportedVerdicts,
}

impl<'a> Scoreboard<'a> {
    pub(super) fn new(expected: &'a [ExpectedFinding], reported: &'a ReportedVerdicts) -> Self {
        Self { expected, reported }
    }

    /// Whether all verdicts are as expected, and there are no false alarms.
    pub(super) fn is_perfect(&self) -> bool {
        self.correct().count() == self.expected.len() && self.false_alarms().next().is_none()
    }

    /// Formats the scoreboard.
    pub(super) fn text(&self, style: TextStyle) -> String {
        let missed = self.expected.iter().filter(|fault| !self.is_correct(fault));
        let mistakes: String = missed.map(|fault| self.mistake(fault)).collect();
        let alarms: String = self.false_alarms().map(false_alarm).collect();
        format!("{}{mistakes}{alarms}\n{}", self.groups(style), self.totals())
    }

    fn totals(&self) -> String {
        let others = self.others().count();
        format!(
            "{} of {} planted faults reported correctly.\n{} of {} reported as alive.\n",
            self.correct().count(),
            self.expected.len(),
            others - self.false_alarms().count(),
            counted(others as u64, "other link"),
        )
    }

    /// Groups the correct findings by verdict and code.
    fn groups(&self, style: TextStyle) -> String {
        let mut groups: BTreeMap<(Verdict, Option<FindingCode>), Vec<&str>> = BTreeMap::new();
        for fault in self.correct() {
            groups.entry((fault.verdict, fault.code)).or_default().push(fault.name);
        }
        // A verdict is printed only in the first line of its groups.
        let mut last = None;
        let lines = groups.into_iter().map(|((verdict, code), names)| {
            let is_first = last.replace(verdict) != Some(verdict);
            let head =
                if is_first { format!("{} {verdict}", verdict.symbol()) } else { String::new() };
            let code = code.map(|code| code.to_string()).unwrap_or_default();
            let head = style.verdict(verdict, &format!("{head:<12}{code:<5}"));
            format!("  {head}  {}\n", wrapped(&names))
        });
        lines.collect()
    }

    fn mistake(&self, fault: &ExpectedFinding) -> String {
        let reported = match self.reported.get(&fault.url) {
            Some((verdict, code)) => verdict_text(*verdict, *code),
            None => "not reported".to_owned(),
        };
        let expected = verdict_text(fault.verdict, fault.code);
        format!("  ? {reported}, expected {expected}: {} ({})\n", fault.name, fault.url)
    }

    fn correct(&self) -> impl Iterator<Item = &'a ExpectedFinding> {
        self.expected.iter().filter(|fault| self.is_correct(fault))
    }

    fn is_correct(&self, fault: &ExpectedFinding) -> bool {
        self.reported.get(&fault.url) == Some(&(fault.verdict, fault.code))
    }

    /// Returns the reported links without a planted fault.
    fn others(&self) -> impl Iterator<Item = (&'a str, ReportedVerdict)> {
        let planted: HashSet<&str> = self.expected.iter().map(|fault| fault.url.as_str()).collect();
        let links = self.reported.iter().map(|(url, reported)| (url.as_str(), *reported));
        links.filter(move |(url, _)| !planted.contains(url))
    }

    /// Returns the links that were wrongly reported as broken.
    fn false_alarms(&self) -> impl Iterator<Item = (&'a str, ReportedVerdict)> {
        self.others().filter(|(_, reported)| *reported != (Verdict::Alive, None))
    }
}

fn false_alarm((url, (verdict, code)): (&str, ReportedVerdict)) -> String {
    format!("  ? {}, expected alive ({url})\n", verdict_text(verdict, code))
}

fn verdict_text(verdict: Verdict, code: Option<FindingCode>) -> String {
    code.map_or_else(|| verdict.to_string(), |code| format!("{verdict} {code}"))
}

/// Joins names with `·`. Lines after the first one are indented by [`INDENT`].
fn wrapped(names: &[&str]) -> String {
    let mut lines = vec![String::new()];
    for (index, name) in names.iter().enumerate() {
        let separator = if index + 1 == names.len() { "" } else { " ·" };
        let width = name.chars().count() + separator.chars().count();
        let is_full = lines.last().is_some_and(|line| {
            let line_width = INDENT + line.chars().count();
            !line.is_empty() && line_width + 1 + width > MAX_WIDTH
        });
        if is_full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.extend([if line.is_empty() { "" } else { " " }, name, separator]);
        }
    }
    lines.join(&format!("\n{:INDENT$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a planted fault with the URL `at NAME`.
    fn fault(name: &'static str, verdict: Verdict, code: Option<u16>) -> ExpectedFinding {
        ExpectedFinding {
            name,
            url: format!("at {name}"),
            verdict,
            code: code.map(FindingCode::new),
        }
    }

    /// Checks the scoreboard of the planted faults `a` (RL101), `b` (RL102) and `c` (alive)
    /// for reported verdicts: URL, verdict and code. `at d` is a link without a fault.
    #[track_caller]
    fn check(reported: &[(&str, Verdict, Option<u16>)], expected: &str) {
        let planted = [
            fault("a", Verdict::Dead, Some(101)),
            fault("b", Verdict::Dead, Some(102)),
            fault("c", Verdict::Alive, None),
        ];
        let reported: ReportedVerdicts = reported
            .iter()
            .map(|(url, verdict, code)| ((*url).to_owned(), (*verdict, code.map(FindingCode::new))))
            .collect();
        let board = Scoreboard::new(&planted, &reported);
        assert_eq!(board.text(TextStyle::Plain), expected);
        // A mistake is printed with a question mark.
        assert_eq!(board.is_perfect(), !expected.contains('?'));
    }

    #[test]
    fn correct_findings_are_grouped_by_verdict_and_code() {
        check(
            &[
                ("at a", Verdict::Dead, Some(101)),
                ("at b", Verdict::Dead, Some(102)),
                ("at c", Verdict::Alive, None),
                ("at d", Verdict::Alive, None),
            ],
            "  ✓ alive            c\n  ✗ dead      RL101  a\n              RL102  b\n\n\
             3 of 3 planted faults reported correctly.\n1 of 1 other link reported as alive.\n",
        );
    }

    #[test]
    fn wrong_verdicts_are_listed_with_their_url() {
        check(
            &[
                ("at a", Verdict::Dead, Some(102)),
                ("at c", Verdict::Alive, None),
                ("at d", Verdict::Dead, Some(101)),
            ],
            "  ✓ alive            c\n\
             \x20 ? dead RL102, expected dead RL101: a (at a)\n\
             \x20 ? not reported, expected dead RL102: b (at b)\n\
             \x20 ? dead RL101, expected alive (at d)\n\n\
             1 of 3 planted faults reported correctly.\n0 of 1 other link reported as alive.\n",
        );
    }

    #[test]
    fn long_groups_are_wrapped_between_names() {
        let text = wrapped(&["a name that is as long as most of them are"; 5]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5);
        assert!(lines[..4].iter().all(|line| line.ends_with(" ·")));
        assert!(lines[1..].iter().all(|line| line.starts_with(&" ".repeat(INDENT))));
        assert_eq!(wrapped(&["a", "b"]), "a · b");
    }
}
