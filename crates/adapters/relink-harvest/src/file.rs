//! Reads metadata records from files: OAI-PMH dumps, the XML formats LOM and Dublin Core,
//! tables and JSON Lines. A location is a link of a record to the described resource.

use relink_ports::{HarvestedRecord, RecordLink, RecordLinkRole, RecordPage, RecordSourceError};
use serde_json::{Map, Value};

use crate::delimited::rows;
use crate::oai_response::{new_record, parse};
use crate::xml::decode;

/// Names of the field that identifies a record, in order of preference.
const IDENTIFIER_FIELDS: [&str; 4] = ["identifier", "id", "oai_identifier", "record"];
/// Names of the field with the title.
const TITLE_FIELDS: [&str; 2] = ["title", "name"];
/// Names of the fields with locations.
const LOCATION_FIELDS: [&str; 5] = ["url", "location", "link", "href", "uri"];

/// Reads all records of a file. Its name and content select the format. `location_fields` are
/// further elements, columns or fields with locations.
///
/// # Errors
///
/// Fails if the file is XML that cannot be parsed. Invalid rows are returned as problems.
pub fn read_records(
    name: &str,
    bytes: &[u8],
    location_fields: &[String],
) -> Result<RecordPage, RecordSourceError> {
    let text = decode(bytes, None);
    let extension = name.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    let start = text.trim_start();
    if start.starts_with('<') {
        let mut page = parse(name, &text, location_fields)?.page;
        // A saved page may contain the token of its next page.
        page.next_token = None;
        return Ok(page);
    }
    let fields = FieldNames { locations: location_fields };
    Ok(match extension.as_str() {
        "tsv" => fields.read_table(&text, '\t'),
        _ if start.starts_with('{') => fields.read_json_lines(&text),
        _ => fields.read_table(&text, ','),
    })
}

/// The names of fields in tables and JSON objects that the user has given.
struct FieldNames<'a> {
    /// Fields with locations, in addition to [`LOCATION_FIELDS`].
    locations: &'a [String],
}

impl FieldNames<'_> {
    /// Reads a table whose first row contains the column names.
    fn read_table(&self, text: &str, delimiter: char) -> RecordPage {
        let mut page = RecordPage::default();
        let mut rows = rows(text, delimiter).into_iter();
        let Some((_, header)) = rows.next() else { return page };
        for (line, row) in rows {
            let cell = |(name, value): (&String, String)| {
                (name.trim().to_lowercase(), Value::String(value))
            };
            let object: Map<String, Value> = header.iter().zip(row).map(cell).collect();
            self.add(&mut page, line, &object);
        }
        page
    }

    /// Reads one JSON object per line.
    fn read_json_lines(&self, text: &str) -> RecordPage {
        let mut page = RecordPage::default();
        let lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
        for (number, line) in lines {
            match serde_json::from_str::<Map<String, Value>>(line) {
                Ok(object) => self.add(&mut page, number, &object),
                Err(error) => page.problems.push(format!("line {number}: {error}")),
            }
        }
        page
    }

    /// Adds the record of a row, or a problem.
    fn add(&self, page: &mut RecordPage, line: usize, object: &Map<String, Value>) {
        match self.record(object) {
            Some(record) => page.records.push(record),
            None => page.problems.push(format!("line {line}: no identifier and no URL")),
        }
    }

    /// Returns the record of a row. Without an identifier, the first URL identifies the record.
    fn record(&self, object: &Map<String, Value>) -> Option<HarvestedRecord> {
        let links = self.links(object);
        let identifier = first_text(object, &IDENTIFIER_FIELDS);
        let identifier = identifier.or_else(|| links.first().map(|link| link.url.clone()))?;
        let title = first_text(object, &TITLE_FIELDS);
        let metadata = Value::Object(object.clone()).to_string();
        let is_deleted = object.get("deleted").is_some_and(is_true);
        Some(HarvestedRecord { title, links, metadata, ..new_record(identifier, is_deleted) })
    }

    /// Returns the locations of a row.
    fn links(&self, object: &Map<String, Value>) -> Vec<RecordLink> {
        let is_location = |name: &str| {
            LOCATION_FIELDS.contains(&name) || self.locations.iter().any(|field| field == name)
        };
        let values = object.iter().filter(|(name, _)| is_location(name)).map(|(_, value)| value);
        let urls = values.flat_map(texts).filter(|url| !url.is_empty());
        urls.map(|url| RecordLink { role: RecordLinkRole::Location, url }).collect()
    }
}

/// Returns the first non-empty text of these fields.
fn first_text(object: &Map<String, Value>, names: &[&str]) -> Option<String> {
    let values = names.iter().filter_map(|name| object.get(*name));
    values.flat_map(texts).find(|text| !text.is_empty())
}

/// Returns the text of a value, or the texts of a list of values.
fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.trim().to_owned()],
        Value::Number(number) => vec![number.to_string()],
        Value::Array(values) => values.iter().flat_map(texts).collect(),
        _ => Vec::new(),
    }
}

/// Whether a value means `true`, such as `1` or `yes`.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Bool(is_true) => *is_true,
        Value::Number(number) => number.as_i64() == Some(1),
        Value::String(text) => matches!(text.to_lowercase().as_str(), "true" | "1" | "yes"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the records, printed as `IDENTIFIER TITLE URL,URL`. `fields` are further
    /// fields with locations.
    #[track_caller]
    fn check(name: &str, text: &str, fields: &[&str], expect: &[&str]) -> RecordPage {
        let fields: Vec<String> = fields.iter().map(|field| (*field).to_owned()).collect();
        let page = read_records(name, text.as_bytes(), &fields).unwrap();
        let print = |record: &HarvestedRecord| {
            let urls: Vec<_> = record.links.iter().map(|link| link.url.as_str()).collect();
            let title = record.title.as_deref().unwrap_or("-");
            format!("{} {title} {}", record.identifier, urls.join(","))
        };
        assert_eq!(page.records.iter().map(print).collect::<Vec<_>>(), expect);
        page
    }

    #[test]
    fn tables_are_read_by_column_names() {
        let table = "id,Title,URL,mirror\n7,\"A, B\",http://a.test/1,http://b.test/1\n\
                     ,C,http://a.test/2,\n,,,\n,D,,\n";
        let page = check(
            "c.csv",
            table,
            &["mirror"],
            &["7 A, B http://b.test/1,http://a.test/1", "http://a.test/2 C http://a.test/2"],
        );
        assert_eq!(page.problems, ["line 5: no identifier and no URL"]);
    }

    #[test]
    fn json_lines_are_read_by_field_names() {
        let lines = "{\"id\":1,\"title\":\"A\",\"location\":[\"http://a.test/1\",\"http://a.test/2\"]}\n\
                     {broken\n{\"id\":\"2\",\"deleted\":true}\n";
        let page = check("c.jsonl", lines, &[], &["1 A http://a.test/1,http://a.test/2", "2 - "]);
        assert_eq!(page.problems.len(), 1);
        assert!(page.records.last().is_some_and(|record| record.is_deleted));
    }

    #[test]
    fn xml_files_are_read_without_a_next_page() {
        let dump = "<OAI-PMH><ListRecords><record><header><identifier>1</identifier></header>\
                    <metadata><dc><identifier>http://a.test/</identifier></dc></metadata></record>\
                    <resumptionToken>x</resumptionToken></ListRecords></OAI-PMH>";
        let page = check("dump.xml", dump, &[], &["1 - http://a.test/"]);
        assert_eq!(page.next_token, None);
    }
}
