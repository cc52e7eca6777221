//! Parser and matcher for `robots.txt` (RFC 9309).
//!
//! Where the RFC leaves room, Google's published behavior is followed (version numbers
//! after the name of a crawler, common misspellings), and otherwise the stricter
//! interpretation. [`RobotsPolicy`] covers missing and unreachable files. This module
//! does not fetch the file.
//!
//! The store contains the text of the file, which is parsed again when it is loaded.

mod lines;
mod path;
mod policy;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::{Position, Url};

use lines::{Line, lines};
use path::{matches_pattern, normalize_path, normalize_pattern};
pub use policy::RobotsPolicy;

/// The group for all crawlers.
const ANY_AGENT: &str = "*";

/// The path of the file itself is always allowed (RFC 9309, §2.2.2).
const OWN_PATH: &str = "/robots.txt";

/// The rules of one site for all crawlers.
///
/// ```
/// use relink_frontier::RobotsTxt;
/// let robots = RobotsTxt::parse(b"User-agent: *\nDisallow: /private\nCrawl-delay: 2");
/// let url = "https://example.org/private/a.html".parse()?;
/// assert!(!robots.is_allowed("relink", &url));
/// assert_eq!(robots.rule("relink", &url), Some("Disallow: /private"));
/// # Ok::<(), url::ParseError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct RobotsTxt {
    text: String,
    groups: Vec<Group>,
    sitemaps: Vec<String>,
}

/// A group of rules and the crawlers it applies to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Group {
    /// Product tokens of crawlers in lower case, or `*`.
    agents: Vec<String>,
    /// By precedence: the longest pattern first, then `Allow`.
    rules: Vec<Rule>,
    /// Crawlers with their crawl delay.
    delays: Vec<(String, Duration)>,
}

/// An `Allow` or `Disallow` line.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    is_allow: bool,
    pattern: String,
    /// The line of the file, for messages.
    line: String,
}

impl RobotsTxt {
    /// Maximum number of bytes that are parsed (RFC 9309, §2.5).
    pub const MAX_FILE_SIZE: usize = 500 * 1024;
    /// Maximum crawl delay. Longer delays are reduced to this value.
    pub const MAX_CRAWL_DELAY: Duration = Duration::from_mins(5);

    /// Parses a file. Invalid lines are skipped, so parsing never fails.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::parse_text(lines::decode(bytes))
    }

    /// Returns rules that allow everything.
    pub fn allow_all() -> Self {
        Self::parse_text(String::new())
    }

    /// Returns rules that disallow everything.
    pub fn deny_all() -> Self {
        Self::parse_text("User-agent: *\nDisallow: /\n".to_owned())
    }

    fn parse_text(text: String) -> Self {
        let mut parser = RobotsParser::default();
        for line in lines(&text) {
            parser.push(&line);
        }
        let mut groups = parser.groups;
        for group in &mut groups {
            let precedence = |rule: &Rule| (usize::MAX - rule.pattern.len(), !rule.is_allow);
            group.rules.sort_by_key(precedence);
        }
        Self { groups, sitemaps: parser.sitemaps, text }
    }

    /// Whether `agent` may fetch `url`.
    ///
    /// Only the product token counts: `Relink/1.0 (+https://…)` is `relink`.
    pub fn is_allowed(&self, agent: &str, url: &Url) -> bool {
        self.deciding_rule(agent, url).is_none_or(|rule| rule.is_allow)
    }

    /// Returns the line of the file that decides, if any.
    pub fn rule(&self, agent: &str, url: &Url) -> Option<&str> {
        self.deciding_rule(agent, url).map(|rule| rule.line.as_str())
    }

    /// Returns the crawl delay for `agent`, at most [`RobotsTxt::MAX_CRAWL_DELAY`]. If
    /// the file contains several, the longest applies.
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        let name = self.group_name(agent);
        let delays = self.groups.iter().flat_map(|group| &group.delays);
        delays.filter(|(agent, _)| *agent == name).map(|(_, delay)| *delay).max()
    }

    /// Returns the URLs of sitemaps as written in the file.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// Returns the longest matching rule in all groups of the agent. Of two rules with the same
    /// length, `Allow` has precedence.
    fn deciding_rule(&self, agent: &str, url: &Url) -> Option<&Rule> {
        if url.path() == OWN_PATH {
            return None;
        }
        let name = self.group_name(agent);
        let path = normalize_path(&url[Position::BeforePath..Position::AfterQuery]);
        let groups = self.groups.iter().filter(|group| group.agents.contains(&name));
        let matching = groups.filter_map(|group| {
            group.rules.iter().find(|rule| matches_pattern(&rule.pattern, &path))
        });
        matching.max_by_key(|rule| (rule.pattern.len(), rule.is_allow))
    }

    /// Returns the name whose groups apply to the agent: its own name if it occurs in the file,
    /// even without rules, and otherwise `*`.
    fn group_name(&self, agent: &str) -> String {
        let name = lines::product_token(agent);
        let mut agents_in_file = self.groups.iter().flat_map(|group| &group.agents);
        if !name.is_empty() && agents_in_file.any(|agent| *agent == name) {
            return name;
        }
        ANY_AGENT.to_owned()
    }
}

impl From<String> for RobotsTxt {
    fn from(text: String) -> Self {
        Self::parse_text(text)
    }
}

impl From<RobotsTxt> for String {
    fn from(robots: RobotsTxt) -> Self {
        robots.text
    }
}

/// The state of the parser.
#[derive(Default)]
struct RobotsParser {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    /// In the last group, the index of the first agent to which the next delay applies.
    delay_start: usize,
    /// Whether a delay follows the agents of the last group. This delay does not apply to
    /// agents that are added later.
    has_delay: bool,
}

impl RobotsParser {
    fn push(&mut self, line: &Line) {
        match line {
            Line::Agent(name) => self.push_agent(name),
            Line::Rule { is_allow, value, line } => self.push_rule(*is_allow, value, line),
            Line::Delay(delay) => self.push_delay(*delay),
            Line::Sitemap(url) => self.sitemaps.push((*url).to_owned()),
        }
    }

    /// Adds an agent to the last group, or to a new group if the last group has rules. Lines
    /// outside the RFC, such as delays, do not start a group (RFC 9309, §2.2.4).
    fn push_agent(&mut self, name: &str) {
        let is_open = self.groups.last().is_some_and(|group| group.rules.is_empty());
        if !is_open {
            self.groups.push(Group::default());
            (self.delay_start, self.has_delay) = (0, false);
        }
        let Some(group) = self.groups.last_mut() else { return };
        // In the lines `agent a`, `delay 1`, `agent b`, `delay 2`, each agent has its own delay.
        if self.has_delay {
            (self.delay_start, self.has_delay) = (group.agents.len(), false);
        }
        group.agents.push(name.to_owned());
    }

    /// Adds a rule to the last group. An empty rule matches nothing, but it ends the list of
    /// agents.
    fn push_rule(&mut self, is_allow: bool, value: &str, line: &str) {
        let Some(group) = self.groups.last_mut() else { return };
        let pattern = normalize_pattern(value);
        group.rules.push(Rule { is_allow, pattern, line: line.to_owned() });
    }

    /// Adds a delay for the agents of the last group that have no delay yet.
    fn push_delay(&mut self, delay: Duration) {
        let Some(group) = self.groups.last_mut() else { return };
        let agents = group.agents.iter().skip(self.delay_start);
        group.delays.extend(agents.map(|agent| (agent.clone(), delay)));
        self.has_delay = group.rules.is_empty();
    }
}
