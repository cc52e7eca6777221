//! Interpreter of URL programs.

use std::borrow::Cow;

use url::Url;

use super::parsed_old_page::ParsedOldPage;
use super::text::{apply_style, extract_text};
use super::{NewQuery, OldQuery, Part, Scheme, Segment, Slash, UrlProgram};

/// Host, path and query of a new URL.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct UrlDraft {
    pub(super) host: String,
    /// Has a slash before each component and none at the end.
    pub(super) path: String,
    pub(super) query: Option<String>,
}

/// Returns the new URL, if the program applies.
pub(super) fn run(program: &UrlProgram, old: &ParsedOldPage) -> Option<Url> {
    let UrlDraft { host, mut path, query } = build(program, old)?;
    let is_slashed = match program.slash {
        Slash::Keep => old.is_slashed,
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

/// Returns host, path and query of the new URL, if the program applies.
pub(super) fn build(program: &UrlProgram, old: &ParsedOldPage) -> Option<UrlDraft> {
    if program.old_query == OldQuery::Absent && !old.query.is_empty() {
        return None;
    }
    if program.old_depth.is_some_and(|depth| depth != old.path.len()) {
        return None;
    }
    let mut draft = UrlDraft::default();
    append(&mut draft.host, &program.host, old)?;
    // Reject other characters in the host: `@` and `/` would turn a part of the host into
    // credentials or a path. Reject an empty host: a part of the path would become the host.
    let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:".contains(&byte);
    if draft.host.is_empty() || !draft.host.bytes().all(is_host) {
        return None;
    }
    for segment in &program.path {
        append_segment(&mut draft.path, segment, old)?;
    }
    build_query(&mut draft, &program.query, old)?;
    Some(draft)
}

fn append_segment(path: &mut String, segment: &Segment, old: &ParsedOldPage) -> Option<()> {
    let run = match segment {
        Segment::Component(parts) => {
            path.push('/');
            let start = path.len();
            append(path, parts, old)?;
            return (!matches!(path.get(start..)?, "" | "." | "..")).then_some(());
        }
        Segment::Run { run } => run,
    };
    let end = old.path.len().checked_sub(run.leave)?;
    for component in old.path.get(run.skip..end)? {
        path.push('/');
        path.push_str(&apply_style(Cow::Borrowed(*component), true, run.style)?);
    }
    Some(())
}

fn build_query(draft: &mut UrlDraft, query: &NewQuery, old: &ParsedOldPage) -> Option<()> {
    draft.query = match query {
        NewQuery::None => None,
        NewQuery::Keep => old.raw_query.map(str::to_owned),
        NewQuery::Make(parameters) => Some(join_parameters(parameters, old)?),
    };
    Some(())
}

/// Builds a query string, or returns `None` if a value cannot be built.
fn join_parameters(parameters: &[(String, Vec<Part>)], old: &ParsedOldPage) -> Option<String> {
    let mut draft = String::new();
    for (name, value) in parameters {
        if !draft.is_empty() {
            draft.push('&');
        }
        if !name.is_empty() {
            draft.push_str(name);
            draft.push('=');
        }
        append(&mut draft, value, old)?;
    }
    Some(draft)
}

/// Appends parts to `out`, or returns `None` if one cannot be extracted.
pub(super) fn append(out: &mut String, parts: &[Part], old: &ParsedOldPage) -> Option<()> {
    for part in parts {
        match part {
            Part::Text(text) => out.push_str(text),
            Part::Extract(extract) => {
                out.push_str(&extract_text(extract, old.extract(&extract.source)?)?);
            }
        }
    }
    Some(())
}
