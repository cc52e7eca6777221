//! Pages as found on the web, and the short names of their flags.

use relink_model::PageFlag;

/// Returns the names of the flags of a page.
fn flags(html: &str) -> String {
    let digest = crate::digest(Some("text/html"), None, html.as_bytes(), false);
    let names = digest.flags.iter().map(|flag| match flag {
        PageFlag::PasswordField => "password",
        PageFlag::NoIndex => "noindex",
        PageFlag::AppShell => "shell",
        PageFlag::BotChallenge => "challenge",
        PageFlag::Parking => "parking",
        PageFlag::Consent => "consent",
        PageFlag::FilledSearchField => "search",
    });
    names.collect::<Vec<_>>().join(" ")
}

/// Asserts the flags of a page, given as a list of names.
#[track_caller]
fn check(html: &str, expect: &str) {
    assert_eq!(flags(html), expect, "{html}");
}

/// Asserts that a page has a flag, and that it loses the flag with more text.
#[track_caller]
fn check_while_short(html: &str, expect: &str) {
    check(html, expect);
    check(&format!("{html}<p>{}", "Many words. ".repeat(40)), "");
}

#[test]
fn password_field_is_detected() {
    check("<form><input name=user><INPUT TYPE='Password'></form>", "password");
    check("<template><input type=password></template>", "");
    check("<input type=text name=password>", "");
}

#[test]
fn filled_search_field_is_detected() {
    check("<input type=search value='old oaks'>", "search");
    check("<input name=q value=oak><input type=text name=Query value=elm>", "search");
    check("<input type=search value=''><input name=q><input name=q value='Search site'>", "");
    check("<input name=email value='a@b.test'><input type=hidden name=q value=oak>", "");
}

#[test]
fn noindex_directive_is_detected() {
    check("<meta name=robots content=noindex>", "noindex");
    check("<META NAME='Googlebot' CONTENT='nofollow, NOINDEX'>", "noindex");
    check("<meta name=robots content='none'>", "noindex");
    check("<meta name=robots content='noarchive,noindexing'>", "");
    check("<meta name=description content=noindex>", "");
    check("<meta name=robots content='index, follow'>", "");
}

#[test]
fn framework_pages_are_app_shells() {
    for body in [
        "<div id=root></div><script src=/static/js/main.1a2b.js></script>",
        "<div id='app'><!-- built here --></div><script src=/js/x.js></script>",
        "<script type=module src=/assets/index-a1.js></script><div id=app></div>",
        "<div id=__next></div><script src=/_next/static/chunks/x.js></script>",
        "<div id=__nuxt><div class=spinner></div></div><script src=/_nuxt/x.js></script>",
        "<div id=q-app></div><script src=/js/vendor.js></script>",
        "<div style='display: contents' id=svelte></div><script src=/x.js></script>",
        "<div id=___gatsby><div id=gatsby-focus-wrapper></div></div><script src=/x.js></script>",
        "<app-root></app-root><script src=runtime.js type=module></script>",
        "<app-root>Loading...</app-root><script src=main.js></script>",
        "<div ng-view></div><script src=angular.min.js></script>",
        "<body class=ember-application><script src=/assets/vendor.js></script>\
         <div class=ember-root></div>",
        "<script src=flutter_bootstrap.js async></script>",
        "<script src=shop/shop.nocache.js></script><iframe id=__gwt_historyFrame></iframe>",
        "<div id=app>Loading&hellip;</div><script src=_framework/blazor.webassembly.js></script>",
        "<main id=main></main><script src=/x.js></script><footer>© 2024 Example</footer>",
    ] {
        check(&format!("<!doctype html><title>App</title>{body}"), "shell");
    }
}

#[test]
fn page_that_requires_javascript_is_a_shell() {
    let page = |noscript: &str| {
        format!("<script src=/x.js></script><p>Example</p><noscript>{noscript}</noscript>")
    };
    check(&page("You need to enable JavaScript to run this app."), "shell");
    check(&page("<p>Bitte aktivieren Sie <b>Javascript</b>.</p>"), "shell");
    check(&page("请启用JavaScript"), "shell");
    check(&page("<img src=//count.test/pixel>"), "");
    check(&format!("<h1>Not found</h1>{}", page("Enable JavaScript for more.")), "");
    check("<noscript>JavaScript!</noscript>", "");
}

#[test]
fn page_with_a_large_inline_script_is_a_shell() {
    let script =
        |length: usize| format!("<div id=app></div><script>{}</script>", "x".repeat(length));
    check(&script(1024), "shell");
    check(&script(1023), "");
    check(&script(1024).replace("<script", "<script type=application/json"), "");
}

#[test]
fn page_with_content_is_not_a_shell() {
    let script = "<script src=/x.js></script>";
    check(&format!("<div id=__next><h1>404</h1>This page could not be found.</div>{script}"), "");
    check(&format!("<div id=app>Not found</div>{script}"), "");
    check(&format!("<h1>Not found</h1><p>Sorry.</p>{script}"), "");
    check(&format!("<div id=root></div><p>{}{script}", "Words to read. ".repeat(9)), "");
    check(
        "<h1>Short</h1><script src=https://www.googletagmanager.com/gtag/js?id=G-1></script>",
        "",
    );
    check(
        "<div id=main></div><script src=//static.cloudflareinsights.com/beacon.min.js></script>",
        "",
    );
    check("<div id=root></div>", "");
    check("", "");
}

#[test]
fn empty_root_ends_at_its_own_end_tag() {
    let script = "<script src=/x.js></script>";
    check(&format!("<div id=root><div></div><div>Not found</div></div>{script}"), "");
    check(&format!("<div id=root><div><div></div></div></div><div>Footer</div>{script}"), "shell");
    check(&format!("<div id=root><div><p>{script}"), "shell");
    check(&format!("<div id=main><h1>Gone</h1></div><site-footer></site-footer>{script}"), "");
}

#[test]
fn bot_challenges_are_detected() {
    for body in [
        "Checking your browser. <script src=/cdn-cgi/challenge-platform/x.js></script>",
        "<script>window._cf_chl_opt={cvId:'3'};</script><p>Just a moment...",
        "<div class=cf-turnstile data-sitekey=x></div>",
        "<script src='https://www.google.com/recaptcha/api.js' async></script><form><div>I am</div></form>",
        "<div class='g-recaptcha' data-sitekey=x></div>Unusual traffic from your network.",
        "<form><div class=h-captcha></div><input type=hidden name=x></form>",
        "<script>var dd={'host':'geo.captcha-delivery.com'}</script>",
        "<p>Press and hold</p><div id=px-captcha></div>",
        "<iframe id=main-iframe src='/_Incapsula_Resource?SWUDNSAI=31'></iframe>Request unsuccessful.",
        "<script src='/_Incapsula_Resource?SWJIYLWA=1'></script>",
        "<script src=https://a.token.awswaf.com/b/challenge.js></script><div id=challenge-container></div>",
        "<div id=sec-if-cpt-container></div>",
        "<script src=https://check.ddos-guard.net/check.js></script>",
        "<iframe src=https://client-api.arkoselabs.com/fc/></iframe>",
        "<script src=//static.geetest.com/v4/gt4.js></script>Slide",
        "<div class=frc-captcha></div>",
        "<script type=module src=/.within.website/x/cmd/anubis/static/js/main.mjs></script>Wait.",
    ] {
        let found = flags(body);
        assert!(found.contains("challenge"), "{found}: {body}");
        let long = format!("{body}<p>{}", "Many words. ".repeat(40));
        assert_eq!(flags(&long), "", "{long}");
    }
}

#[test]
fn bot_detection_in_ordinary_pages_is_not_a_challenge() {
    let page = |markup: &str| format!("<h1>Not found</h1><p>Sorry.{markup}");
    for markup in [
        "<script>(function(){window.__CF$cv$params={};a.src=\
         '/cdn-cgi/challenge-platform/scripts/jsd/main.js'})()</script>",
        "<script src='https://www.google.com/recaptcha/api.js?render=6Lxxx'></script>",
        "<script src='/_Incapsula_Resource?SWJIYLWA=1'></script>",
        "<script src=https://js.datadome.co/tags.js></script>",
        "<script>var form = {\"recaptcha\": {\"key\": 1}}</script>",
        "<a href=https://www.hcaptcha.com/privacy>Privacy</a>",
        "<form><input name=a><input type=email name=b><div class=g-recaptcha></div></form>",
    ] {
        check(&page(markup), "");
    }
}

#[test]
fn parked_domains_are_detected() {
    for body in [
        "<script src=//example.test/js/caf.js></script>",
        "<script src='https://www.google.com/adsense/domains/caf.js'></script>",
        "<script src=https://img.sedoparking.com/js/x.js></script>",
        "<frameset><frame src='http://park.parkingcrew.net/?d=x'></frameset>",
        "<link rel=stylesheet href=//d38psrni17bvxu.cloudfront.net/themes/x.css>",
        "<script>window.park = \"e30=\"</script>",
        "<div id=target></div><script>window.LANDER_SYSTEM='PW'</script>",
        "<script src=https://img1.wsimg.com/parking-lander/static/js/x.js></script>",
        "<iframe src=https://www.bodis.com/x></iframe>",
    ] {
        check(body, "parking");
    }
    let long = "Many words. ".repeat(40);
    check(&format!("<script src=/js/caf.js></script>{long}"), "parking");
}

#[test]
fn link_to_a_domain_dealer_parks_only_pages_with_little_text() {
    check_while_short("<p>For sale</p><a href='https://www.afternic.com/x'>Buy</a>", "parking");
    check_while_short("<img src=//static.hugedomains.com/x.png>", "parking");
    check_while_short("<script>location='https://dan.com/buy/x'</script>", "parking");
    check("<a href=/dan.com/>x</a>", "");
    check("<a href=https://above.community.test/>x</a>", "");
}

#[test]
fn consent_walls_are_detected() {
    check_while_short(
        "<h1>Before you continue</h1><form action=https://consent.example.test/save></form>",
        "consent",
    );
    check_while_short("<iframe src=https://cmp.example.test/wall></iframe>", "consent");
    check_while_short("<script src=https://cdn.cookielaw.org/x.js></script>", "consent");
    check("<h1>Not found</h1><script src=https://consent.cookiebot.com/uc.js></script>", "");
    check(
        "<div id=root></div><script src=/x.js></script><script src=//cdn.didomi.test/x></script>",
        "shell",
    );
    check("<script>gtag('consent', 'default', {})</script>", "");
}

#[test]
fn flags_are_ordered_and_unique() {
    check(
        "<script src=/caf.js></script><script src=/caf.js></script><div id=px-captcha></div>\
         <form action=/consent><input type=password><input type=password></form>\
         <meta name=robots content=noindex>",
        "password noindex challenge parking consent",
    );
}

/// A script that fetches data and writes links, as on small sites.
const WRITER: &str = "<script>fetch('/api').then(r=>r.json()).then(x=>{\
    document.querySelector('#app,app-root').innerHTML=\
    x.map(u=>`<p><a href='${u}'>link ${u}</a></p>`).join('')})</script>";

/// A typical header.
const HEADER: &str = "<header><h1>Our catalog of products</h1><p>Welcome to our shop. We have \
    sold fine lanterns since 1952, and we ship to every country on the planet within three days. \
    Ask us anything.</p></header>";
const FOOTER: &str = "<footer>© 2026 Example Ltd. All rights reserved.</footer>";

#[test]
fn page_filled_by_a_short_inline_script_is_a_shell() {
    for body in [
        "<div id=app></div>",
        "<div id=app>Loading</div>",
        "<div id=app>Loading…</div><noscript>You need to enable JavaScript.</noscript>",
        "<h1>App</h1><div id=app>Loading</div>",
        "<app-root>Loading...</app-root>",
        "<header><a href=/>Home</a> <a href=/s>One</a></header><main id=app>Loading</main>\
         <footer>© 2026 Example Ltd.</footer>",
        "",
    ] {
        check(&format!("<!doctype html><title>App</title>{body}{WRITER}"), "shell");
    }
    let framed = format!("{HEADER}<main id=app><div class=spinner></div></main>{FOOTER}{WRITER}");
    check(&framed, "shell");
    check(&framed.replace(" id=app", ""), "shell");
    check("<body><script>document.write('<p>Hello ' + location.host)</script>", "shell");
}

#[test]
fn page_that_waits_for_its_own_script_is_a_shell() {
    let script = "<script src=/x.js></script>";
    let page = |main: &str| format!("{HEADER}{main}{FOOTER}{script}");
    check(&page("<main><div class='loading-spinner'></div></main>"), "shell");
    check(&page("<div id=root aria-busy=true></div>"), "shell");
    check(&page("<div id=root>Please wait…</div>"), "shell");
    check(&page("<div id=root></div>"), "");
    check(&page("<main><h2>Lanterns</h2><p>A list of them.</p></main>"), "");
}

#[test]
fn page_of_shadow_trees_is_a_shell_unless_they_are_declared() {
    let define = "<script>customElements.define('x-list',class extends HTMLElement{\
        connectedCallback(){this.attachShadow({mode:'open'}).innerHTML=list()}})</script>";
    check(&format!("{HEADER}<x-list></x-list>{FOOTER}{define}"), "shell");
    check(&format!("<x-list></x-list>{define}"), "shell");
    let words = "Lanterns of brass and of tin, made by hand. ".repeat(3);
    let declared =
        format!("<x-list><template shadowrootmode=open><p>{words}</p></template></x-list>");
    check(&format!("{HEADER}{declared}{FOOTER}{define}"), "");
    let digest = crate::digest(Some("text/html"), None, declared.as_bytes(), false);
    assert_eq!(digest.text_length, words.trim().chars().count() as u64);
}

#[test]
fn ordinary_page_with_inline_analytics_is_not_a_shell() {
    let analytics = [
        "<script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments);}\
         gtag('js',new Date());gtag('config','G-1');</script>",
        "<script>(function(i,s,o,g,r,a,m){i['GoogleAnalyticsObject']=r;a=s.createElement(o),\
         m=s.getElementsByTagName(o)[0];a.async=1;a.src=g;m.parentNode.insertBefore(a,m)\
         })(window,document,'script','//www.google-analytics.com/analytics.js','ga');</script>",
        "<script>!function(f,b,e,v,n,t,s){t=b.createElement(e);t.src=v;s=b.getElementsByTagName(e)[0];\
         s.parentNode.insertBefore(t,s)}(window,document,'script','//connect.facebook.net/x.js');\
         </script>",
        "<script>var s=document.createElement('script');s.src='//cdn.test/h.js';\
         document.head.appendChild(s);</script>",
        "<script type=application/ld+json>{\"@type\":\"WebPage\"}</script>",
    ];
    let article = "<p>Many words. ".repeat(60);
    for script in analytics {
        check(&format!("<h1>Short</h1><p>A page of few words.</p>{script}"), "");
        check(&format!("{HEADER}<main id=main><p>Few words.</p></main>{FOOTER}{script}"), "");
        check(&format!("{HEADER}<main>{article}</main>{FOOTER}{script}"), "");
        check(&format!("<p>Empty block:</p><div id=main></div>{script}"), "");
    }
    let banner = "<script>document.getElementById('cookies').innerHTML='<p>OK?'</script>";
    check(&format!("{HEADER}<main>{article}</main><div id=cookies></div>{banner}"), "");
    check(&format!("<h1>Short</h1><p>A page of few words.</p><div id=cookies></div>{banner}"), "");
}
