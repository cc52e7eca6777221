//! What many addresses have in common: their pattern.
//!
//! What varies is replaced by what kind of thing it is: `{n}` a number,
//! `{year}`, `{month}`, `{day}`, `{date}`, `{id}` a hexadecimal name,
//! `{token}` a name made by chance, `{text}` a value that somebody wrote. Keys
//! of a query stand in order; short plain values stay, for `action=edit` and
//! `action=view` are different pages. Words of the path stay as well.

use url::Url;

use super::TrapKind;
use super::shape::segments;
use crate::host_name;

/// Years this far ahead of a crawl are far.
const FAR_AHEAD: i32 = 2;
/// Years this far back are far.
const FAR_BACK: i32 = 20;
/// Four digits are a year from here.
const FIRST_YEAR: i32 = 1900;
/// Four digits are a year up to here.
const LAST_YEAR: i32 = 2199;

/// The shortest hexadecimal name.
const SHORTEST_ID: usize = 8;
/// The shortest name made by chance.
const SHORTEST_TOKEN: usize = 16;
/// How often digits and letters change places in one.
const TOKEN_CHANGES: usize = 4;
/// The longest value that is kept as it is.
const LONGEST_WORD: usize = 10;
/// A piece of a pattern is cut here.
const LONGEST_PIECE: usize = 64;

/// Keys and segments that number pages.
const PAGE_KEYS: [&str; 14] = [
    "p", "page", "paged", "pageno", "page_no", "pagenum", "pg", "seite", "pagina", "start",
    "offset", "skip", "from", "cursor",
];
/// Keys that hold a year.
const YEAR_KEYS: [&str; 4] = ["y", "yr", "year", "jahr"];

/// The pattern of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlPattern {
    text: String,
    is_variable: bool,
    is_far: bool,
    kind: TrapKind,
}

impl UrlPattern {
    /// The pattern of `url`, seen from a crawl in `year`: dates far from it
    /// are marked (`{far-year}`, `{far-date}`), for there are more of them
    /// than anybody can write about.
    ///
    /// ```
    /// use relink_frontier::UrlPattern;
    /// let url = "https://example.org/cal/2026/05/view?id=81&day=3".parse()?;
    /// let pattern = UrlPattern::of(&url, 2026);
    /// assert_eq!(pattern.as_str(), "example.org/cal/{year}/{month}/view?day={n}&id={n}");
    /// # Ok::<(), url::ParseError>(())
    /// ```
    pub fn of(url: &Url, year: i16) -> Self {
        let mut pattern = Self {
            text: host_name(url),
            is_variable: false,
            is_far: false,
            kind: TrapKind::NearDuplicates,
        };
        pattern.add_path(url, year);
        pattern.add_query(url, year);
        pattern
    }

    /// The pattern as text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    pub(super) fn into_string(self) -> String {
        self.text
    }

    /// Whether more than one address can have it.
    pub(super) fn is_variable(&self) -> bool {
        self.is_variable
    }

    /// Whether it holds a date far from now.
    pub(super) fn is_far(&self) -> bool {
        self.is_far
    }

    /// The trap it is, once its budget is spent.
    pub(super) fn kind(&self) -> TrapKind {
        self.kind
    }

    /// The most telling piece names the kind; kinds are declared in that order.
    fn suggest(&mut self, kind: TrapKind) {
        self.kind = self.kind.min(kind);
    }

    fn add_path(&mut self, url: &Url, year: i16) {
        let mut last = Piece::Literal;
        let mut before = "";
        let mut path = segments(url).peekable();
        while let Some(segment) = path.next() {
            let piece = Piece::of_segment(segment, last, path.peek().copied());
            if piece == Piece::Number && is_key(&PAGE_KEYS, before) {
                self.suggest(TrapKind::EndlessPages);
            }
            self.text.push('/');
            self.add(piece, segment, year);
            (last, before) = (piece, segment);
        }
        if url.path().ends_with('/') {
            self.text.push('/');
        }
    }

    fn add_query(&mut self, url: &Url, year: i16) {
        let pairs = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
        let mut pairs: Vec<(&str, &str)> =
            pairs.map(|pair| pair.split_once('=').unwrap_or((pair, ""))).collect();
        pairs.sort_by_key(|pair| pair.0);
        pairs.dedup_by_key(|pair| pair.0);
        for ((key, value), sign) in
            pairs.into_iter().zip(std::iter::once('?').chain(std::iter::repeat('&')))
        {
            let piece = Piece::of_value(key, value);
            if piece == Piece::Number && is_key(&PAGE_KEYS, key) {
                self.suggest(TrapKind::EndlessPages);
            }
            self.text.push(sign);
            self.add_numbered(key);
            if !value.is_empty() {
                self.text.push('=');
                self.add(piece, value, year);
            }
        }
    }

    fn add(&mut self, piece: Piece, text: &str, year: i16) {
        self.is_variable |= piece != Piece::Literal;
        match piece {
            Piece::Token => self.suggest(TrapKind::SessionIds),
            Piece::Year | Piece::Date => self.suggest(TrapKind::EndlessCalendar),
            _ => {}
        }
        let is_far = matches!(piece, Piece::Year | Piece::Date) && is_far(text, year);
        self.is_far |= is_far;
        match piece {
            Piece::Literal => self.add_numbered(text),
            Piece::Year if is_far => self.text.push_str("{far-year}"),
            Piece::Date if is_far => self.text.push_str("{far-date}"),
            other => self.text.push_str(other.name()),
        }
    }

    /// A word with its numbers replaced.
    fn add_numbered(&mut self, word: &str) {
        let mut was_digit = false;
        for letter in word.chars().take(LONGEST_PIECE) {
            let is_digit = letter.is_ascii_digit();
            if !is_digit {
                self.text.push(letter);
            } else if !was_digit {
                self.text.push_str("{n}");
                self.is_variable = true;
            }
            was_digit = is_digit;
        }
        if word.chars().nth(LONGEST_PIECE).is_some() {
            self.text.push('…');
            self.is_variable = true;
        }
    }
}

/// What kind of thing a piece of an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    Literal,
    Number,
    Year,
    Month,
    Day,
    Date,
    Id,
    Token,
    Text,
}

impl Piece {
    fn name(self) -> &'static str {
        match self {
            Self::Literal => "",
            Self::Number => "{n}",
            Self::Year => "{year}",
            Self::Month => "{month}",
            Self::Day => "{day}",
            Self::Date => "{date}",
            Self::Id => "{id}",
            Self::Token => "{token}",
            Self::Text => "{text}",
        }
    }

    /// A segment after `last` and before `next`. Only a month tells a year
    /// from the number of an article.
    fn of_segment(segment: &str, last: Self, next: Option<&str>) -> Self {
        let Some(number) = number(segment) else { return Self::of_name(segment) };
        match (last, segment.len()) {
            (Self::Year, 1..=2) if (1..=12).contains(&number) => Self::Month,
            (Self::Month, 1..=2) if (1..=31).contains(&number) => Self::Day,
            (_, 4) if next.is_some_and(is_month_of(number)) => Self::Year,
            (_, 8) if is_day(number) => Self::Date,
            _ => Self::Number,
        }
    }

    fn of_value(key: &str, value: &str) -> Self {
        match number(value) {
            Some(_) if value.len() == 4 && is_key(&YEAR_KEYS, key) => return Self::Year,
            Some(number) if value.len() == 8 && is_day(number) => return Self::Date,
            Some(_) => return Self::Number,
            None => {}
        }
        let is_word =
            value.len() <= LONGEST_WORD && value.bytes().all(|byte| byte.is_ascii_lowercase());
        match Self::of_name(value) {
            Self::Literal if is_word => Self::Literal,
            Self::Literal => Self::Text,
            other => other,
        }
    }

    fn of_name(name: &str) -> Self {
        if is_date(name) {
            return Self::Date;
        }
        // A file's ending is no part of its name, a session's mark is.
        let stem = name.split('.').next().unwrap_or_default();
        let has_digit = stem.bytes().any(|byte| byte.is_ascii_digit());
        let is_hex = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
        if stem.len() >= SHORTEST_ID
            && has_digit
            && stem.bytes().all(is_hex)
            && !is_dashed_number(stem)
        {
            return Self::Id;
        }
        if name.starts_with("(S(") || is_token(stem) { Self::Token } else { Self::Literal }
    }
}

fn is_key(keys: &[&str], key: &str) -> bool {
    keys.iter().any(|known| known.eq_ignore_ascii_case(key))
}

/// A number of up to nine digits; longer ones are numbers without a value.
fn number(text: &str) -> Option<i32> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(i32::MAX))
}

fn is_year(number: i32) -> bool {
    (FIRST_YEAR..=LAST_YEAR).contains(&number)
}

fn is_month(text: &str) -> bool {
    text.len() == 2 && number(text).is_some_and(|month| (1..=12).contains(&month))
}

/// What is a month after this number: `5` does after a year of our time, `05`
/// after any.
fn is_month_of(year: i32) -> impl Fn(&str) -> bool {
    move |text| {
        let is_digit = text.len() == 1 && number(text).is_some_and(|month| month > 0);
        is_month(text) || (is_digit && is_year(year))
    }
}

/// Whether eight digits are a year, a month and a day.
fn is_day(number: i32) -> bool {
    is_year(number / 10_000)
        && (1..=12).contains(&(number / 100 % 100))
        && (1..=31).contains(&(number % 100))
}

/// `2026-05` or `2026-05-31`, perhaps with a time after it.
fn is_date(text: &str) -> bool {
    let Some((year, rest)) = text.split_once('-') else { return false };
    let month = rest.get(..2).unwrap_or_default();
    let is_done = rest.len() == 2 || rest[2..].starts_with('-');
    year.len() == 4
        && number(year).is_some()
        && is_month(month)
        && is_done
        && rest.bytes().all(|byte| byte.is_ascii_digit() || b"-T:.Z%+".contains(&byte))
}

/// Whether a date is far from `year`. Its year comes first, however written.
fn is_far(date: &str, year: i16) -> bool {
    let Some(written) = date.get(..4).and_then(number) else { return false };
    !(i32::from(year) - FAR_BACK..=i32::from(year) + FAR_AHEAD).contains(&written)
}

/// `2026-1-3` or `555-1234`: numbers, and no name.
fn is_dashed_number(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a name was made by chance: digits and letters in no order.
fn is_token(name: &str) -> bool {
    if name.len() < SHORTEST_TOKEN || !name.is_ascii() {
        return false;
    }
    // In what people write, parts with digits are short: `iphone-15-pro-max`.
    let longest = name.split(['-', '_', '%']).max_by_key(|part| part.len()).unwrap_or_default();
    let changes = longest.as_bytes().windows(2);
    let changes =
        changes.filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    longest.len() >= SHORTEST_ID && changes >= TOKEN_CHANGES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(path: &str, expect: &str) {
        let url = Url::parse(&format!("https://example.org{path}")).unwrap();
        let pattern = UrlPattern::of(&url, 2026);
        assert_eq!(pattern.as_str(), format!("example.org{expect}"), "{path}");
        assert_eq!(pattern.is_variable(), expect.contains(['{', '…']), "{path}");
    }

    #[test]
    fn words_stay() {
        for path in ["/", "/about", "/a/b.html", "/a?view=list", "/my-first-post/"] {
            check(path, path);
        }
    }

    #[test]
    fn numbers_are_replaced() {
        check("/article/12345", "/article/{n}");
        check("/article-77.html", "/article-{n}.html");
        check("/v1.2.3/api", "/v{n}.{n}.{n}/api");
        check("/page/12/", "/page/{n}/");
        check("/x/99999999999999999999", "/x/{n}");
    }

    #[test]
    fn dates_are_dates() {
        check("/2025/05/31/post", "/{year}/{month}/{day}/post");
        check("/2025/5", "/{year}/{month}");
        check("/2025/13", "/{n}/{n}");
        check("/4711/5", "/{n}/{n}");
        check("/cal/2027-03", "/cal/{date}");
        check("/cal/2027-03-01", "/cal/{date}");
        check("/cal/20270301", "/cal/{date}");
        check("/cal/555-1234", "/cal/{n}-{n}");
        check("/item/4711", "/item/{n}");
        check("/cal?year=2026&month=5", "/cal?month={n}&year={year}");
        check("/cal?d=2026-05-01T10:00", "/cal?d={date}");
    }

    #[test]
    fn dates_far_from_now_are_marked() {
        check("/cal/2031/05", "/cal/{far-year}/{month}");
        check("/cal/9031/05", "/cal/{far-year}/{month}");
        check("/cal/1951/05", "/cal/{far-year}/{month}");
        check("/cal/2028/05", "/cal/{year}/{month}");
        check("/cal?date=2040-01-01", "/cal?date={far-date}");
        check("/cal?year=2040", "/cal?year={far-year}");
    }

    #[test]
    fn names_made_by_machines_are_replaced() {
        check("/f/550e8400-e29b-41d4-a716-446655440000", "/f/{id}");
        check("/f/deadbeef42.pdf", "/f/{id}");
        check("/(S(lit3py55t21z5v55vlm25s55))/a", "/{token}/a");
        check("/s/a8Fk29xQ7bW3mN5z/a", "/s/{token}/a");
        check("/iphone-15-pro-max-256gb", "/iphone-{n}-pro-max-{n}gb");
        check("/facade", "/facade");
    }

    #[test]
    fn queries_are_sorted_and_sorted_out() {
        check("/a?b=1&a=2", "/a?a={n}&b={n}");
        check("/a?x=1&x=2", "/a?x={n}");
        check("/a?title=Blue+fish&action=edit", "/a?action=edit&title={text}");
        check("/a?f[12]=on&empty=&bare", "/a?bare&empty&f[{n}]=on");
    }
}
