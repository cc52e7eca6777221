//! Properties that hold for all programs and URLs.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use relink_revive::OldPage;
use relink_revive::program::{
    DatePart, Example, Extract, HostPart, NewQuery, OldQuery, Part, Run, Scheme, Segment, Slash,
    Style, Substring, TextSource, TitlePiece, UrlProgram, learn,
};
use url::Url;

fn style() -> impl Strategy<Value = Style> {
    prop::sample::select(vec![
        Style::AsIs,
        Style::Lower,
        Style::Dashes,
        Style::LowerDashes,
        Style::Underscores,
        Style::LowerUnderscores,
        Style::Pluses,
        Style::CamelToDashes,
        Style::Compact,
        Style::Padded,
        Style::Unpadded,
    ])
}

fn source() -> impl Strategy<Value = TextSource> {
    let pieces = vec![TitlePiece::Whole, TitlePiece::First, TitlePiece::Last];
    let dates = vec![DatePart::Year, DatePart::Month, DatePart::Day];
    prop_oneof![
        any::<i32>().prop_map(TextSource::Path),
        (-3..3).prop_map(TextSource::Path),
        "[a-c]?".prop_map(TextSource::Query),
        prop::sample::select(pieces).prop_map(TextSource::Title),
        prop::sample::select(dates).prop_map(TextSource::Date),
        (-3..3).prop_map(TextSource::Label),
        prop::sample::select(vec![HostPart::Whole, HostPart::Bare]).prop_map(TextSource::Host),
    ]
}

fn piece() -> impl Strategy<Value = Substring> {
    let delimiter = || prop::sample::select(vec!['-', '_', '.', ',', 'é', '%']);
    prop_oneof![
        (delimiter(), any::<i32>()).prop_map(|(by, at)| Substring::Field { by, at }),
        (delimiter(), -3..3).prop_map(|(by, at)| Substring::Field { by, at }),
        delimiter().prop_map(Substring::After),
        delimiter().prop_map(Substring::Before),
        any::<i32>().prop_map(Substring::Number),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let extract = (source(), any::<bool>(), option::of(piece()), style());
    prop_oneof![
        "\\PC{0,6}".prop_map(Part::Text),
        extract.prop_map(|(source, stem, piece, style)| {
            Part::Extract(Extract { source, stem, piece, style })
        }),
    ]
}

/// Returns a strategy for segments. Some runs exceed the length of all paths.
fn segment() -> impl Strategy<Value = Segment> {
    let run = (any::<usize>(), any::<usize>(), 0..4_usize, 0..4_usize, any::<bool>(), style());
    prop_oneof![
        vec(part(), 0..3).prop_map(Segment::Component),
        run.prop_map(|(far_skip, far_leave, skip, leave, is_far, style)| {
            let (skip, leave) = if is_far { (far_skip, far_leave) } else { (skip, leave) };
            Segment::Run { run: Run { skip, leave, style } }
        }),
    ]
}

fn program() -> impl Strategy<Value = UrlProgram> {
    let query = prop_oneof![
        Just(NewQuery::None),
        Just(NewQuery::Keep),
        vec(("[a-c]?", vec(part(), 0..3)), 0..3).prop_map(NewQuery::Make),
    ];
    let slash = prop::sample::select(vec![Slash::Keep, Slash::With, Slash::Without]);
    let fields = (
        prop::sample::select(vec![OldQuery::Any, OldQuery::Absent]),
        option::of(0..4_usize),
        prop::sample::select(vec![Scheme::Http, Scheme::Https]),
        vec(part(), 0..3),
        vec(segment(), 0..4),
        slash,
        query,
    );
    fields.prop_map(|(old_query, old_depth, scheme, host, path, slash, query)| UrlProgram {
        old_query,
        old_depth,
        scheme,
        host,
        path,
        slash,
        query,
    })
}

fn page() -> impl Strategy<Value = OldPage> {
    let url = "https?://(www\\.)?[a-c]{1,3}\\.test/[a-zA-Z0-9._%~,é/-]{0,20}(\\?[a-c=&0-9+]{0,8})?";
    (url, option::of("\\PC{0,20}")).prop_filter_map("not a URL", |(url, title)| {
        let mut page = OldPage::new(Url::parse(&url).ok()?);
        page.title = title;
        Some(page)
    })
}

/// A page of one directory and its new URL, by one of a few rules.
fn example() -> impl Strategy<Value = Example> {
    let new = prop_oneof![
        Just("new/{name}"),
        Just("new/{stem}"),
        Just("{name}?from=old"),
        Just("lost"),
        Just("x/y/{name}"),
    ];
    ("[a-zA-Z0-9_-]{1,8}", prop::sample::select(vec!["", ".html", ".php"]), new).prop_map(
        |(stem, extension, new)| {
            let name = format!("{stem}{extension}");
            let new = new.replace("{name}", &name).replace("{stem}", &stem.to_lowercase());
            let url = |path: &str| {
                Url::parse(&format!("http://a.test/{path}")).expect("plain letters form a URL")
            };
            Example {
                old: OldPage::new(url(&format!("old/{name}"))),
                new: url(&new),
                is_certain: true,
            }
        },
    )
}

/// Returns a URL without scheme, `www.` and trailing slash.
fn bare(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    let host = host.strip_prefix("www.").unwrap_or(host);
    let query = url.query().unwrap_or_default();
    format!("{host}{}?{query}", url.path().trim_end_matches('/'))
}

proptest! {
    #[test]
    fn json_round_trip_preserves_a_program(program in program()) {
        let json = serde_json::to_string(&program).unwrap();
        let back: UrlProgram = serde_json::from_str(&json).unwrap();
        prop_assert_eq!(back, program, "{}", json);
    }

    #[test]
    fn no_program_panics_on_any_page(program in program(), page in page()) {
        let url = program.run(&page);
        prop_assert!(url.is_none_or(|url| url.username().is_empty()));
    }

    #[test]
    fn learned_program_reproduces_the_examples_it_counts(examples in vec(example(), 1..12)) {
        for learned in learn(&examples) {
            let is_correct = |example: &&Example| {
                learned.program.run(&example.old).is_some_and(|url| bare(&url) == bare(&example.new))
            };
            let correct = examples.iter().filter(is_correct).count();
            prop_assert_eq!(correct, learned.record.support, "{:?}", learned);
            prop_assert!(correct > 0);
        }
    }
}
