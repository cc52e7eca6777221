//! Random federations for simulations.
//!
//! A federation is a catalog of URLs from many providers. The sizes of domains and the total share
//! of broken URLs are those of Le & Shulman, section 3.1: most domains have one URL, a few domains
//! contain almost all URLs, and about a fifth of the URLs is broken. The distribution of broken
//! URLs within a domain is not published and can be varied.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::count;
use crate::catalog::{Catalog, UrlId};
use crate::check_log::UrlHealth;
use crate::rng::SplitMix64;

/// The distribution of breakage within a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakageShape {
    /// Whole directories die.
    ByDirectory,
    /// URLs die independently.
    Scattered,
    /// Both: in half of the domains, chosen at random, whole directories die.
    Mixed,
}

/// The part of the URL that selects a page of a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// A name in the path.
    Path,
    /// A value in the query.
    Query,
}

/// The parameters of a federation.
#[derive(Debug, Clone, Copy)]
pub struct FederationShape {
    /// Approximate number of URLs.
    pub urls: u32,
    /// Number of domains.
    pub domains: u32,
    /// Share of domains with one URL.
    pub single: f64,
    /// Approximate share of broken URLs.
    pub broken: f64,
    /// Mean number of URLs per directory (log-normal).
    pub directory: f64,
    /// Minimum and maximum share of broken URLs in a dead directory.
    pub death: (f64, f64),
    /// Share of broken URLs in a live directory.
    pub background: f64,
    /// The distribution of breakage within a domain.
    pub breakage: BreakageShape,
    /// The part of the URL that selects a page.
    pub naming: Naming,
}

impl Default for FederationShape {
    /// Returns the federation of Le & Shulman (section 3): 236,763 URLs on 842 domains, 60 % of
    /// the domains with one URL, 19.31 % of the URLs broken. The other values are assumptions.
    fn default() -> Self {
        Self {
            urls: 236_763,
            domains: 842,
            single: 0.60,
            broken: 0.1931,
            directory: 40.0,
            death: (0.93, 1.0),
            background: 0.004,
            breakage: BreakageShape::ByDirectory,
            naming: Naming::Path,
        }
    }
}

/// Standard deviation of the logarithm of domain sizes.
const DOMAIN_SPREAD: f64 = 2.4;

/// Standard deviation of the logarithm of directory sizes.
const DIRECTORY_SPREAD: f64 = 1.3;

/// Share of the broken URLs that are on dead domains.
const ON_DEAD_DOMAINS: f64 = 0.7;

/// Minimum and maximum share of broken URLs on a dead domain.
const DEAD_DOMAIN: (f64, f64) = (0.85, 1.0);

/// A catalog with its ground truth.
#[derive(Debug)]
pub struct Federation {
    /// The catalog.
    pub catalog: Catalog,
    /// The health of each URL.
    pub ground_truth: Vec<UrlHealth>,
}

impl Federation {
    /// Draws a random federation.
    pub fn draw(shape: &FederationShape, seed: u64) -> Self {
        let mut rng = SplitMix64::new(seed);
        let sizes = sizes(shape, &mut rng);
        let rates = rates(shape, &sizes, &mut rng);
        // The domain and URL of each page, and its health, in the same order.
        let (mut urls, mut truth) = (Vec::new(), Vec::new());
        for (domain, (size, rate)) in sizes.into_iter().zip(rates).enumerate() {
            let directories = domain_truth(shape, size, rate, &mut rng);
            for (directory, pages) in directories.iter().enumerate() {
                let url = |page| page_url(shape.naming, domain, directory, page);
                urls.extend((0..pages.len()).map(|page| (format!("d{domain}.example"), url(page))));
            }
            truth.extend(directories.concat());
        }
        let catalog = Catalog::new(urls);
        let truth = catalog.urls().map(|url| truth[catalog.position(url) as usize]).collect();
        Self { catalog, ground_truth: truth }
    }

    /// Returns the ground truth of a URL.
    pub fn health(&self, url: UrlId) -> UrlHealth {
        self.ground_truth[url.index()]
    }
}

/// Draws the sizes of domains: many with one URL, the others log-normal.
fn sizes(shape: &FederationShape, rng: &mut SplitMix64) -> Vec<u32> {
    let single = count(shape.single * f64::from(shape.domains)).min(shape.domains);
    let weights: Vec<f64> =
        (single..shape.domains).map(|_| rng.log_normal(1.0, DOMAIN_SPREAD)).collect();
    let remaining = f64::from(shape.urls.saturating_sub(single));
    let sum = weights.iter().sum::<f64>();
    let large = weights.iter().map(|weight| count(remaining * weight / sum).max(2));
    large.chain((0..single).map(|_| 1)).collect()
}

/// Draws the share of broken URLs of each domain. Some domains are dead; the remaining broken URLs
/// are spread over the other domains in random shares.
fn rates(shape: &FederationShape, sizes: &[u32], rng: &mut SplitMix64) -> Vec<f64> {
    let urls: f64 = sizes.iter().copied().map(f64::from).sum();
    // Number of URLs that may still be on dead domains.
    let mut quota = ON_DEAD_DOMAINS * shape.broken * urls;
    // Number of broken URLs that are not assigned yet, and number of URLs on other domains.
    let (mut unassigned, mut live) = (shape.broken * urls, urls);
    let mut rates = vec![0.0; sizes.len()];
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    rng.shuffle(&mut order);
    for domain in order {
        let size = f64::from(sizes[domain]);
        if size <= quota && rng.bernoulli(ON_DEAD_DOMAINS) {
            rates[domain] = rng.between(DEAD_DOMAIN.0, DEAD_DOMAIN.1);
            quota -= size;
            (unassigned, live) = (unassigned - rates[domain] * size, live - size);
        }
    }
    let rest = unassigned / live.max(1.0);
    // Domains that are not dead have the rate 0 so far.
    for rate in rates.iter_mut().filter(|rate| **rate <= 0.0) {
        *rate = (2.0 * rest * rng.unit()).min(1.0);
    }
    rates
}

/// Draws the ground truth of a domain, by directory.
fn domain_truth(
    shape: &FederationShape,
    size: u32,
    rate: f64,
    rng: &mut SplitMix64,
) -> Vec<Vec<UrlHealth>> {
    let background = shape.background.min(rate);
    let mean = f64::midpoint(shape.death.0, shape.death.1).max(f64::MIN_POSITIVE);
    let dead_share = ((rate - background) / mean).clamp(0.0, 1.0);
    let is_scattered = match shape.breakage {
        BreakageShape::ByDirectory => false,
        BreakageShape::Scattered => true,
        BreakageShape::Mixed => rng.bernoulli(0.5),
    };
    let mut directories = Vec::new();
    let mut remaining = size;
    while remaining > 0 {
        let pages = count(rng.log_normal(shape.directory, DIRECTORY_SPREAD).round());
        let pages = pages.clamp(1, remaining);
        remaining -= pages;
        let rate = if is_scattered {
            rate
        } else if rng.bernoulli(dead_share) {
            rng.between(shape.death.0, shape.death.1)
        } else {
            background
        };
        let health = |_| if rng.bernoulli(rate) { UrlHealth::Broken } else { UrlHealth::Alive };
        directories.push((0..pages).map(health).collect());
    }
    directories
}

/// Returns the URL of a page, by the numbers of its domain, its directory and the page.
fn page_url(naming: Naming, domain: usize, directory: usize, page: usize) -> String {
    match naming {
        Naming::Path => format!("http://d{domain}.example/c{directory}/{page}.html"),
        Naming::Query => format!("http://d{domain}.example/c{directory}?id={page}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the shape of a smaller federation.
    fn shape() -> FederationShape {
        FederationShape { urls: 20_000, domains: 200, ..FederationShape::default() }
    }

    /// Asserts that a federation has the requested numbers of URLs, domains and broken URLs.
    #[track_caller]
    fn check(shape: &FederationShape) {
        let federation = Federation::draw(shape, 3);
        let urls = federation.catalog.len();
        assert_eq!(federation.catalog.domains().len(), shape.domains as usize);
        assert!((f64::from(urls) / f64::from(shape.urls) - 1.0).abs() < 0.05, "{urls}");
        let broken =
            federation.ground_truth.iter().filter(|health| **health == UrlHealth::Broken).count();
        let broken = f64::from(u32::try_from(broken).unwrap()) / f64::from(urls);
        assert!((broken - shape.broken).abs() < 0.08, "{broken}");
    }

    #[test]
    fn federation_has_the_requested_shape() {
        check(&shape());
        check(&FederationShape { breakage: BreakageShape::Scattered, ..shape() });
        check(&FederationShape { naming: Naming::Query, death: (0.7, 1.0), ..shape() });
    }

    #[test]
    fn federation_without_urls_is_empty() {
        let nothing = FederationShape { urls: 0, domains: 0, ..shape() };
        assert!(Federation::draw(&nothing, 1).catalog.is_empty());
    }
}
