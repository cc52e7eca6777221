//! Formats the numbers of findings by cause, code and file, which are printed above the
//! findings.

use relink_model::{FindingCode, Verdict};

use super::{TextStyle, counted, grouped, shown_url};

/// Maximum number of listed files. The others are counted.
const MAX_FILES: usize = 5;

/// The numbers of findings.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FindingCounts {
    /// The number of groups with one common cause.
    pub causes: u64,
    /// The number of links with a finding.
    pub links: u64,
    /// Links by code, most frequent first.
    pub codes: Vec<(Option<FindingCode>, Verdict, u64)>,
    /// Links by document, most frequent first.
    pub files: Vec<(String, u64)>,
}

/// Formats the numbers of findings. Returns an empty string for fewer than two causes,
/// because the findings themselves show these numbers.
pub fn counts(style: TextStyle, counts: &FindingCounts) -> String {
    if counts.causes < 2 {
        return String::new();
    }
    let links = counted(counts.links, "broken link");
    let (causes, files) =
        (counted(counts.causes, "cause"), counted(counts.files.len() as u64, "file"));
    let codes: Vec<String> = counts.codes.iter().map(|row| code_text(style, *row)).collect();
    let mut file_counts: Vec<String> = counts
        .files
        .iter()
        .take(MAX_FILES)
        .map(|(path, links)| format!("{} {}", shown_url(path), grouped(*links)))
        .collect();
    let omitted = counts.files.len().saturating_sub(MAX_FILES) as u64;
    if omitted > 0 {
        file_counts.push(format!("{} more", counted(omitted, "file")));
    }
    let (by_code, by_file) = (style.quiet("by code:"), style.quiet("by file:"));
    format!(
        "\n{links} in {files}, {causes}\n  {by_code} {}\n  {by_file} {}\n",
        codes.join(" · "),
        file_counts.join(" · ")
    )
}

/// Formats a code and verdict with the number of links.
fn code_text(
    style: TextStyle,
    (code, verdict, links): (Option<FindingCode>, Verdict, u64),
) -> String {
    let code = code.map_or(String::new(), |code| format!("{code} "));
    format!("{} {}", style.verdict(verdict, &format!("{code}{verdict}")), grouped(links))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_list_codes_and_the_first_files() {
        let files = (1..=7).map(|number| (format!("{number}.md"), 10 - number)).collect();
        let gone = Some(FindingCode::new(101));
        let numbers = FindingCounts {
            causes: 3,
            links: 41,
            codes: vec![(gone, Verdict::Dead, 40), (None, Verdict::Local, 1)],
            files,
        };
        insta::assert_snapshot!(counts(TextStyle::Plain, &numbers), @r"

        41 broken links in 7 files, 3 causes
          by code: RL101 dead 40 · local 1
          by file: 1.md 9 · 2.md 8 · 3.md 7 · 4.md 6 · 5.md 5 · 2 files more
        ");
        assert_eq!(counts(TextStyle::Plain, &FindingCounts { causes: 1, ..numbers }), "");
    }
}
