//! The interpreter of programs.

use std::borrow::Cow;

use url::Url;

use super::facts::Facts;
use super::text::{taken, written};
use super::{NewQuery, OldQuery, Part, Scheme, Segment, Slash, UrlProgram};

/// An address in the making.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    pub(super) host: String,
    /// With a slash before each component and none at the end.
    pub(super) path: String,
    pub(super) query: Option<String>,
}

/// The address a program makes.
pub(super) fn run(program: &UrlProgram, facts: &Facts) -> Option<Url> {
    let Made { host, mut path, query } = make(program, facts)?;
    let is_slashed = match program.slash {
        Slash::Keep => facts.is_slashed,
        Slash::With => true,
        Slash::Without => false,
    };
    if is_slashed || path.is_empty() {
        path.push('/');
    }
    let scheme = match program.scheme {
        Scheme::Http => "http",
        Scheme::Https => "https",
    };
    let query = query.map(|query| format!("?{query}")).unwrap_or_default();
    Url::parse(&format!("{scheme}://{host}{path}{query}")).ok()
}

/// Host, path and query, if the program applies.
pub(super) fn make(program: &UrlProgram, facts: &Facts) -> Option<Made> {
    if program.old_query == OldQuery::Absent && !facts.query.is_empty() {
        return None;
    }
    if program.old_depth.is_some_and(|depth| depth != facts.path.len()) {
        return None;
    }
    let mut made = Made::default();
    append(&mut made.host, &program.host, facts)?;
    // Whatever else a component holds must not turn into a user or a path; nor
    // must the path turn into a host where there is none.
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    if made.host.is_empty() || !made.host.bytes().all(is_host) {
        return None;
    }
    for segment in &program.path {
        append_segment(&mut made.path, segment, facts)?;
    }
    make_query(&mut made, &program.query, facts)?;
    Some(made)
}

fn append_segment(path: &mut String, segment: &Segment, facts: &Facts) -> Option<()> {
    let run = match segment {
        Segment::Component(parts) => {
            path.push('/');
            let start = path.len();
            append(path, parts, facts)?;
            return (!matches!(path.get(start..)?, "" | "." | "..")).then_some(());
        }
        Segment::Run { run } => run,
    };
    let end = facts.path.len().checked_sub(run.leave)?;
    for component in facts.path.get(run.skip..end)? {
        path.push('/');
        path.push_str(&written(Cow::Borrowed(*component), true, run.style)?);
    }
    Some(())
}

fn make_query(made: &mut Made, query: &NewQuery, facts: &Facts) -> Option<()> {
    made.query = match query {
        NewQuery::None => None,
        NewQuery::Keep => facts.raw_query.map(str::to_owned),
        NewQuery::Make(parameters) => Some(joined(parameters, facts)?),
    };
    Some(())
}

/// Parameters, one after the other; nothing if one cannot be made.
fn joined(parameters: &[(String, Vec<Part>)], facts: &Facts) -> Option<String> {
    let mut made = String::new();
    for (name, value) in parameters {
        if !made.is_empty() {
            made.push('&');
        }
        if !name.is_empty() {
            made.push_str(name);
            made.push('=');
        }
        append(&mut made, value, facts)?;
    }
    Some(made)
}

/// Writes parts one after the other; nothing if one is missing.
pub(super) fn append(out: &mut String, parts: &[Part], facts: &Facts) -> Option<()> {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Take(take) => out.push_str(&taken(take, facts.find(&take.source)?)?),
        }
    }
    Some(())
}
