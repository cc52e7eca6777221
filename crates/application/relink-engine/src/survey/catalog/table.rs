//! Catalogs in tables and in lines of JSON: which field means what.

use relink_model::{LinkKind, SourceLocation, Span};
use relink_page::{Column, DocumentFormat, TableCell, for_each_row};
use relink_survey::UrlHealth;
use serde_json::Value;

use super::{CatalogError, CatalogFields, Collecting};

/// Names that the field with the address has, where none is named.
const URL_NAMES: [&str; 6] = ["url", "uri", "link", "address", "href", "location"];
/// The name that the field with the domain has.
const DOMAIN_NAMES: [&str; 1] = ["domain"];
/// Names that the field with the truth has.
const TRUTH_NAMES: [&str; 2] = ["broken", "dead"];
/// Texts that say that a URL is broken.
const BROKEN: [&str; 6] = ["1", "true", "yes", "broken", "dead", "y"];

/// The columns that count, by index.
#[derive(Debug, Clone, Copy)]
struct Columns {
    url: usize,
    domain: Option<usize>,
    truth: Option<usize>,
    /// Whether the first row names the columns.
    has_names: bool,
}

/// Reads a table.
pub(super) fn read(
    label: &str,
    format: DocumentFormat,
    bytes: &[u8],
    fields: &CatalogFields,
    collecting: &mut Collecting,
) -> Result<(), CatalogError> {
    let mut columns: Option<Result<Columns, CatalogError>> = None;
    let mut first: Option<Vec<TableCell>> = None;
    for_each_row(format, bytes, &mut |row| {
        // The second row tells which column holds addresses if no name does.
        let Some(names) = &first else {
            first = Some(row.to_vec());
            return;
        };
        let found = columns.get_or_insert_with(|| {
            let columns = columns_of(label, names, Some(row), fields)?;
            if !columns.has_names {
                add_row(names, columns, collecting);
            }
            Ok(columns)
        });
        if let Ok(columns) = found {
            add_row(row, *columns, collecting);
        }
    });
    match (columns, first) {
        (Some(columns), _) => columns.map(drop),
        (None, Some(only)) => {
            let columns = columns_of(label, &only, None, fields)?;
            if !columns.has_names {
                add_row(&only, columns, collecting);
            }
            Ok(())
        }
        (None, None) => Ok(()),
    }
}

fn columns_of(
    label: &str,
    first: &[TableCell],
    second: Option<&[TableCell]>,
    fields: &CatalogFields,
) -> Result<Columns, CatalogError> {
    let has_names = !first.iter().any(|cell| is_address(&cell.text));
    let names = || first.iter().map(|cell| cell.text.clone()).collect();
    let find = |wanted: &str| {
        let index = match Column::from(wanted) {
            Column::Number(number) => Some(number - 1).filter(|index| *index < first.len()),
            Column::Named(name) => position(first, &name),
        };
        let (label, column) = (label.to_owned(), wanted.to_owned());
        index.ok_or_else(|| CatalogError::NoColumn { label, column, names: names() })
    };
    let usual =
        |usual: &[&str]| usual.iter().find_map(|name| position(first, name)).filter(|_| has_names);
    let choose = |wanted: &Option<String>, names: &[&str]| match wanted {
        Some(wanted) => find(wanted).map(Some),
        None => Ok(usual(names)),
    };
    let filled = |row: &[TableCell]| row.iter().position(|cell| is_address(&cell.text));
    let url = match choose(&fields.url, &URL_NAMES)? {
        Some(url) => Some(url),
        None => second.and_then(filled).or_else(|| filled(first)),
    };
    let url =
        url.ok_or_else(|| CatalogError::NoAddresses { label: label.to_owned(), names: names() })?;
    Ok(Columns {
        url,
        domain: choose(&fields.domain, &DOMAIN_NAMES)?,
        truth: choose(&fields.truth, &TRUTH_NAMES)?,
        has_names,
    })
}

/// The column of this name; how it is cased does not matter.
fn position(names: &[TableCell], name: &str) -> Option<usize> {
    let name = name.trim().to_lowercase();
    names.iter().position(|cell| cell.text.to_lowercase() == name)
}

fn is_address(text: &str) -> bool {
    let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
    scheme.is_some_and(|scheme| scheme == "http" || scheme == "https")
}

fn add_row(row: &[TableCell], columns: Columns, collecting: &mut Collecting) {
    let text = |index: Option<usize>| index.and_then(|index| row.get(index)).map(|it| &*it.text);
    let Some(cell) = row.get(columns.url).filter(|cell| !cell.text.is_empty()) else {
        let line = row.first().map_or(0, |cell| cell.location.line);
        return collecting.problem(line, "the row has no address".to_owned());
    };
    let truth = text(columns.truth).map(answer);
    collecting.add(&cell.text, text(columns.domain), truth, cell.location);
}

fn answer(text: &str) -> UrlHealth {
    let is_broken = BROKEN.contains(&text.to_lowercase().as_str());
    if is_broken { UrlHealth::Broken } else { UrlHealth::Alive }
}

/// Reads one JSON object a line.
pub(super) fn read_json_lines(
    label: &str,
    bytes: &[u8],
    fields: &CatalogFields,
    collecting: &mut Collecting,
) -> Result<(), CatalogError> {
    let mut start = 0;
    for (line, text) in (1..).zip(bytes.split_inclusive(|byte| *byte == b'\n')) {
        let span = Span { start, end: start + text.trim_ascii_end().len() };
        start += text.len();
        if text.trim_ascii().is_empty() {
            continue;
        }
        let place = SourceLocation { span, line, column: 1, kind: LinkKind::Value };
        match serde_json::from_slice::<Value>(text) {
            Ok(record) => add_record(label, &record, fields, place, collecting)?,
            Err(_) => collecting.problem(line, "the line is no JSON".to_owned()),
        }
    }
    Ok(())
}

fn add_record(
    label: &str,
    record: &Value,
    fields: &CatalogFields,
    place: SourceLocation,
    collecting: &mut Collecting,
) -> Result<(), CatalogError> {
    let field = |wanted: &Option<String>, usual: &[&str]| match wanted {
        Some(name) => record.get(name),
        None => usual.iter().find_map(|name| record.get(name)),
    };
    let url = match record {
        Value::String(url) => Some(url.as_str()),
        _ => field(&fields.url, &URL_NAMES).and_then(Value::as_str),
    };
    let Some(url) = url else {
        // The first record stands for all: a wrong name must not pass unseen.
        if collecting.places.is_empty() && collecting.problem_count == 0 {
            return Err(no_field(label, record, fields));
        }
        collecting.problem(place.line, "the record has no address".to_owned());
        return Ok(());
    };
    let domain = field(&fields.domain, &DOMAIN_NAMES).and_then(Value::as_str);
    let truth = field(&fields.truth, &TRUTH_NAMES).map(|value| match value {
        Value::String(text) => answer(text),
        other => answer(&other.to_string()),
    });
    collecting.add(url, domain, truth, place);
    Ok(())
}

fn no_field(label: &str, record: &Value, fields: &CatalogFields) -> CatalogError {
    let names = record.as_object().map(|it| it.keys().cloned().collect()).unwrap_or_default();
    let label = label.to_owned();
    match &fields.url {
        Some(column) => CatalogError::NoColumn { label, column: column.clone(), names },
        None => CatalogError::NoAddresses { label, names },
    }
}
