//! Formats a check as a table of texts, and this table as CSV.

/// A table of results.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResultTable {
    /// The names of the columns.
    pub columns: Vec<String>,
    /// The rows. Every row has one cell per column.
    pub rows: Vec<Vec<String>>,
}

/// Characters that make a spreadsheet read a cell as a formula (OWASP ASVS 1.2.10).
const FORMULA_STARTS: [char; 7] = ['=', '+', '-', '@', '\t', '\r', '\0'];

/// Renders a table as CSV (RFC 4180). A cell that a spreadsheet could read as a
/// formula begins with a single quote.
pub fn csv(table: &ResultTable) -> String {
    let mut text = String::new();
    for row in std::iter::once(&table.columns).chain(&table.rows) {
        let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).collect();
        text.push_str(&cells.join(","));
        text.push_str("\r\n");
    }
    text
}

/// Quotes a cell if necessary. A cell that could be read as a formula gets an apostrophe.
fn quoted(cell: &str) -> String {
    let apostrophe = if cell.starts_with(FORMULA_STARTS) { "'" } else { "" };
    let needs_quotes = !apostrophe.is_empty() || cell.contains([',', '"', '\n', '\r', ';', '\t']);
    if needs_quotes {
        format!("\"{apostrophe}{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_quotes_separators_and_formulas() {
        let row = ["a,b", "say \"x\"", "=1+1", "-1", "@x", "plain", "two\nlines"];
        let table = ResultTable {
            columns: vec!["url".to_owned()],
            rows: vec![row.map(str::to_owned).to_vec()],
        };
        assert_eq!(
            csv(&table),
            "url\r\n\"a,b\",\"say \"\"x\"\"\",\"'=1+1\",\"'-1\",\"'@x\",plain,\"two\nlines\"\r\n"
        );
    }
}
