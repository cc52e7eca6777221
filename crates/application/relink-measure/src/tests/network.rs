//! Compares the intervals of measured scores with the exact scores, on a network of 20
//! hosts with planted dead links.

use super::*;

/// Number of hosts of the network.
const HOSTS: u64 = 20;
/// Number of pages of each host.
const PAGES: u64 = 15;

/// A network in memory.
struct Network {
    /// The HTML of each URL.
    pages: HashMap<String, String>,
    /// The links, as lines `from to`.
    edges: String,
    /// The dead URLs, one per line.
    dead: String,
}

impl Network {
    /// Returns a random network. Three of four links lead to the own host. Between 0 and 29
    /// percent of the links of a host are dead.
    fn random(seed: u64) -> Self {
        let mut random = SplitMix64::new(seed);
        let mut random_below = |limit: u64| random.next_u64() % limit;
        let url = |host: u64, page: u64| format!("http://host{host}.test/p{page}");
        let (mut pages, mut edges, mut dead) = (HashMap::new(), String::new(), String::new());
        for host in 0..HOSTS {
            let dead_percent = random_below(30);
            for page in 0..PAGES {
                let mut html = String::new();
                for link in 0..2 + random_below(7) {
                    let target_host = if random_below(4) == 0 { random_below(HOSTS) } else { host };
                    let mut to = url(target_host, random_below(PAGES));
                    if random_below(100) < dead_percent {
                        to = format!("http://host{target_host}.test/gone-{host}-{page}-{link}");
                        dead.extend([to.as_str(), "\n"]);
                    }
                    html.extend(["<a href=\"", &to, "\">", &link.to_string(), "</a> "]);
                    edges.extend([url(host, page).as_str(), " ", &to, "\n"]);
                }
                let name = format!("page{page} of host{host} ").repeat(9);
                let html = format!("<title>{name}</title><h1>{name}</h1><p>{name}</p>{html}");
                pages.insert(url(host, page), html);
            }
        }
        Self { pages, edges, dead }
    }
}

#[async_trait]
impl Fetch for Network {
    async fn fetch(&self, request: FetchRequest) -> FetchResult {
        let url = request.url.to_string();
        let (status, html) = match self.pages.get(&url) {
            Some(html) => (200, html.clone()),
            None => (404, "not here".to_owned()),
        };
        FetchResult {
            hops: vec![Hop { url, status, location: None, ip: None }],
            outcome: FetchOutcome::Response(status),
            timings: Timings::default(),
            retry_after: None,
            headers: Vec::new(),
            body: Some(Body {
                content_type: Some("text/html".to_owned()),
                bytes: html.into(),
                ..Body::default()
            }),
        }
    }

    async fn resolve_ip(&self, _: &Url) -> Option<IpAddr> {
        None
    }
}

#[tokio::test(start_paused = true)]
async fn intervals_of_100_pages_on_20_hosts_hold_the_exact_score() {
    let network = Network::random(7);
    let lists = EdgeLists { links: &network.edges, dead: &network.dead };
    let web = lists.graph(FailureModel::default()).unwrap();
    let scores = web.score(DecayDefinition::Plain, &[Sigma::default()]).unwrap();
    let mut urls: Vec<&String> = network.pages.keys().collect();
    urls.sort_unstable();
    let mut contained = 0;
    for (seed, url) in (0..).zip(urls.iter().step_by(3)) {
        let settings = MeasureSettings { url: url.parse().unwrap(), seed, ..settings() };
        let ports = MeasurePorts { fetch: &network, clock: &FixedClock, store: None };
        let stop = StopSignal::never();
        let measured = measure(ports, &settings, &mut IgnoreResults, &stop).await;
        let exact = scores[0].decay(web.page(url).unwrap()).get();
        let Interval { low, high } = measured.details.interval;
        contained += u32::from(low.get() <= exact && exact <= high.get());
    }
    assert!(contained >= 95, "{contained} of 100 intervals contain the exact score");
}
