//! Detects inline scripts that build the page.
//!
//! Most inline scripts load other scripts: analytics, advertisements, consent.
//! They create `script`, `iframe` and `img` elements and write no text. A
//! script that builds a page writes HTML, creates elements that hold text, or
//! mounts a component.

use memchr::memmem;

/// Maximum number of bytes searched at the start of a script.
const MAX_SEARCH_LENGTH: usize = 64 << 10;

/// Code that writes HTML or mounts a component.
const WRITERS: [&str; 9] = [
    ".innerHTML",
    ".outerHTML",
    ".insertAdjacentHTML(",
    ".replaceChildren(",
    "createRoot(",
    "hydrateRoot(",
    "ReactDOM.render(",
    "createApp(",
    ".mount(",
];

/// Elements that hold text or links.
const TEXT_ELEMENTS: [&str; 19] = [
    "a", "article", "button", "div", "form", "h1", "h2", "h3", "li", "main", "nav", "ol", "p",
    "section", "span", "table", "td", "tr", "ul",
];

/// Whether a script defines custom elements or builds shadow trees.
pub(super) fn defines_elements(script: &str) -> bool {
    contains(script, "customElements.define(") || contains(script, ".attachShadow(")
}

/// Whether a script writes visible content.
pub(super) fn writes_content(script: &str) -> bool {
    WRITERS.iter().any(|writer| contains(script, writer))
        || creates_text_elements(script)
        || (contains(script, "document.write") && !writes_scripts(script))
}

/// Returns the part of a script that is searched.
fn searched_part(script: &str) -> &[u8] {
    let bytes = script.as_bytes();
    bytes.get(..MAX_SEARCH_LENGTH).unwrap_or(bytes)
}

fn contains(script: &str, text: &str) -> bool {
    memmem::find(searched_part(script), text.as_bytes()).is_some()
}

/// Whether a script calls `createElement` for an element that holds text.
fn creates_text_elements(script: &str) -> bool {
    let call = b"createElement(";
    memmem::find_iter(searched_part(script), call).any(|at| {
        let argument =
            searched_part(script).get(at + call.len()..).unwrap_or_default().trim_ascii_start();
        let Some((quote @ (b'"' | b'\'' | b'`'), rest)) = argument.split_first() else {
            return false;
        };
        let name = rest.split(|byte| byte == quote).next().unwrap_or_default();
        TEXT_ELEMENTS.iter().any(|element| element.as_bytes().eq_ignore_ascii_case(name))
    })
}

/// Whether a script writes another script. Only the start of the tag `<script` is
/// searched, because script loaders often split the tag into two strings.
fn writes_scripts(script: &str) -> bool {
    ["<scr", "%3Cscr", "%3cscr", "\\x3Cscr", "\\x3cscr"].iter().any(|text| contains(script, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_content_accepts_scripts_that_build_pages() {
        for script in [
            "document.querySelector('#app').innerHTML = x.map(u => `<p>${u}</p>`).join('')",
            "const p = document.createElement('p'); p.textContent = 'x'; document.body.append(p)",
            "list.appendChild( document.createElement( \"li\" ) )",
            "Vue.createApp({}).mount('#app')",
            "ReactDOM.render(e, root)",
            "document.write('<h1>Hello</h1>')",
            "main.insertAdjacentHTML('beforeend', text)",
        ] {
            assert!(writes_content(script), "{script}");
        }
    }

    #[test]
    fn writes_content_rejects_script_loaders() {
        for script in [
            "window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}",
            "(function(i,s,o,g,r,a,m){a=s.createElement(o),m=s.getElementsByTagName(o)[0];\
             m.parentNode.insertBefore(a,m)})(window,document,'script','//www.example.org/a.js')",
            "var s=document.createElement('script');s.src='//cdn.test/a.js';document.head.appendChild(s)",
            "document.write(unescape(\"%3Cscript src='//a.test/ga.js'%3E%3C/script%3E\"))",
            "new Image().src = '//count.test/pixel'; document.createElement('img')",
            "var i=document.createElement('iframe');document.body.appendChild(i)",
            "document.documentElement.className += ' js'",
            "",
        ] {
            assert!(!writes_content(script), "{script}");
        }
    }

    #[test]
    fn defines_elements_accepts_component_definitions() {
        assert!(defines_elements("customElements.define('x-list', XList)"));
        assert!(defines_elements("this.attachShadow({mode:'open'})"));
        assert!(!defines_elements("window.customElements && load()"));
    }
}
