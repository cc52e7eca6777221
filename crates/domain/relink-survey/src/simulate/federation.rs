//! A federation drawn at random, so that plans can be tried without data.
//!
//! Its marginals are those of the paper: most domains have one URL, a few hold
//! nearly all (Le & Shulman, §3.1), and about a fifth of the URLs are broken.
//! How breakage is spread inside a domain is not published and can be varied.

#![expect(
    clippy::indexing_slicing,
    reason = "URLs, directories and domains are numbered by the catalog itself"
)]

use super::count;
use crate::catalog::{Catalog, UrlId};
use crate::ledger::UrlHealth;
use crate::rng::SplitMix64;

/// How breakage lies inside a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breakage {
    /// Whole directories die.
    ByDirectory,
    /// URLs die here and there.
    Scattered,
}

/// What tells the pages of a directory apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Naming {
    /// A name in the path.
    Path,
    /// A value in the query.
    Query,
}

/// What a federation is like.
#[derive(Debug, Clone, Copy)]
pub struct FederationShape {
    /// How many URLs it has, about.
    pub urls: u32,
    /// How many domains.
    pub domains: u32,
    /// The share of domains with one URL.
    pub single: f64,
    /// The share of URLs that are broken, about.
    pub broken: f64,
    /// How many URLs a directory has on average (log-normal).
    pub directory: f64,
    /// The share that is broken in a dead directory, from and to.
    pub death: (f64, f64),
    /// The share that is broken in a live directory.
    pub background: f64,
    /// How breakage lies inside a domain.
    pub breakage: Breakage,
    /// What tells pages apart.
    pub naming: Naming,
}

impl Default for FederationShape {
    /// 236,763 URLs on 842 domains, 60 % of them with one URL, 19.31 % broken
    /// (Le & Shulman, §3); the rest is ours.
    fn default() -> Self {
        Self {
            urls: 236_763,
            domains: 842,
            single: 0.60,
            broken: 0.1931,
            directory: 40.0,
            death: (0.93, 1.0),
            background: 0.004,
            breakage: Breakage::ByDirectory,
            naming: Naming::Path,
        }
    }
}

/// The deviation of the logarithm of the sizes of domains.
const DOMAIN_SPREAD: f64 = 2.4;

/// The deviation of the logarithm of the sizes of directories.
const DIRECTORY_SPREAD: f64 = 1.3;

/// The share of what is broken that lies on domains dead as a whole.
const ON_DEAD_DOMAINS: f64 = 0.7;

/// The share that is broken on a domain dead as a whole, from and to.
const DEAD_DOMAIN: (f64, f64) = (0.85, 1.0);

/// A catalog with its truth.
#[derive(Debug)]
pub struct Federation {
    /// What there is.
    pub catalog: Catalog,
    /// What is broken, by the number of the URL.
    pub ground_truth: Vec<UrlHealth>,
}

impl Federation {
    /// Draws a federation.
    pub fn draw(shape: &FederationShape, seed: u64) -> Self {
        let mut chance = SplitMix64::new(seed);
        let sizes = sizes(shape, &mut chance);
        let rates = rates(shape, &sizes, &mut chance);
        let (mut names, mut truth) = (Vec::new(), Vec::new());
        for (domain, (size, rate)) in sizes.into_iter().zip(rates).enumerate() {
            let broken = domain_truth(shape, size, rate, &mut chance);
            for (directory, pages) in broken.iter().enumerate() {
                let url = |page| address(shape.naming, domain, directory, page);
                names
                    .extend((0..pages.len()).map(|page| (format!("d{domain}.example"), url(page))));
            }
            truth.extend(broken.concat());
        }
        let catalog = Catalog::new(names);
        let truth = catalog.urls().map(|url| truth[catalog.position(url) as usize]).collect();
        Self { catalog, ground_truth: truth }
    }

    /// What is true of a URL.
    pub fn answer(&self, url: UrlId) -> UrlHealth {
        self.ground_truth[url.index()]
    }
}

/// The sizes of domains: many of one URL, the others log-normal.
fn sizes(shape: &FederationShape, chance: &mut SplitMix64) -> Vec<u32> {
    let single = count(shape.single * f64::from(shape.domains)).min(shape.domains);
    let weights: Vec<f64> =
        (single..shape.domains).map(|_| chance.log_normal(1.0, DOMAIN_SPREAD)).collect();
    let left = f64::from(shape.urls.saturating_sub(single));
    let sum = weights.iter().sum::<f64>();
    let large = weights.iter().map(|weight| count(left * weight / sum).max(2));
    large.chain((0..single).map(|_| 1)).collect()
}

/// The share that is broken on each domain: some are dead, and the others
/// share the rest unevenly.
fn rates(shape: &FederationShape, sizes: &[u32], chance: &mut SplitMix64) -> Vec<f64> {
    let urls: f64 = sizes.iter().copied().map(f64::from).sum();
    let mut quota = ON_DEAD_DOMAINS * shape.broken * urls;
    let (mut wanted, mut living) = (shape.broken * urls, urls);
    let mut rates = vec![0.0; sizes.len()];
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    chance.shuffle(&mut order);
    for domain in order {
        let size = f64::from(sizes[domain]);
        if size <= quota && chance.bernoulli(ON_DEAD_DOMAINS) {
            rates[domain] = chance.between(DEAD_DOMAIN.0, DEAD_DOMAIN.1);
            quota -= size;
            (wanted, living) = (wanted - rates[domain] * size, living - size);
        }
    }
    let rest = wanted / living.max(1.0);
    for rate in rates.iter_mut().filter(|rate| **rate <= 0.0) {
        *rate = (2.0 * rest * chance.unit()).min(1.0);
    }
    rates
}

/// What is broken on a domain, directory by directory.
fn domain_truth(
    shape: &FederationShape,
    size: u32,
    rate: f64,
    chance: &mut SplitMix64,
) -> Vec<Vec<UrlHealth>> {
    let background = shape.background.min(rate);
    let mean = f64::midpoint(shape.death.0, shape.death.1).max(f64::MIN_POSITIVE);
    let struck = ((rate - background) / mean).clamp(0.0, 1.0);
    let mut directories = Vec::new();
    let mut left = size;
    while left > 0 {
        let pages = count(chance.log_normal(shape.directory, DIRECTORY_SPREAD).round());
        let pages = pages.clamp(1, left);
        left -= pages;
        let rate = match shape.breakage {
            Breakage::Scattered => rate,
            Breakage::ByDirectory if chance.bernoulli(struck) => {
                chance.between(shape.death.0, shape.death.1)
            }
            Breakage::ByDirectory => background,
        };
        let answer = |_| if chance.bernoulli(rate) { UrlHealth::Broken } else { UrlHealth::Alive };
        directories.push((0..pages).map(answer).collect());
    }
    directories
}

fn address(naming: Naming, domain: usize, directory: usize, page: usize) -> String {
    match naming {
        Naming::Path => format!("http://d{domain}.example/c{directory}/{page}.html"),
        Naming::Query => format!("http://d{domain}.example/c{directory}?id={page}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A smaller federation of the same kind.
    fn shape() -> FederationShape {
        FederationShape { urls: 20_000, domains: 200, ..FederationShape::default() }
    }

    #[track_caller]
    fn check(shape: &FederationShape) {
        let federation = Federation::draw(shape, 3);
        let urls = federation.catalog.len();
        assert_eq!(federation.catalog.domains().len(), shape.domains as usize);
        assert!((f64::from(urls) / f64::from(shape.urls) - 1.0).abs() < 0.05, "{urls}");
        let broken =
            federation.ground_truth.iter().filter(|answer| **answer == UrlHealth::Broken).count();
        let broken = f64::from(u32::try_from(broken).unwrap()) / f64::from(urls);
        assert!((broken - shape.broken).abs() < 0.08, "{broken}");
    }

    #[test]
    fn a_federation_is_about_as_it_was_asked_for() {
        check(&shape());
        check(&FederationShape { breakage: Breakage::Scattered, ..shape() });
        check(&FederationShape { naming: Naming::Query, death: (0.7, 1.0), ..shape() });
    }

    #[test]
    fn a_federation_of_nothing_is_empty() {
        let nothing = FederationShape { urls: 0, domains: 0, ..shape() };
        assert!(Federation::draw(&nothing, 1).catalog.is_empty());
    }
}
