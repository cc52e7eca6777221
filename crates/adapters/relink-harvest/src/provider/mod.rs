//! OAI-PMH 2.0 provider: publishes the harvested metadata records to other harvesters,
//! which are programs that read records with this protocol.
//!
//! Hidden records appear as deleted, with the time of the change as datestamp, so that
//! other harvesters also delete them. A restored record gets a new datestamp. Each source
//! of records is an OAI-PMH set. This module changes no record. The caller accepts
//! connections.

mod arguments;
mod record_xml;
mod token;

use std::fmt::Write as _;
use std::sync::Arc;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use relink_model::escape_xml as escape;
use relink_ports::{HarvestStore, RecordFilter, StoreError, StoredProvider, StoredRecord};

use self::arguments::{Arguments, Selection};
use self::record_xml::{MetadataPrefix, Origin, header, identifier, record, set_spec};
use self::token::ListToken;

/// Number of records or headers per page.
const PAGE_SIZE: usize = 100;

/// An error of the protocol: code and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProtocolError {
    code: &'static str,
    message: String,
}

impl ProtocolError {
    fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

/// Why a request failed.
enum Failure {
    Protocol(ProtocolError),
    Store(StoreError),
}

impl From<ProtocolError> for Failure {
    fn from(error: ProtocolError) -> Self {
        Self::Protocol(error)
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

/// A provider of the records in the store.
pub struct OaiProvider {
    store: Arc<dyn HarvestStore>,
    base_url: String,
    admin_email: String,
}

impl OaiProvider {
    /// Creates a provider with its public base URL.
    pub fn new(store: Arc<dyn HarvestStore>, base_url: String, admin_email: String) -> Self {
        Self { store, base_url, admin_email }
    }

    /// Returns the response to a query string or to the body of a POST request.
    ///
    /// # Errors
    ///
    /// Fails only if the store fails. Invalid requests have a response.
    pub async fn respond(&self, query: &str, now: Timestamp) -> Result<String, StoreError> {
        let arguments = Arguments::parse(query);
        let result = match &arguments {
            Ok(arguments) => self.dispatch(arguments).await,
            Err(error) => Err(error.clone().into()),
        };
        let (request, body) = match result {
            Ok(body) => (self.request_element(arguments.ok().as_ref()), body),
            Err(Failure::Store(error)) => return Err(error),
            Err(Failure::Protocol(error)) => {
                // The response repeats the arguments of the request only if they are
                // valid.
                let is_invalid = matches!(error.code, "badVerb" | "badArgument");
                let arguments = arguments.ok().filter(|_| !is_invalid);
                let message = escape(&error.message);
                let body = format!("<error code=\"{}\">{message}</error>\n", error.code);
                (self.request_element(arguments.as_ref()), body)
            }
        };
        Ok(format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <OAI-PMH xmlns=\"http://www.openarchives.org/OAI/2.0/\" \
             xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" \
             xsi:schemaLocation=\"http://www.openarchives.org/OAI/2.0/ \
             http://www.openarchives.org/OAI/2.0/OAI-PMH.xsd\">\n\
             <responseDate>{}</responseDate>\n{request}{body}</OAI-PMH>\n",
            datestamp(now)
        ))
    }

    fn request_element(&self, arguments: Option<&Arguments>) -> String {
        let mut attributes = String::new();
        for (name, value) in arguments.map(Arguments::pairs).unwrap_or_default() {
            let _ = write!(attributes, " {name}=\"{}\"", escape(value));
        }
        format!("<request{attributes}>{}</request>\n", escape(&self.base_url))
    }

    async fn dispatch(&self, arguments: &Arguments) -> Result<String, Failure> {
        match arguments.verb() {
            "Identify" => Ok(self.identify()),
            "ListMetadataFormats" => self.list_formats(arguments).await,
            "ListSets" => self.list_sets(arguments).await,
            "GetRecord" => self.get_record(arguments).await,
            verb => self.list(verb, arguments).await,
        }
    }

    fn identify(&self) -> String {
        // `earliestDatestamp` is a lower limit. No record needs to have this datestamp.
        format!(
            "<Identify>\n<repositoryName>Relink</repositoryName>\n<baseURL>{}</baseURL>\n\
             <protocolVersion>2.0</protocolVersion>\n<adminEmail>{}</adminEmail>\n\
             <earliestDatestamp>{}</earliestDatestamp>\n\
             <deletedRecord>persistent</deletedRecord>\n\
             <granularity>YYYY-MM-DDThh:mm:ssZ</granularity>\n</Identify>\n",
            escape(&self.base_url),
            escape(&self.admin_email),
            datestamp(Timestamp::UNIX_EPOCH)
        )
    }

    async fn list_formats(&self, arguments: &Arguments) -> Result<String, Failure> {
        let mut formats = vec![MetadataPrefix::DublinCore, MetadataPrefix::Lom];
        if let Some(name) = arguments.get("identifier") {
            let (_, record) = self.find(name).await?;
            formats.retain(|format| format.is_available(&record));
        }
        let mut body = String::from("<ListMetadataFormats>\n");
        for format in formats {
            let (schema, namespace) = format.schema();
            let _ = write!(
                body,
                "<metadataFormat>\n<metadataPrefix>{}</metadataPrefix>\n<schema>{schema}</schema>\n\
                 <metadataNamespace>{namespace}</metadataNamespace>\n</metadataFormat>\n",
                format.as_str()
            );
        }
        Ok(body + "</ListMetadataFormats>\n")
    }

    async fn list_sets(&self, arguments: &Arguments) -> Result<String, Failure> {
        if arguments.get("resumptionToken").is_some() {
            return Err(bad_token().into());
        }
        let providers = self.store.providers().await?;
        if providers.is_empty() {
            return Err(ProtocolError::new("noSetHierarchy", "there are no sets").into());
        }
        let mut body = String::from("<ListSets>\n");
        for provider in providers {
            let (spec, name) = (set_spec(&provider.name), escape(&provider.name));
            let _ = writeln!(body, "<set><setSpec>{spec}</setSpec><setName>{name}</setName></set>");
        }
        Ok(body + "</ListSets>\n")
    }

    async fn get_record(&self, arguments: &Arguments) -> Result<String, Failure> {
        let prefix = arguments.prefix()?;
        let (provider, found) = self.find(arguments.required("identifier")?).await?;
        if !prefix.is_available(&found) {
            return Err(unsupported_prefix().into());
        }
        let has_known_identifier = self.has_known_identifier(&found).await?;
        let origin = Origin { provider: &provider, has_known_identifier };
        Ok(format!("<GetRecord>\n{}</GetRecord>\n", record(origin, &found, prefix)))
    }

    /// Finds a record by its public identifier, which may differ from the original identifier.
    async fn find(&self, name: &str) -> Result<(StoredProvider, StoredRecord), Failure> {
        for provider in self.store.providers().await? {
            let original = record_xml::original_identifier(&provider.name, name);
            if let Some(record) = self.store.harvested_record(provider.id, &original).await? {
                let has_known_identifier = self.has_known_identifier(&record).await?;
                let origin = Origin { provider: &provider, has_known_identifier };
                if identifier(origin, &record.identifier) == name {
                    return Ok((provider, record));
                }
            }
        }
        Err(ProtocolError::new("idDoesNotExist", "there is no such record").into())
    }

    /// Whether an older provider uses the identifier of a record.
    async fn has_known_identifier(&self, record: &StoredRecord) -> Result<bool, Failure> {
        let with_known_identifier = self.store.records_with_known_identifier(&[record.id]).await?;
        Ok(with_known_identifier.contains(&record.id))
    }

    /// Returns a page of a list of records or headers.
    async fn list(&self, verb: &str, arguments: &Arguments) -> Result<String, Failure> {
        let token = match arguments.get("resumptionToken") {
            Some(text) => ListToken::parse(text).ok_or_else(bad_token)?,
            None => ListToken::first(arguments.selection()?),
        };
        let providers = self.store.providers().await?;
        let provider = provider_of(&token.selection, &providers)?;
        let mut filter = RecordFilter {
            provider,
            after: token.after,
            // One record more shows whether there is a next page.
            limit: PAGE_SIZE + 1,
            changed_from: token.selection.from,
            changed_until: token.selection.until,
            with_metadata: true,
        };
        let mut page = Vec::new();
        // Records that are not available in the format are skipped.
        while page.len() <= PAGE_SIZE {
            let records = self.store.harvested_records(&filter).await?;
            let Some(last) = records.last() else { break };
            filter.after = last.id;
            let prefix = token.selection.prefix;
            page.extend(records.into_iter().filter(|record| prefix.is_available(record)));
        }
        if page.is_empty() && token.after == 0 {
            return Err(ProtocolError::new("noRecordsMatch", "no record matches").into());
        }
        let has_more = page.len() > PAGE_SIZE;
        page.truncate(PAGE_SIZE);
        let ids: Vec<i64> = page.iter().map(|record| record.id).collect();
        let with_known_identifier = self.store.records_with_known_identifier(&ids).await?;
        let origin = |record: &StoredRecord| {
            let provider = providers.iter().find(|provider| provider.id == record.provider)?;
            let has_known_identifier = with_known_identifier.contains(&record.id);
            Some(Origin { provider, has_known_identifier })
        };
        Ok(list_body(verb, &page, origin, &token, has_more))
    }
}

/// Writes a page of a list.
fn list_body<'a>(
    verb: &str,
    page: &[StoredRecord],
    origin: impl Fn(&StoredRecord) -> Option<Origin<'a>>,
    token: &ListToken,
    has_more: bool,
) -> String {
    let mut body = format!("<{verb}>\n");
    for stored in page {
        let Some(origin) = origin(stored) else { continue };
        if verb == "ListIdentifiers" {
            body += &header(origin, stored);
        } else {
            body += &record(origin, stored, token.selection.prefix);
        }
    }
    let next = page.last().filter(|_| has_more).map(|last| token.next(last.id).to_string());
    // The last of several pages contains an empty token.
    if next.is_some() || token.after > 0 {
        let next = next.map(|token| escape(&token)).unwrap_or_default();
        let _ = writeln!(body, "<resumptionToken>{next}</resumptionToken>");
    }
    let _ = writeln!(body, "</{verb}>");
    body
}

/// Returns the provider of the requested set.
fn provider_of(
    selection: &Selection,
    providers: &[StoredProvider],
) -> Result<Option<i64>, ProtocolError> {
    let Some(set) = &selection.set else { return Ok(None) };
    let found = providers.iter().find(|provider| set_spec(&provider.name) == *set);
    let none = || ProtocolError::new("noRecordsMatch", "there is no such set");
    Ok(Some(found.ok_or_else(none)?.id))
}

fn bad_token() -> ProtocolError {
    ProtocolError::new("badResumptionToken", "the resumption token is invalid")
}

fn unsupported_prefix() -> ProtocolError {
    ProtocolError::new("cannotDisseminateFormat", "the record is not available in this format")
}

/// Formats a time as a datestamp.
fn datestamp(time: Timestamp) -> String {
    time.to_zoned(TimeZone::UTC).strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}
