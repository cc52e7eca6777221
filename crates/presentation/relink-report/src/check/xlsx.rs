//! Results as an Excel workbook with one sheet.
//!
//! Every cell is a string, so Excel never reads a text as a formula or a link.

use jiff::Timestamp;
use jiff::tz::TimeZone;
use rust_xlsxwriter::{DocProperties, ExcelDateTime, Format, Workbook};

use super::ResultTable;

/// Maximum number of characters of a cell.
const MAX_CELL_CHARACTERS: usize = 32_767;

/// Maximum number of rows of a sheet, without the header.
const MAX_ROWS: usize = 1_048_575;

/// Width of the columns, in characters.
const COLUMN_WIDTH: f64 = 24.0;

/// The workbook cannot be created.
#[derive(Debug, thiserror::Error)]
#[error("cannot create the workbook")]
pub struct XlsxError(#[from] rust_xlsxwriter::XlsxError);

/// Renders a table as a workbook. Rows beyond the limit of Excel are omitted.
pub fn xlsx(table: &ResultTable, created_at: Timestamp) -> Result<Vec<u8>, XlsxError> {
    let mut workbook = Workbook::new();
    workbook.set_properties(&DocProperties::new().set_creation_datetime(&excel_time(created_at)?));
    let sheet = workbook.add_worksheet();
    sheet.set_name("Links")?;
    let bold = Format::new().set_bold();
    for (column, name) in (0..).zip(&table.columns) {
        sheet.write_string_with_format(0, column, truncated(name), &bold)?;
        sheet.set_column_width(column, COLUMN_WIDTH)?;
    }
    for (row, cells) in (1..).zip(table.rows.iter().take(MAX_ROWS)) {
        for (column, cell) in (0..).zip(cells) {
            sheet.write_string(row, column, truncated(cell))?;
        }
    }
    sheet.set_freeze_panes(1, 0)?;
    Ok(workbook.save_to_buffer()?)
}

/// Converts a time to the type of the library, in UTC.
fn excel_time(time: Timestamp) -> Result<ExcelDateTime, XlsxError> {
    let time = time.to_zoned(TimeZone::UTC).datetime();
    let (year, month, day) = (time.year(), time.month(), time.day());
    let unsigned = |number: i8| number.unsigned_abs();
    let date = ExcelDateTime::from_ymd(year.unsigned_abs(), unsigned(month), unsigned(day))?;
    Ok(date.and_hms(
        unsigned(time.hour()).into(),
        unsigned(time.minute()),
        unsigned(time.second()),
    )?)
}

/// Truncates a text to the maximum length of a cell.
fn truncated(text: &str) -> String {
    text.chars().take(MAX_CELL_CHARACTERS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn xlsx_is_a_zip_file_with_the_same_bytes_each_time() {
        let rows = vec![vec!["=1+1".to_owned(), "x".repeat(40_000)]];
        let table = ResultTable { columns: vec!["a".to_owned(), "b".to_owned()], rows };
        let bytes = xlsx(&table, Timestamp::UNIX_EPOCH).unwrap();
        assert!(bytes.starts_with(b"PK"));
        assert_eq!(bytes, xlsx(&table, Timestamp::UNIX_EPOCH).unwrap());
    }
}
