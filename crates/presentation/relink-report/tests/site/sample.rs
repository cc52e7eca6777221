//! A sample report that has every section, with realistic sizes.

use jiff::Timestamp;
use relink_model::{FindingCode, Verdict};
use relink_report::site::{
    Capped, ChainRow, ChangeRow, DepthRow, Edge, InlinkRow, MissingFragment, PageMetric, SameTitle,
    SiteComparison, SiteFinding, SiteHost, SiteReport, TemplateRow, TrapRow, TreeRow,
};

/// The crawled site.
const SITE: &str = "https://site.example";

/// Returns the sample report.
pub fn report() -> SiteReport {
    SiteReport {
        version: "0.1.0".to_owned(),
        run: 44,
        seeds: vec![format!("{SITE}/")],
        started_at: timestamp("2026-11-10T09:00:00Z"),
        finished_at: timestamp("2026-11-10T09:03:12Z"),
        termination_note: Some("Stopped at the time limit after 1,100 of 1,204 URLs.".to_owned()),
        pages: 864,
        links: 11_203,
        targets: 1_204,
        verdicts: verdicts(),
        statuses: [("2xx", 988), ("3xx", 12), ("4xx", 132), ("5xx", 9), ("none", 63)]
            .map(|(class, count)| (class.to_owned(), count))
            .into(),
        depths: depths(),
        saturation_depth: Some(5),
        hosts: hosts(),
        step_ms: 3_200,
        tree: tree(),
        findings: findings(),
        chains: chains(),
        slowest: metrics(&[("/search", 8_412), ("/reports/2023/all", 5_120), ("/map", 2_080)]),
        largest: metrics(&[("/reports/2023/all", 4_812_300), ("/glossary", 912_440)]),
        orphans: capped(["/press/2019/launch", "/legal/old-terms"].map(site_url).to_vec(), 2),
        same_titles: capped(vec![same_title("Untitled page", 31), same_title("Blog · page", 6)], 2),
        fragments: capped(vec![fragment("/install", "windows", 7), fragment("/faq", "q12", 1)], 2),
        mixed_content: capped(vec![edge("/gallery", "http://cdn.example/photo-1.jpg")], 1),
        templates: templates(),
        traps: traps(),
        not_followed: vec![
            ("deeper than the limit".to_owned(), 412),
            ("not links to pages".to_owned(), 38),
        ],
        notes: vec![
            "site.example: robots.txt sets a Crawl-delay of 1.0 s".to_owned(),
            "cdn.example: status 429, requests were slowed down".to_owned(),
        ],
        comparison: Some(comparison()),
    }
}

fn timestamp(text: &str) -> Timestamp {
    text.parse().expect("the timestamps are valid")
}

/// Returns a URL of the site.
fn site_url(path: &str) -> String {
    format!("{SITE}{path}")
}

/// Returns the first rows of a list with `total` rows.
fn capped<T>(rows: Vec<T>, total: u64) -> Capped<T> {
    Capped { rows, total }
}

fn verdicts() -> std::collections::BTreeMap<Verdict, u64> {
    [
        (Verdict::Alive, 870),
        (Verdict::Moved, 118),
        (Verdict::Dead, 61),
        (Verdict::Soft404, 14),
        (Verdict::Hijacked, 1),
        (Verdict::Failing, 9),
        (Verdict::Blocked, 131),
    ]
    .into()
}

fn depths() -> Vec<DepthRow> {
    // The numbers of pages, links, new links and template links of each depth. A template link
    // occurs on nearly every page.
    let rows = [
        (1, 24, 24, 20),
        (14, 410, 212, 280),
        (212, 4_120, 388, 2_600),
        (430, 4_900, 402, 3_000),
        (150, 1_380, 148, 800),
        (57, 369, 30, 260),
    ];
    let mut depths = Vec::new();
    let mut previous_new_links: Option<i64> = None;
    for (depth, (pages, links, new_links, template_links)) in (0..).zip(rows) {
        let signed_new_links = i64::try_from(new_links).unwrap_or(i64::MAX);
        let slope = previous_new_links.map(|previous| signed_new_links - previous);
        previous_new_links = Some(signed_new_links);
        depths.push(DepthRow { depth, pages, links, new_links, template_links, slope });
    }
    depths
}

fn hosts() -> Capped<SiteHost> {
    let host = |(name, requests, throttled, wave): (&str, u64, u64, u32)| SiteHost {
        name: name.to_owned(),
        requests,
        throttled,
        request_ms: requests * 140,
        politeness_wait_ms: requests * 190,
        timeline: (0..60).map(|step: u32| (step * wave * 7 + wave) % (wave + 11) / 2).collect(),
    };
    // The name, the numbers of requests and of throttled responses, and a number that determines
    // the shape of the timeline.
    let rows = [
        ("site.example", 864, 0, 13),
        ("cdn.example", 120, 6, 5),
        ("old.example.org", 61, 0, 2),
        ("docs.example.net", 44, 0, 3),
        ("a-host-with-a-rather-long-name.subdomain.example.com", 9, 0, 1),
    ];
    capped(rows.map(host).to_vec(), 57)
}

fn tree() -> Capped<TreeRow> {
    // The path, and the numbers of targets and of broken targets.
    let rows = [
        ("/", 1_020, 85),
        ("/blog/", 300, 41),
        ("/blog/2014/", 24, 24),
        ("/blog/2014/05/", 11, 11),
        ("/blog/2015/", 88, 3),
        ("/docs/", 410, 12),
        ("/docs/api/", 200, 0),
        ("/docs/guide/", 120, 12),
        ("/press/", 17, 17),
        ("/shop/", 90, 2),
    ];
    let row = |(path, targets, broken): (&str, u64, u64)| TreeRow {
        path: path.to_owned(),
        level: u32::try_from(path.matches('/').count() - 1).unwrap_or(0),
        targets,
        broken,
        is_dead: broken == targets,
    };
    capped(rows.map(row).to_vec(), 212)
}

/// Returns locations of links, at most 50 of `count`.
fn inlinks(count: u64) -> Capped<InlinkRow> {
    let inlink = |number: u64| InlinkRow {
        page: site_url(&format!("/blog/2015/post-{number}")),
        line: u32::try_from(12 + number * 7).unwrap_or(1),
    };
    capped((1..=count.min(50)).map(inlink).collect(), count)
}

/// A finding: URL prefix, verdict, code, status, reason and advice.
type FindingSample = (&'static str, Verdict, u16, Option<u16>, &'static str, &'static str);

/// Returns 42 of 85 findings, with the kinds of [`FindingSample`] in turn.
fn findings() -> Capped<SiteFinding> {
    const GONE: &str = "Remove the link, or link to the new URL of the page.";
    let kinds: [FindingSample; 6] = [
        (
            "https://site.example/blog/2014/post-",
            Verdict::Dead,
            101,
            Some(404),
            "404 in 2 attempts, 4.1 s apart",
            GONE,
        ),
        (
            "https://old.example.org/guide/setup?version=",
            Verdict::Dead,
            102,
            None,
            "no such host in 2 lookups",
            GONE,
        ),
        (
            "https://shop.example.net/item/",
            Verdict::Soft404,
            301,
            Some(200),
            "status 200, but equals the response to a random name",
            "Search for the page on the site, or link to an archived copy.",
        ),
        (
            "https://site.example/press/release-",
            Verdict::Dead,
            101,
            Some(410),
            "410 in 2 attempts, 3.9 s apart",
            GONE,
        ),
        (
            "https://api.example.net/v1/status/",
            Verdict::Failing,
            500,
            Some(503),
            "status 503; failed in 1 run, dead after 3 in a row",
            "Wait for the next run; nothing needs to be done yet.",
        ),
        (
            "https://okjob.example/offers/",
            Verdict::Hijacked,
            302,
            Some(200),
            "domain changed owner: gambling content",
            "Remove the link; the domain has another owner.",
        ),
    ];
    let finding = |number: u64| {
        let kind = usize::try_from(number).unwrap_or(0) % kinds.len();
        let (start, verdict, code, status, reason, advice) = kinds[kind];
        SiteFinding {
            url: format!("{start}{number}"),
            verdict,
            code: Some(FindingCode::new(code)),
            status,
            reason: reason.to_owned(),
            advice: Some(advice.to_owned()),
            depth: u32::try_from(number % 5 + 1).ok(),
            inlinks: inlinks(if number == 0 { 861 } else { 60 / (number + 1) + 1 }),
        }
    };
    capped((0..42).map(finding).collect(), 85)
}

fn chains() -> Capped<ChainRow> {
    let chain = |hops: &[&str], inlinks| ChainRow {
        hops: hops.iter().map(|hop| (*hop).to_owned()).collect(),
        inlinks,
    };
    let rows = vec![
        chain(
            &[
                "http://site.example/a",
                "https://site.example/a",
                "https://site.example/a/",
                "https://site.example/articles/a/",
            ],
            17,
        ),
        chain(&["https://site.example/old", "https://site.example/new"], 4),
    ];
    capped(rows, 118)
}

/// Returns pages with their sizes or durations.
fn metrics(rows: &[(&str, u64)]) -> Vec<PageMetric> {
    rows.iter().map(|(path, value)| PageMetric { url: site_url(path), value: *value }).collect()
}

fn same_title(title: &str, pages: u64) -> SameTitle {
    let page = |number: u64| site_url(&format!("/pages/{number}"));
    SameTitle {
        title: title.to_owned(),
        pages: capped((1..=pages.min(20)).map(page).collect(), pages),
    }
}

fn fragment(path: &str, fragment: &str, links: u64) -> MissingFragment {
    MissingFragment { url: site_url(path), fragment: fragment.to_owned(), inlinks: inlinks(links) }
}

fn edge(from: &str, to: &str) -> Edge {
    Edge { from: site_url(from), to: to.to_owned() }
}

fn templates() -> Capped<TemplateRow> {
    let row = |(path, pages): (&str, u64)| TemplateRow { url: site_url(path), pages };
    capped([("/", 864), ("/contact", 861), ("/blog/2014/post-0", 861)].map(row).to_vec(), 20)
}

fn traps() -> Vec<TrapRow> {
    vec![TrapRow {
        kind: "endless calendar".to_owned(),
        pattern: "/calendar?month=…".to_owned(),
        count: 240,
        example: site_url("/calendar?month=2099-12"),
        flag: "--enter-trap /calendar*".to_owned(),
    }]
}

fn comparison() -> SiteComparison {
    let row = |url: &str, before, after, code: Option<u16>| ChangeRow {
        url: url.to_owned(),
        before,
        after,
        code: code.map(FindingCode::new),
    };
    SiteComparison {
        run: 41,
        started_at: timestamp("2026-11-03T09:00:00Z"),
        new: capped(
            vec![row("https://site.example/press/release-3", None, Some(Verdict::Dead), Some(101))],
            4,
        ),
        fixed: capped(
            vec![
                row(
                    "https://site.example/docs/faq",
                    Some(Verdict::Dead),
                    Some(Verdict::Alive),
                    None,
                ),
                row("https://old.example.org/x", Some(Verdict::Failing), None, None),
            ],
            9,
        ),
        regressed: capped(
            vec![row(
                "https://shop.example.net/item/2",
                Some(Verdict::Alive),
                Some(Verdict::Soft404),
                Some(301),
            )],
            1,
        ),
    }
}
