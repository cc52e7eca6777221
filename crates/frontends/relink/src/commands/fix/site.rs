//! `relink fix --crawl`: repairs the links on the pages of a stored crawl.
//!
//! If `--map` assigns a source file to a page, the links are repaired in that file. For
//! pages without a source file, the command writes repaired copies of the pages
//! (`--html-copies`) or a list of the repairs (`--site-list`).

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use relink_ports::Clock as _;
use relink_repair::{
    FixStatus, LinkFix, SelectedFix, fetch_page, map_to_sources, repair_page, select_links,
};
use relink_report::{SiteFixList, SiteFixRow, redact, redact_prose};
use relink_requests::Ports;
use url::Url;

use super::patch::write_output;
use super::redirects::write_redirect_map;
use super::report::evidence;
use super::{
    FixMode, Journal, Roots, WriteMode, offer_fixes, reject, review_fixes, write_documents,
};
use crate::cli::{FixArgs, GlobalArgs, SiteFixArgs};
use crate::clock::RunClock;
use crate::commands::report::find_crawl;
use crate::commands::signals::stop_on_signal;
use crate::database::companion_path;
use crate::error::{CommandError, Exit};
use crate::output::cannot_encode;
use crate::settings::CheckPlan;
use crate::wiring;

/// Runs `relink fix --crawl`.
pub async fn run(
    mut args: FixArgs,
    id: Option<i64>,
    global: GlobalArgs,
) -> Result<Exit, CommandError> {
    let clock = RunClock::start()?;
    let now = clock.now();
    let (output, pr_body) = (args.output.clone(), args.pr_body.clone());
    let (site, redirects) = (args.site.clone(), args.redirects.clone());
    let write = match (args.commit, args.apply) {
        (true, _) => WriteMode::Commit,
        (false, true) => WriteMode::Apply,
        (false, false) => WriteMode::DryRun,
    };
    let mode = FixMode::new(&args, write, output.as_deref(), pr_body.as_deref(), &global);
    // A check plan requires an input. The input is not read, because the crawl already has
    // the findings.
    args.inputs = vec![".".into()];
    let plan = CheckPlan::resolve(args.into_check_args(), now)?;
    let mut ports = wiring::ports(plan.run.fetch.clone(), &plan.run.db, Arc::new(clock)).await?;
    let stop = stop_on_signal();
    let crawl = find_crawl(&ports, id).await?;
    let Some(fixes) = offer_fixes(&mut ports, &plan, crawl.id, &mode, &stop).await? else {
        return Ok(Exit::Interrupted);
    };
    let Some(fixes) = review_fixes(&mode, fixes, &stop).await? else {
        return Ok(Exit::Interrupted);
    };
    write_redirect_map(&redirects, &fixes)?;
    let rules = &plan.check.load.read_options.local;
    let mut mapped = map_to_sources(&*ports.files, rules, fixes).await;
    let directories = rules.maps.iter().map(|map| map.dir.clone()).chain(rules.roots.clone());
    let roots = Roots::new(&directories.map(PathBuf::into_os_string).collect::<Vec<_>>());
    let journal = Journal::new(&companion_path(&plan.run.db)?, now);
    let in_sources = &mut mapped.in_sources;
    let result =
        write_documents(&ports, &plan, crawl.id, &roots, in_sources, journal, &mode).await?;
    write_pages(&ports, &plan, &site, &mut mapped.on_pages).await?;
    wiring::close(ports).await;
    let has_pending_repairs = mode.write == WriteMode::DryRun && result.documents > 0;
    let all_fixes: Vec<LinkFix> = [mapped.in_sources, mapped.on_pages].concat();
    mode.report(&all_fixes, &result)?;
    Ok(if has_pending_repairs { Exit::Findings } else { Exit::Clean })
}

/// Writes copies of the pages without a source file, and the list of their repairs.
async fn write_pages(
    ports: &Ports,
    plan: &CheckPlan,
    args: &SiteFixArgs,
    fixes: &mut [LinkFix],
) -> Result<(), CommandError> {
    let mut selected = Vec::new();
    let is_on_same_page = |fix: &LinkFix, next: &LinkFix| fix.location.path == next.location.path;
    for page_fixes in fixes.chunk_by_mut(is_on_same_page) {
        let repaired = if args.html_copies.is_none() && args.site_list.is_none() {
            Err("no source file found; use `--map`, `--html-copies` or `--site-list`".to_owned())
        } else {
            fetch_and_repair(ports, plan, args, page_fixes, &mut selected).await?
        };
        if let Err(reason) = repaired {
            reject(page_fixes, &reason);
        }
    }
    if let Some(path) = &args.site_list {
        let rows = selected.iter().map(list_row).collect();
        let text = serde_json::to_string_pretty(&SiteFixList::new(rows)).map_err(cannot_encode)?;
        write_output(path, format!("{text}\n").as_bytes())?;
    }
    Ok(())
}

/// Fetches a page, writes a repaired copy of the page and adds its links to `selected`.
/// The inner error is the reason why the page cannot be repaired.
async fn fetch_and_repair(
    ports: &Ports,
    plan: &CheckPlan,
    args: &SiteFixArgs,
    fixes: &[LinkFix],
    selected: &mut Vec<SelectedFix>,
) -> Result<Result<(), String>, CommandError> {
    let is_ready = |fix: &&LinkFix| fix.status == FixStatus::Ready && !fix.new_url.is_empty();
    let ready: Vec<LinkFix> = fixes.iter().filter(is_ready).cloned().collect();
    let url = ready.first().and_then(|fix| Url::parse(&fix.location.path).ok());
    let Some(url) = url else { return Ok(Ok(())) };
    let bytes = match fetch_page(ports, &plan.check.dispatch, &url).await {
        Ok(bytes) => bytes,
        Err(reason) => return Ok(Err(reason)),
    };
    let found = select_links(&url, &bytes, &ready);
    if found.is_empty() {
        return Ok(Err("the page no longer has this link".to_owned()));
    }
    selected.extend(found);
    match &args.html_copies {
        Some(directory) => write_copy(directory, &url, repair_page(&url, &bytes, &ready)),
        None => Ok(Ok(())),
    }
}

/// Writes the repaired copy of a page. The inner error is the reason why no copy is written.
fn write_copy(
    directory: &Path,
    url: &Url,
    copy: Option<Vec<u8>>,
) -> Result<Result<(), String>, CommandError> {
    let Some(copy) = copy else {
        return Ok(Err("the new URL cannot be written on this page".to_owned()));
    };
    let Some(path) = copy_path(directory, url) else {
        return Ok(Err("the path of the page is not a file name".to_owned()));
    };
    if let Some(parent) = path.parent() {
        std::fs::create_dir_all(parent).map_err(|error| {
            CommandError::usage(format!("cannot create `{}`", parent.display()))
                .cause(error.to_string())
        })?;
    }
    write_output(&path, &copy)?;
    Ok(Ok(()))
}

/// Returns the file for the copy of a page: `DIRECTORY/HOST/PATH`. Returns `None` if the
/// file would be outside of this directory.
fn copy_path(directory: &Path, url: &Url) -> Option<PathBuf> {
    let mut path = url.path().trim_start_matches('/').to_owned();
    if path.is_empty() || path.ends_with('/') {
        path.push_str("index.html");
    } else if Path::new(&path).extension().is_none() {
        path.push_str(".html");
    }
    let is_name = |part: Component<'_>| matches!(part, Component::Normal(_));
    let is_inside = Path::new(&path).components().all(is_name);
    is_inside.then(|| directory.join(url.host_str().unwrap_or_default()).join(path))
}

fn list_row(selected: &SelectedFix) -> SiteFixRow<'_> {
    let SelectedFix { selector, written_url, fix } = selected;
    SiteFixRow {
        page: redact(&fix.location.path),
        selector: redact_prose(selector).to_string(),
        dead_link: redact(written_url),
        new_url: redact(&fix.new_url),
        cause: fix.cause.name(),
        evidence: evidence(fix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copy_path_is_host_and_path_below_the_directory() {
        for (url, expected) in [
            ("https://a.test/", "out/a.test/index.html"),
            ("https://a.test/b/c", "out/a.test/b/c.html"),
            ("https://a.test/b/c.htm?d", "out/a.test/b/c.htm"),
            ("https://a.test//b", "out/a.test/b.html"),
        ] {
            let path = copy_path(Path::new("out"), &Url::parse(url).unwrap());
            assert_eq!(path, Some(PathBuf::from(expected)), "{url}");
        }
    }
}
