//! `relink harvest export`: prints the records, for portals with their own search index.

use relink_ports::{RecordFilter, StoredRecord};
use relink_report::redact;
use serde::Serialize;

use super::Session;
use crate::cli::{HarvestExportArgs, HarvestExportFormat};
use crate::error::{CommandError, Exit};
use crate::output::{cannot_encode, print};

/// Number of records read at a time.
const PAGE_SIZE: usize = 1_000;

/// An exported record.
#[derive(Serialize)]
struct RecordRow {
    provider: String,
    identifier: String,
    title: Option<String>,
    /// `visible`, `hidden` or `deleted`.
    state: &'static str,
    changed_at: String,
    urls: Vec<String>,
    /// The broken URLs, which are not part of `urls`.
    left_out: Vec<String>,
}

/// Runs `export`.
pub async fn run(args: &HarvestExportArgs, session: &Session) -> Result<Exit, CommandError> {
    let mut writer = RowWriter { format: args.format, rows: 0 };
    writer.start()?;
    for (provider, _) in session.providers(&args.names).await? {
        let mut filter = RecordFilter {
            provider: Some(provider.id),
            limit: PAGE_SIZE,
            changed_from: args.since,
            ..RecordFilter::default()
        };
        loop {
            let page = session.store().harvested_records(&filter).await?;
            let Some(last) = page.last() else { break };
            filter.after = last.id;
            for record in page.iter().filter(|record| is_selected(args, record)) {
                writer.write(&record_row(&provider.name, record))?;
            }
        }
    }
    writer.finish()?;
    Ok(Exit::Clean)
}

/// Whether a record is exported. Deleted records are exported only with `--since`, as
/// changes.
fn is_selected(args: &HarvestExportArgs, record: &StoredRecord) -> bool {
    match state(record) {
        "visible" => !args.hidden,
        "hidden" => !args.visible,
        _ => args.since.is_some() && !args.hidden && !args.visible,
    }
}

fn state(record: &StoredRecord) -> &'static str {
    match (record.is_deleted, record.is_visible) {
        (true, _) => "deleted",
        (false, true) => "visible",
        (false, false) => "hidden",
    }
}

fn record_row(provider: &str, record: &StoredRecord) -> RecordRow {
    RecordRow {
        provider: provider.to_owned(),
        identifier: record.identifier.clone(),
        title: record.title.clone(),
        state: state(record),
        changed_at: record.changed_at.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        urls: urls(record, true),
        left_out: urls(record, false),
    }
}

/// Returns the URLs of a record that are published (`is_shown`), or those that are left out.
fn urls(record: &StoredRecord, is_shown: bool) -> Vec<String> {
    let links = record.links.iter().filter(|link| link.is_shown == is_shown);
    links.map(|link| redact(&link.original).to_string()).collect()
}

/// Writes the rows one by one, without storing all of them.
struct RowWriter {
    format: HarvestExportFormat,
    rows: u64,
}

impl RowWriter {
    fn start(&self) -> Result<(), CommandError> {
        match self.format {
            HarvestExportFormat::Json => print("["),
            HarvestExportFormat::Csv => {
                print("provider,identifier,title,state,changed_at,urls,left_out\n")
            }
        }
    }

    fn write(&mut self, row: &RecordRow) -> Result<(), CommandError> {
        self.rows += 1;
        match self.format {
            HarvestExportFormat::Json => {
                let separator = if self.rows > 1 { "," } else { "" };
                let json = serde_json::to_string(row).map_err(cannot_encode)?;
                print(&format!("{separator}\n{json}"))
            }
            HarvestExportFormat::Csv => {
                let (urls, left_out) = (row.urls.join(" "), row.left_out.join(" "));
                let title = row.title.as_deref().unwrap_or_default();
                let cells = [
                    &row.provider,
                    &row.identifier,
                    title,
                    row.state,
                    &row.changed_at,
                    &urls,
                    &left_out,
                ];
                print(&csv_row(&cells))
            }
        }
    }

    fn finish(&self) -> Result<(), CommandError> {
        match self.format {
            HarvestExportFormat::Json => print("\n]\n"),
            HarvestExportFormat::Csv => Ok(()),
        }
    }
}

/// Returns a line of CSV.
pub fn csv_row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| csv_cell(cell)).collect();
    format!("{}\n", cells.join(","))
}

/// Quotes a cell. A text that a spreadsheet would read as a formula gets an apostrophe.
fn csv_cell(text: &str) -> String {
    let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\0']);
    let text = if is_formula { format!("'{text}") } else { text.to_owned() };
    if text.contains(['"', ',', '\n', '\r']) {
        format!("\"{}\"", text.replace('"', "\"\""))
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csv_cell_quotes_separators_and_prefixes_formulas() {
        assert_eq!(csv_cell("plain"), "plain");
        assert_eq!(csv_cell("a,\"b\""), "\"a,\"\"b\"\"\"");
        assert_eq!(csv_cell("=1+1"), "'=1+1");
        assert_eq!(csv_cell("@x,y"), "\"'@x,y\"");
    }
}
