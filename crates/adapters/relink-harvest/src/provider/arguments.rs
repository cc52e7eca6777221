//! Arguments of OAI-PMH requests. The verb selects the operation. A resumption token
//! requests the next page of a list.

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::record_xml::MetadataPrefix;
use super::{ProtocolError, unsupported_prefix};

/// The arguments of each verb: required, optional, and whether a token may replace them.
const VERBS: [(&str, &[&str], &[&str], bool); 6] = [
    ("Identify", &[], &[], false),
    ("ListMetadataFormats", &[], &["identifier"], false),
    ("ListSets", &[], &[], true),
    ("GetRecord", &["identifier", "metadataPrefix"], &[], false),
    ("ListIdentifiers", &["metadataPrefix"], &["from", "until", "set"], true),
    ("ListRecords", &["metadataPrefix"], &["from", "until", "set"], true),
];

/// The name of the token argument.
const TOKEN: &str = "resumptionToken";

/// Valid arguments of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Arguments {
    pairs: Vec<(String, String)>,
}

/// The records that a list contains.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Selection {
    pub(super) prefix: MetadataPrefix,
    pub(super) set: Option<String>,
    pub(super) from: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
}

impl Arguments {
    /// Parses a query string and checks the arguments of its verb.
    pub(super) fn parse(query: &str) -> Result<Self, ProtocolError> {
        let pairs: Vec<(String, String)> = url::form_urlencoded::parse(query.as_bytes())
            .map(|(name, value)| (name.into_owned(), value.into_owned()))
            .collect();
        let arguments = Self { pairs };
        let verbs: Vec<&str> = arguments.values("verb").collect();
        let [verb] = verbs[..] else {
            return Err(bad_verb("the verb is missing or repeated"));
        };
        let Some((_, required, optional, has_token)) =
            VERBS.iter().find(|(name, ..)| *name == verb)
        else {
            return Err(bad_verb("the verb is unknown"));
        };
        arguments.check(required, optional, *has_token)?;
        Ok(arguments)
    }

    fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> + 'a {
        self.pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Checks that each argument is allowed, present if required, and unique.
    fn check(
        &self,
        required: &[&str],
        optional: &[&str],
        has_token: bool,
    ) -> Result<(), ProtocolError> {
        if has_token && self.get(TOKEN).is_some() {
            // A token excludes all other arguments except the verb.
            return if self.pairs.len() == 2 {
                Ok(())
            } else {
                Err(bad_argument("resumptionToken excludes other arguments"))
            };
        }
        for (name, _) in self.pairs.iter().filter(|(name, _)| name != "verb") {
            if !required.contains(&name.as_str()) && !optional.contains(&name.as_str()) {
                return Err(bad_argument(format!("illegal argument: {name}")));
            }
            if self.values(name).count() > 1 {
                return Err(bad_argument(format!("repeated argument: {name}")));
            }
        }
        if let Some((name, _)) = self.pairs.iter().find(|(name, value)| !is_valid(name, value)) {
            return Err(bad_argument(format!("invalid value of {name}")));
        }
        match required.iter().find(|name| self.get(name).is_none()) {
            Some(name) => Err(bad_argument(format!("missing argument: {name}"))),
            None => Ok(()),
        }
    }

    /// Returns all arguments.
    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
    }

    /// Returns the verb.
    pub(super) fn verb(&self) -> &str {
        self.get("verb").unwrap_or_default()
    }

    /// Returns an argument.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut pairs = self.pairs.iter();
        pairs.find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// Returns a required argument.
    pub(super) fn required(&self, name: &str) -> Result<&str, ProtocolError> {
        self.get(name).ok_or_else(|| bad_argument(format!("missing argument: {name}")))
    }

    /// Returns the metadata format.
    pub(super) fn prefix(&self) -> Result<MetadataPrefix, ProtocolError> {
        MetadataPrefix::parse(self.required("metadataPrefix")?).ok_or_else(unsupported_prefix)
    }

    /// Returns the selection of a list.
    pub(super) fn selection(&self) -> Result<Selection, ProtocolError> {
        let prefix = self.prefix()?;
        let (from, until) = (self.get("from"), self.get("until"));
        if let (Some(from), Some(until)) = (from, until)
            && from.contains('T') != until.contains('T')
        {
            return Err(bad_argument("from and until have different granularities"));
        }
        let from = from.map(|text| parse_time(text, Bound::From)).transpose()?;
        let until = until.map(|text| parse_time(text, Bound::Until)).transpose()?;
        if let (Some(from), Some(until)) = (from, until)
            && from > until
        {
            return Err(bad_argument("from is later than until"));
        }
        Ok(Selection { prefix, set: self.get("set").map(str::to_owned), from, until })
    }
}

/// Which limit of a range of datestamps a text is.
#[derive(Clone, Copy)]
enum Bound {
    From,
    Until,
}

/// Parses a datestamp, which is a day or a second. The bound `Until` includes the whole day or
/// second.
fn parse_time(text: &str, bound: Bound) -> Result<Timestamp, ProtocolError> {
    let invalid = || bad_argument(format!("invalid datestamp: {text}"));
    let is_day = text.len() == "2026-01-01".len();
    let start = if is_day {
        let date: Date = text.parse().map_err(|_| invalid())?;
        date.to_zoned(TimeZone::UTC).map_err(|_| invalid())?.timestamp()
    } else if text.len() == "2026-01-01T00:00:00Z".len() && text.ends_with('Z') {
        text.parse().map_err(|_| invalid())?
    } else {
        return Err(invalid());
    };
    let length = jiff::SignedDuration::from_secs(if is_day { 86_400 } else { 1 });
    match bound {
        Bound::From => Ok(start),
        Bound::Until => {
            // The last millisecond of the day or second.
            let end = length - jiff::SignedDuration::from_millis(1);
            start.checked_add(end).map_err(|_| invalid())
        }
    }
}

/// Whether the schema of OAI-PMH allows a value, so that the response may repeat it.
fn is_valid(name: &str, value: &str) -> bool {
    // The unreserved characters of RFC 2396.
    let is_unreserved = |char: char| char.is_ascii_alphanumeric() || "-_.!~*'()".contains(char);
    let is_name = |text: &str| !text.is_empty() && text.chars().all(is_unreserved);
    match name {
        "metadataPrefix" => is_name(value),
        "set" => value.split(':').all(is_name),
        "identifier" => is_uri(value),
        _ => true,
    }
}

/// Whether a text is not empty, has no control characters, and `%` always starts an escape. The
/// schema of OAI-PMH checks no more of a URI.
fn is_uri(text: &str) -> bool {
    let is_hex = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_hexdigit);
    let mut escapes = text.as_bytes().split(|byte| *byte == b'%').skip(1);
    let has_valid_escapes = escapes.all(|rest| is_hex(rest.first()) && is_hex(rest.get(1)));
    !text.is_empty() && !text.contains(char::is_control) && has_valid_escapes
}

fn bad_verb(message: &str) -> ProtocolError {
    ProtocolError::new("badVerb", message)
}

fn bad_argument(message: impl Into<String>) -> ProtocolError {
    ProtocolError::new("badArgument", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the error code of a request, or `ok`.
    #[track_caller]
    fn check(query: &str, expect: &str) {
        let code = Arguments::parse(query)
            .and_then(|arguments| {
                if arguments.verb().starts_with("List") && arguments.get("metadataPrefix").is_some()
                {
                    arguments.selection().map(|_| ())
                } else {
                    Ok(())
                }
            })
            .map_or_else(|error| error.code, |()| "ok");
        assert_eq!(code, expect, "{query}");
    }

    #[test]
    fn arguments_are_checked() {
        check("verb=Identify", "ok");
        check("", "badVerb");
        check("verb=junk", "badVerb");
        check("verb=Identify&verb=Identify", "badVerb");
        check("verb=Identify&x=1", "badArgument");
        check("verb=ListRecords", "badArgument");
        check("verb=ListRecords&metadataPrefix=oai_dc", "ok");
        check("verb=ListRecords&metadataPrefix=oai_dc&metadataPrefix=oai_dc", "badArgument");
        check("verb=ListRecords&metadataPrefix=x", "cannotDisseminateFormat");
        check("verb=ListRecords&resumptionToken=x", "ok");
        check("verb=ListRecords&resumptionToken=x&set=y", "badArgument");
        for value in ["", "a%20b", "a::b", "%25"] {
            let query = format!("verb=ListRecords&metadataPrefix=oai_dc&set={value}");
            check(&query, "badArgument");
        }
        check("verb=ListRecords&metadataPrefix=oai_dc&set=a:b_(1)", "ok");
        check("verb=ListRecords&metadataPrefix=", "badArgument");
        check("verb=ListRecords&metadataPrefix=oai%20dc", "badArgument");
        for value in ["", "%25", "a%252", "a%0Ab"] {
            check(&format!("verb=ListMetadataFormats&identifier={value}"), "badArgument");
        }
        check("verb=ListMetadataFormats&identifier=oai:a%2520b", "ok");
        let dates = "verb=ListRecords&metadataPrefix=oai_dc&from=";
        check(&format!("{dates}2026-01-01"), "ok");
        check(&format!("{dates}2026-01-01T00:00:00Z"), "ok");
        check(&format!("{dates}2026-13-01"), "badArgument");
        check(&format!("{dates}2026-01-01&until=2026-01-01T00:00:00Z"), "badArgument");
        check(&format!("{dates}2026-01-02&until=2026-01-01"), "badArgument");
    }
}
