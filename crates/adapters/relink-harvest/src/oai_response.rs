//! Parses responses and dumps (saved responses) of OAI-PMH 2.0.

use jiff::Timestamp;
use relink_ports::{DatestampUnit, HarvestedRecord, RecordPage, RecordSourceError, RepositoryInfo};

use crate::metadata::{Metadata, read_metadata};
use crate::xml::{Element, Node, XmlError, XmlReader};

/// A parsed response.
#[derive(Debug, Default)]
pub(crate) struct OaiResponse {
    /// The records.
    pub(crate) page: RecordPage,
    /// The errors of the protocol: code and message.
    pub(crate) errors: Vec<(String, String)>,
    /// The properties of the provider.
    pub(crate) info: RepositoryInfo,
    /// The local name of the root element.
    pub(crate) root: String,
}

/// Parses a response or a file. LOM and Dublin Core elements outside of a `record`
/// element are records without a header.
pub(crate) fn parse(
    source_name: &str,
    text: &str,
    location_fields: &[String],
) -> Result<OaiResponse, RecordSourceError> {
    let mut parser = Parser {
        reader: XmlReader::new(text),
        location_fields,
        response: OaiResponse::default(),
        namespaces: Vec::new(),
        record: None,
    };
    match parser.run() {
        Ok(()) => Ok(parser.response),
        Err(XmlError { line, column, reason }) => Err(RecordSourceError::Malformed {
            source_name: source_name.to_owned(),
            line,
            column,
            record: parser.record,
            reason,
        }),
    }
}

/// The state of parsing one response.
struct Parser<'a> {
    reader: XmlReader<'a>,
    location_fields: &'a [String],
    response: OaiResponse,
    /// The namespace declarations of each open element.
    namespaces: Vec<Vec<(String, String)>>,
    /// The identifier of the current record.
    record: Option<String>,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), XmlError> {
        loop {
            match self.reader.next()? {
                Node::Open(element) => self.open(&element)?,
                Node::Text(_) => {}
                Node::Close => {
                    self.namespaces.pop();
                }
                Node::End => return Ok(()),
            }
        }
    }

    /// Handles the start of an element.
    fn open(&mut self, element: &Element<'_>) -> Result<(), XmlError> {
        if self.response.root.is_empty() {
            self.response.root.clone_from(&element.name);
        }
        match element.name.as_str() {
            "record" => self.read_record(element),
            "lom" | "dc" => self.read_record_without_header(element),
            "resumptionToken" => self.read_token(element),
            "error" => {
                let code = element.attribute("code").unwrap_or_default();
                let message = self.reader.element_text()?;
                self.response.errors.push((code, message));
                Ok(())
            }
            "responseDate" => {
                self.response.page.responded_at = self.reader.element_text()?.parse().ok();
                Ok(())
            }
            "repositoryName" => {
                self.response.info.name = self.reader.element_text()?;
                Ok(())
            }
            "deletedRecord" => {
                self.response.info.keeps_deletions = self.reader.element_text()? == "persistent";
                Ok(())
            }
            "granularity" => {
                let has_time = self.reader.element_text()?.contains('T');
                self.response.info.unit =
                    if has_time { DatestampUnit::Second } else { DatestampUnit::Day };
                Ok(())
            }
            _ => {
                self.namespaces.push(element.namespaces());
                Ok(())
            }
        }
    }

    /// Reads the resumption token, with which the next page is requested.
    fn read_token(&mut self, element: &Element<'_>) -> Result<(), XmlError> {
        let page = &mut self.response.page;
        page.list_size = element.attribute("completeListSize").and_then(|size| size.parse().ok());
        page.token_expires_at =
            element.attribute("expirationDate").and_then(|time| time.parse::<Timestamp>().ok());
        let token = self.reader.element_text()?;
        self.response.page.next_token = Some(token).filter(|token| !token.is_empty());
        Ok(())
    }

    /// Reads a record with its header.
    fn read_record(&mut self, record: &Element<'_>) -> Result<(), XmlError> {
        self.namespaces.push(record.namespaces());
        let mut header = None;
        let mut metadata = Metadata::default();
        loop {
            match self.reader.next()? {
                Node::Open(element) if element.name == "header" => {
                    header = Some(self.read_header(&element)?);
                }
                Node::Open(element) if element.name == "metadata" => {
                    metadata = self.read_metadata_child(&element)?;
                }
                Node::Open(_) => {
                    self.reader.element_text()?;
                }
                Node::Text(_) => {}
                Node::Close | Node::End => break,
            }
        }
        self.namespaces.pop();
        self.record = None;
        self.finish_record(header, metadata);
        Ok(())
    }

    /// Adds a record to the page, or a problem if it has no identifier.
    fn finish_record(&mut self, header: Option<HarvestedRecord>, metadata: Metadata) {
        match header {
            Some(header) if metadata.problem.is_some() && !header.is_deleted => {
                let problem = metadata.problem.unwrap_or_default();
                self.response
                    .page
                    .problems
                    .push(format!("record {}: {problem}", header.identifier));
            }
            Some(header) if !header.identifier.is_empty() => {
                let (title, links, metadata) = (metadata.title, metadata.links, metadata.xml);
                let record = if header.is_deleted {
                    header
                } else {
                    HarvestedRecord { title, links, metadata, ..header }
                };
                self.response.page.records.push(record);
            }
            _ => {
                let number = self.response.page.records.len() + 1;
                let problem = format!("record {number} of the page has no identifier");
                self.response.page.problems.push(problem);
            }
        }
    }

    /// Reads the header of a record. Returns the record without metadata.
    fn read_header(&mut self, header: &Element<'_>) -> Result<HarvestedRecord, XmlError> {
        let is_deleted = header.attribute("status").is_some_and(|status| status == "deleted");
        let mut record = new_record(String::new(), is_deleted);
        loop {
            match self.reader.next()? {
                Node::Open(element) => {
                    let text = self.reader.element_text()?;
                    match element.name.as_str() {
                        "identifier" => {
                            self.record = Some(text.clone());
                            record.identifier = text;
                        }
                        "datestamp" => record.datestamp = text,
                        "setSpec" => record.sets.push(text),
                        _ => {}
                    }
                }
                Node::Text(_) => {}
                Node::Close | Node::End => return Ok(record),
            }
        }
    }

    /// Reads the element in `metadata`.
    fn read_metadata_child(&mut self, metadata: &Element<'_>) -> Result<Metadata, XmlError> {
        self.namespaces.push(metadata.namespaces());
        let mut parsed = Metadata::default();
        loop {
            match self.reader.next()? {
                Node::Open(root) => parsed = self.read_root(&root)?,
                Node::Text(_) => {}
                Node::Close | Node::End => break,
            }
        }
        self.namespaces.pop();
        Ok(parsed)
    }

    /// Reads the root element of metadata.
    fn read_root(&mut self, root: &Element<'_>) -> Result<Metadata, XmlError> {
        let outer: Vec<_> = innermost(&self.namespaces);
        read_metadata(&mut self.reader, root, &outer, self.location_fields)
    }

    /// Reads metadata without a header as a record. The record has the identifier in the
    /// metadata, or else the first location as its identifier.
    fn read_record_without_header(&mut self, root: &Element<'_>) -> Result<(), XmlError> {
        let metadata = self.read_root(root)?;
        let first_link = metadata.links.first().map(|link| link.url.clone());
        let header = metadata.identifier.clone().or(first_link).map(|id| new_record(id, false));
        self.finish_record(header, metadata);
        Ok(())
    }
}

/// Returns the declarations in scope: the innermost declaration of each prefix.
fn innermost(namespaces: &[Vec<(String, String)>]) -> Vec<(String, String)> {
    let mut scope: Vec<(String, String)> = Vec::new();
    for (name, value) in namespaces.iter().rev().flatten() {
        if !scope.iter().any(|(known, _)| known == name) {
            scope.push((name.clone(), value.clone()));
        }
    }
    scope
}

/// Creates a record without content.
pub(crate) fn new_record(identifier: String, is_deleted: bool) -> HarvestedRecord {
    HarvestedRecord {
        identifier,
        datestamp: String::new(),
        sets: Vec::new(),
        is_deleted,
        title: None,
        links: Vec::new(),
        metadata: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<responseDate>2026-11-18T10:00:00Z</responseDate>
<request verb="ListRecords">http://a.test/oai</request>
<ListRecords>
<record><header><identifier>oai:a:1</identifier><datestamp>2026-11-01</datestamp><setSpec>s</setSpec></header>
<metadata><oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/"><dc:title>One</dc:title>
<dc:identifier>http://a.test/1</dc:identifier></oai_dc:dc></metadata><about><x/></about></record>
<record><header status="deleted"><identifier>oai:a:2</identifier><datestamp>2026-11-02</datestamp></header></record>
<record><header><datestamp>2026-11-02</datestamp></header></record>
<resumptionToken completeListSize="7" cursor="0" expirationDate="2026-11-18T11:00:00Z">next|3</resumptionToken>
</ListRecords></OAI-PMH>"#;

    #[test]
    fn page_with_deleted_and_invalid_records_is_parsed() {
        let response = parse("a.test", PAGE, &[]).unwrap();
        let page = response.page;
        assert_eq!(page.records.len(), 2);
        let [first, second] = &page.records[..] else { panic!("two records") };
        assert_eq!((first.identifier.as_str(), first.title.as_deref()), ("oai:a:1", Some("One")));
        assert_eq!(first.sets, ["s"]);
        assert!(first.metadata.contains("xmlns:dc="), "{}", first.metadata);
        assert!(second.is_deleted && second.metadata.is_empty());
        assert_eq!(page.problems, ["record 3 of the page has no identifier"]);
        assert_eq!((page.next_token.as_deref(), page.list_size), (Some("next|3"), Some(7)));
        assert!(page.token_expires_at.is_some() && page.responded_at.is_some());
    }

    #[test]
    fn malformed_page_names_record_and_position() {
        let broken = PAGE.replace("</dc:title>", "</dc:name>");
        let error = parse("a.test", &broken, &[]).unwrap_err().to_string();
        assert!(error.starts_with("invalid XML in `a.test`, line 7, column"), "{error}");
        assert!(error.contains("record `oai:a:1`"), "{error}");
    }

    #[test]
    fn bare_metadata_is_a_record() {
        let text = "<records xmlns:oai_dc='urn:o' xmlns:dc='urn:d'><oai_dc:dc>\
                    <dc:identifier>http://a.test/1</dc:identifier></oai_dc:dc><lom><general><identifier><entry>l1</entry></identifier></general></lom></records>";
        let page = parse("f.xml", text, &[]).unwrap().page;
        let identifiers: Vec<_> =
            page.records.iter().map(|record| record.identifier.as_str()).collect();
        assert_eq!(identifiers, ["http://a.test/1", "l1"]);
    }

    #[test]
    fn record_that_is_not_well_formed_is_skipped_with_its_position() {
        let undeclared = PAGE.replace("</dc:title>", "</dc:title><y:z/>");
        let page = parse("a.test", &undeclared, &[]).unwrap().page;
        let problem = &page.problems[0];
        assert!(problem.starts_with("record oai:a:1: metadata at line "), "{problem}");
        assert!(problem.ends_with("the prefix of `y:z` is not declared"), "{problem}");
        // The other records of the page are read.
        let complete = parse("a.test", PAGE, &[]).unwrap().page;
        assert_eq!(page.records, complete.records[1..]);
        let sloppy = PAGE.replace("</dc:title>", " &eacute;&#1;\u{2}</dc:title>");
        let page = parse("a.test", &sloppy, &[]).unwrap().page;
        let record = &page.records[0];
        assert!(record.title.as_ref().unwrap().ends_with(" é"), "{record:?}");
        assert!(record.metadata.contains(" é</dc:title>"), "{record:?}");
    }
}
