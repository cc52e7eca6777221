//! Paths of a project and of URLs: strings with `/` as separator.

use percent_encoding::percent_decode_str;

/// Extensions of documents that become pages. Some generators also make pages of scripts,
/// such as Docusaurus of `src/pages/*.js`.
const PAGE_EXTENSIONS: [&str; 20] = [
    "md", "mdx", "markdown", "mdown", "mkd", "mdoc", "qmd", "rst", "adoc", "asciidoc", "html",
    "htm", "ipynb", "astro", "vue", "jsx", "tsx", "njk", "js", "ts",
];

/// Joins a directory and a relative path, and removes `.` and `..`. A `..` above the root
/// is ignored.
pub fn join(directory: &str, path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    for segment in directory.split('/').chain(path.split('/')) {
        match segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    segments.join("/")
}

/// Returns the path below a directory; `None` if it is outside.
pub(crate) fn below<'p>(path: &'p str, directory: &str) -> Option<&'p str> {
    if directory.is_empty() {
        return Some(path);
    }
    let rest = path.strip_prefix(directory)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// Returns the directory of a path.
pub(crate) fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// Returns the last segment of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or_default()
}

/// Returns the text after the last dot of a name.
pub(crate) fn extension(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

/// Splits a path at its extension. Returns `None` if the extension is not that of a page.
pub(crate) fn split_page(path: &str) -> Option<(&str, &str)> {
    let (stem, extension) = path.rsplit_once('.')?;
    let is_page = PAGE_EXTENSIONS.iter().any(|known| extension.eq_ignore_ascii_case(known));
    (is_page && !stem.is_empty() && !stem.ends_with('/')).then_some((stem, extension))
}

/// Returns the key of a URL path: decoded, without query, fragment, slashes at
/// the ends, index page and page extension.
pub(crate) fn route_key(path: &str) -> String {
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let decoded = percent_decode_str(path).decode_utf8_lossy();
    let joined = join("", &decoded);
    let stem = match split_page(&joined) {
        Some((stem, _)) => stem,
        None => &joined,
    };
    match stem.rsplit_once('/') {
        Some((directory, "index" | "_index")) => directory.to_owned(),
        None if matches!(stem, "index" | "_index") => String::new(),
        _ => stem.to_owned(),
    }
}

/// Drops the last segment if it names the index page of its directory.
pub(crate) fn without_index<'p>(stem: &'p str, names: &[&str]) -> &'p str {
    let name = file_name(stem);
    if names.iter().any(|index| name.eq_ignore_ascii_case(index)) { parent(stem) } else { stem }
}

/// Language codes of two letters (ISO 639-1), and the country codes cn and jp, which sites
/// use instead of zh and ja.
const LANGUAGES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch \
    cn co cr cs cu cv cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he \
    hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jp jv ka kg ki kj kk kl km kn ko kr ks ku kv \
    kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv ny oc \
    oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw \
    ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";
/// Codes with three letters that sites use. Most words of three letters are not languages.
const LONG_LANGUAGES: [&str; 8] = ["fil", "kab", "ckb", "yue", "hsb", "dsb", "ast", "gsw"];
/// Regions (ISO 3166-1) and scripts (ISO 15924) that sites write in lower case. Rare regions
/// that are also words, such as `do`, `is` and `to`, are omitted.
const LOWER_CASE_REGIONS: &str = "ae ar at au bd be bg br ca ch cl cn co cz de dk ee eg es fi fr gb gr \
    hk hr hu id ie il in ir it jp ke kr lt lu lv ma mx my ng nl no nz pe ph pk pl pt ro rs ru sa se sg si \
    sk th tr tw ua uk us uy ve vn za arab cyrl hans hant latn";

/// Whether a segment looks like a language: `en`, `pt-br`, `zh_CN`.
pub(crate) fn is_locale(segment: &str) -> bool {
    let (language, region) = match segment.split_once(['-', '_']) {
        Some((language, region)) => (language, Some(region)),
        None => (segment, None),
    };
    let is_language = match language.len() {
        2 => LANGUAGES.split_whitespace().any(|known| known == language),
        _ => LONG_LANGUAGES.contains(&language),
    };
    is_language && region.is_none_or(is_region)
}

/// Whether the end of a locale is a region or a script: `BR`, `br`, `419`, `Hant`. Most other
/// words after a hyphen belong to the title of a page, as in `my-app`.
fn is_region(region: &str) -> bool {
    let has_only = |is_kind: fn(&u8) -> bool| region.bytes().all(|byte| is_kind(&byte));
    let is_code = match region.len() {
        2 => has_only(u8::is_ascii_uppercase),
        3 => has_only(u8::is_ascii_digit),
        4 => has_only(u8::is_ascii_alphabetic) && region.starts_with(char::is_uppercase),
        _ => false,
    };
    is_code || LOWER_CASE_REGIONS.split_whitespace().any(|known| known == region)
}

/// Whether a segment looks like a version: `v1.2`, `2.x`, `17`, `latest`, `next`. A longer number
/// alone is a status code, a year or a page id.
pub(crate) fn is_version(segment: &str) -> bool {
    const NAMES: [&str; 8] =
        ["latest", "stable", "next", "main", "master", "current", "dev", "edge"];
    let number = segment.strip_prefix('v').unwrap_or(segment);
    let number = number.strip_suffix(".x").unwrap_or(number);
    let is_number = number.starts_with(|first: char| first.is_ascii_digit())
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_marked = number != segment || number.contains('.') || number.len() <= 2;
    NAMES.contains(&segment) || (is_number && is_marked) || segment.contains("@latest")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn route_key_drops_what_does_not_identify_a_page() {
        for url in ["/a/b/", "/a/b", "a/b.html", "/a/b/index.html", "/a//b.md?x=1#y", "/a/c/../b"] {
            assert_eq!(route_key(url), "a/b", "{url}");
        }
        for url in ["/", "", "/index.html", "/_index.md", "/#top"] {
            assert_eq!(route_key(url), "", "{url}");
        }
        assert_eq!(route_key("/a%20b/v1.2"), "a b/v1.2");
    }

    #[test]
    fn below_compares_whole_segments() {
        assert_eq!(below("docs/a.md", "docs"), Some("a.md"));
        assert_eq!(below("docs2/a.md", "docs"), None);
        assert_eq!(below("a.md", ""), Some("a.md"));
    }

    #[test]
    fn locales_and_versions_are_recognized() {
        for locale in ["en", "pt-br", "zh-CN", "zh_cn", "es-419", "sr-latn", "zh-Hant", "fr-ca"] {
            assert!(is_locale(locale), "{locale}");
        }
        for version in ["v1", "17", "2.0.1", "3.x", "v2024", "latest", "next"] {
            assert!(is_version(version), "{version}");
        }
        for other in ["docs", "guide", "a-b", "api", "cli", "js", "404", "2024", ""] {
            assert!(!is_version(other) && !is_locale(other), "{other}");
        }
        for title in ["my-app", "no-code", "to-do", "as-is", "so-what", "en-", "no-root"] {
            assert!(!is_locale(title), "{title}");
        }
    }
}
