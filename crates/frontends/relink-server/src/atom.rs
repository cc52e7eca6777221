//! Documents of the Atom Publishing Protocol (RFC 5023). A service document lists
//! collections (the records of a provider). An entry describes one record.

use std::fmt::Write as _;

use jiff::Timestamp;
use relink_federation::{Submission, SubmissionState, SubmittedLocation};
use relink_model::escape_xml as escape;
use relink_ports::StoredRecord;

/// Media type of a service document.
pub(crate) const SERVICE_TYPE: &str = "application/atomsvc+xml; charset=utf-8";
/// Media type of an entry.
pub(crate) const ENTRY_TYPE: &str = "application/atom+xml; type=entry; charset=utf-8";

/// Returns the service document. `collections` contains the name and the path of the
/// collection of each provider.
pub(crate) fn service_document(collections: &[(String, String)]) -> String {
    let mut xml = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <service xmlns=\"http://www.w3.org/2007/app\" xmlns:atom=\"http://www.w3.org/2005/Atom\">\n\
         <workspace>\n<atom:title>Relink</atom:title>\n",
    );
    for (name, path) in collections {
        let _ = write!(
            xml,
            "<collection href=\"{}\">\n<atom:title>{}</atom:title>\n\
             <accept>application/xml</accept>\n<accept>text/xml</accept>\n\
             <accept>application/atom+xml;type=entry</accept>\n</collection>\n",
            escape(path),
            escape(name)
        );
    }
    xml + "</workspace>\n</service>\n"
}

/// Returns the entry of a submitted record. The category of the entry is the state of the
/// submission. The summary has one line per location (link) and problem.
pub(crate) fn submission_entry(submission: &Submission, path: &str, now: Timestamp) -> String {
    let location_line = |location: &SubmittedLocation| {
        format!("{} {}: {}\n", location.state, location.url, location.reason)
    };
    let mut summary: String = submission.locations.iter().map(location_line).collect();
    for problem in &submission.problems {
        summary.extend(["problem: ", problem, "\n"]);
    }
    entry_document(&Entry {
        identifier: &submission.identifier,
        title: submission.title.as_deref(),
        updated: now,
        state: submission.state,
        path,
        summary: &summary,
    })
}

/// Returns the entry of a stored record. The summary has one line per location (link).
pub(crate) fn record_entry(record: &StoredRecord, path: &str) -> String {
    let mut summary = String::new();
    for link in &record.links {
        let state = if link.is_shown { "published" } else { "left out" };
        summary.extend([state, " ", &link.original, "\n"]);
    }
    entry_document(&Entry {
        identifier: &record.identifier,
        title: record.title.as_deref(),
        updated: record.changed_at,
        state: SubmissionState::of(record),
        path,
        summary: &summary,
    })
}

/// The values of an entry.
struct Entry<'a> {
    identifier: &'a str,
    title: Option<&'a str>,
    updated: Timestamp,
    state: SubmissionState,
    path: &'a str,
    summary: &'a str,
}

/// Formats an entry as XML.
fn entry_document(entry: &Entry<'_>) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <entry xmlns=\"http://www.w3.org/2005/Atom\">\n<id>{}</id>\n<title>{}</title>\n\
         <updated>{}</updated>\n<author><name>Relink</name></author>\n\
         <link rel=\"edit\" href=\"{}\"/>\n\
         <category scheme=\"urn:relink:state\" term=\"{}\"/>\n<summary>{}</summary>\n</entry>\n",
        escape(entry.identifier),
        escape(entry.title.unwrap_or(entry.identifier)),
        entry.updated.strftime("%Y-%m-%dT%H:%M:%SZ"),
        escape(entry.path),
        entry.state,
        escape(entry.summary)
    )
}
