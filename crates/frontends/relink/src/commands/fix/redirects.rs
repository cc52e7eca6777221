//! `relink fix --redirect-map`: redirect rules for the moved pages of the user's own site.

use std::path::Path;

use relink_fix::{RedirectSyntax, redirect_map};
use relink_repair::{FixCause, FixStatus, LinkFix};
use url::Url;

use super::patch::write_output;
use crate::cli::{RedirectArgs, RedirectSyntaxArg};
use crate::error::CommandError;

/// Writes the redirect map, if it is requested. The map has a rule for each dead page of
/// the site whose new URL was found.
pub fn write_redirect_map(args: &RedirectArgs, fixes: &[LinkFix]) -> Result<(), CommandError> {
    let (Some(path), Some(site)) = (&args.redirect_map, &args.redirect_site) else {
        return Ok(());
    };
    let is_moved =
        |fix: &&LinkFix| matches!(fix.cause, FixCause::Alias(_)) && fix.status == FixStatus::Ready;
    let mut moved_pages: Vec<(Url, Url)> = Vec::new();
    for fix in fixes.iter().filter(is_moved) {
        if let (Ok(old), Ok(new)) = (Url::parse(&fix.old_url), Url::parse(&fix.new_url)) {
            moved_pages.push((old, new));
        }
    }
    let syntax = match args.redirect_syntax {
        Some(RedirectSyntaxArg::Nginx) => RedirectSyntax::Nginx,
        Some(RedirectSyntaxArg::Apache) => RedirectSyntax::Apache,
        Some(RedirectSyntaxArg::Netlify) => RedirectSyntax::Netlify,
        Some(RedirectSyntaxArg::Json) => RedirectSyntax::Json,
        None => default_syntax(path),
    };
    write_output(path, redirect_map(site, &moved_pages, syntax).as_bytes())
}

/// Returns the syntax that is usual for the name of a file; nginx for other names.
fn default_syntax(path: &Path) -> RedirectSyntax {
    let name = path.file_name().unwrap_or_default();
    if name == "_redirects" {
        RedirectSyntax::Netlify
    } else if name == ".htaccess" {
        RedirectSyntax::Apache
    } else if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json")) {
        RedirectSyntax::Json
    } else {
        RedirectSyntax::Nginx
    }
}
