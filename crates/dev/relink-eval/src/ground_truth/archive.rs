//! Ground truth from archived copies in WARC or CDXJ files.

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use relink_lookup::LocalArchive;
use relink_model::Capture;
use relink_ports::{Archive, CaptureQuery};
use relink_revive::Directory;
use relink_revive::redirects::{ArchivedRedirect, RedirectHistory, vet};
use tokio::runtime::Runtime;
use url::Url;

use super::{AnswerRow, GroundTruth, LiveRow};
use crate::error::EvalError;

/// Maximum number of captures of a site.
const MAX_CAPTURES: usize = 1_000_000;

/// Status of a page that was deleted for good.
const GONE: u16 = 410;

/// Reads the archive files of a site.
pub(super) fn read(
    runtime: &Runtime,
    files: &[PathBuf],
    site: &Url,
) -> Result<GroundTruth, EvalError> {
    let archive = LocalArchive::open(files)?;
    runtime.block_on(build(&archive, site))
}

/// Builds the ground truth of a site from an archive.
async fn build(archive: &dyn Archive, site: &Url) -> Result<GroundTruth, EvalError> {
    let query = CaptureQuery { limit: MAX_CAPTURES, ..CaptureQuery::for_prefix(site.clone()) };
    let mut pages: BTreeMap<Url, Vec<Capture>> = BTreeMap::new();
    for capture in archive.captures(&query).await?.captures {
        pages.entry(capture.url.clone()).or_default().push(capture);
    }
    for captures in pages.values_mut() {
        captures.sort_by_key(|capture| capture.captured_at);
    }
    let last_status =
        |captures: &[Capture]| captures.iter().rev().find_map(|capture| capture.status);
    let live: HashSet<&Url> = pages
        .iter()
        .filter(|(_, captures)| last_status(captures) == Some(200))
        .map(|(url, _)| url)
        .collect();
    let histories = histories(archive, &pages, &live).await?;
    let mut truth = GroundTruth::default();
    for (url, captures) in &pages {
        let title = title(archive, captures).await?;
        if live.contains(url) {
            truth.live.push(LiveRow { url: url.to_string(), title });
        } else if last_status(captures) == Some(GONE) {
            truth.answers.push(AnswerRow::gone(url.to_string(), title));
        } else if let Some(new) = alias(url, &histories).filter(|new| live.contains(new)) {
            truth.answers.push(AnswerRow::moved(url.to_string(), new.to_string(), title));
        }
    }
    Ok(truth)
}

/// Returns the archived redirects of all pages that are not alive.
async fn histories(
    archive: &dyn Archive,
    pages: &BTreeMap<Url, Vec<Capture>>,
    live: &HashSet<&Url>,
) -> Result<BTreeMap<Url, RedirectHistory>, EvalError> {
    let mut histories = BTreeMap::new();
    for (url, captures) in pages.iter().filter(|(url, _)| !live.contains(url)) {
        let mut redirects = Vec::new();
        for capture in captures.iter().filter(|capture| capture.is_redirect()) {
            let target = match &capture.redirect {
                Some(target) => Some(target.clone()),
                None => archive.replay(capture).await?.and_then(|replay| replay.target),
            };
            let redirect = |target| ArchivedRedirect { at: capture.captured_at, target };
            redirects.extend(target.map(redirect));
        }
        if !redirects.is_empty() {
            histories.insert(url.clone(), RedirectHistory { url: url.clone(), redirects });
        }
    }
    Ok(histories)
}

/// Returns the alias of a page: the target of its newest accepted redirect. A redirect is
/// accepted if it differs from the redirects of neighbors, the other pages of the directory.
/// Without neighbors, a redirect is not certain enough.
fn alias(url: &Url, histories: &BTreeMap<Url, RedirectHistory>) -> Option<Url> {
    let own = histories.get(url)?;
    let directory = Directory::from_url(url);
    let is_neighbor = |other: &&RedirectHistory| {
        other.url != *url && Directory::from_url(&other.url) == directory
    };
    let others: Vec<RedirectHistory> = histories.values().filter(is_neighbor).cloned().collect();
    let vetted = vet(own, &others);
    let accepted = vetted.accepted.into_iter().find(|accepted| accepted.compared > 0)?;
    Some(accepted.redirect.target)
}

/// Returns the title of the last good copy.
async fn title(archive: &dyn Archive, captures: &[Capture]) -> Result<Option<String>, EvalError> {
    let Some(good) = captures.iter().rev().find(|capture| capture.status == Some(200)) else {
        return Ok(None);
    };
    let Some(replay) = archive.replay(good).await? else { return Ok(None) };
    let body = replay.body;
    let (kind, language) = (body.content_type.as_deref(), body.language.as_deref());
    Ok(relink_page::digest(kind, language, &body.bytes, body.is_truncated).title)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use relink_lookup::WarcWriter;
    use relink_ports::{ArchiveWriter as _, CapturedResponse};

    use super::*;

    /// Archives a response of a page.
    fn record(writer: &mut WarcWriter, path: &str, status: u16, location: Option<&str>) {
        let name = path.rsplit('/').next().unwrap_or_default();
        let location = location.map(|location| ("location".to_owned(), location.to_owned()));
        let html = ("content-type".to_owned(), "text/html".to_owned());
        let response = CapturedResponse {
            url: format!("https://example.org{path}").parse().unwrap(),
            captured_at: Timestamp::UNIX_EPOCH,
            ip: None,
            status,
            headers: location.into_iter().chain([html]).collect(),
            body: format!("<title>The {name}</title>").into_bytes().into(),
            is_truncated: false,
        };
        writer.write(&response).unwrap();
    }

    #[tokio::test]
    async fn vetted_redirects_have_an_alias_and_410_has_none() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = WarcWriter::create(folder.path(), Timestamp::UNIX_EPOCH, "test").unwrap();
        for (path, status, location) in [
            ("/old/oak", 301, Some("/trees/oak")),
            ("/old/elm", 301, Some("/trees/elm")),
            ("/old/fir", 302, Some("/trees/")),
            ("/old/ash", 302, Some("/trees/")),
            ("/old/yew", 410, None),
            ("/old/lost", 404, None),
            ("/trees/oak", 200, None),
            ("/trees/elm", 200, None),
            ("/trees/", 200, None),
        ] {
            record(&mut writer, path, status, location);
        }
        writer.finish().unwrap();
        let archive = LocalArchive::open(&[folder.path().to_owned()]).unwrap();
        let truth = build(&archive, &"https://example.org/".parse().unwrap()).await.unwrap();
        let url = |path: &str| format!("https://example.org{path}");
        assert_eq!(
            truth.answers,
            [
                AnswerRow::moved(url("/old/elm"), url("/trees/elm"), None),
                AnswerRow::moved(url("/old/oak"), url("/trees/oak"), None),
                AnswerRow::gone(url("/old/yew"), None),
            ]
        );
        let live: Vec<_> = truth.live.iter().map(|row| row.url.clone()).collect();
        assert_eq!(live, [url("/trees/"), url("/trees/elm"), url("/trees/oak")]);
        assert_eq!(truth.live[2].title.as_deref(), Some("The oak"));
    }

    #[test]
    fn questions_do_not_contain_the_answers() {
        let folder = tempfile::tempdir().unwrap();
        let truth = GroundTruth {
            answers: vec![AnswerRow::moved(
                "https://a.test/1".into(),
                "https://a.test/2".into(),
                None,
            )],
            live: Vec::new(),
        };
        truth.write(folder.path(), "a").unwrap();
        let read = |kind| std::fs::read_to_string(folder.path().join(format!("a.{kind}.jsonl")));
        assert!(read("pairs").unwrap().contains("https://a.test/2"));
        assert!(!read("queries").unwrap().contains("https://a.test/2"));
    }
}
