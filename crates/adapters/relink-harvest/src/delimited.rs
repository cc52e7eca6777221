//! Splits tables with a delimiter, such as CSV, into rows (RFC 4180).
//!
//! Quoted fields may contain delimiters, quotes and line breaks. Malformed quotes are read as
//! text.

/// Returns the rows with the number of their first line. Rows with only empty fields are
/// omitted.
pub(crate) fn rows(text: &str, delimiter: char) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    let (mut row, mut field) = (Vec::new(), String::new());
    let (mut line, mut first_line, mut is_quoted) = (1, 1, false);
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char == '\n' {
            line += 1;
        }
        match char {
            '"' if is_quoted && chars.peek() == Some(&'"') => {
                chars.next();
                field.push('"');
            }
            '"' if is_quoted => is_quoted = false,
            '"' if field.is_empty() => is_quoted = true,
            '\r' if !is_quoted && chars.peek() == Some(&'\n') => {}
            '\n' if !is_quoted => {
                row.push(std::mem::take(&mut field));
                rows.push((first_line, std::mem::take(&mut row)));
                first_line = line;
            }
            char if char == delimiter && !is_quoted => row.push(std::mem::take(&mut field)),
            char => field.push(char),
        }
    }
    if !field.is_empty() || !row.is_empty() {
        row.push(field);
        rows.push((first_line, row));
    }
    rows.retain(|(_, row)| row.iter().any(|field| !field.trim().is_empty()));
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quoted_fields_may_contain_anything() {
        let text = "a,b\r\n\"x, \"\"y\"\"\n2\",z\n\n1,2";
        let rows = rows(text, ',');
        let fields = |row: &[String]| row.join("|");
        let printed: Vec<_> = rows.iter().map(|(line, row)| (*line, fields(row))).collect();
        let expect = [(1, "a|b"), (2, "x, \"y\"\n2|z"), (5, "1|2")];
        assert_eq!(printed, expect.map(|(line, row)| (line, row.to_owned())));
    }
}
