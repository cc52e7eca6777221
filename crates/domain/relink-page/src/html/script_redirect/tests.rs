//! Scripts as they are met on the web, and where they lead.

use super::*;

#[track_caller]
fn leads(script: &str) {
    assert_eq!(script_redirect(script, "").as_deref(), Some("/a"), "{script}");
}

#[track_caller]
fn stays(script: &str) {
    assert_eq!(script_redirect(script, ""), None, "{script}");
}

#[test]
fn every_way_to_set_the_location_is_known() {
    leads("location='/a'");
    leads("location = \"/a\";");
    leads("window.location='/a'");
    leads("window.location.href = `/a`");
    leads("document.location.href='/a'");
    leads("top.location = '/a'");
    leads("self.location.href='/a'");
    leads("window.top.location.href='/a'");
    leads("location.replace('/a')");
    leads("window.location.assign( \"/a\" );");
}

#[test]
fn what_stands_around_it_does_not_matter() {
    leads("<!--\nlocation='/a'\n//-->");
    leads("<!--\nlocation='/a'\n-->");
    leads("/* if */ location /* = */ = /**/ '/a' // else");
    leads("var x = 'if (y)'; document.title = \"it's\"; location='/a'");
    leads("'use strict'\nlocation='/a'\nfoo()");
    leads("(function(){location='/a'})()");
    leads("window.onload=function(){window.location.href=\"/a\"}");
    leads("window.onload = () => { location.replace('/a') };");
    leads("window.addEventListener('load', function () { location='/a' })");
    leads("$(document).ready(function(){ location='/a'; });");
    leads("location='/a'; if (x) { y() }");
    leads("try { top.location.href='/a' } catch (e) { location.href='/a' }");
}

#[test]
fn a_short_wait_is_no_wait() {
    leads("setTimeout(function(){location.href='/a'}, 3000)");
    leads("setTimeout(\"location.href='/a'\", 10000)");
    leads("setTimeout('location.replace(\\'/a\\')', 0)");
    leads("setTimeout(() => location.assign('/a'), 500);");
    leads("function go(){location='/a'} setTimeout(go, 500)");
    leads("function go(){location='/a'} setTimeout('go()', 500)");
    stays("setTimeout(function(){location.href='/a'}, 60000)");
    stays("setTimeout(\"location.href='/a'\", 10001)");
    stays("setTimeout('location.reload()', 500)");
}

#[test]
fn a_named_function_must_be_called() {
    leads("function go() { location = '/a' }\ngo();");
    leads("go(); function go() { if2(); location = '/a' }");
    leads("function x() { y() } location = '/a'");
    stays("function go() { location = '/a' }");
    stays("function go() { location = '/a' } gone();");
}

#[test]
fn a_named_string_is_a_string() {
    leads("var url = '/a'; location.href = url;");
    leads("const url = \"/a\"\nlocation.replace(url)");
    stays("var url = '/a'; url = f(); location = url");
    stays("var url = '/a'; location = url + x");
    stays("location = url");
}

#[test]
fn what_may_not_happen_does_not_count() {
    stays("if (x) location='/a'");
    stays("x && (location='/a')");
    stays("x ? location='/a' : 0");
    stays("if (x) { location='/a' } else { location='/b' }");
    stays("location='/a'; location='/b'");
    stays("b.onclick = function() { location='/a' }");
    stays("b.addEventListener('click', function() { location='/a' })");
    stays("$('b').on('click', () => { location='/a' })");
    stays("fetch('/x').then(() => location='/a')");
}

#[test]
fn what_only_looks_like_it_does_not_count() {
    stays("x = location");
    stays("location == '/a'");
    stays("my.location = '/a'");
    stays("f().location = '/a'");
    stays("location.hash = '/a'");
    stays("location.href.replace('/a')");
    stays("relocation = '/a'");
    stays("'location=\"/a\"'");
    stays("// location='/a'");
    stays("location = '/a' + x");
    stays("location = '/a'\n + x");
    stays("location = `/a${x}`");
    stays("location = '/a");
    stays("location.reload()");
    stays(&format!("location='/a';{}", " ".repeat(SCRIPT_LENGTH)));
}

#[test]
fn escapes_are_resolved() {
    leads(r"location='\/a'");
    leads(r"location='\x2fa'");
    leads(r"location='\u002f\u{61}'");
    assert_eq!(script_redirect(r"location='\'\\\u12'", "").as_deref(), Some(r"'\12"));
    assert_eq!(script_redirect("location='/é?q=你'", "").as_deref(), Some("/é?q=你"));
}
