//! Notices as a spreadsheet, with the rows of the feeds.
//!
//! All cells are texts, so a text that looks like a formula is not evaluated.

use jiff::Timestamp;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook, XlsxError};

use super::PublishedNotice;
use crate::redact;

/// The columns.
const COLUMNS: [&str; 8] =
    ["notice", "date", "record", "title", "url", "reason", "broken since", "deadline"];
/// Maximum number of characters in a cell of the format.
const MAX_CELL_CHARACTERS: usize = 32_000;

/// Writes notices as an XLSX file.
///
/// # Errors
///
/// Fails if there are more rows than the format allows.
pub fn xlsx(notices: &[PublishedNotice], now: Timestamp) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    // Without this call, the library uses the system clock.
    let created = ExcelDateTime::from_timestamp(now.as_second())?;
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&created));
    let sheet = workbook.add_worksheet();
    let bold = Format::new().set_bold();
    for (column, name) in (0..).zip(COLUMNS) {
        sheet.write_string_with_format(0, column, name, &bold)?;
    }
    // Row 0 is the header.
    let mut row = 0;
    for published in notices {
        for item in &published.notice.items {
            row += 1;
            let cells = [
                published.notice.kind.as_str().to_owned(),
                published.notice.day.to_string(),
                item.record.clone(),
                item.title.clone().unwrap_or_default(),
                redact(&item.url).to_string(),
                item.reason.clone(),
                item.since.to_string(),
                published.notice.deadline.map(|day| day.to_string()).unwrap_or_default(),
            ];
            for (column, cell) in (0..).zip(cells) {
                sheet.write_string(row, column, cell_text(&cell))?;
            }
        }
    }
    workbook.save_to_buffer()
}

/// Removes characters that XML does not allow, and cuts long texts.
pub(super) fn cell_text(text: &str) -> String {
    text.chars().filter(|char| !char.is_control()).take(MAX_CELL_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xlsx_of_no_notices_is_a_zip_archive() {
        let bytes = xlsx(&[], Timestamp::UNIX_EPOCH).unwrap();
        assert!(bytes.starts_with(b"PK"));
    }

    #[test]
    fn cell_text_has_no_control_characters() {
        assert_eq!(cell_text("a\u{0}b\r\n"), "ab");
    }
}
