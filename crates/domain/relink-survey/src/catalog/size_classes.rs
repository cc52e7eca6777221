//! The distribution of URLs over domains (Figures 3 and 4 of Le & Shulman).

use super::{Catalog, DomainId};

/// The minimum and maximum number of URLs of each size class: 1 URL, 2 to 10, and so on by powers
/// of ten. Le & Shulman (section 3.1) mention domains with 1, 1000 and 10,000 URLs.
const CLASS_BOUNDS: [(u32, u32); 6] =
    [(1, 1), (2, 10), (11, 100), (101, 1_000), (1_001, 10_000), (10_001, u32::MAX)];

/// The domains in one size class.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SizeClass {
    /// Minimum number of URLs per domain.
    pub from: u32,
    /// Maximum number of URLs per domain; `u32::MAX` for the last class.
    pub to: u32,
    /// Number of domains in the class.
    pub domains: u32,
    /// Number of URLs on these domains.
    pub urls: u32,
    /// Share of all domains that are in the class (figure 3), 0 to 1.
    pub share_of_domains: f64,
    /// Share of all URLs that are on domains of the class (figure 4), 0 to 1.
    pub share_of_urls: f64,
}

/// Returns the domains of a catalog by size.
pub fn size_classes(catalog: &Catalog) -> Vec<SizeClass> {
    let all_domains = f64::from(super::to_u32(catalog.domains().len())).max(1.0);
    let all_urls = f64::from(catalog.len()).max(1.0);
    let class = |(from, to)| {
        let is_inside = |domain: &DomainId| (from..=to).contains(&catalog.domain_size(*domain));
        let sizes = catalog.domains().filter(is_inside).map(|domain| catalog.domain_size(domain));
        let (mut domains, mut urls) = (0, 0);
        for size in sizes {
            domains += 1;
            urls += size;
        }
        SizeClass {
            from,
            to,
            domains,
            urls,
            share_of_domains: f64::from(domains) / all_domains,
            share_of_urls: f64::from(urls) / all_urls,
        }
    };
    CLASS_BOUNDS.into_iter().map(class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_count_domains_and_urls() {
        let sizes = [1, 1, 1, 10, 11, 2_000];
        let urls = sizes.iter().enumerate().flat_map(|(domain, &size)| {
            (0..size)
                .map(move |at| (format!("{domain}.test"), format!("http://{domain}.test/{at}")))
        });
        let classes = size_classes(&Catalog::new(urls));
        let found: Vec<(u32, u32)> =
            classes.iter().map(|class| (class.domains, class.urls)).collect();
        assert_eq!(found, [(3, 3), (1, 10), (1, 11), (0, 0), (1, 2_000), (0, 0)]);
        assert!((classes[0].share_of_domains - 0.5).abs() < 1e-9);
        assert!((classes.iter().map(|class| class.share_of_urls).sum::<f64>() - 1.0).abs() < 1e-9);
    }
}
