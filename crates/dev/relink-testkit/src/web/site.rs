//! The responses of a server and its recorded requests.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::CannedResponse;

/// A recorded request.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The method.
    pub method: String,
    /// The path with its query, as requested.
    pub path: String,
    /// The `Host` header without the port.
    pub host: String,
    /// All headers, in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The time of arrival.
    pub at: Instant,
}

impl RecordedRequest {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }
}

/// A function that creates responses.
#[derive(Clone)]
pub(super) struct ResponseFn(Arc<dyn Fn(&RecordedRequest) -> CannedResponse + Send + Sync>);

impl ResponseFn {
    pub(super) fn new(
        make: impl Fn(&RecordedRequest) -> CannedResponse + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(make))
    }
}

impl fmt::Debug for ResponseFn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ResponseFn")
    }
}

/// The state of a server: its responses and the recorded requests.
#[derive(Debug, Default)]
pub(super) struct Site {
    /// Canned responses by host and path. The host is `None` for responses of all hosts.
    script: HashMap<(Option<String>, String), VecDeque<CannedResponse>>,
    /// Responses by directory, for paths without a canned response.
    catch_all: HashMap<String, ResponseFn>,
    pub(super) requests: Vec<RecordedRequest>,
    pub(super) connections: usize,
    /// The number of requests that wait for their response.
    waiting: usize,
    /// The maximum of `waiting`.
    pub(super) max_waiting: usize,
}

impl Site {
    /// Sets the responses for a path of a host, or of all hosts if `host` is `None`.
    pub(super) fn set(
        &mut self,
        host: Option<&str>,
        path: &str,
        responses: impl IntoIterator<Item = CannedResponse>,
    ) {
        let key = (host.map(str::to_owned), path.to_owned());
        self.script.insert(key, responses.into_iter().collect());
    }

    /// Sets the response for all other paths of a directory.
    pub(super) fn catch_all(&mut self, directory: &str, response_fn: ResponseFn) {
        self.catch_all.insert(directory.to_owned(), response_fn);
    }

    /// Records that a response is sent.
    pub(super) fn record_response(&mut self) {
        self.waiting -= 1;
    }

    /// Records a request and returns its response.
    ///
    /// A virtual host takes precedence over all hosts, a path with its query over
    /// the path alone, and a path over its directory.
    pub(super) fn response_to(&mut self, request: RecordedRequest) -> CannedResponse {
        let path = request.path.split('?').next().unwrap_or_default().to_owned();
        let host = Some(request.host.clone());
        let keys = [
            (host.clone(), request.path.clone()),
            (host, path.clone()),
            (None, request.path.clone()),
            (None, path.clone()),
        ];
        self.waiting += 1;
        self.max_waiting = self.max_waiting.max(self.waiting);
        let scripted = keys.iter().find_map(|key| self.next_response(key));
        let response = scripted
            .or_else(|| self.catch_all_response(&path, &request))
            .unwrap_or_else(|| CannedResponse::new(404, "<title>Not found</title>"));
        self.requests.push(request);
        response
    }

    /// Returns the response of the innermost directory of a path.
    fn catch_all_response(&self, path: &str, request: &RecordedRequest) -> Option<CannedResponse> {
        let matching = self.catch_all.iter().filter(|(directory, _)| path.starts_with(*directory));
        let (_, response_fn) = matching.max_by_key(|(directory, _)| directory.len())?;
        Some((response_fn.0)(request))
    }

    /// Returns the next canned response for a host and path.
    fn next_response(&mut self, key: &(Option<String>, String)) -> Option<CannedResponse> {
        let responses = self.script.get_mut(key)?;
        if responses.len() > 1 {
            return responses.pop_front();
        }
        responses.front().cloned()
    }
}
