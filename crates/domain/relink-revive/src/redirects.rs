//! Which redirects of old can be trusted.
//!
//! Many addresses that are broken today once redirected to their alias, and an
//! archive may remember. But a site may as well have sent every lost page to
//! one place. FABLE, §4.1.1: a redirect is right only if its target is unique
//! among those of other pages of the directory at about that time.

use jiff::{SignedDuration, Timestamp};
use url::Url;

use crate::address::is_same_page;
use crate::reason::NoAliasReason;
use crate::site::is_same_site;

/// How far apart in time two redirects may lie to be compared: 90 days on
/// either side (§4.1.1).
pub const WINDOW: SignedDuration = SignedDuration::from_hours(90 * 24);

/// With how many other addresses of the directory a redirect is compared, at
/// most (§4.1.1).
pub const COMPARED: usize = 3;

/// One archived 3xx answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchivedRedirect {
    /// When the archive saw it.
    pub at: Timestamp,
    /// Where it led.
    pub target: Url,
}

/// An address with all its archived 3xx answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedirectHistory {
    /// The address.
    pub url: Url,
    /// Its redirects, in any order.
    pub redirects: Vec<ArchivedRedirect>,
}

/// Why a redirect of old is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RedirectRejection {
    /// It leads to the page itself, spelt another way.
    Itself,
    /// It leads to another site.
    AnotherSite,
    /// Another page of the directory led to the same place.
    SharedTarget {
        /// That other page.
        with: Url,
        /// When it did.
        at: Timestamp,
    },
}

/// A redirect that is trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedRedirect {
    /// The redirect.
    pub redirect: ArchivedRedirect,
    /// With how many other addresses it was compared. None is no objection by
    /// the paper's rule, but a reason to trust it less.
    pub compared: usize,
}

/// What is to be thought of the redirects of one address.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vetting {
    /// Those trusted, newest first.
    pub accepted: Vec<AcceptedRedirect>,
    /// Those not trusted, newest first, with the reason.
    pub rejected: Vec<(ArchivedRedirect, RedirectRejection)>,
}

impl Vetting {
    /// The alias: where the newest trusted redirect led.
    pub fn alias(&self) -> Option<&Url> {
        self.accepted.first().map(|accepted| &accepted.redirect.target)
    }

    /// Why there is no alias, if there is none (Table 10).
    pub fn no_alias(&self) -> Option<NoAliasReason> {
        if !self.accepted.is_empty() {
            return None;
        }
        // A redirect to the same page spelt another way says nothing at all.
        let is_telling =
            |(_, why): &(ArchivedRedirect, RedirectRejection)| *why != RedirectRejection::Itself;
        let is_any_telling = self.rejected.iter().any(is_telling);
        Some(if is_any_telling {
            NoAliasReason::ErroneousRedirect
        } else {
            NoAliasReason::NoRedirect
        })
    }
}

/// Vets the redirects of one address against those of others of its directory.
///
/// Which others belong to the directory is the caller's business; the address
/// itself may be among them and is passed over.
pub fn vet(subject: &RedirectHistory, others: &[RedirectHistory]) -> Vetting {
    let mut redirects: Vec<&ArchivedRedirect> = subject.redirects.iter().collect();
    redirects.sort_by_key(|redirect| std::cmp::Reverse(redirect.at));
    let mut vetting = Vetting::default();
    for redirect in redirects {
        match vet_one(&subject.url, redirect, others) {
            Ok(compared) => {
                vetting.accepted.push(AcceptedRedirect { redirect: redirect.clone(), compared });
            }
            Err(why) => vetting.rejected.push((redirect.clone(), why)),
        }
    }
    vetting
}

/// The number of addresses compared with, or why the redirect is not trusted.
fn vet_one(
    url: &Url,
    redirect: &ArchivedRedirect,
    others: &[RedirectHistory],
) -> Result<usize, RedirectRejection> {
    if is_same_page(url, &redirect.target) {
        return Err(RedirectRejection::Itself);
    }
    if !is_same_site(url, &redirect.target) {
        return Err(RedirectRejection::AnotherSite);
    }
    let compared = nearest(url, redirect, others);
    for (other, seen) in &compared {
        if let Some(same) = seen.iter().find(|seen| is_same_page(&seen.target, &redirect.target)) {
            return Err(RedirectRejection::SharedTarget { with: (*other).clone(), at: same.at });
        }
    }
    Ok(compared.len())
}

/// Up to three other addresses with redirects inside the window, those nearest
/// in time first, each with its redirects there.
fn nearest<'a>(
    url: &Url,
    redirect: &ArchivedRedirect,
    others: &'a [RedirectHistory],
) -> Vec<(&'a Url, Vec<&'a ArchivedRedirect>)> {
    let apart = |seen: &ArchivedRedirect| seen.at.duration_since(redirect.at).abs();
    let mut found: Vec<(SignedDuration, &Url, Vec<&ArchivedRedirect>)> = others
        .iter()
        .filter(|other| !is_same_page(&other.url, url))
        .filter_map(|other| {
            let near: Vec<_> =
                other.redirects.iter().filter(|seen| apart(seen) <= WINDOW).collect();
            let nearest = near.iter().map(|seen| apart(seen)).min()?;
            Some((nearest, &other.url, near))
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.cmp(other.1)));
    found.into_iter().take(COMPARED).map(|(_, url, near)| (url, near)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `path DAY>target DAY>target`: redirects of a page of `example.org`, by
    /// days since 2010 began.
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
    fn fable_figure_5_a_target_of_its_own_is_right() {
        check("/old/a 10>/new/a", &["/old/b 12>/new/b", "/old/c 9>/new/c"], "/new/a");
        check("/announce/1.htm 10>/announce/1.php", &[], "/announce/1.php");
    }

    #[test]
    fn fable_figure_5_a_target_that_others_share_is_a_soft_404() {
        check("/old/a 10>/home", &["/old/b 12>/home", "/old/c 9>/new/c"], "erroneous-redirect");
        check("/old/a 10>/home", &["/old/b 12>https://example.org/home/"], "erroneous-redirect");
    }

    #[test]
    fn only_90_days_on_either_side_count() {
        check("/a 100>/home", &["/b 190>/home"], "erroneous-redirect");
        check("/a 100>/home", &["/b 10>/home"], "erroneous-redirect");
        check("/a 100>/home", &["/b 191>/home", "/c 9>/home"], "/home");
    }

    #[test]
    fn only_the_three_nearest_others_are_compared() {
        let others = ["/b 11>/x/b", "/c 12>/x/c", "/d 13>/x/d", "/e 14>/home"];
        check("/a 10>/home", &others, "/home");
        check("/a 10>/home", &others[1..], "erroneous-redirect");
    }

    #[test]
    fn each_redirect_is_vetted_by_itself_and_the_newest_right_one_wins() {
        let others = ["/b 400>/home 10>/new/b"];
        check("/a 400>/home 10>/new/a", &others, "/new/a");
        check("/a 10>/new/a 20>/newer/a", &others, "/newer/a");
    }

    #[test]
    fn without_a_redirect_there_is_nothing_to_vet() {
        check("/a", &["/b 1>/c"], "no-redirect");
        check("/a 1>https://example.org/a/", &[], "no-redirect");
    }

    #[test]
    fn another_site_is_never_an_alias() {
        check("/a 1>https://example.net/a", &[], "erroneous-redirect");
        check("/a 1>https://archive.example.org/a", &[], "/a");
    }

    #[test]
    fn the_address_itself_is_no_other() {
        check("/a 1>/b", &["/a 1>/b"], "/b");
    }
}
