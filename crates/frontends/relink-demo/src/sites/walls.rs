//! Sites that show a login, a bot check or an empty page instead of the requested page. A
//! checker cannot know whether the requested page exists.

use super::Site;
use super::template::{PageTemplate, TitleStyle, not_found};
use crate::received_request::ReceivedRequest;
use crate::response::CannedResponse;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "school.test", template: &SCHOOL, fallback: redirect_to_login },
    Site { host: "bank.test", template: &BANK, fallback: captcha },
    Site { host: "broadsheet.test", template: &BROADSHEET, fallback: consent },
    Site { host: "tram.test", template: &TRAM, fallback: script_shell },
    Site { host: "pool.test", template: &POOL, fallback: maintenance },
    Site { host: "staffroom.test", template: &STAFFROOM, fallback: login_as_home_page },
];

/// Redirects to a login page, with the requested path as a parameter.
fn redirect_to_login(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path != "/login" {
        return CannedResponse::redirect(302, &format!("/login?next={}", received.request.path));
    }
    login_form(template)
}

/// Returns a CAPTCHA instead of every page.
fn captcha(_: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let host = &received.request.host;
    let ray = received.nth_random_below(0, 0xffff_ffff);
    CannedResponse::page(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>Just a moment...</title>\n\
         <meta name=\"robots\" content=\"noindex,nofollow\"></head>\n<body>\n<h1>{host}</h1>\n\
         <p>Checking that you are a person. This takes a few seconds.</p>\n\
         <div class=\"cf-turnstile\"></div>\n\
         <script src=\"/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray={ray:08x}\"></script>\n\
         <p>Visit {ray:08x}</p>\n</body>\n</html>\n"
    ))
}

/// Returns a consent wall instead of every page.
fn consent(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    let back = &received.request.path;
    let body = format!(
        "<p>We and 412 partners would like to know what you read, for how long, and whether you \
         moved your lips. With your consent we store and read information on your device, such as \
         cookies and the strength of your spectacles, to show you advertisements for what you \
         have already bought and to measure how long you looked at them. Some partners do not ask \
         but rely on a legitimate interest, which they describe elsewhere. You may change your \
         mind at any time by the small wheel at the foot of each page, once you can see it. Your \
         choice holds for all papers of this house for thirteen months.</p>\n\
         <form action=\"/consent/save\" method=\"post\">\n\
         <input type=\"hidden\" name=\"back\" value=\"{back}\">\n\
         <button>Agree</button> <button>Options</button>\n</form>"
    );
    CannedResponse::page(template.html("", "Before you continue", &body))
}

/// Returns an empty page that scripts fill.
fn script_shell(template: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    let name = template.name;
    CannedResponse::page(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{name}</title>\n\
         <script type=\"module\" src=\"/assets/index-4f1c9a.js\"></script></head>\n<body>\n\
         <noscript>You need to enable JavaScript to run this app.</noscript>\n\
         <div id=\"root\"></div>\n</body>\n</html>\n"
    ))
}

/// Returns a maintenance page instead of every page.
fn maintenance(_: &PageTemplate, _: &ReceivedRequest) -> CannedResponse {
    CannedResponse::page(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>Down for maintenance</title></head>\n\
         <body>\n<h1>Down for maintenance</h1>\n<p>The pool has been drained and the site with \
         it. Both will be filled again by the weekend.</p>\n</body>\n</html>\n"
            .to_owned(),
    )
}

/// Returns a login form as the home page, and 404 for all other paths. The login form is the
/// intended content of this site.
fn login_as_home_page(template: &PageTemplate, received: &ReceivedRequest) -> CannedResponse {
    if received.request.path == "/" { login_form(template) } else { not_found(template, received) }
}

/// Returns a login form instead of the requested page.
fn login_form(template: &PageTemplate) -> CannedResponse {
    let body = "<form action=\"/login\" method=\"post\">\n\
        <label>Name <input name=\"user\"></label>\n\
        <label>Password <input type=\"password\" name=\"password\"></label>\n\
        <button>Sign in</button>\n</form>";
    CannedResponse::page(template.html("", "Sign in", body))
}

const SCHOOL: PageTemplate =
    template_without_pages("River School", "Ask the office for a forgotten password.");
const BANK: PageTemplate = template_without_pages("The Savings Bank", "");
const BROADSHEET: PageTemplate = template_without_pages("The Broadsheet", "All rights reserved.");
const TRAM: PageTemplate = template_without_pages("Tram Planner", "");
const POOL: PageTemplate = template_without_pages("The Indoor Pool", "");
const STAFFROOM: PageTemplate =
    template_without_pages("The Staff Room", "Biscuits are for members.");

/// Creates a template with this name and footer, without a menu and good pages.
const fn template_without_pages(name: &'static str, footer: &'static str) -> PageTemplate {
    PageTemplate { name, menu: &[], footer, title_style: TitleStyle::PageAndSite, pages: &[] }
}
