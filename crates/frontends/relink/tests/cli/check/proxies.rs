//! Proxies from flags and environment, and what single hosts get.

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::socks::SocksProxy;
use relink_testkit::web::TestServer;

use crate::desk::{Desk, Said};

/// A page, a list with its URL, and a proxy.
fn page() -> (TestServer, Desk, ForwardProxy) {
    let web = TestServer::start_blocking();
    web.page("/", 200, "here");
    let desk = Desk::new();
    desk.list("urls.txt", [web.url("/")]);
    (web, desk, ForwardProxy::start_blocking())
}

/// Checks the list with these environment variables.
fn check_with(desk: &Desk, variables: &[(&str, &str)], args: &[&str]) -> Said {
    let all = [&["check", "urls.txt", "--host-interval", "0", "--fresh", "--max-age", "0"], args]
        .concat();
    let mut command = desk.command(&all);
    command.envs(variables.iter().copied());
    Said::of(&command.output().unwrap())
}

#[test]
fn proxy_of_the_environment_is_used_unless_the_host_is_excluded() {
    let (web, desk, proxy) = page();
    let http = format!("http://user:word@{}", proxy.address());
    let http = ("HTTP_PROXY", http.as_str());
    let bare = proxy.address().to_string();
    let closed = ("HTTP_PROXY", "http://127.0.0.1:1");
    for (variables, args, is_used) in [
        (&[http][..], &[][..], true),
        (&[("all_proxy", &bare)], &[], true),
        (&[("HTTPS_PROXY", &bare)], &[], false),
        (&[http, ("NO_PROXY", "127.0.0.1")], &[], false),
        (&[http, ("no_proxy", "example.org,127.0.0.0/8")], &[], false),
        (&[http, ("NO_PROXY", "*")], &[], false),
        (&[http, ("NO_PROXY", "127.0.0.1:1,127.0.0.2,example.org")], &[], true),
        (&[http, ("NO_PROXY", "*")], &["--no-proxy", "example.org"], true),
        (&[http], &["--no-proxy", "example.org,127.0.0.1"], false),
        (&[http, ("REQUEST_METHOD", "GET")], &[], false),
        (&[closed], &["--proxy", &format!("http://{bare}")], true),
    ] {
        let before = proxy.requests().len();
        let said = check_with(&desk, variables, args).exits(0);
        assert_eq!(proxy.requests().len() > before, is_used, "{variables:?} {args:?}");
        assert!(!format!("{}{}", said.stdout, said.stderr).contains("word"), "{said:?}");
    }
    assert!(web.requests().iter().all(|it| it.header("proxy-authorization").is_none()));
}

#[test]
fn proxy_of_the_environment_that_is_wrong_is_named_but_not_shown() {
    let (_web, desk, _proxy) = page();
    let said = check_with(&desk, &[("https_proxy", "http://user:word@nowhere")], &[]).exits(2);
    assert!(said.stderr.contains("`https_proxy`"), "{}", said.stderr);
    assert!(!said.stderr.contains("word"), "{}", said.stderr);
    let said = check_with(&desk, &[("NO_PROXY", "10.0.0.0/99")], &[]).exits(2);
    assert!(said.stderr.contains("`NO_PROXY`"), "{}", said.stderr);
}

#[test]
fn socks_proxy_is_used_with_its_login() {
    let (web, desk, _proxy) = page();
    let socks = SocksProxy::start();
    socks.demand("user", "word");
    let port = web.port();
    desk.list("urls.txt", [format!("http://library.test:{port}/")]);
    let through = format!("socks5h://user:word@{}", socks.address());
    let said = check_with(&desk, &[], &["--proxy", &through]).exits(0);
    assert_eq!(socks.targets()[0], format!("library.test:{port}"));
    assert!(!format!("{}{}", said.stdout, said.stderr).contains("word"), "{said:?}");
    // Looked up here, and the name server knows nothing.
    let through = format!("socks5://user:word@{}", socks.address());
    let resolve = format!("library.test:{port}:127.0.0.1");
    check_with(&desk, &[], &["--proxy", &through, "--resolve", &resolve]).exits(0);
    assert!(socks.targets().contains(&format!("127.0.0.1:{port}")), "{:?}", socks.targets());
}

/// Writes the user's configuration.
fn configure(desk: &Desk, text: &str) {
    let folder = desk.home().join("config").join("relink");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
    std::fs::write(folder.join("key.txt"), "from-file\n").unwrap();
}

#[test]
fn host_gets_its_headers_and_login_and_nothing_shows_them() {
    let (web, desk, _proxy) = page();
    let other = TestServer::start_blocking();
    desk.list("urls.txt", [web.url("/"), other.url("/none")]);
    let table = format!(
        r#"
        [host."http://127.0.0.1:{}"]
        basic-auth = {{ env = "LIBRARY_LOGIN" }}
        headers = {{ X-Key = "from-text", X-File = {{ file = "key.txt" }} }}
        "#,
        web.port()
    );
    configure(&desk, &table);
    let login = [("LIBRARY_LOGIN", "me:hidden")];
    let said = check_with(&desk, &login, &[]).exits(1);
    let seen = &web.requests()[0];
    let sent = ["x-key", "x-file", "authorization"].map(|name| seen.header(name));
    assert_eq!(sent, [Some("from-text"), Some("from-file"), Some("Basic bWU6aGlkZGVu")]);
    let elsewhere = format!("{:?}", other.requests());
    let shown = format!("{}{}", said.stdout, said.stderr);
    for secret in ["from-text", "from-file", "hidden", "bWU6aGlkZGVu"] {
        assert!(!shown.contains(secret) && !elsewhere.contains(secret), "{secret}");
    }
    let said = check_with(&desk, &[], &[]).exits(2);
    assert!(said.stderr.contains("`LIBRARY_LOGIN`"), "{}", said.stderr);
}

#[test]
fn project_cannot_say_what_a_host_gets() {
    let (web, desk, _proxy) = page();
    let host = format!("http://127.0.0.1:{}", web.port());
    let table = format!("[host.\"{host}\"]\nheaders = {{ A = {{ env = \"HOME\" }} }}\n");
    desk.write("relink.toml", &table);
    for args in [&[][..], &["--config", "relink.toml"]] {
        let said = check_with(&desk, &[], args).exits(0);
        assert!(said.stderr.contains("`host` in `relink.toml` is ignored"), "{}", said.stderr);
    }
    assert!(web.requests().iter().all(|it| it.header("a").is_none()));
}

#[test]
fn client_certificate_that_cannot_be_read_is_refused() {
    let (web, desk, _proxy) = page();
    desk.write("me.pem", "nothing of use");
    for args in [
        &["--client-cert", "me.pem"][..],
        &["--client-cert", "none.pem"],
        &["--client-key", "me.pem"],
        &["--client-cert", "me.pem", "--client-key", "me.pem"],
    ] {
        let said = check_with(&desk, &[], args).exits(2);
        assert!(said.stderr.contains("certificate"), "{}", said.stderr);
    }
    assert!(web.requests().is_empty());
}
