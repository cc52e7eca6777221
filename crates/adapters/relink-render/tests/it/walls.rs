//! What a page cannot reach.

use std::net::UdpSocket;

use relink_testkit::canary::Canary;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{browser, check_says, found, named};

/// A page that tries everything that makes requests, and tells of its end.
fn prober(places: &[String]) -> String {
    let places = format!("{places:?}");
    format!(
        r#"<p id="p"></p><img src="{{}}"><script>
const places = {places};
const tries = [];
for (const place of places) {{
    tries.push(fetch(place, {{ mode: 'no-cors' }}));
    tries.push(fetch(place, {{ method: 'POST', body: 'x', mode: 'no-cors' }}));
    for (const kind of ['iframe', 'script', 'img', 'embed', 'audio']) {{
        const element = document.createElement(kind);
        element.src = place;
        document.body.append(element);
    }}
    for (const rel of ['stylesheet', 'preload', 'prefetch', 'preconnect', 'dns-prefetch']) {{
        const link = document.createElement('link');
        Object.assign(link, {{ rel, href: place, as: 'script' }});
        document.head.append(link);
    }}
    navigator.sendBeacon(place, 'x');
    new EventSource(place);
    new WebSocket(place.replace('http', 'ws'));
    const work = `fetch('${{place}}', {{ mode: 'no-cors' }}).catch(() => 0)`;
    new Worker(URL.createObjectURL(new Blob([work])));
    window.open(place);
}}
Promise.allSettled(tries).then(ends => {{
    p.textContent = 'reached: ' + ends.filter(end => end.status === 'fulfilled').length + '.';
}});
</script>"#
    )
}

#[tokio::test]
async fn a_page_reaches_nothing_private_but_its_own_host() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let hosts = ["127.0.0.1", "localhost", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"];
    let places: Vec<String> =
        hosts.iter().map(|host| format!("http://{host}:{}/x", canary.port())).collect();
    web.page("/", 200, &prober(&places)).page("/own", 200, "own");
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    check_says(&rendered, "reached: 0.");
    assert_eq!(canary.connects(), 0);
    assert!(rendered.refused >= places.len(), "{}", rendered.refused);
}

#[tokio::test]
async fn an_encrypted_way_leads_no_further() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let places = vec![format!("https://127.0.0.1:{}/x", canary.port())];
    web.page("/", 200, &prober(&places));
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    check_says(&rendered, "reached: 0.");
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn its_own_host_and_port_are_open_to_it() {
    let web = TestServer::start().await;
    web.page("/", 200, &prober(&[web.url("/own").to_string()])).page("/own", 200, "own");
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    check_says(&rendered, "reached: 2.");
    assert!(web.hits("/own") >= 2);
}

#[tokio::test]
async fn redirects_lead_to_nothing_private() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let place = format!("http://127.0.0.1:{}/x", canary.port());
    let browser = browser();
    web.redirect("/server", 302, &place)
        .page("/script", 200, &format!("<script>location = '{place}'</script>"))
        .page("/refresh", 200, &format!(r#"<meta http-equiv=refresh content="0;url={place}">"#));
    for path in ["/server", "/script", "/refresh"] {
        let error = named(&browser, web.url(path)).await.unwrap_err();
        assert!(error.to_string().starts_with("the page was not loaded"), "{path}: {error}");
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn a_page_that_was_only_found_reaches_nothing_private_at_all() {
    let web = TestServer::start().await;
    web.page("/", 200, "secret");
    assert!(found(&browser(), web.url("/")).await.is_err());
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn no_datagram_leaves() {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_nonblocking(true).unwrap();
    let port = socket.local_addr().unwrap().port();
    let page = format!(
        r#"<p id="p"></p><script>
        (async () => {{
            const servers = ['stun:127.0.0.1:{port}', 'turn:127.0.0.1:{port}?transport=udp'];
            const iceServers = [{{ urls: servers, username: 'a', credential: 'b' }}];
            const caller = new RTCPeerConnection({{ iceServers }});
            caller.createDataChannel('x');
            await caller.setLocalDescription(await caller.createOffer());
            await new Promise(done => {{
                caller.onicegatheringstatechange = () =>
                    caller.iceGatheringState === 'complete' && done();
                setTimeout(done, 3000);
            }});
            let transport = 'none';
            try {{
                const quic = new WebTransport('https://127.0.0.1:{port}/');
                transport = await quic.ready.then(() => 'open', () => 'closed');
            }} catch (error) {{ transport = 'missing'; }}
            p.textContent = 'transport: ' + transport;
        }})();
        const busy = setInterval(() => fetch('/'), 200);
        setTimeout(() => clearInterval(busy), 4000);
        </script>"#
    );
    let web = TestServer::start().await;
    web.page("/", 200, &page);
    let rendered = named(&browser(), web.url("/")).await.unwrap();
    assert!(crate::html(&rendered).contains("transport: "));
    let heard = socket.recv(&mut [0; 64]);
    assert!(heard.is_err(), "a datagram came");
}

#[tokio::test]
async fn pictures_and_films_are_not_loaded() {
    let web = TestServer::start().await;
    let page = "<link rel=stylesheet href=/style><img src=/picture><video src=/film></video>";
    let style = "@font-face { font-family: f; src: url(/font) } body { font-family: f }";
    web.page("/", 200, &format!("{page}<p>text"))
        .answer("/style", CannedResponse::new(200, style).header("Content-Type", "text/css"));
    named(&browser(), web.url("/")).await.unwrap();
    assert_eq!(web.hits("/style"), 1);
    for path in ["/picture", "/film", "/font"] {
        assert_eq!(web.hits(path), 0, "{path}");
    }
}
