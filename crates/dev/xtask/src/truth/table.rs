//! The confusion table: true states of pages by verdict, for all products.

use std::collections::BTreeMap;
use std::fmt;

use super::JudgedCase;
use super::product::Truth;

/// Minimum share of correct verdicts on the listed pages, in percent.
const MIN_CORRECT_PERCENT: f64 = 99.3;
/// Maximum number of listed pages that are wrongly called dead.
const MAX_FALSE_ALARMS: usize = 1;
/// Minimum share of correct verdicts on URLs with extra parameters, in percent.
const MIN_CORRECT_VARIANTS_PERCENT: f64 = 99.0;

/// The columns of the table.
const COLUMNS: [&str; 4] = ["alive", "dead", "blocked", "failing"];

/// The verdicts on all products.
#[derive(Debug)]
pub struct TruthOutcome {
    pub(super) cases: Vec<JudgedCase>,
    pub(super) skipped: Vec<String>,
}

impl JudgedCase {
    /// Returns the column of the verdict.
    fn column(&self) -> usize {
        match self.verdict.as_str() {
            "alive" | "moved" | "drifted" => 0,
            "dead" | "soft-404" | "hijacked" => 1,
            "blocked" => 2,
            _ => 3,
        }
    }

    /// Whether the verdict agrees with the true state.
    fn is_correct(&self) -> bool {
        let expect = match self.case.truth {
            Truth::Alive => 0,
            Truth::Dead => 1,
            Truth::Unknown => 2,
        };
        self.column() == expect
    }

    /// Whether a page that is not dead was reported as dead.
    fn is_false_alarm(&self) -> bool {
        self.case.truth != Truth::Dead && self.column() == 1
    }
}

/// Counts of one group of cases.
struct Summary {
    total: usize,
    correct: usize,
    false_alarms: usize,
}

impl Summary {
    #[expect(clippy::cast_precision_loss, reason = "the counts are small")]
    fn percent(&self) -> f64 {
        100.0 * self.correct as f64 / self.total.max(1) as f64
    }
}

impl TruthOutcome {
    /// Counts the listed pages, or their variants with extra parameters.
    fn summary(&self, is_variant: bool) -> Summary {
        let cases: Vec<&JudgedCase> =
            self.cases.iter().filter(|judged| judged.case.is_variant == is_variant).collect();
        Summary {
            total: cases.len(),
            correct: cases.iter().filter(|judged| judged.is_correct()).count(),
            false_alarms: cases.iter().filter(|judged| judged.is_false_alarm()).count(),
        }
    }

    /// Whether enough verdicts are correct.
    pub fn is_good(&self) -> bool {
        let (pages, variants) = (self.summary(false), self.summary(true));
        pages.percent() > MIN_CORRECT_PERCENT
            && pages.false_alarms <= MAX_FALSE_ALARMS
            && variants.percent() > MIN_CORRECT_VARIANTS_PERCENT
            && variants.false_alarms == 0
    }

    /// Writes the table of the listed pages, or of their variants.
    fn write_table(&self, f: &mut fmt::Formatter<'_>, is_variant: bool) -> fmt::Result {
        let title = if is_variant { "with extra parameters" } else { "pages" };
        write!(f, "{title:<24}")?;
        COLUMNS.iter().try_for_each(|column| write!(f, "{column:>9}"))?;
        writeln!(f)?;
        let mut rows: BTreeMap<Truth, [usize; COLUMNS.len()]> = BTreeMap::new();
        for judged in self.cases.iter().filter(|judged| judged.case.is_variant == is_variant) {
            if let Some(count) = rows.entry(judged.case.truth).or_default().get_mut(judged.column())
            {
                *count += 1;
            }
        }
        for (truth, counts) in rows {
            write!(f, "  {:<22}", format!("truth {}", truth.as_str()))?;
            counts.iter().try_for_each(|count| write!(f, "{count:>9}"))?;
            writeln!(f)?;
        }
        let Summary { total, correct, false_alarms } = self.summary(is_variant);
        let percent = self.summary(is_variant).percent();
        writeln!(f, "  {correct} of {total} correct ({percent:.1} %), {false_alarms} false alarms")
    }
}

impl fmt::Display for TruthOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for wrong in self.cases.iter().filter(|judged| !judged.is_correct()) {
            let JudgedCase { product, case, verdict, reason } = wrong;
            writeln!(f, "{product}: {} {} is {verdict}: {reason}", case.truth.as_str(), case.path)?;
        }
        self.write_table(f, false)?;
        self.write_table(f, true)?;
        let mut products: Vec<&str> =
            self.cases.iter().map(|judged| judged.product.as_str()).collect();
        products.dedup();
        write!(f, "{} products; not started: {:?}", products.len(), self.skipped)
    }
}

#[cfg(test)]
mod tests {
    use super::super::product::Case;
    use super::*;

    fn judged(truth: Truth, verdict: &str) -> JudgedCase {
        let case = Case { truth, path: "/a".to_owned(), is_variant: false };
        let (product, reason) = ("wiki".to_owned(), "status 200".to_owned());
        JudgedCase { product, case, verdict: verdict.to_owned(), reason }
    }

    #[test]
    fn false_alarms_and_wrong_verdicts_are_counted() {
        let mut cases = vec![judged(Truth::Alive, "moved"); 9];
        cases.push(judged(Truth::Unknown, "soft-404"));
        let outcome = TruthOutcome { cases, skipped: Vec::new() };
        assert!(!outcome.is_good());
        let text = outcome.to_string();
        assert!(text.contains("9 of 10 correct (90.0 %), 1 false alarms"), "{text}");
        assert!(text.starts_with("wiki: unknown /a is soft-404: status 200\n"), "{text}");
    }
}
