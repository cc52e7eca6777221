//! The Simple Publishing Interface: records are submitted, updated and deleted over HTTP.
//!
//! Requests follow the Atom Publishing Protocol (RFC 5023). A collection contains the records
//! of a provider; a member is one record. The service document lists the collections. A
//! submitted record is stored and its links are checked. The response contains the result.

use std::sync::Arc;

use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use hyper::{Method, Request};
use percent_encoding::percent_decode_str;
use relink_federation::{ProviderSettings, RecordOrigin, SubmissionState};
use relink_ports::{
    Clock, HarvestStore, HarvestedRecord, RecordSource, StoreError, StoredProvider, StoredRecord,
};
use relink_requests::EngineError;
use url::Url;

use crate::SPI_PATH;
use crate::atom::{ENTRY_TYPE, SERVICE_TYPE, record_entry, service_document, submission_entry};
use crate::connection::read_body;
use crate::reply::Reply;
use crate::token::{Access, SpiTokens};
use crate::worker::{Change, ChangeError, JobQueue, SpiWorker};

/// Maximum size of a submission in bytes.
const MAX_BODY_BYTES: usize = 1 << 20;
/// Maximum number of links in a submitted record.
const MAX_LINKS: usize = 100;
/// Maximum length of an identifier.
const MAX_IDENTIFIER_LENGTH: usize = 1_000;
/// The wait that a busy server requests, in seconds.
pub(crate) const RETRY_AFTER: &str = "10";

/// The publishing interface.
pub struct SpiService {
    tokens: SpiTokens,
    store: Arc<dyn HarvestStore>,
    source: Arc<dyn RecordSource>,
    clock: Arc<dyn Clock>,
    jobs: JobQueue,
}

/// The resource that a path names.
enum Resource {
    /// The service document.
    Service,
    /// All records of a provider.
    Collection(StoredProvider, ProviderSettings),
    /// One record of a provider.
    Member(StoredProvider, ProviderSettings, String),
}

impl SpiService {
    /// Creates the interface and the worker that processes its submissions.
    pub fn new(
        tokens: SpiTokens,
        store: Arc<dyn HarvestStore>,
        source: Arc<dyn RecordSource>,
        clock: Arc<dyn Clock>,
    ) -> (Self, SpiWorker) {
        let (jobs, worker) = SpiWorker::new();
        (Self { tokens, store, source, clock, jobs }, worker)
    }

    /// Responds to a request, if it has a valid token.
    pub(crate) async fn respond(&self, request: Request<Incoming>) -> Reply {
        let authorization = header(&request, AUTHORIZATION.as_str());
        let Some(access) = self.tokens.access(&authorization) else {
            return Reply::problem(401, "unauthorized", "a valid token is required")
                .with_header("WWW-Authenticate", "Bearer realm=\"SPI\"");
        };
        match self.execute(request, &access).await {
            Ok(reply) | Err(Rejection::Reply(reply)) => reply,
            Err(Rejection::Failed) => {
                Reply::problem(500, "internal error", "the record was not stored; try again later")
            }
        }
    }

    /// Executes a request by its resource and method.
    async fn execute(
        &self,
        request: Request<Incoming>,
        access: &Access<'_>,
    ) -> Result<Reply, Rejection> {
        let resource = self.find_resource(request.uri().path(), access).await?;
        match (request.method().clone(), resource) {
            (Method::GET, Resource::Service) => self.list_collections(access).await,
            (Method::GET, Resource::Member(provider, _, identifier)) => {
                let record = self.find_record(&provider, &identifier).await?;
                let path = member_path(&provider.name, &identifier);
                Ok(Reply::new(200, ENTRY_TYPE, record_entry(&record, &path)))
            }
            (Method::POST, Resource::Collection(provider, settings)) => {
                self.create(&provider, &settings, request).await
            }
            (Method::PUT, Resource::Member(provider, settings, identifier)) => {
                self.find_record(&provider, &identifier).await?;
                let record = self.read_record(&settings, request).await?;
                let record = HarvestedRecord { identifier, ..record };
                Ok(self.submit(&provider, &settings, record).await?.0)
            }
            (Method::DELETE, Resource::Member(provider, settings, identifier)) => {
                self.find_record(&provider, &identifier).await?;
                let change = Change::Withdraw(identifier);
                self.jobs.process(&provider, &settings, change).await?;
                Ok(Reply::new(204, ENTRY_TYPE, String::new()))
            }
            (_, Resource::Service) => Err(not_allowed("GET")),
            (_, Resource::Collection(..)) => Err(not_allowed("POST")),
            (_, Resource::Member(..)) => Err(not_allowed("GET, PUT, DELETE")),
        }
    }

    /// Returns the resource with this path: `/spi`, `/spi/PROVIDER` or
    /// `/spi/PROVIDER/IDENTIFIER`.
    async fn find_resource(&self, path: &str, access: &Access<'_>) -> Result<Resource, Rejection> {
        let rest = path.strip_prefix(SPI_PATH).unwrap_or_default().trim_start_matches('/');
        if rest.is_empty() {
            return Ok(Resource::Service);
        }
        let (name, identifier) = rest.split_once('/').unwrap_or((rest, ""));
        let name = decode_segment(name)?;
        let identifier = decode_segment(identifier)?;
        let providers = self.store.providers().await?;
        let provider =
            providers.into_iter().find(|provider| provider.name == name && access.includes(&name));
        let Some(provider) = provider else {
            return Err(reject(404, "not found", "there is no such provider for this token"));
        };
        let settings: ProviderSettings =
            serde_json::from_str(&provider.settings).map_err(|_| Rejection::Failed)?;
        // Only providers that were added with `--spi` submit records.
        if settings.origin != RecordOrigin::Spi {
            return Err(reject(403, "forbidden", "the records of this provider are harvested"));
        }
        Ok(if identifier.is_empty() {
            Resource::Collection(provider, settings)
        } else {
            Resource::Member(provider, settings, identifier)
        })
    }

    /// Returns the service document with the collections that the token gives access to.
    async fn list_collections(&self, access: &Access<'_>) -> Result<Reply, Rejection> {
        let providers = self.store.providers().await?;
        let is_accessible = |provider: &&StoredProvider| {
            let settings = serde_json::from_str::<ProviderSettings>(&provider.settings);
            access.includes(&provider.name)
                && settings.is_ok_and(|settings| settings.origin == RecordOrigin::Spi)
        };
        let collections: Vec<_> = providers
            .iter()
            .filter(is_accessible)
            .map(|provider| (provider.name.clone(), member_path(&provider.name, "")))
            .collect();
        Ok(Reply::new(200, SERVICE_TYPE, service_document(&collections)))
    }

    /// Stores a new record. The header `Slug` can set the identifier of the record.
    async fn create(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        request: Request<Incoming>,
    ) -> Result<Reply, Rejection> {
        let slug = decode_segment(&header(&request, "slug"))?;
        let mut record = self.read_record(settings, request).await?;
        if !slug.is_empty() {
            record.identifier = slug;
        }
        if record.identifier.len() > MAX_IDENTIFIER_LENGTH {
            return Err(reject(422, "invalid record", "the identifier is too long"));
        }
        if self.find_record(provider, &record.identifier).await.is_ok() {
            let detail = "the record exists; update it with PUT";
            return Err(reject(409, "conflict", detail));
        }
        let path = member_path(&provider.name, &record.identifier);
        let (reply, state) = self.submit(provider, settings, record).await?;
        // Status 202: the record waits for its check and is not published yet.
        let status = if state == SubmissionState::Pending { 202 } else { 201 };
        Ok(reply.with_status(status).with_header("Location", path))
    }

    /// Stores and checks a record. Returns its entry and state.
    async fn submit(
        &self,
        provider: &StoredProvider,
        settings: &ProviderSettings,
        record: HarvestedRecord,
    ) -> Result<(Reply, SubmissionState), Rejection> {
        let path = member_path(&provider.name, &record.identifier);
        let submission = self.jobs.process(provider, settings, Change::Submit(record)).await?;
        let submission = submission.ok_or(Rejection::Failed)?;
        let entry = submission_entry(&submission, &path, self.clock.now());
        Ok((Reply::new(200, ENTRY_TYPE, entry), submission.state))
    }

    /// Reads the record in the body of a request.
    async fn read_record(
        &self,
        settings: &ProviderSettings,
        request: Request<Incoming>,
    ) -> Result<HarvestedRecord, Rejection> {
        let content_type = header(&request, CONTENT_TYPE.as_str());
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        if !matches!(media_type, "application/xml" | "text/xml" | "application/atom+xml") {
            let detail = "send LOM, Dublin Core or an Atom entry as application/xml, text/xml or \
                          application/atom+xml";
            let reply = Reply::problem(415, "unsupported media type", detail);
            return Err(Rejection::Reply(reply.with_header("Accept", "application/xml")));
        }
        let body = read_body(request.into_body(), MAX_BODY_BYTES).await?;
        if !is_xml(&body) {
            return Err(reject(422, "invalid record", "the body is not XML"));
        }
        let page = self
            .source
            .file_records("the submission", &body, &settings.location_fields)
            .map_err(|error| reject(422, "invalid record", &error.to_string()))?;
        let invalid = |detail: &str| Err(reject(422, "invalid record", detail));
        let mut records = page.records;
        let Some(record) = records.pop() else {
            let problems: Vec<String> =
                page.problems.iter().map(|problem| format!(": {problem}")).collect();
            let problems = problems.concat();
            return invalid(&format!(
                "the body contains no LOM or Dublin Core record with an identifier or a \
                 location{problems}"
            ));
        };
        if !records.is_empty() {
            return invalid("send one record at a time");
        }
        if record.is_deleted {
            return invalid("delete a record with DELETE");
        }
        if record.links.len() > MAX_LINKS {
            return invalid(&format!("the record has more than {MAX_LINKS} links"));
        }
        Ok(record)
    }

    /// Returns the record with this identifier. Rejects the request if the record does not
    /// exist or is deleted.
    async fn find_record(
        &self,
        provider: &StoredProvider,
        identifier: &str,
    ) -> Result<StoredRecord, Rejection> {
        let found = self.store.harvested_record(provider.id, identifier).await?;
        let record = found.filter(|record| !record.is_deleted);
        record.ok_or_else(|| reject(404, "not found", "there is no such record"))
    }
}

/// The reason why a request was not executed.
enum Rejection {
    /// The request cannot be executed; the response states the reason.
    Reply(Reply),
    /// An internal error.
    Failed,
}

impl From<StoreError> for Rejection {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Locked { .. } => unavailable("another program uses the database"),
            _ => Self::Failed,
        }
    }
}

impl From<ChangeError> for Rejection {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Engine(EngineError::Store(error)) => error.into(),
            ChangeError::Engine(_) => Self::Failed,
            ChangeError::Overloaded => unavailable("too many submissions are waiting"),
            ChangeError::Stopped => unavailable("the server is being stopped"),
        }
    }
}

/// Rejects a request that the client should repeat later.
fn unavailable(detail: &str) -> Rejection {
    let reply = Reply::problem(503, "unavailable", detail);
    Rejection::Reply(reply.with_header("Retry-After", RETRY_AFTER))
}

impl From<crate::connection::BodyError> for Rejection {
    fn from(error: crate::connection::BodyError) -> Self {
        Self::Reply(error.into())
    }
}

/// Rejects a request with this status and error description.
fn reject(status: u16, title: &str, detail: &str) -> Rejection {
    Rejection::Reply(Reply::problem(status, title, detail))
}

/// Rejects a request with another method than those in `allowed`.
fn not_allowed(allowed: &'static str) -> Rejection {
    let reply = Reply::problem(405, "method not allowed", &format!("use {allowed}"));
    Rejection::Reply(reply.with_header("Allow", allowed))
}

/// Returns the value of a header; an empty text if the request does not have it.
fn header(request: &Request<Incoming>, name: &str) -> String {
    let value = request.headers().get(name).and_then(|value| value.to_str().ok());
    value.unwrap_or_default().to_owned()
}

/// Decodes a percent-encoded segment of a path.
fn decode_segment(text: &str) -> Result<String, Rejection> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(Into::into).map_err(|_| reject(400, "bad request", "the path is not UTF-8"))
}

/// Whether a body may be XML. Without this check, the parser could read the body as a table or
/// JSON.
fn is_xml(body: &[u8]) -> bool {
    let start = body.iter().find(|byte| !byte.is_ascii_whitespace());
    // The body starts with an element, or with the byte order mark of UTF-8 or UTF-16.
    start.is_some_and(|byte| matches!(byte, b'<' | 0xEF | 0xFE | 0xFF))
}

/// Returns the path of a record, or of the collection if the identifier is empty.
fn member_path(provider: &str, identifier: &str) -> String {
    let mut path = SPI_PATH.to_owned();
    for segment in [provider, identifier].into_iter().filter(|segment| !segment.is_empty()) {
        path.push('/');
        path.extend(encode_segment(segment));
    }
    path
}

/// Percent-encodes a segment of a path.
fn encode_segment(segment: &str) -> Option<String> {
    let mut url = Url::parse("http://localhost/").ok()?;
    url.path_segments_mut().ok()?.clear().push(segment);
    url.path().strip_prefix('/').map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_path_is_percent_encoded() {
        assert_eq!(member_path("my repo", ""), "/spi/my%20repo");
        assert_eq!(member_path("p", "http://a.test/?x=1"), "/spi/p/http:%2F%2Fa.test%2F%3Fx=1");
        assert!(decode_segment("http:%2F%2Fa.test%2F").is_ok_and(|text| text == "http://a.test/"));
        assert!(decode_segment("%FF").is_err());
    }

    #[test]
    fn is_xml_rejects_json_tables_and_empty_bodies() {
        assert!(is_xml(b"\n <lom/>") && is_xml(b"\xEF\xBB\xBF<lom/>"));
        assert!(!is_xml(b"{}") && !is_xml(b"id,url\n") && !is_xml(b""));
    }
}
