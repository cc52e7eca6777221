//! Proxies from flags and environment, and settings per host.

use relink_testkit::proxy::ForwardProxy;
use relink_testkit::socks::SocksProxy;
use relink_testkit::web::TestServer;

use crate::sandbox::{CommandOutput, Sandbox};

/// Starts a server with one page and a proxy. Writes a list with the URL of the page.
fn setup() -> (TestServer, Sandbox, ForwardProxy) {
    let web = TestServer::start_blocking();
    web.page("/", 200, "here");
    let sandbox = Sandbox::new();
    sandbox.write_urls("urls.txt", [web.url("/")]);
    (web, sandbox, ForwardProxy::start_blocking())
}

/// Checks the list with these environment variables.
fn check_with(sandbox: &Sandbox, variables: &[(&str, &str)], args: &[&str]) -> CommandOutput {
    let args =
        [&["check", "urls.txt", "--host-interval", "0", "--fresh", "--max-cache-age", "0"], args]
            .concat();
    let mut command = sandbox.command(&args);
    command.envs(variables.iter().copied());
    CommandOutput::new(&command.output().unwrap())
}

#[test]
fn proxy_of_the_environment_is_used_unless_the_host_is_excluded() {
    let (web, sandbox, proxy) = setup();
    let address = proxy.address().to_string();
    let proxy_url = format!("http://user:hunter2@{address}");
    let http_proxy = ("HTTP_PROXY", proxy_url.as_str());
    let unreachable_proxy = ("HTTP_PROXY", "http://127.0.0.1:1");
    // Environment variables, flags, and whether the proxy is used.
    for (variables, args, is_used) in [
        (&[http_proxy][..], &[][..], true),
        (&[("all_proxy", &address)], &[], true),
        (&[("HTTPS_PROXY", &address)], &[], false),
        (&[http_proxy, ("NO_PROXY", "127.0.0.1")], &[], false),
        (&[http_proxy, ("no_proxy", "example.org,127.0.0.0/8")], &[], false),
        (&[http_proxy, ("NO_PROXY", "*")], &[], false),
        (&[http_proxy, ("NO_PROXY", "127.0.0.1:1,127.0.0.2,example.org")], &[], true),
        (&[http_proxy, ("NO_PROXY", "*")], &["--no-proxy", "example.org"], true),
        (&[http_proxy], &["--no-proxy", "example.org,127.0.0.1"], false),
        // In a CGI program, a client can set HTTP_PROXY with the header `Proxy`.
        (&[http_proxy, ("REQUEST_METHOD", "GET")], &[], false),
        (&[unreachable_proxy], &["--proxy", &format!("http://{address}")], true),
    ] {
        let requests_before = proxy.requests().len();
        let result = check_with(&sandbox, variables, args).exits(0);
        assert_eq!(proxy.requests().len() > requests_before, is_used, "{variables:?} {args:?}");
        assert!(!format!("{}{}", result.stdout, result.stderr).contains("hunter2"), "{result:?}");
    }
    assert!(web.requests().iter().all(|request| request.header("proxy-authorization").is_none()));
}

#[test]
fn invalid_proxy_variable_is_named_without_its_value() {
    let (_web, sandbox, _proxy) = setup();
    let result =
        check_with(&sandbox, &[("https_proxy", "http://user:hunter2@nowhere")], &[]).exits(2);
    assert!(result.stderr.contains("`https_proxy`"), "{}", result.stderr);
    assert!(!result.stderr.contains("hunter2"), "{}", result.stderr);
    let result = check_with(&sandbox, &[("NO_PROXY", "10.0.0.0/99")], &[]).exits(2);
    assert!(result.stderr.contains("`NO_PROXY`"), "{}", result.stderr);
}

#[test]
fn socks_proxy_is_used_with_its_login() {
    let (web, sandbox, _proxy) = setup();
    let socks = SocksProxy::start();
    socks.require_login("user", "hunter2");
    let port = web.port();
    sandbox.write_urls("urls.txt", [format!("http://library.test:{port}/")]);
    let proxy_url = format!("socks5h://user:hunter2@{}", socks.address());
    let result = check_with(&sandbox, &[], &["--proxy", &proxy_url]).exits(0);
    assert_eq!(socks.targets()[0], format!("library.test:{port}"));
    assert!(!format!("{}{}", result.stdout, result.stderr).contains("hunter2"), "{result:?}");
    // With `socks5`, Relink resolves the name itself. `--resolve` gives its address.
    let proxy_url = format!("socks5://user:hunter2@{}", socks.address());
    let resolve = format!("library.test:{port}:127.0.0.1");
    check_with(&sandbox, &[], &["--proxy", &proxy_url, "--resolve", &resolve]).exits(0);
    assert!(socks.targets().contains(&format!("127.0.0.1:{port}")), "{:?}", socks.targets());
}

/// Writes the user's configuration, and `key.txt` next to it.
fn write_config(sandbox: &Sandbox, text: &str) {
    let dir = sandbox.home().join("config").join("relink");
    std::fs::create_dir_all(&dir).unwrap();
    std::fs::write(dir.join("config.toml"), text).unwrap();
    std::fs::write(dir.join("key.txt"), "from-file\n").unwrap();
}

#[test]
fn host_gets_its_headers_and_login_and_nothing_shows_them() {
    let (web, sandbox, _proxy) = setup();
    let other = TestServer::start_blocking();
    sandbox.write_urls("urls.txt", [web.url("/"), other.url("/none")]);
    let table = format!(
        r#"
        [host."http://127.0.0.1:{}"]
        basic-auth = {{ env = "LIBRARY_LOGIN" }}
        headers = {{ X-Key = "from-text", X-File = {{ file = "key.txt" }} }}
        "#,
        web.port()
    );
    write_config(&sandbox, &table);
    let login = [("LIBRARY_LOGIN", "me:hidden")];
    let result = check_with(&sandbox, &login, &[]).exits(1);
    let request = &web.requests()[0];
    let sent = ["x-key", "x-file", "authorization"].map(|name| request.header(name));
    // Base64 of `me:hidden`.
    let sent_login = "Basic bWU6aGlkZGVu";
    assert_eq!(sent, [Some("from-text"), Some("from-file"), Some(sent_login)]);
    let other_requests = format!("{:?}", other.requests());
    let output = format!("{}{}", result.stdout, result.stderr);
    for secret in ["from-text", "from-file", "hidden", "bWU6aGlkZGVu"] {
        assert!(!output.contains(secret) && !other_requests.contains(secret), "{secret}");
    }
    let result = check_with(&sandbox, &[], &[]).exits(2);
    assert!(result.stderr.contains("`LIBRARY_LOGIN`"), "{}", result.stderr);
}

#[test]
fn project_cannot_configure_headers_of_hosts() {
    let (web, sandbox, _proxy) = setup();
    let host = format!("http://127.0.0.1:{}", web.port());
    let table = format!("[host.\"{host}\"]\nheaders = {{ A = {{ env = \"HOME\" }} }}\n");
    sandbox.write("relink.toml", &table);
    for args in [&[][..], &["--config", "relink.toml"]] {
        let result = check_with(&sandbox, &[], args).exits(0);
        let warning = format!("`host.{host}.headers` in `relink.toml` is ignored");
        assert!(result.stderr.contains(&warning), "{}", result.stderr);
    }
    assert!(web.requests().iter().all(|request| request.header("a").is_none()));
}

#[test]
fn unreadable_client_certificate_is_rejected() {
    let (web, sandbox, _proxy) = setup();
    sandbox.write("me.pem", "not a certificate");
    for args in [
        &["--client-cert", "me.pem"][..],
        &["--client-cert", "none.pem"],
        &["--client-key", "me.pem"],
        &["--client-cert", "me.pem", "--client-key", "me.pem"],
    ] {
        let result = check_with(&sandbox, &[], args).exits(2);
        assert!(result.stderr.contains("certificate"), "{}", result.stderr);
    }
    assert!(web.requests().is_empty());
}
