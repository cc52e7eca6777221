//! The script, and what was seen of the visitors.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;
use std::time::Instant;

use super::CannedResponse;

/// One request that came.
#[derive(Debug, Clone)]
pub struct RecordedRequest {
    /// The method.
    pub method: String,
    /// The path with its query, as requested.
    pub path: String,
    /// The host asked for, without its port.
    pub host: String,
    /// All headers, in order, names in lower case.
    pub headers: Vec<(String, String)>,
    /// When it came.
    pub at: Instant,
}

impl RecordedRequest {
    /// The value of a header, if it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }
}

/// Makes up answers as they are asked for.
#[derive(Clone)]
pub(super) struct Maker(Arc<dyn Fn(&RecordedRequest) -> CannedResponse + Send + Sync>);

impl Maker {
    pub(super) fn new(
        make: impl Fn(&RecordedRequest) -> CannedResponse + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(make))
    }
}

impl fmt::Debug for Maker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Maker")
    }
}

/// What is answered where, and what was seen.
#[derive(Debug, Default)]
pub(super) struct Site {
    script: HashMap<(Option<String>, String), VecDeque<CannedResponse>>,
    /// By directory, for paths that are in no script.
    catching: HashMap<String, Maker>,
    pub(super) seen: Vec<RecordedRequest>,
    pub(super) connections: usize,
    /// Requests that wait for their answer now, and the most there ever were.
    waiting: usize,
    pub(super) most_waiting: usize,
}

impl Site {
    pub(super) fn set(
        &mut self,
        host: Option<&str>,
        path: &str,
        answers: impl IntoIterator<Item = CannedResponse>,
    ) {
        let key = (host.map(str::to_owned), path.to_owned());
        self.script.insert(key, answers.into_iter().collect());
    }

    pub(super) fn catch_all(&mut self, directory: &str, maker: Maker) {
        self.catching.insert(directory.to_owned(), maker);
    }

    /// A request was answered.
    pub(super) fn note_answered(&mut self) {
        self.waiting -= 1;
    }

    /// The answer to a request, which is written down.
    ///
    /// A virtual host comes before all hosts, a path with its query before
    /// the bare path, and any path before its directory.
    pub(super) fn answer_to(&mut self, request: RecordedRequest) -> CannedResponse {
        let bare = request.path.split('?').next().unwrap_or_default().to_owned();
        let host = Some(request.host.clone());
        let keys = [
            (host.clone(), request.path.clone()),
            (host, bare.clone()),
            (None, request.path.clone()),
            (None, bare.clone()),
        ];
        self.waiting += 1;
        self.most_waiting = self.most_waiting.max(self.waiting);
        let scripted = keys.iter().find_map(|key| self.advance(key));
        let answer = scripted
            .or_else(|| self.caught(&bare, &request))
            .unwrap_or_else(|| CannedResponse::new(404, "<title>Not found</title>"));
        self.seen.push(request);
        answer
    }

    fn caught(&self, path: &str, request: &RecordedRequest) -> Option<CannedResponse> {
        let around = self.catching.iter().filter(|(directory, _)| path.starts_with(*directory));
        let (_, maker) = around.max_by_key(|(directory, _)| directory.len())?;
        Some((maker.0)(request))
    }

    fn advance(&mut self, key: &(Option<String>, String)) -> Option<CannedResponse> {
        let answers = self.script.get_mut(key)?;
        if answers.len() > 1 {
            return answers.pop_front();
        }
        answers.front().cloned()
    }
}
