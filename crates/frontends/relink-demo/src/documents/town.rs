//! A document about the sites of the town. It links to good pages and to planted faults.

/// The text of the document. Its URLs have no ports.
pub(super) const TOWN: &str = r"# The town on the web

## Out and about

- The museum: [tin soldiers](http://museum.test/exhibits/tin-soldiers) and a
  [clockwork duck](http://museum.test/exhibits/clockwork-duck)
- The theater: [The Late Train](http://theater.test/plays/the-late-train) and
  [Two Lamps](http://theater.test/plays/two-lamps)
- The [tower](http://tower.test/), with [Old Margaret](http://tower.test/bells/old-margaret)
  and [Little Tom](http://tower.test/bells/little-tom)
- The harbor: [how to read the tides](http://harbor.test/tides/how-to-read-them), and the
  [moon table](http://harbor.test/tides/moon-table)
- The [ferry](http://ferry.test/), its [timetable](http://ferry.test/timetable) and
  [fares for horses](http://ferry.test/fares-for-horses)
- The windmill's [grinding days](http://windmill.test/grinding-days) and the
  [history of the mill](http://mill.test/history)
- On the pier: [the notice](http://pier.test/notice)
- [The pool](http://pool.test/lanes/booking), [the trams](http://tram.test/lines/4) and
  [the regatta](http://regatta.test/)

## Shopping

- [Hobb's bakery](http://bakery.test/): [rye](http://bakery.test/bread/rye) and
  [seed loaf](http://bakery.test/bread/seed-loaf)
- The market: [knife grinder](http://market.test/stalls/knife-grinder),
  [candle maker](http://market.test/stalls/candle-maker)
- The nursery: [foxglove](http://nursery.test/plants/foxglove),
  [blue poppy](http://nursery.test/plants/blue-poppy)
- [Rates](http://bank.test/rates) at the savings bank

## Reading

- [The Daily Ferryman](http://daily.test/), and from the Weekly
  [all news](http://weekly.test/news/),
  [the bridge](http://weekly.test/news/2024/bridge-opens-again) and
  [flood relief](http://weekly.test/news/2009/flood-relief)
- From the wire: [the petition](http://wire.test/18710/petition-for-geese-is-nine-yards-long),
  the same [under an older headline](http://wire.test/18710/geese-on-the-march), and
  [the swan](http://wire.test/40417/swan-returned-to-owner)
- [The bridge inquiry](http://broadsheet.test/1911/bridge-inquiry), in the Broadsheet
- Two papers from the college: [tides](http://college.test/papers/tides-and-towns.pdf) and
  [slow rivers](http://college.test/papers/on-slow-rivers.pdf)
- [El molino de la ribera](http://biblioteca.test/obras/241) and
  [another work](http://biblioteca.test/obras/187) from the valley
- [Pruning old roses](http://allotment.test/notes/pruning-old-roses) and
  [plum jam](http://homestead.test/recipes/plum-jam)
- A chapter on [404](http://handbook.test/chapters/404-not-found), for our own site

## Offices

- [Hester Orchard](http://records.test/record?id=1871) in the registers, and
  [her brother](http://records.test/record?id=4417)
- [Lost umbrellas](http://council.test/offices/lost-umbrellas) and the
  [ink allowance](http://council.test/offices/ink-allowance)
- [Spring timetables](http://school.test/timetables/spring) and the
  [staff room](http://staffroom.test/)
- [The choir in spring](http://choir.test/concerts/spring)
";
