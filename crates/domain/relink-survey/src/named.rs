//! The sampling plans by name.

use std::fmt;
use std::str::FromStr;

use crate::audit::{Audit, AuditedPlan, SurveyLimits};
use crate::bandit::{Bandit, BanditSettings};
use crate::catalog::{Catalog, UrlId};
use crate::lot_plan::LotPlan;
use crate::plan::SamplingPlan;
use crate::rules::{Full, LeShulman, Sentinel, SingleSampling, Wald};

/// A sampling plan with its default parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SamplingPlanName {
    /// All URLs.
    Full,
    /// One sample per domain.
    Single,
    /// Wald's test per domain, evaluated after each group of URLs.
    Sequential,
    /// Algorithm 1 of Le & Shulman.
    LeShulman,
    /// Wald's test per domain, evaluated after each result.
    Sprt,
    /// Two URLs per directory, and more if one is broken.
    Sentinel,
    /// The hierarchical directory bandit.
    Default,
}

impl SamplingPlanName {
    /// All plans, the default last.
    pub const ALL: [Self; 7] = [
        Self::Full,
        Self::Single,
        Self::Sequential,
        Self::LeShulman,
        Self::Sprt,
        Self::Sentinel,
        Self::Default,
    ];

    /// Returns the name on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Full => "full",
            Self::Single => "single",
            Self::Sequential => "sequential",
            Self::LeShulman => "le-shulman",
            Self::Sprt => "sprt",
            Self::Sentinel => "sentinel",
            Self::Default => "default",
        }
    }

    /// Creates the plan for a catalog.
    ///
    /// Only Algorithm 1 of Le & Shulman checks the URLs `known_broken` first. The plans of the
    /// paper (`full` to `le-shulman`) estimate recall from their own samples. The other plans
    /// estimate recall from an *audit*: additional URLs drawn at random.
    pub fn create<'a>(
        self,
        catalog: &'a Catalog,
        known_broken: &[UrlId],
        seed: u64,
    ) -> Box<dyn SamplingPlan + 'a> {
        let (parameters, limits) = (LeShulman::default(), SurveyLimits::default());
        self.create_with(parameters, limits, catalog, known_broken, seed)
    }

    /// Whether the plan can end when a share of the broken URLs is found.
    pub fn has_recall_limit(self) -> bool {
        self == Self::Default
    }

    /// Whether the number of checks of the plan can be limited.
    pub fn has_check_limit(self) -> bool {
        matches!(self, Self::Default | Self::Sprt | Self::Sentinel)
    }

    /// Creates the plan with these parameters for Algorithm 1. The limits apply to the plans that
    /// have them.
    pub fn create_with<'a>(
        self,
        parameters: LeShulman,
        limits: SurveyLimits,
        catalog: &'a Catalog,
        known_broken: &[UrlId],
        seed: u64,
    ) -> Box<dyn SamplingPlan + 'a> {
        let audit = Audit::default();
        match self {
            Self::Full => Box::new(LotPlan::new(catalog, Full, &[], seed)),
            Self::Single => Box::new(LotPlan::new(catalog, SingleSampling::default(), &[], seed)),
            Self::Sequential => Box::new(LotPlan::new(catalog, Wald::sequential(), &[], seed)),
            Self::LeShulman => Box::new(LotPlan::new(catalog, parameters, known_broken, seed)),
            Self::Sprt => {
                let plan = LotPlan::new(catalog, Wald::sprt(), &[], seed);
                Box::new(AuditedPlan::new(plan, audit, seed).with_limits(limits))
            }
            Self::Sentinel => {
                let plan = LotPlan::new(catalog, Sentinel::default(), &[], seed);
                Box::new(AuditedPlan::new(plan, audit, seed).with_limits(limits))
            }
            Self::Default => {
                let checks_all = limits.recall.is_some();
                let settings = BanditSettings { checks_all, ..BanditSettings::default() };
                let plan = Bandit::new(catalog, settings, seed);
                Box::new(AuditedPlan::new(plan, audit, seed).with_limits(limits))
            }
        }
    }
}

impl fmt::Display for SamplingPlanName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for SamplingPlanName {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let names = || Self::ALL.map(|plan| format!("`{plan}`")).join(", ");
        Self::ALL
            .into_iter()
            .find(|plan| plan.as_str() == name)
            .ok_or_else(|| format!("unknown plan `{name}`; expected {}", names()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_names_round_trip() {
        for plan in SamplingPlanName::ALL {
            assert_eq!(plan.as_str().parse(), Ok(plan));
        }
        assert!("best".parse::<SamplingPlanName>().is_err());
    }
}
