//! The documents that the demo checks. They link to the demo sites.
//!
//! The documents contain the URL of every planted fault once, and links to all good pages.
//! They also contain URLs of missing pages in code and comments, which are not links.

mod society;
mod town;

use crate::Document;
use crate::cards::{CARDS, Card};
use crate::hosts::SitePorts;
use crate::issues::{ISSUES, Issue};

/// Returns the documents. Their URLs contain the ports of the running demo.
pub(crate) fn all(ports: SitePorts) -> Vec<Document> {
    let texts = [
        ("README.md", README.to_owned()),
        ("links.txt", BOOKMARKS.to_owned()),
        ("shelf/catalog.md", catalog()),
        ("shelf/clubs.md", CLUBS.to_owned()),
        ("shelf/history.md", HISTORY.to_owned()),
        ("shelf/press.html", press()),
        ("shelf/reading list.md", READING_LIST.to_owned()),
        ("shelf/reference.md", REFERENCE.to_owned()),
        ("shelf/society.md", society::SOCIETY.to_owned()),
        ("shelf/town.md", town::TOWN.to_owned()),
    ];
    texts
        .into_iter()
        .map(|(path, text)| Document { path, text: ports.insert_ports(&text) })
        .collect()
}

/// Returns the page with a link to each catalog card.
fn catalog() -> String {
    let row = |card: &Card| {
        format!("| {} | [{}](http://library.test{}) |\n", card.shelf(), card.title(), card.path())
    };
    let rows: String = CARDS.iter().map(row).collect();
    format!("{CATALOG}{rows}{CATALOG_END}")
}

/// Returns the page with a link to each newspaper issue.
fn press() -> String {
    let item = |issue: &Issue| {
        let (path, headline) = (issue.path(), issue.headline());
        format!("<li><a href=\"http://press.test{path}\">{headline}</a></li>\n")
    };
    let items: String = ISSUES.iter().map(item).collect();
    format!("{PRESS}{items}{PRESS_END}")
}

const README: &str = r"# The Rotten Library

Links about [our library](http://library.test/), collected by its friends over
many years and checked by no one. Start with the [opening hours][hours], or with
the [old page of opening times](http://library.test/opening-times), or ask what
is on [today](http://library.test/today). The evening's last lamp is described at
http://library.test/late-desk.

- [Becoming a reader](http://library.test/membership)
- [Reserving a book](http://library.test/reservations)
- [The building](http://library.test/building) and [room 404](http://library.test/rooms/404)
- [The junior corner](http://library.test/children), and its [reading hour](http://shy.test/reading-hour)
- [New arrivals](http://busy.test/new-arrivals) and the [night shelf](http://tired.test/night-shelf)
- [Giving to the library](http://library.test/go/donations)
- [Tonight's rota](http://library.test/staff/rota), for staff
- [The printer on the second floor](http://library.test/printer)
- [Opening hours of the annex](http://library.test:99999/hours)

Exhibits: [the sundial](http://library.test/exhibits/sundial) and
[heads of the aldermen](http://library.test/exhibits/phrenology).

More: [history](shelf/history.md), [clubs](shelf/clubs.md),
[the press](shelf/press.html), [reference](shelf/reference.md),
[the town](shelf/town.md), [the society](shelf/society.md),
[the catalog](shelf/catalog.md) and a
[reading list](shelf/reading%20list.md).

To add a link, write it like this:

```text
[a page](http://library.test/only/an/example)
```

[hours]: http://library.test/hours
";

const BOOKMARKS: &str = "\
# Bookmarks from the desk, one a line

http://library.test/catalog
http://archive.library.test/
http://press.test/
http://club.test/
http://library.test/history

# typed from memory
library.test/catalog
http://press.test/issues/spring fair
http://nowhere.invalid/catalog

# from the old computer
http://slow.test/dial-up
http://sleepy.test/long-story
http://attic.library.test/boxes
https://archive.library.test/vault
";

const CATALOG: &str = "\
# From the catalog

The whole of it stands in [the hall](http://library.test/catalog); the drawers
that went [online first](http://:8080/catalog) are still being looked for.

| Shelf | Book |
|---|---|
";

const CATALOG_END: &str = "
Renewals are taken at [the desk](http://library.test/hours).
";

const CLUBS: &str = r"# Clubs

[Three clubs](http://club.test/) meet here: [chess](http://club.test/chess/),
[bees](http://club.test/bees/) and [bells](http://club.test/bells/).

## On older posters

- [Bees](http://club.test/bees), without the slash
- [Draughts](http://club.test/draughts), which became chess
- [What is on tonight](http://club.test/tonight)
- [Join us](http://club.test/join) and read the [statutes](http://club.test/statutes)
- [Members](http://club.test/members) and the [intranet](http://club.test/intranet)
- [Tea](http://club.test/tea)

Umbrellas, gloves and one heron: see [lost and found](lost-and-found.md).

## The walking club

It has not come back yet. It was last seen at <http://labyrinth.test/lost>, then
at <http://labyrinth.test/mirror>, and its letters come from
<http://labyrinth.test/maze>.
";

const HISTORY: &str = r"# History

![The reading room in 1902](pictures/reading-room.jpg)

The [library's own history](http://library.test/history) is the short one. The
[archive](http://archive.library.test/) has the long one:
[maps](http://archive.library.test/maps), once called
[plans](http://archive.library.test/plans), [two floods](http://archive.library.test/floods),
[the geese](http://archive.library.test/geese) and
[four librarians](http://archive.library.test/librarians).

1. The [charter](http://archive.library.test/charter), in three hands
2. The [register](http://archive.library.test/register), which is still being written
3. A note on the [telegraph](http://archive.library.test/telegraph)
4. The [finding aid](http://archive.library.test/finding-aid)
5. The [donors](http://archive.library.test/donors), who wished to remain so

Families: [Orchard](http://archive.library.test/names/Orchard_(family)),
[Grünspan](http://archive.library.test/names/Grünspan). Back to the
[front](../README.md#the-rotten-library).
";

const PRESS: &str = r#"<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>The library in the press</title></head>
<body>
<h1>The library in the press</h1>
<!-- The old list is gone: <a href="http://press.test/only/a/comment">list</a> -->
<p>Everything is from <a href="http://press.test/">the Gazette</a>, whose
<a href="http://press.test/about">three people</a> are thanked, as is its
<a href="http://PRESS.TEST/masthead">masthead</a>.</p>
<ul>
"#;

const PRESS_END: &str = r#"</ul>
<h2>Every week</h2>
<p><a href="http://press.test/paper">The paper</a>,
<a href="http://press.test/weather">the weather</a>,
<a href="http://press.test/crossword">the crossword</a>,
<a href="http://press.test/small-ads">small ads</a>,
<a href="http://press.test/obituaries">obituaries</a> and a page
<a href="http://press.test/subscribers">for subscribers</a>.</p>
<h2>Hard to get</h2>
<p><a href="http://press.test/archive/premium">The bound volumes</a>, and
<a href="http://press.test/1911/libel">what was said of the colonel</a>.</p>
</body>
</html>
"#;

const READING_LIST: &str = r"# Reading list

For long evenings: [winters](http://library.test/cards/101),
[clocks](http://library.test/cards/108) and
[timetables](http://library.test/cards/109). For short ones:
[knots](http://library.test/cards/106).

Where to sit: [the building](http://library.test/building).
";

const REFERENCE: &str = r"# Reference

What the reference desk used to answer from. It has been a difficult year.

| Work | State |
|---|---|
| [Almanac](http://reference.test/almanac) | waiting |
| [Atlas](http://reference.test/atlas) | torn |
| [Concordance](http://reference.test/concordance) | leads nowhere |
| [Dictionary](http://reference.test/dictionary) | slammed shut |
| [Encyclopedia](http://reference.test/encyclopedia) | stuck in the lift |
| [Gazetteer](http://reference.test/gazetteer) | unknown |
| [Letters](http://reference.test/letters) | in the post |
| [Serial novel](http://reference.test/serial-novel) | to be continued |
| [Shelf list](http://reference.test/shelf-list) | too heavy to lift |
| [Telephone book](http://reference.test/telephone-book) | hung up |
| [Thesaurus](http://reference.test/thesaurus) | offended |
";
