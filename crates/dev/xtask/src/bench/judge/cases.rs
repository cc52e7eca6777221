//! Generates probes of many kinds for `bench judge`, with their expected verdicts.

use jiff::Timestamp;
use relink_judge::control_url;
use relink_model::{
    Attempt, Control, ControlKind, Digest, FetchOutcome, FetchPurpose, History, Hop, PageFlag,
    Probe, Timings, Verdict,
};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::XtaskError;

/// A case as read from the store.
#[derive(Debug)]
pub(super) struct JudgeCase {
    pub(super) url: String,
    pub(super) attempts: Vec<Attempt>,
    pub(super) probe: Probe,
    pub(super) controls: Vec<Control>,
    pub(super) history: History,
    pub(super) expected: Verdict,
}

/// Words of the pages. None of them is a phrase of the judge.
const WORDS: [&str; 24] = [
    "anchor", "barley", "chapel", "dune", "ember", "ferry", "granite", "heron", "island",
    "juniper", "kettle", "lichen", "meadow", "nettle", "otter", "plough", "quarry", "rafter",
    "saddle", "thimble", "umber", "valley", "willow", "yarrow",
];

/// Words of an ordinary page.
const WORDS_PER_PAGE: usize = 220;

/// A menu, as on many pages.
const MENU: &str = "Home Search Log in Subscribe Page tools not available offline";

/// Generates cases. Each is serialized and read back.
pub(super) fn generate_cases(count: usize) -> Result<Vec<JudgeCase>, XtaskError> {
    (0..count)
        .map(|number| CaseGenerator { number }.generate().and_then(JudgeCase::after_serialization))
        .collect()
}

impl JudgeCase {
    /// Returns the case after it was written as JSON and read back.
    fn after_serialization(self) -> Result<Self, XtaskError> {
        let controls: Result<Vec<Control>, XtaskError> = self
            .controls
            .into_iter()
            .map(|control| {
                let probe = control.probe.as_deref().map(write_and_read).transpose()?;
                Ok(Control { probe: probe.map(Into::into), ..control })
            })
            .collect();
        Ok(Self {
            attempts: self.attempts.iter().map(write_and_read).collect::<Result<_, _>>()?,
            probe: write_and_read(&self.probe)?,
            history: write_and_read(&self.history)?,
            controls: controls?,
            ..self
        })
    }
}

/// Writes a value as JSON and reads it back.
fn write_and_read<T: Serialize + DeserializeOwned>(value: &T) -> Result<T, XtaskError> {
    let to_error = |error| XtaskError::new(format!("cannot be stored: {error}"));
    serde_json::from_str(&serde_json::to_string(value).map_err(to_error)?).map_err(to_error)
}

/// Derives a case from a number. Half of the cases are ordinary pages.
struct CaseGenerator {
    number: usize,
}

impl CaseGenerator {
    /// Generates the case of this number.
    fn generate(&self) -> Result<JudgeCase, XtaskError> {
        Ok(match self.number % 10 {
            0..=4 => self.ordinary_page(),
            5 => self.soft_404(),
            6 => self.rotating_page()?,
            7 => self.login_or_challenge(),
            8 => self.page_with_history(),
            _ => self.redirect_to_home(),
        })
    }

    /// A page on a site that responds with 404 to random names.
    fn ordinary_page(&self) -> JudgeCase {
        let mut case = self.respond_with(self.page(0), Verdict::Alive);
        let refused = Probe { digest: None, ..probe(&[&case.url], 404, Digest::default()) };
        case.add_control(ControlKind::RandomName, refused);
        case
    }

    /// A site with one error page for all URLs.
    fn soft_404(&self) -> JudgeCase {
        let error = digest("Library", &["Catalog"], &self.text(1, WORDS_PER_PAGE));
        let mut case = self.respond_with(error.clone(), Verdict::Soft404);
        case.add_control(ControlKind::RandomName, probe(&[], 200, error));
        case
    }

    /// A site that returns a new page for each request.
    fn rotating_page(&self) -> Result<JudgeCase, XtaskError> {
        let response =
            |response| digest("Library", &["For you"], &self.text(response, WORDS_PER_PAGE));
        let mut case = self.respond_with(response(1), Verdict::Soft404);
        let kinds = [ControlKind::RandomName, ControlKind::SecondRandomName, ControlKind::Refetch];
        for (kind, number) in kinds.into_iter().zip(2..) {
            case.add_control(kind, probe(&[], 200, response(number)));
        }
        if case.controls.len() == kinds.len() {
            Ok(case)
        } else {
            Err(XtaskError::new("a control has no URL"))
        }
    }

    /// A login page or a bot challenge instead of the page.
    fn login_or_challenge(&self) -> JudgeCase {
        let mut page = match self.number % 20 {
            7 => digest("Just a moment...", &[], "Checking your browser"),
            _ => digest("Sign in", &["Sign in"], "Name and password, please"),
        };
        page.flags.push(if self.number % 20 == 7 {
            PageFlag::BotChallenge
        } else {
            PageFlag::PasswordField
        });
        self.respond_with(page, Verdict::Blocked)
    }

    /// A page with history: unchanged, or with a new owner.
    fn page_with_history(&self) -> JudgeCase {
        let before = self.page(0);
        let (now, verdict) = if self.number % 20 == 8 {
            (before.clone(), Verdict::Alive)
        } else {
            let text = "Casino bonus, best odds, slots, roulette and jackpot every day";
            (digest("Online casino and betting", &["Jackpot"], text), Verdict::Hijacked)
        };
        let mut case = self.respond_with(now, verdict);
        case.history.digest = Some(before.into());
        case
    }

    /// A site that redirects unknown URLs to its home page.
    fn redirect_to_home(&self) -> JudgeCase {
        let home = "http://library.example.org/";
        let page = digest("Library", &["Welcome"], &self.text(1, WORDS_PER_PAGE));
        let mut case = self.respond_with(page.clone(), Verdict::Soft404);
        case.probe = probe(&[&case.url, home], 200, page.clone());
        let random_url = control_url(ControlKind::RandomName, &case.url, 1)
            .map_or(String::new(), |control| control.url);
        case.add_control(ControlKind::RandomName, probe(&[&random_url, home], 200, page));
        case
    }

    /// Returns a case in which the server responded with this page.
    fn respond_with(&self, digest: Digest, expected: Verdict) -> JudgeCase {
        let url = format!(
            "http://library.example.org/{}/{}-{}.html",
            self.word(0, 1),
            self.word(0, 2),
            self.word(0, 3)
        );
        let probe = probe(&[&url], 200, digest);
        let (requested_at, outcome) = (probe.requested_at, probe.outcome.clone());
        let attempts = vec![Attempt {
            requested_at,
            purpose: FetchPurpose::Initial,
            outcome,
            duration_ms: 12,
        }];
        JudgeCase {
            url,
            attempts,
            probe,
            controls: Vec::new(),
            history: History::default(),
            expected,
        }
    }

    fn page(&self, version: usize) -> Digest {
        let title = format!("{} and {} - Library", self.word(version, 2), self.word(version, 3));
        digest(&title, &[&title, self.word(version, 4)], &self.text(version, WORDS_PER_PAGE))
    }

    /// Returns the text of a page. On every second site, pages start with a menu whose
    /// words also occur on error pages.
    fn text(&self, version: usize, length: usize) -> String {
        let menu = if self.number.is_multiple_of(2) { "" } else { MENU };
        let words = (0..length).map(|index| self.word(version, index));
        menu.split_whitespace().chain(words).collect::<Vec<_>>().join(" ")
    }

    /// Returns a word that depends on the case, the version of the page and the index.
    fn word(&self, version: usize, index: usize) -> &'static str {
        let mut hash = ((self.number * 8 + version) * 1024 + index) as u64;
        hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        WORDS[usize::try_from(hash >> 40).unwrap_or(0) % WORDS.len()]
    }
}

impl JudgeCase {
    /// Adds a fetched control.
    fn add_control(&mut self, kind: ControlKind, probe: Probe) {
        if let Some(control) = control_url(kind, &self.url, 1) {
            self.controls.push(Control { kind, url: control.url, probe: Some(probe.into()) });
        }
    }
}

/// Returns the digest of a page.
fn digest(title: &str, headings: &[&str], text: &str) -> Digest {
    let mut digest = relink_page::text_digest(Some(title), text, Some("text/html"));
    digest.headings = headings.iter().map(|&heading| heading.to_owned()).collect();
    digest
}

/// Returns the probe of a redirect chain. The last URL has this status and digest.
fn probe(urls: &[&str], status: u16, digest: Digest) -> Probe {
    let last = urls.len().saturating_sub(1);
    let hop = |(index, url): (usize, &&str)| Hop {
        url: (*url).to_owned(),
        status: if index == last { status } else { 302 },
        location: None,
        ip: None,
    };
    Probe {
        requested_at: Timestamp::UNIX_EPOCH,
        hops: urls.iter().enumerate().map(hop).collect(),
        outcome: FetchOutcome::Response(status),
        timings: Timings { total: 12, ..Timings::default() },
        retry_after: None,
        version: None,
        digest: Some(digest.into()),
    }
}
