//! The script, and what was seen of the visitors.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use super::Answer;

/// One request that came.
#[derive(Debug, Clone)]
pub struct Seen {
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

impl Seen {
    /// The value of a header, if it was sent.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut headers = self.headers.iter();
        let found = headers.find(|(key, _)| key.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }
}

/// What is answered where, and what was seen.
#[derive(Debug, Default)]
pub(super) struct Site {
    script: HashMap<(Option<String>, String), VecDeque<Answer>>,
    /// By directory, for paths that are in no script.
    catching: HashMap<String, Answer>,
    pub(super) seen: Vec<Seen>,
    pub(super) connections: usize,
}

impl Site {
    pub(super) fn set(
        &mut self,
        host: Option<&str>,
        path: &str,
        answers: impl IntoIterator<Item = Answer>,
    ) {
        let key = (host.map(str::to_owned), path.to_owned());
        self.script.insert(key, answers.into_iter().collect());
    }

    pub(super) fn catch_all(&mut self, directory: &str, answer: Answer) {
        self.catching.insert(directory.to_owned(), answer);
    }

    /// The answer to a request, which is written down.
    ///
    /// A virtual host comes before all hosts, a path with its query before
    /// the bare path, and any path before its directory.
    pub(super) fn answer_to(&mut self, request: Seen) -> Answer {
        let bare = request.path.split('?').next().unwrap_or_default().to_owned();
        let host = Some(request.host.clone());
        let keys = [
            (host.clone(), request.path.clone()),
            (host, bare.clone()),
            (None, request.path.clone()),
            (None, bare.clone()),
        ];
        self.seen.push(request);
        let scripted = keys.iter().find_map(|key| self.advance(key));
        scripted
            .or_else(|| self.caught(&bare))
            .unwrap_or_else(|| Answer::new(404, "<title>Not found</title>"))
    }

    fn caught(&self, path: &str) -> Option<Answer> {
        let around = self.catching.iter().filter(|(directory, _)| path.starts_with(*directory));
        around.max_by_key(|(directory, _)| directory.len()).map(|(_, answer)| answer.clone())
    }

    fn advance(&mut self, key: &(Option<String>, String)) -> Option<Answer> {
        let answers = self.script.get_mut(key)?;
        if answers.len() > 1 {
            return answers.pop_front();
        }
        answers.front().cloned()
    }
}
