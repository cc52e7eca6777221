//! Reads catalogs in tables and JSON lines, and detects their fields.
//!
//! The *ground truth* is the field that states whether a URL is broken.

use relink_model::{LinkKind, SourceLocation, Span};
use relink_page::{Column, DocumentFormat, TableCell, for_each_row};
use relink_survey::UrlHealth;
use serde_json::Value;

use super::{CatalogBuilder, CatalogError, CatalogFields};

/// Common names of the URL field.
const URL_FIELDS: [&str; 6] = ["url", "uri", "link", "address", "href", "location"];
/// Common names of the domain field.
const DOMAIN_FIELDS: [&str; 1] = ["domain"];
/// Common names of the field that states whether a URL is broken.
const TRUTH_FIELDS: [&str; 2] = ["broken", "dead"];
/// Values that mean that a URL is broken.
const BROKEN: [&str; 6] = ["1", "true", "yes", "broken", "dead", "y"];

/// Columns by index.
#[derive(Debug, Clone, Copy)]
struct Columns {
    url: usize,
    domain: Option<usize>,
    ground_truth: Option<usize>,
    /// Whether the first row is a header.
    has_header: bool,
}

/// Reads a table.
pub(super) fn read_table(
    label: &str,
    format: DocumentFormat,
    bytes: &[u8],
    fields: &CatalogFields,
    builder: &mut CatalogBuilder,
) -> Result<(), CatalogError> {
    let mut columns: Option<Result<Columns, CatalogError>> = None;
    let mut first_row: Option<Vec<TableCell>> = None;
    for_each_row(format, bytes, &mut |row| {
        // If the first row is a header without a common name, the second row shows which
        // column contains URLs.
        let Some(first) = &first_row else {
            first_row = Some(row.to_vec());
            return;
        };
        let detected = columns.get_or_insert_with(|| {
            let columns = detect_columns(label, first, Some(row), fields)?;
            if !columns.has_header {
                add_row(first, columns, builder);
            }
            Ok(columns)
        });
        if let Ok(columns) = detected {
            add_row(row, *columns, builder);
        }
    });
    match (columns, first_row) {
        (Some(columns), _) => columns.map(drop),
        (None, Some(first)) => {
            let columns = detect_columns(label, &first, None, fields)?;
            if !columns.has_header {
                add_row(&first, columns, builder);
            }
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

/// Detects the columns from the first two rows and the fields that the user selected.
fn detect_columns(
    label: &str,
    first: &[TableCell],
    second: Option<&[TableCell]>,
    fields: &CatalogFields,
) -> Result<Columns, CatalogError> {
    let has_header = !first.iter().any(|cell| is_web_url(&cell.text));
    let names = || first.iter().map(|cell| cell.text.clone()).collect();
    let find = |name: &str| {
        let index = match Column::from(name) {
            Column::Number(number) => Some(number - 1).filter(|index| *index < first.len()),
            Column::Named(name) => column_index(first, &name),
        };
        let (label, column) = (label.to_owned(), name.to_owned());
        index.ok_or_else(|| CatalogError::NoColumn { label, column, names: names() })
    };
    let find_common = |common_names: &[&str]| {
        common_names.iter().find_map(|name| column_index(first, name)).filter(|_| has_header)
    };
    let choose = |selected: &Option<String>, common_names: &[&str]| match selected {
        Some(name) => find(name).map(Some),
        None => Ok(find_common(common_names)),
    };
    let url_column = |row: &[TableCell]| row.iter().position(|cell| is_web_url(&cell.text));
    let url = match choose(&fields.url, &URL_FIELDS)? {
        Some(url) => Some(url),
        None => second.and_then(url_column).or_else(|| url_column(first)),
    };
    let url =
        url.ok_or_else(|| CatalogError::NoUrlColumn { label: label.to_owned(), names: names() })?;
    Ok(Columns {
        url,
        domain: choose(&fields.domain, &DOMAIN_FIELDS)?,
        ground_truth: choose(&fields.ground_truth, &TRUTH_FIELDS)?,
        has_header,
    })
}

/// Returns the column with this name, ignoring case.
fn column_index(names: &[TableCell], name: &str) -> Option<usize> {
    let name = name.trim().to_lowercase();
    names.iter().position(|cell| cell.text.to_lowercase() == name)
}

fn is_web_url(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| scheme == "http" || scheme == "https")
}

/// Adds the URL of a row, or a problem if the row has none.
fn add_row(row: &[TableCell], columns: Columns, builder: &mut CatalogBuilder) {
    let text =
        |index: Option<usize>| index.and_then(|index| row.get(index)).map(|cell| &*cell.text);
    let Some(cell) = row.get(columns.url).filter(|cell| !cell.text.is_empty()) else {
        let line = row.first().map_or(0, |cell| cell.location.line);
        return builder.add_problem(line, "the row has no URL".to_owned());
    };
    let ground_truth = text(columns.ground_truth).and_then(parse_health);
    builder.add(&cell.text, text(columns.domain), ground_truth, cell.location);
}

/// Returns what a value of the ground truth states; `None` for an empty value.
fn parse_health(text: &str) -> Option<UrlHealth> {
    let text = text.trim().to_lowercase();
    let is_broken = BROKEN.contains(&text.as_str());
    let health = if is_broken { UrlHealth::Broken } else { UrlHealth::Alive };
    (!text.is_empty()).then_some(health)
}

/// Reads one JSON object per line.
pub(super) fn read_json_lines(
    label: &str,
    bytes: &[u8],
    fields: &CatalogFields,
    builder: &mut CatalogBuilder,
) -> Result<(), CatalogError> {
    let mut start = 0;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let span = Span { start, end: start + text.trim_ascii_end().len() };
        start += text.len();
        if text.trim_ascii().is_empty() {
            continue;
        }
        let location = SourceLocation { span, line, column: 1, kind: LinkKind::Value };
        match serde_json::from_slice::<Value>(text) {
            Ok(record) => add_record(label, &record, fields, location, builder)?,
            Err(_) => builder.add_problem(line, "the line is not valid JSON".to_owned()),
        }
    }
    Ok(())
}

/// Adds the URL of a JSON record, which is an object or a string.
fn add_record(
    label: &str,
    record: &Value,
    fields: &CatalogFields,
    location: SourceLocation,
    builder: &mut CatalogBuilder,
) -> Result<(), CatalogError> {
    let field = |selected: &Option<String>, common_names: &[&str]| match selected {
        Some(name) => record.get(name),
        None => common_names.iter().find_map(|name| record.get(name)),
    };
    let url = match record {
        Value::String(url) => Some(url.as_str()),
        _ => field(&fields.url, &URL_FIELDS).and_then(Value::as_str),
    };
    let Some(url) = url else {
        // If the first record has no URL, the field name is probably wrong. Earlier records
        // would have added a location or a problem.
        if builder.locations.is_empty() && builder.problem_count == 0 {
            return Err(missing_field(label, record, fields));
        }
        builder.add_problem(location.line, "the record has no URL".to_owned());
        return Ok(());
    };
    let domain = field(&fields.domain, &DOMAIN_FIELDS).and_then(Value::as_str);
    let ground_truth = field(&fields.ground_truth, &TRUTH_FIELDS).and_then(|value| match value {
        Value::Null => None,
        Value::String(text) => parse_health(text),
        other => parse_health(&other.to_string()),
    });
    builder.add(url, domain, ground_truth, location);
    Ok(())
}

/// Returns the error for a catalog whose first record has no URL.
fn missing_field(label: &str, record: &Value, fields: &CatalogFields) -> CatalogError {
    let object = record.as_object();
    let names = object.map(|object| object.keys().cloned().collect()).unwrap_or_default();
    let label = label.to_owned();
    match &fields.url {
        Some(column) => CatalogError::NoColumn { label, column: column.clone(), names },
        None => CatalogError::NoUrlColumn { label, names },
    }
}
