//! A document with old links to the Historical Society, whose pages moved.

/// The text of the document. Its URLs have no ports.
pub(super) const SOCIETY: &str = r"# The Historical Society

Collected before the society had a [new site](http://society.test/welcome).

## Papers

- [The ferry war](http://society.test/papers/the-ferry-war.htm)
- [Salt and silver](http://society.test/papers/salt-and-silver.htm)
- [A lost charter](http://society.test/papers/a-lost-charter.htm)
- [Turnpikes](http://society.test/papers/turnpikes-of-1790.htm)
- [The wet harvest](http://society.test/papers/the-wet-harvest.htm)

## People

[Hester Orchard](http://society.test/people/hester-orchard),
[Josiah Quill](http://society.test/people/josiah-quill) and
[Nora Haskell](http://society.test/people/nora-haskell), or so said the old pages.
Someone has since found [Hester](http://society.test/lives/hester-orchard),
[Josiah](http://society.test/lives/josiah-quill) and
[Nora](http://society.test/lives/nora-haskell) again, but kept quiet about it.

## Letters

- [From Kars](http://society.test/letters/from-kars)
- [From Leith](http://society.test/letters/from-leith)
- [From Odessa](http://society.test/letters/from-odessa)
- [To the mayor](http://society.test/letters/to-the-mayor)
- [To the bishop](http://society.test/letters/to-the-bishop)
- [To the geese](http://society.test/letters/to-the-geese)

## On the board in the hall

- [The rain gauge](http://society.test/notices/rain-gauge)
- [Spectacles](http://society.test/notices/lost-spectacles)
- [Chairs](http://society.test/notices/chairs-wanted)
- [Smoking](http://society.test/notices/no-smoking)
- [The dinner](http://society.test/notices/annual-dinner)
- Tickets for the [spring](http://society.test/tickets/spring-tour) and the
  [autumn](http://society.test/tickets/autumn-tour) tour
";
