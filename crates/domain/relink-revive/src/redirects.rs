//! Vets historical redirects.
//!
//! Many dead URLs once redirected to their alias, and an archive may have
//! captured the redirect. But some sites redirect all missing pages to one page. FABLE,
//! §4.1.1: a redirect is accepted only if no other page of the directory redirected to the
//! same target at about the same time.

use jiff::{SignedDuration, Timestamp};
use url::Url;

use crate::reason::NoAliasReason;
use crate::site::is_same_site;
use crate::url_parts::is_same_page;

/// Maximum time between two redirects that are compared (§4.1.1).
pub const COMPARISON_WINDOW: SignedDuration = SignedDuration::from_hours(90 * 24);

/// Maximum number of other URLs of the directory to compare with (§4.1.1).
pub const MAX_COMPARED: usize = 3;

/// An archived 3xx response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedRedirect {
    /// The time of the capture.
    pub at: Timestamp,
    /// The target of the redirect.
    pub target: Url,
}

/// A URL with all its archived 3xx responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectHistory {
    /// The URL.
    pub url: Url,
    /// Its redirects, in any order.
    pub redirects: Vec<ArchivedRedirect>,
}

/// Why a historical redirect is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectRejection {
    /// It leads to another spelling of the same URL.
    SamePage,
    /// It leads to another site.
    OtherSite,
    /// Another page of the directory redirected to the same target.
    SharedTarget {
        /// The other page.
        with: Url,
        /// The time of the other capture.
        at: Timestamp,
    },
}

/// An accepted redirect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedRedirect {
    /// The redirect.
    pub redirect: ArchivedRedirect,
    /// The number of other URLs that it was compared with. The paper accepts a
    /// redirect without any comparison; such a redirect deserves less trust.
    pub compared: usize,
}

/// The vetted redirects of one URL.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vetting {
    /// Accepted redirects, newest first.
    pub accepted: Vec<AcceptedRedirect>,
    /// Rejected redirects with the reason, newest first.
    pub rejected: Vec<(ArchivedRedirect, RedirectRejection)>,
}

impl Vetting {
    /// Returns the alias: the target of the newest accepted redirect.
    pub fn alias(&self) -> Option<&Url> {
        self.accepted.first().map(|accepted| &accepted.redirect.target)
    }

    /// Returns the reason why there is no alias (Table 10).
    pub fn no_alias(&self) -> Option<NoAliasReason> {
        if !self.accepted.is_empty() {
            return None;
        }
        // A redirect to another spelling of the same URL is not evidence of an
        // erroneous redirect.
        let is_erroneous =
            self.rejected.iter().any(|(_, reason)| *reason != RedirectRejection::SamePage);
        Some(if is_erroneous {
            NoAliasReason::ErroneousRedirect
        } else {
            NoAliasReason::NoRedirect
        })
    }
}

/// Vets the redirects of one URL against those of other URLs of its directory.
///
/// The caller selects `others`; the URL itself is skipped if it is among them.
pub fn vet(subject: &RedirectHistory, others: &[RedirectHistory]) -> Vetting {
    let mut redirects: Vec<&ArchivedRedirect> = subject.redirects.iter().collect();
    redirects.sort_by_key(|redirect| std::cmp::Reverse(redirect.at));
    let mut vetting = Vetting::default();
    for redirect in redirects {
        match vet_redirect(&subject.url, redirect, others) {
            Ok(compared) => {
                vetting.accepted.push(AcceptedRedirect { redirect: redirect.clone(), compared });
            }
            Err(why) => vetting.rejected.push((redirect.clone(), why)),
        }
    }
    vetting
}

/// Returns the number of URLs compared with, or why the redirect is rejected.
fn vet_redirect(
    url: &Url,
    redirect: &ArchivedRedirect,
    others: &[RedirectHistory],
) -> Result<usize, RedirectRejection> {
    if is_same_page(url, &redirect.target) {
        return Err(RedirectRejection::SamePage);
    }
    if !is_same_site(url, &redirect.target) {
        return Err(RedirectRejection::OtherSite);
    }
    let compared = nearest_histories(url, redirect, others);
    for (other_url, redirects) in &compared {
        let shared = redirects.iter().find(|other| is_same_page(&other.target, &redirect.target));
        if let Some(shared) = shared {
            let with = (*other_url).clone();
            return Err(RedirectRejection::SharedTarget { with, at: shared.at });
        }
    }
    Ok(compared.len())
}

/// Returns up to [`MAX_COMPARED`] other URLs with redirects inside the window,
/// nearest in time first, each with its redirects inside the window.
fn nearest_histories<'a>(
    url: &Url,
    redirect: &ArchivedRedirect,
    others: &'a [RedirectHistory],
) -> Vec<(&'a Url, Vec<&'a ArchivedRedirect>)> {
    let distance = |other: &ArchivedRedirect| other.at.duration_since(redirect.at).abs();
    let mut found: Vec<(SignedDuration, &Url, Vec<&ArchivedRedirect>)> = others
        .iter()
        .filter(|other| !is_same_page(&other.url, url))
        .filter_map(|other| {
            let near: Vec<_> = other
                .redirects
                .iter()
                .filter(|other| distance(other) <= COMPARISON_WINDOW)
                .collect();
            let nearest = near.iter().map(|other| distance(other)).min()?;
            Some((nearest, &other.url, near))
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.cmp(other.1)));
    found.into_iter().take(MAX_COMPARED).map(|(_, url, near)| (url, near)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses `path DAY>target DAY>target`: redirects of a page of
    /// `example.org`, by days since 2010-01-01.
    fn history(text: &str) -> RedirectHistory {
        let base: Url = "http://www.example.org/".parse().unwrap();
        let mut words = text.split(' ');
        let url = base.join(words.next().unwrap()).unwrap();
        let redirects = words.map(|word| {
            let (day, target) = word.split_once('>').unwrap();
            let hours = day.parse::<i64>().unwrap() * 24;
            let start: Timestamp = "2010-01-01T00:00:00Z".parse().unwrap();
            let at = start + SignedDuration::from_hours(hours);
            ArchivedRedirect { at, target: base.join(target).unwrap() }
        });
        RedirectHistory { url, redirects: redirects.collect() }
    }

    /// Asserts the path of the alias, or the code of the reason why there is none. The histories
    /// are in the notation of [`history`].
    #[track_caller]
    fn check(subject: &str, others: &[&str], expect: &str) {
        let others: Vec<RedirectHistory> = others.iter().map(|text| history(text)).collect();
        let vetting = vet(&history(subject), &others);
        let found = match (vetting.alias(), vetting.no_alias()) {
            (Some(alias), None) => alias.path().to_owned(),
            (None, Some(reason)) => reason.code().to_owned(),
            both => format!("{both:?}"),
        };
        assert_eq!(found, expect);
    }

    #[test]
    fn fable_figure_5_unique_target_is_accepted() {
        check("/old/a 10>/new/a", &["/old/b 12>/new/b", "/old/c 9>/new/c"], "/new/a");
        check("/announce/1.htm 10>/announce/1.php", &[], "/announce/1.php");
    }

    #[test]
    fn fable_figure_5_shared_target_is_erroneous() {
        check("/old/a 10>/home", &["/old/b 12>/home", "/old/c 9>/new/c"], "erroneous-redirect");
        check("/old/a 10>/home", &["/old/b 12>https://example.org/home/"], "erroneous-redirect");
    }

    #[test]
    fn redirects_more_than_90_days_apart_are_not_compared() {
        check("/a 100>/home", &["/b 190>/home"], "erroneous-redirect");
        check("/a 100>/home", &["/b 10>/home"], "erroneous-redirect");
        check("/a 100>/home", &["/b 191>/home", "/c 9>/home"], "/home");
    }

    #[test]
    fn only_the_three_nearest_urls_are_compared() {
        let others = ["/b 11>/x/b", "/c 12>/x/c", "/d 13>/x/d", "/e 14>/home"];
        check("/a 10>/home", &others, "/home");
        check("/a 10>/home", &others[1..], "erroneous-redirect");
    }

    #[test]
    fn newest_accepted_redirect_wins() {
        let others = ["/b 400>/home 10>/new/b"];
        check("/a 400>/home 10>/new/a", &others, "/new/a");
        check("/a 10>/new/a 20>/newer/a", &others, "/newer/a");
    }

    #[test]
    fn url_without_redirect_has_no_alias() {
        check("/a", &["/b 1>/c"], "no-redirect");
        check("/a 1>https://example.org/a/", &[], "no-redirect");
    }

    #[test]
    fn target_on_another_site_is_rejected() {
        check("/a 1>https://example.net/a", &[], "erroneous-redirect");
        check("/a 1>https://archive.example.org/a", &[], "/a");
    }

    #[test]
    fn history_of_the_url_itself_is_skipped() {
        check("/a 1>/b", &["/a 1>/b"], "/b");
    }
}
