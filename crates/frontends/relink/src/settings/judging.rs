//! How pages are judged: the policy, and whether pages are compared with controls.
//!
//! A policy is a set of rules for verdicts. A control is a URL on the same host that cannot
//! exist. Relink fetches controls to see how the host responds to missing pages.

use clap::ValueEnum;
use relink_judge::Policy;

/// The rules that pages are judged by.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum PolicyArg {
    /// The rules of Relink
    #[default]
    Relink,
    /// `isDeadPage` of Bar-Yossef et al., WWW 2004
    SicTransit,
    /// §2.1 of FABLE
    Fable,
}

impl PolicyArg {
    /// Returns the name on the command line.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Relink => "relink",
            Self::SicTransit => "sic-transit",
            Self::Fable => "fable",
        }
    }

    /// Returns the thresholds and rules.
    pub fn policy(self) -> Policy {
        match self {
            Self::Relink => Policy::default(),
            Self::SicTransit => Policy::sic_transit(),
            Self::Fable => Policy::fable(),
        }
    }
}

/// The rules for the verdicts of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judging {
    /// The policy.
    pub policy: PolicyArg,
    /// Whether pages are compared with controls.
    pub uses_controls: bool,
}

impl Judging {
    /// Returns notices for the report on values that are not the default.
    pub fn notices(self) -> Vec<String> {
        let policy = (self.policy != PolicyArg::Relink).then(|| {
            format!("judged by the policy `{}`, not by the rules of Relink", self.policy.as_str())
        });
        let controls = (!self.uses_controls).then(|| {
            "no controls were requested: pages that respond as missing pages do, such as \
             soft-404s, site-wide notices and redirects of all URLs to one page, are not detected"
                .to_owned()
        });
        policy.into_iter().chain(controls).collect()
    }
}
