//! The results of a check as a table.
//!
//! If the only input is a table, the result has the rows of the input with more columns.
//! Otherwise it has one row per link.

use std::collections::HashMap;
use std::path::Path;

use relink_model::{RunId, Verdict};
use relink_page::{DocumentFormat, for_each_row};
use relink_ports::{CheckedTarget, CheckedTargetQuery};
use relink_report::check::ResultTable;
use relink_report::{printable, redact, redact_prose};
use relink_requests::Ports;

use super::RevivalText;
use crate::error::CommandError;

/// Number of targets read at a time.
const BATCH_SIZE: usize = 256;

/// The columns with the result of a link.
const RESULT_COLUMNS: [&str; 7] =
    ["verdict", "code", "status", "since", "reason", "new_url", "archive_url"];

/// The columns with the location of a link.
const LOCATION_COLUMNS: [&str; 4] = ["path", "line", "column", "url"];

/// A link with its result.
struct LinkResult {
    path: String,
    line: u32,
    column: u32,
    /// The byte offset of the link in its document.
    start: usize,
    url: String,
    /// The values of [`RESULT_COLUMNS`].
    cells: [String; RESULT_COLUMNS.len()],
}

/// Returns the results of a run as a table.
pub async fn result_table(
    ports: &Ports,
    run: RunId,
    inputs: &[String],
) -> Result<ResultTable, CommandError> {
    let links = load_results(ports, run).await?;
    if let [input] = inputs
        && let Some(table) = extended_table(ports, input, &links).await
    {
        return Ok(table);
    }
    Ok(link_table(links))
}

/// Returns all links of a run, sorted by document and position.
async fn load_results(ports: &Ports, run: RunId) -> Result<Vec<LinkResult>, CommandError> {
    let mut links = Vec::new();
    let mut query = CheckedTargetQuery { limit: BATCH_SIZE, ..CheckedTargetQuery::ALL };
    loop {
        let batch = ports.store.checked_targets(run, query).await?;
        let Some(last) = batch.last() else { break };
        query.after = last.task;
        for target in &batch {
            let cells = result_cells(ports, target).await?;
            links.extend(target.locations.iter().map(|location| LinkResult {
                path: location.path.clone(),
                line: location.location.line,
                column: location.location.column,
                start: location.location.span.start,
                url: without_control_characters(&redact(&target.original_url)),
                cells: cells.clone(),
            }));
        }
    }
    links.sort_by(|link, other| (&link.path, link.start).cmp(&(&other.path, other.start)));
    Ok(links)
}

/// Returns the values of [`RESULT_COLUMNS`].
async fn result_cells(
    ports: &Ports,
    target: &CheckedTarget,
) -> Result<[String; RESULT_COLUMNS.len()], CommandError> {
    let result = &target.result;
    let (new_url, archive_url) = repair_urls(ports, target).await?;
    Ok([
        result.verdict.to_string(),
        result.code.map(|code| code.to_string()).unwrap_or_default(),
        result.status.map(|status| status.to_string()).unwrap_or_default(),
        result.since.to_string(),
        without_control_characters(&redact_prose(&result.reason)),
        without_control_characters(&redact(&new_url)),
        without_control_characters(&redact(&archive_url)),
    ])
}

/// Returns the new URL of a page and the URL of its archived copy. Unknown URLs are empty.
async fn repair_urls(
    ports: &Ports,
    target: &CheckedTarget,
) -> Result<(String, String), CommandError> {
    if target.result.verdict == Verdict::Moved {
        let last = target.probe.as_ref().and_then(|probe| probe.hops.last());
        return Ok((last.map(|hop| hop.url.clone()).unwrap_or_default(), String::new()));
    }
    if !target.result.verdict.is_gone() {
        return Ok(Default::default());
    }
    let revival = RevivalText::load(&*ports.store, &target.url).await?;
    let Some(view) = revival.as_ref().map(RevivalText::view) else { return Ok(Default::default()) };
    let alias = view.alias.map(|alias| alias.url.to_owned()).unwrap_or_default();
    let copy = view.archived.map(|(_, url)| url.to_owned()).unwrap_or_default();
    Ok((alias, copy))
}

fn without_control_characters(text: &str) -> String {
    printable(text).into_owned()
}

/// Returns a table with one row per link.
fn link_table(links: Vec<LinkResult>) -> ResultTable {
    let columns = LOCATION_COLUMNS.iter().chain(&RESULT_COLUMNS);
    let row = |link: LinkResult| {
        let path = without_control_characters(&link.path);
        let location = [path, link.line.to_string(), link.column.to_string(), link.url];
        location.into_iter().chain(link.cells).collect()
    };
    ResultTable {
        columns: columns.map(|name| (*name).to_owned()).collect(),
        rows: links.into_iter().map(row).collect(),
    }
}

/// Returns the rows of an input table with the results of their links; `None` if
/// the input is not a table.
async fn extended_table(ports: &Ports, input: &str, links: &[LinkResult]) -> Option<ResultTable> {
    let extension = Path::new(input).extension()?.to_str()?.to_ascii_lowercase();
    let format = match extension.as_str() {
        "csv" => DocumentFormat::Csv,
        "tsv" | "tab" => DocumentFormat::Tsv,
        _ => return None,
    };
    let bytes = ports.files.read(Path::new(input)).await.ok()?;
    let links_by_start: HashMap<usize, &LinkResult> =
        links.iter().filter(|link| link.path == input).map(|link| (link.start, link)).collect();
    // The cells of each row, and the first link in the row.
    let mut rows: Vec<(Vec<String>, Option<&LinkResult>)> = Vec::new();
    for_each_row(format, &bytes, &mut |row| {
        let link =
            row.iter().find_map(|cell| links_by_start.get(&cell.location.span.start).copied());
        let cells = row.iter().map(|cell| without_control_characters(&cell.text)).collect();
        rows.push((cells, link));
    });
    let width = rows.iter().map(|(cells, _)| cells.len()).max()?;
    // A first row without a link is a header.
    let has_header = rows.first().is_some_and(|(_, link)| link.is_none());
    let mut columns: Vec<String> = if has_header {
        rows.remove(0).0
    } else {
        (1..=width).map(|number| format!("column {number}")).collect()
    };
    columns.resize(width, String::new());
    columns.extend(RESULT_COLUMNS.map(str::to_owned));
    let rows = rows.into_iter().map(|(mut cells, link)| {
        cells.resize(width, String::new());
        cells.extend(link.map(|link| link.cells.clone()).unwrap_or_default());
        cells
    });
    Some(ResultTable { columns, rows: rows.collect() })
}
