//! Scripts as found on the web, and their redirects.

use super::*;

/// Asserts that a script redirects to `/a`.
#[track_caller]
fn redirects(script: &str) {
    assert_eq!(script_redirect(script, "").as_deref(), Some("/a"), "{script}");
}

/// Asserts that no redirect is found in the script.
#[track_caller]
fn does_not_redirect(script: &str) {
    assert_eq!(script_redirect(script, ""), None, "{script}");
}

#[test]
fn all_ways_to_set_the_location_are_recognized() {
    redirects("location='/a'");
    redirects("location = \"/a\";");
    redirects("window.location='/a'");
    redirects("window.location.href = `/a`");
    redirects("document.location.href='/a'");
    redirects("top.location = '/a'");
    redirects("self.location.href='/a'");
    redirects("window.top.location.href='/a'");
    redirects("location.replace('/a')");
    redirects("window.location.assign( \"/a\" );");
}

#[test]
fn surrounding_code_is_ignored() {
    redirects("<!--\nlocation='/a'\n//-->");
    redirects("<!--\nlocation='/a'\n-->");
    redirects("/* if */ location /* = */ = /**/ '/a' // else");
    redirects("var x = 'if (y)'; document.title = \"it's\"; location='/a'");
    redirects("'use strict'\nlocation='/a'\nfoo()");
    redirects("(function(){location='/a'})()");
    redirects("window.onload=function(){window.location.href=\"/a\"}");
    redirects("window.onload = () => { location.replace('/a') };");
    redirects("window.addEventListener('load', function () { location='/a' })");
    redirects("$(document).ready(function(){ location='/a'; });");
    redirects("location='/a'; if (x) { y() }");
    redirects("try { top.location.href='/a' } catch (e) { location.href='/a' }");
}

#[test]
fn timer_redirects_only_with_a_short_delay() {
    redirects("setTimeout(function(){location.href='/a'}, 3000)");
    redirects("setTimeout(\"location.href='/a'\", 10000)");
    redirects("setTimeout('location.replace(\\'/a\\')', 0)");
    redirects("setTimeout(() => location.assign('/a'), 500);");
    redirects("function go(){location='/a'} setTimeout(go, 500)");
    redirects("function go(){location='/a'} setTimeout('go()', 500)");
    does_not_redirect("setTimeout(function(){location.href='/a'}, 60000)");
    does_not_redirect("setTimeout(\"location.href='/a'\", 10001)");
    does_not_redirect("setTimeout('location.reload()', 500)");
}

#[test]
fn redirect_in_a_named_function_requires_a_call() {
    redirects("function go() { location = '/a' }\ngo();");
    redirects("go(); function go() { if2(); location = '/a' }");
    redirects("function x() { y() } location = '/a'");
    does_not_redirect("function go() { location = '/a' }");
    does_not_redirect("function go() { location = '/a' } gone();");
}

#[test]
fn string_variables_are_resolved() {
    redirects("var url = '/a'; location.href = url;");
    redirects("const url = \"/a\"\nlocation.replace(url)");
    does_not_redirect("var url = '/a'; url = f(); location = url");
    does_not_redirect("var url = '/a'; location = url + x");
    does_not_redirect("location = url");
}

#[test]
fn conditional_redirects_are_ignored() {
    does_not_redirect("if (x) location='/a'");
    does_not_redirect("x && (location='/a')");
    does_not_redirect("x ? location='/a' : 0");
    does_not_redirect("if (x) { location='/a' } else { location='/b' }");
    does_not_redirect("location='/a'; location='/b'");
    does_not_redirect("b.onclick = function() { location='/a' }");
    does_not_redirect("b.addEventListener('click', function() { location='/a' })");
    does_not_redirect("$('b').on('click', () => { location='/a' })");
    does_not_redirect("fetch('/x').then(() => location='/a')");
}

#[test]
fn similar_code_is_not_a_redirect() {
    does_not_redirect("x = location");
    does_not_redirect("location == '/a'");
    does_not_redirect("my.location = '/a'");
    does_not_redirect("f().location = '/a'");
    does_not_redirect("location.hash = '/a'");
    does_not_redirect("location.href.replace('/a')");
    does_not_redirect("relocation = '/a'");
    does_not_redirect("'location=\"/a\"'");
    does_not_redirect("// location='/a'");
    does_not_redirect("location = '/a' + x");
    does_not_redirect("location = '/a'\n + x");
    does_not_redirect("location = `/a${x}`");
    does_not_redirect("location = '/a");
    does_not_redirect("location.reload()");
    does_not_redirect(&format!("location='/a';{}", " ".repeat(MAX_SCRIPT_LENGTH)));
}

#[test]
fn string_escapes_are_resolved() {
    redirects(r"location='\/a'");
    redirects(r"location='\x2fa'");
    redirects(r"location='\u002f\u{61}'");
    assert_eq!(script_redirect(r"location='\'\\\u12'", "").as_deref(), Some(r"'\12"));
    assert_eq!(script_redirect("location='/é?q=你'", "").as_deref(), Some("/é?q=你"));
}
