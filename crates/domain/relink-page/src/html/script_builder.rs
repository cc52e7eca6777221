//! Whether an inline script builds the page it stands on.
//!
//! Most inline scripts load other scripts: analytics, advertisements, consent.
//! They make `script`, `iframe` and `img` elements and write no text. What
//! builds a page writes HTML, makes elements that hold text, or mounts a
//! component.

use memchr::memmem;

/// How much of a script is looked at, in bytes.
const LOOKED_AT: usize = 64 << 10;

/// What writes HTML or mounts a component.
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

/// Whether a script defines elements of its own or builds shadow trees.
pub(super) fn defines_elements(script: &str) -> bool {
    holds(script, "customElements.define(") || holds(script, ".attachShadow(")
}

/// Whether a script writes content that readers see.
pub(super) fn writes_content(script: &str) -> bool {
    WRITERS.iter().any(|writer| holds(script, writer))
        || makes_text_elements(script)
        || (holds(script, "document.write") && !writes_scripts(script))
}

fn head(script: &str) -> &[u8] {
    let bytes = script.as_bytes();
    bytes.get(..LOOKED_AT).unwrap_or(bytes)
}

fn holds(script: &str, text: &str) -> bool {
    memmem::find(head(script), text.as_bytes()).is_some()
}

/// `createElement("p")` and its kin; loaders of other scripts make no text.
fn makes_text_elements(script: &str) -> bool {
    let call = b"createElement(";
    memmem::find_iter(head(script), call).any(|at| {
        let argument = head(script).get(at + call.len()..).unwrap_or_default().trim_ascii_start();
        let Some((quote @ (b'"' | b'\'' | b'`'), rest)) = argument.split_first() else {
            return false;
        };
        let name = rest.split(|byte| byte == quote).next().unwrap_or_default();
        TEXT_ELEMENTS.iter().any(|element| element.as_bytes().eq_ignore_ascii_case(name))
    })
}

/// Whether what a script writes is another script.
fn writes_scripts(script: &str) -> bool {
    ["<scr", "%3Cscr", "%3cscr", "\\x3Cscr", "\\x3cscr"].iter().any(|text| holds(script, text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_content_of_scripts_that_build_pages() {
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
    fn writes_content_never_of_loaders() {
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
    fn defines_elements_of_components() {
        assert!(defines_elements("customElements.define('x-list', XList)"));
        assert!(defines_elements("this.attachShadow({mode:'open'})"));
        assert!(!defines_elements("window.customElements && load()"));
    }
}
