//! Distinguishes connection URLs of databases from file names, and hides passwords.

/// The starts of connection URLs.
const SCHEMES: [&str; 2] = ["postgres://", "postgresql://"];

/// Whether a text is the URL of a database server rather than a file name.
pub fn is_database_url(text: &str) -> bool {
    SCHEMES.iter().any(|scheme| text.starts_with(scheme))
}

/// Returns a connection URL without its password.
pub fn redact_database_url(text: &str) -> String {
    let (before_query, query) = match text.split_once('?') {
        Some((before, query)) => (before, Some(query)),
        None => (text, None),
    };
    let mut redacted = match before_query.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
            let authority = match authority.rsplit_once('@') {
                Some((user, host)) => {
                    let user = user.split_once(':').map_or(user, |(user, _)| user);
                    format!("{user}@{host}")
                }
                None => authority.to_owned(),
            };
            format!("{scheme}://{authority}/{path}")
        }
        None => before_query.to_owned(),
    };
    let is_not_password = |pair: &&str| !pair.to_ascii_lowercase().starts_with("password");
    let query: Vec<&str> = query.unwrap_or_default().split('&').filter(is_not_password).collect();
    if !query.concat().is_empty() {
        redacted = format!("{redacted}?{}", query.join("&"));
    }
    redacted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redact_removes_passwords() {
        for (url, expect) in [
            ("postgres://ann:se:cr@et@db.test:5/x", "postgres://ann@db.test:5/x"),
            ("postgres://db.test/x?password=s&user=a", "postgres://db.test/x?user=a"),
            ("postgresql://127.0.0.1/x?password=s", "postgresql://127.0.0.1/x"),
            ("relative/file.db", "relative/file.db"),
        ] {
            assert_eq!(redact_database_url(url), expect);
        }
    }
}
