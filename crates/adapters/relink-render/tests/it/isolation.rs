//! Tests of the network isolation of pages. The canary is a server that counts
//! connections. No page may connect to it.

use std::net::UdpSocket;

use relink_testkit::canary::Canary;
use relink_testkit::web::{CannedResponse, TestServer};

use crate::{browser, check_contains, render_discovered, render_user_supplied};

/// Returns a page that sends requests to the URLs in every possible way. It shows the
/// number of successful `fetch` calls (two per URL) as `reached: N.`.
fn probe_page(urls: &[String]) -> String {
    let urls = format!("{urls:?}");
    format!(
        r#"<p id="p"></p><img src="{{}}"><script>
const urls = {urls};
const attempts = [];
for (const url of urls) {{
    attempts.push(fetch(url, {{ mode: 'no-cors' }}));
    attempts.push(fetch(url, {{ method: 'POST', body: 'x', mode: 'no-cors' }}));
    for (const kind of ['iframe', 'script', 'img', 'embed', 'audio']) {{
        const element = document.createElement(kind);
        element.src = url;
        document.body.append(element);
    }}
    for (const rel of ['stylesheet', 'preload', 'prefetch', 'preconnect', 'dns-prefetch']) {{
        const link = document.createElement('link');
        Object.assign(link, {{ rel, href: url, as: 'script' }});
        document.head.append(link);
    }}
    navigator.sendBeacon(url, 'x');
    new EventSource(url);
    new WebSocket(url.replace('http', 'ws'));
    const work = `fetch('${{url}}', {{ mode: 'no-cors' }}).catch(() => 0)`;
    new Worker(URL.createObjectURL(new Blob([work])));
    window.open(url);
}}
Promise.allSettled(attempts).then(results => {{
    p.textContent = 'reached: ' + results.filter(result => result.status === 'fulfilled').length + '.';
}});
</script>"#
    )
}

#[tokio::test]
async fn page_cannot_reach_private_hosts_except_its_own() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let hosts = ["127.0.0.1", "localhost", "0x7f.1", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"];
    let urls: Vec<String> =
        hosts.iter().map(|host| format!("http://{host}:{}/x", canary.port())).collect();
    web.page("/", 200, &probe_page(&urls)).page("/own", 200, "own");
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    check_contains(&rendered, "reached: 0.");
    assert_eq!(canary.connects(), 0);
    assert!(rendered.blocked_requests >= urls.len(), "{}", rendered.blocked_requests);
}

#[tokio::test]
async fn page_cannot_reach_private_hosts_over_https() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let urls = vec![format!("https://127.0.0.1:{}/x", canary.port())];
    web.page("/", 200, &probe_page(&urls));
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    check_contains(&rendered, "reached: 0.");
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn page_can_reach_its_own_host_and_port() {
    let web = TestServer::start().await;
    web.page("/", 200, &probe_page(&[web.url("/own").to_string()])).page("/own", 200, "own");
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    check_contains(&rendered, "reached: 2.");
    assert!(web.hits("/own") >= 2);
}

#[tokio::test]
async fn redirects_to_private_hosts_are_blocked() {
    let canary = Canary::start().await;
    let web = TestServer::start().await;
    let private_url = format!("http://127.0.0.1:{}/x", canary.port());
    let browser = browser();
    web.redirect("/server", 302, &private_url)
        .page("/script", 200, &format!("<script>location = '{private_url}'</script>"))
        .page(
            "/refresh",
            200,
            &format!(r#"<meta http-equiv=refresh content="0;url={private_url}">"#),
        );
    for path in ["/server", "/script", "/refresh"] {
        let error = render_user_supplied(&browser, web.url(path)).await.unwrap_err();
        assert!(error.to_string().starts_with("cannot load the page"), "{path}: {error}");
    }
    assert_eq!(canary.connects(), 0);
}

#[tokio::test]
async fn discovered_page_cannot_reach_private_hosts() {
    let web = TestServer::start().await;
    web.page("/", 200, "secret");
    assert!(render_discovered(&browser(), web.url("/")).await.is_err());
    assert_eq!(web.connections(), 0);
}

#[tokio::test]
async fn udp_is_blocked() {
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
    let rendered = render_user_supplied(&browser(), web.url("/")).await.unwrap();
    assert!(crate::html(&rendered).contains("transport: "));
    let received = socket.recv(&mut [0; 64]);
    assert!(received.is_err(), "a datagram was received");
}

#[tokio::test]
async fn images_media_and_fonts_are_not_loaded() {
    let web = TestServer::start().await;
    let page = "<link rel=stylesheet href=/style><img src=/picture><video src=/film></video>";
    let style = "@font-face { font-family: f; src: url(/font) } body { font-family: f }";
    web.page("/", 200, &format!("{page}<p>text"))
        .respond("/style", CannedResponse::new(200, style).with_header("Content-Type", "text/css"));
    render_user_supplied(&browser(), web.url("/")).await.unwrap();
    assert_eq!(web.hits("/style"), 1);
    for path in ["/picture", "/film", "/font"] {
        assert_eq!(web.hits(path), 0, "{path}");
    }
}
