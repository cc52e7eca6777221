//! What a site asks of programs: `robots.txt`, read as RFC 9309 says.
//!
//! Nothing here fetches the file; [`RobotsAnswer`] says what follows from how
//! the asking went. Where the RFC leaves room, Google's published reading is
//! followed (version numbers after an agent's name, common misspellings), and
//! where that leaves room, the stricter reading.
//!
//! The file is kept as text and read again when it comes back from a store:
//! an old answer then profits from a better reader.

mod answer;
mod lines;
mod path;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::{Position, Url};

pub use answer::RobotsPolicy;
use lines::{Line, lines};
use path::{normal_path, normal_pattern, pattern_fits};

/// Everybody's group.
const EVERYBODY: &str = "*";

/// The address of the file itself is always open (RFC 9309, §2.2.2).
const OWN_PATH: &str = "/robots.txt";

/// The rules of one site for all programs.
///
/// ```
/// use relink_frontier::Robots;
/// let robots = Robots::parse(b"User-agent: *\nDisallow: /private\nCrawl-delay: 2");
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

/// Rules for the agents named above them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Group {
    /// Lower case.
    agents: Vec<String>,
    /// The one that decides first: longest, then `Allow`.
    rules: Vec<Rule>,
    /// Which of the agents, and how long between visits.
    delays: Vec<(String, Duration)>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    is_allow: bool,
    pattern: String,
    /// As it stands in the file, to be shown.
    line: String,
}

impl RobotsTxt {
    /// How much of a file is read (RFC 9309, §2.5).
    pub const LONGEST_FILE: usize = 500 * 1024;
    /// No site makes us wait longer between two visits.
    pub const MAX_CRAWL_DELAY: Duration = Duration::from_mins(5);

    /// Reads a file. Whatever it holds, it is read: lines that mean nothing
    /// are passed over.
    pub fn parse(bytes: &[u8]) -> Self {
        Self::read(lines::text_of(bytes))
    }

    /// The rules of a site that has none.
    pub fn allow_all() -> Self {
        Self::read(String::new())
    }

    /// The rules of a site that must not be visited.
    pub fn deny_all() -> Self {
        Self::read("User-agent: *\nDisallow: /\n".to_owned())
    }

    fn read(text: String) -> Self {
        let mut reading = RobotsParser::default();
        for line in lines(&text) {
            reading.take(&line);
        }
        let mut groups = reading.groups;
        for group in &mut groups {
            let precedence = |rule: &Rule| (usize::MAX - rule.pattern.len(), !rule.is_allow);
            group.rules.sort_by_key(precedence);
        }
        Self { groups, sitemaps: reading.sitemaps, text }
    }

    /// Whether `agent` may ask for `url`.
    ///
    /// An agent is known by its name alone: `Relink/1.0 (+https://…)` is
    /// `relink`.
    pub fn is_allowed(&self, agent: &str, url: &Url) -> bool {
        self.deciding(agent, url).is_none_or(|rule| rule.is_allow)
    }

    /// The line of the file that decided, if one did.
    pub fn rule(&self, agent: &str, url: &Url) -> Option<&str> {
        self.deciding(agent, url).map(|rule| rule.line.as_str())
    }

    /// How long `agent` is asked to wait between two visits, at most
    /// [`Robots::LONGEST_CRAWL_DELAY`]. The longest wait counts where the file
    /// names several.
    pub fn crawl_delay(&self, agent: &str) -> Option<Duration> {
        let name = self.group_name(agent);
        let delays = self.groups.iter().flat_map(|group| &group.delays);
        delays.filter(|(agent, _)| *agent == name).map(|(_, delay)| *delay).max()
    }

    /// The sitemaps the file names, as written.
    pub fn sitemaps(&self) -> &[String] {
        &self.sitemaps
    }

    /// The longest rule that fits, in all groups of the agent; of two of one
    /// length, `Allow`.
    fn deciding(&self, agent: &str, url: &Url) -> Option<&Rule> {
        if url.path() == OWN_PATH {
            return None;
        }
        let name = self.group_name(agent);
        let path = normal_path(&url[Position::BeforePath..Position::AfterQuery]);
        let groups = self.groups.iter().filter(|group| group.agents.contains(&name));
        let fitting = groups
            .filter_map(|group| group.rules.iter().find(|rule| pattern_fits(&rule.pattern, &path)));
        fitting.max_by_key(|rule| (rule.pattern.len(), rule.is_allow))
    }

    /// The name under which an agent's rules stand: its own if the file has
    /// it anywhere, even without rules, else everybody's.
    fn group_name(&self, agent: &str) -> String {
        let name = lines::product_token(agent);
        let mut named = self.groups.iter().flat_map(|group| &group.agents);
        if !name.is_empty() && named.any(|agent| *agent == name) {
            return name;
        }
        EVERYBODY.to_owned()
    }
}

impl From<String> for RobotsTxt {
    fn from(text: String) -> Self {
        Self::read(text)
    }
}

impl From<RobotsTxt> for String {
    fn from(robots: RobotsTxt) -> Self {
        robots.text
    }
}

/// What has been read so far.
#[derive(Default)]
struct RobotsParser {
    groups: Vec<Group>,
    sitemaps: Vec<String>,
    /// From which agent of the last group on a delay counts.
    delayed_from: usize,
    /// Whether the line before last was a delay, so that the next agent is
    /// not meant by it.
    is_after_delay: bool,
}

impl RobotsParser {
    fn take(&mut self, line: &Line) {
        match line {
            Line::Agent(name) => self.take_agent(name),
            Line::Rule { is_allow, value, line } => self.take_rule(*is_allow, value, line),
            Line::Delay(delay) => self.take_delay(*delay),
            Line::Sitemap(address) => self.sitemaps.push((*address).to_owned()),
        }
    }

    /// Agents in a row share a group. Only a rule ends it: lines outside the
    /// RFC, such as delays, must not change how rules are read (§2.2.4).
    fn take_agent(&mut self, name: &str) {
        let is_open = self.groups.last().is_some_and(|group| group.rules.is_empty());
        if !is_open {
            self.groups.push(Group::default());
            (self.delayed_from, self.is_after_delay) = (0, false);
        }
        let Some(group) = self.groups.last_mut() else { return };
        // `a`, delay, `b`, delay: everybody has their own.
        if self.is_after_delay {
            (self.delayed_from, self.is_after_delay) = (group.agents.len(), false);
        }
        group.agents.push(name.to_owned());
    }

    /// An empty rule fits nothing, but it ends the list of agents.
    fn take_rule(&mut self, is_allow: bool, value: &str, line: &str) {
        let Some(group) = self.groups.last_mut() else { return };
        let pattern = normal_pattern(value);
        group.rules.push(Rule { is_allow, pattern, line: line.to_owned() });
    }

    fn take_delay(&mut self, delay: Duration) {
        let Some(group) = self.groups.last_mut() else { return };
        let meant = group.agents.iter().skip(self.delayed_from);
        group.delays.extend(meant.map(|agent| (agent.clone(), delay)));
        self.is_after_delay = group.rules.is_empty();
    }
}
