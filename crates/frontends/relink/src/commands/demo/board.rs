//! What was planted beside what was said, in a few lines.
//!
//! What was judged as planted is grouped by word and code; what was not is
//! told one by one, with the address, so that it can be looked into.

use std::collections::{BTreeMap, HashMap, HashSet};

use relink_demo::ExpectedFinding;
use relink_model::{FindingCode, Verdict};
use relink_report::human::{TextStyle, counted};

/// Columns that the groups keep to.
const WIDTH: usize = 100;
/// Columns before the first name of a group: sign, word, code.
const INDENT: usize = 21;

/// A word and its code.
type ReportedVerdict = (Verdict, Option<FindingCode>);

/// What Relink said about each address, as written.
pub(super) type ReportedVerdicts = HashMap<String, ReportedVerdict>;

/// The comparison.
pub(super) struct Scoreboard<'a> {
    planted: &'a [ExpectedFinding],
    said: &'a ReportedVerdicts,
}

impl<'a> Scoreboard<'a> {
    pub(super) fn new(planted: &'a [ExpectedFinding], said: &'a ReportedVerdicts) -> Self {
        Self { planted, said }
    }

    /// Whether everything was judged as planted, and nothing else was found.
    pub(super) fn is_right(&self) -> bool {
        self.right().count() == self.planted.len() && self.suspected().next().is_none()
    }

    /// The board as text.
    pub(super) fn text(&self, paint: TextStyle) -> String {
        let missed = self.planted.iter().filter(|fault| !self.is_as_planted(fault));
        let mistakes: String = missed.map(|fault| self.mistake(fault)).collect();
        let alarms: String = self.suspected().map(false_alarm).collect();
        format!("{}{mistakes}{alarms}\n{}", self.groups(paint), self.sums())
    }

    fn sums(&self) -> String {
        let others = self.others().count();
        format!(
            "{} of {} planted faults judged as planted.\n{} of {} found alive.\n",
            self.right().count(),
            self.planted.len(),
            others - self.suspected().count(),
            counted(others as u64, "other link"),
        )
    }

    /// What was judged as planted, by word and code.
    fn groups(&self, paint: TextStyle) -> String {
        let mut groups: BTreeMap<(Verdict, Option<FindingCode>), Vec<&str>> = BTreeMap::new();
        for fault in self.right() {
            groups.entry((fault.verdict, fault.code)).or_default().push(fault.what);
        }
        let mut last = None;
        let lines = groups.into_iter().map(|((word, code), names)| {
            let is_first = last.replace(word) != Some(word);
            let head = if is_first { format!("{} {word}", word.symbol()) } else { String::new() };
            let code = code.map(|code| code.to_string()).unwrap_or_default();
            let head = paint.word(word, &format!("{head:<12}{code:<5}"));
            format!("  {head}  {}\n", wrapped(&names))
        });
        lines.collect()
    }

    fn mistake(&self, fault: &ExpectedFinding) -> String {
        let said = match self.said.get(&fault.url) {
            Some((word, code)) => named(*word, *code),
            None => "not reported".to_owned(),
        };
        let planted = named(fault.verdict, fault.code);
        format!("  ? {said}, planted as {planted}: {} ({})\n", fault.what, fault.url)
    }

    fn right(&self) -> impl Iterator<Item = &'a ExpectedFinding> {
        self.planted.iter().filter(|fault| self.is_as_planted(fault))
    }

    fn is_as_planted(&self, fault: &ExpectedFinding) -> bool {
        self.said.get(&fault.url) == Some(&(fault.verdict, fault.code))
    }

    /// The links with nothing planted at their end.
    fn others(&self) -> impl Iterator<Item = (&'a str, ReportedVerdict)> {
        let planted: HashSet<&str> = self.planted.iter().map(|it| it.url.as_str()).collect();
        let said = self.said.iter().map(|(address, judged)| (address.as_str(), *judged));
        said.filter(move |(address, _)| !planted.contains(address))
    }

    /// Those of them that Relink thinks ill of.
    fn suspected(&self) -> impl Iterator<Item = (&'a str, ReportedVerdict)> {
        self.others().filter(|(_, judged)| *judged != (Verdict::Alive, None))
    }
}

fn false_alarm((address, (word, code)): (&str, ReportedVerdict)) -> String {
    format!("  ? {}, but is good ({address})\n", named(word, code))
}

fn named(word: Verdict, code: Option<FindingCode>) -> String {
    code.map_or_else(|| word.to_string(), |code| format!("{word} {code}"))
}

/// Names one after the other, with line breaks between them where they are
/// needed.
fn wrapped(names: &[&str]) -> String {
    let mut lines = vec![String::new()];
    for (place, name) in names.iter().enumerate() {
        let end = if place + 1 == names.len() { "" } else { " ·" };
        let width = name.chars().count() + end.chars().count();
        let is_full = lines.last().is_some_and(|line| {
            let taken = INDENT + line.chars().count();
            !line.is_empty() && taken + 1 + width > WIDTH
        });
        if is_full {
            lines.push(String::new());
        }
        if let Some(line) = lines.last_mut() {
            line.extend([if line.is_empty() { "" } else { " " }, name, end]);
        }
    }
    lines.join(&format!("\n{:INDENT$}", ""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(what: &'static str, word: Verdict, code: Option<u16>) -> ExpectedFinding {
        ExpectedFinding {
            what,
            url: format!("at {what}"),
            verdict: word,
            code: code.map(FindingCode::new),
        }
    }

    /// Checks the board's lines; a judgment is an address, a word and a code.
    #[track_caller]
    fn check(said: &[(&str, Verdict, Option<u16>)], expect: &str) {
        let planted = [
            fault("a", Verdict::Dead, Some(101)),
            fault("b", Verdict::Dead, Some(102)),
            fault("c", Verdict::Alive, None),
        ];
        let said: ReportedVerdicts = said
            .iter()
            .map(|(address, word, code)| {
                ((*address).to_owned(), (*word, code.map(FindingCode::new)))
            })
            .collect();
        let board = Scoreboard::new(&planted, &said);
        assert_eq!(board.text(TextStyle::Plain), expect);
        assert_eq!(board.is_right(), !expect.contains('?'));
    }

    #[test]
    fn what_is_right_is_grouped_by_word_and_code() {
        check(
            &[
                ("at a", Verdict::Dead, Some(101)),
                ("at b", Verdict::Dead, Some(102)),
                ("at c", Verdict::Alive, None),
                ("at d", Verdict::Alive, None),
            ],
            "  ✓ alive            c\n  ✗ dead      RL101  a\n              RL102  b\n\n\
             3 of 3 planted faults judged as planted.\n1 of 1 other link found alive.\n",
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_address() {
        check(
            &[
                ("at a", Verdict::Dead, Some(102)),
                ("at c", Verdict::Alive, None),
                ("at d", Verdict::Dead, Some(101)),
            ],
            "  ✓ alive            c\n\
             \x20 ? dead RL102, planted as dead RL101: a (at a)\n\
             \x20 ? not reported, planted as dead RL102: b (at b)\n\
             \x20 ? dead RL101, but is good (at d)\n\n\
             1 of 3 planted faults judged as planted.\n0 of 1 other link found alive.\n",
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
