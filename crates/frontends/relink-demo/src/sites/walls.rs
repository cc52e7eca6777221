//! Sites that show something else before the page, or nothing at all: whether
//! the page is there cannot be told from outside.

use super::Site;
use super::frame::{Frame, Titles, honest};
use crate::answer::CannedResponse;
use crate::visit::Visit;

/// The sites.
pub(super) const SITES: &[Site] = &[
    Site { host: "school.test", frame: &SCHOOL, otherwise: to_a_login },
    Site { host: "bank.test", frame: &BANK, otherwise: captcha },
    Site { host: "broadsheet.test", frame: &BROADSHEET, otherwise: consent },
    Site { host: "tram.test", frame: &TRAM, otherwise: script_shell },
    Site { host: "pool.test", frame: &POOL, otherwise: maintenance },
    Site { host: "staffroom.test", frame: &STAFFROOM, otherwise: login_in_front },
];

/// A redirect to a login that remembers where its visitor wanted to go.
fn to_a_login(frame: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path != "/login" {
        return CannedResponse::redirect(302, &format!("/login?next={}", visit.request.path));
    }
    login_form(frame)
}

/// A test for people in place of every page.
fn captcha(_: &Frame, visit: &Visit) -> CannedResponse {
    let (host, ray) = (&visit.request.host, visit.pick(0, 0xffff_ffff));
    CannedResponse::page(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>Just a moment...</title>\n\
         <meta name=\"robots\" content=\"noindex,nofollow\"></head>\n<body>\n<h1>{host}</h1>\n\
         <p>Checking that you are a person. This takes a few seconds.</p>\n\
         <div class=\"cf-turnstile\"></div>\n\
         <script src=\"/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray={ray:08x}\"></script>\n\
         <p>Visit {ray:08x}</p>\n</body>\n</html>\n"
    ))
}

/// A demand for consent in place of every page.
fn consent(frame: &Frame, visit: &Visit) -> CannedResponse {
    let back = &visit.request.path;
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
    CannedResponse::page(frame.html("", "Before you continue", &body))
}

/// An empty page that scripts would fill.
fn script_shell(frame: &Frame, _: &Visit) -> CannedResponse {
    let name = frame.name;
    CannedResponse::page(format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{name}</title>\n\
         <script type=\"module\" src=\"/assets/index-4f1c9a.js\"></script></head>\n<body>\n\
         <noscript>You need to enable JavaScript to run this app.</noscript>\n\
         <div id=\"root\"></div>\n</body>\n</html>\n"
    ))
}

/// A notice in place of every page, until the water is back.
fn maintenance(_: &Frame, _: &Visit) -> CannedResponse {
    CannedResponse::page(
        "<!doctype html>\n<html lang=\"en\">\n<head><title>Down for maintenance</title></head>\n\
         <body>\n<h1>Down for maintenance</h1>\n<p>The pool has been drained and the site with \
         it. Both will be filled again by the weekend.</p>\n</body>\n</html>\n"
            .to_owned(),
    )
}

/// A front page that is a login, and meant to be one.
fn login_in_front(frame: &Frame, visit: &Visit) -> CannedResponse {
    if visit.request.path == "/" { login_form(frame) } else { honest(frame, visit) }
}

fn login_form(frame: &Frame) -> CannedResponse {
    let body = "<form action=\"/login\" method=\"post\">\n\
        <label>Name <input name=\"user\"></label>\n\
        <label>Password <input type=\"password\" name=\"password\"></label>\n\
        <button>Sign in</button>\n</form>";
    CannedResponse::page(frame.html("", "Sign in", body))
}

const SCHOOL: Frame = walled("River School", "Ask the office for a forgotten password.");
const BANK: Frame = walled("The Savings Bank", "");
const BROADSHEET: Frame = walled("The Broadsheet", "All rights reserved.");
const TRAM: Frame = walled("Tram Planner", "");
const POOL: Frame = walled("The Indoor Pool", "");
const STAFFROOM: Frame = walled("The Staff Room", "Biscuits are for members.");

const fn walled(name: &'static str, foot: &'static str) -> Frame {
    Frame { name, menu: &[], foot, titles: Titles::Both, leaves: &[] }
}
