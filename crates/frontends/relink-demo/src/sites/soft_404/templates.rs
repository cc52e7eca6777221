//! Templates and good pages of the soft-404 sites.

use crate::sites::template::{PageTemplate, TitleStyle, good_page};

pub(super) const MUSEUM: PageTemplate = PageTemplate {
    name: "Museum of Small Machines",
    menu: &["Visit", "Exhibits", "School parties", "The shop"],
    footer: "Open every day but Monday. Please wind nothing without asking.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/exhibits/tin-soldiers",
        "The tin soldiers",
        "Two hundred and eleven tin soldiers march around a table the size of a door, driven by a \
         single spring that is wound on Sundays. The maker was a watchman with long nights and a \
         steady hand. One soldier walks against the others; he was put on last, and the museum \
         has been asked by three generations of children to leave him as he is.",
    )],
};

pub(super) const THEATER: PageTemplate = PageTemplate {
    name: "The Corner Theater",
    menu: &["This season", "Tickets", "Players"],
    footer: "The bar opens when the curtain falls.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/plays/the-late-train",
        "The Late Train",
        "A comedy in two acts and one waiting room. Four travelers, a stationmaster and a cello \
         wait for a train that is announced eleven times. The cello is played by a different \
         member of the audience each night, chosen by the number of the ticket, and has so far \
         had better reviews than the stationmaster. Runs until the end of the month.",
    )],
};

pub(super) const BAKERY: PageTemplate = PageTemplate {
    name: "Hobb's Bakery",
    menu: &["Bread", "Cakes", "Find us"],
    footer: "Closed when the flour is gone.",
    title_style: TitleStyle::PageAndSite,
    pages: &[
        good_page(
            "/",
            "Bread since 1881",
            "The oven was lit in the spring of 1881 and has been out four times, twice for weddings. \
             We bake at three in the morning and sell from six, to anyone awake. Regular \
             customers have a peg behind the door with their name on it and a bag on the peg; to \
             get a peg, be regular. Orders for the fair are taken until the day before it.",
        ),
        good_page(
            "/bread/rye",
            "Rye",
            "Dark, close and slightly sour, made with a leaven that is older than the baker. It is \
             best on its third day and still good on its ninth. Three pounds to the loaf, two \
             loaves to the customer on Saturdays. The caraway is in half of them; we do not say \
             which half, because people who ask have usually been given the wrong one.",
        ),
    ],
};

pub(super) const TOWER: PageTemplate = PageTemplate {
    name: "The Clock Tower",
    menu: &["Climb", "The clock", "The bells"],
    footer: "Two hundred and six steps.",
    title_style: TitleStyle::PageAndSite,
    pages: &[
        good_page(
            "/",
            "Come up and see the time",
            "The tower may be climbed on dry afternoons, in groups of eight, by people who do not \
             mind bells. Half way up there is a bench, given by a visitor who needed it. From the \
             top one sees the river, the branch line and, on the clearest days, the next town's \
             clock, which is wrong. Tickets are sold at the foot, and excuses at the top.",
        ),
        good_page(
            "/bells/old-margaret",
            "Old Margaret",
            "Cast in the churchyard in 1704 from broken cannon and a good many kettles. She weighs \
             a little over a ton and strikes the hours; the quarters are left to the small bells, \
             who are quicker. A crack as long as a finger was found in 1933 and has been watched \
             ever since. It has not grown, though the finger has been replaced twice.",
        ),
    ],
};

pub(super) const HARBOR: PageTemplate = PageTemplate {
    name: "The Old Harbor",
    menu: &["Berths", "Tides", "Notices to sailors"],
    footer: "Keep to the left of the green buoy.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/tides/how-to-read-them",
        "How to read the tides",
        "The board by the slipway gives two times and two heights for every day, in chalk. Take \
         the first time, add the hour in summer, and ask someone who is already in a boat. Where \
         the chalk has been rained away, yesterday's times plus fifty minutes will do. The large \
         red figure is not a tide; it is the number of the harbor master's telephone.",
    )],
};

pub(super) const MARKET: PageTemplate = PageTemplate {
    name: "Saturday Market",
    menu: &["Stalls", "Days and hours", "Rent a stall"],
    footer: "No dogs on the cheese side.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/stalls/knife-grinder",
        "The knife grinder",
        "On the corner by the pump, every second Saturday, with the same wheel his grandmother \
         used. Kitchen knives while you wait, scissors by noon, shears the week after. He will \
         not sharpen anything with a name on it that is not yours. Children may turn the handle \
         for the length of one song, which he chooses, and it is never a short one.",
    )],
};

pub(super) const FERRY: PageTemplate = PageTemplate {
    name: "The Ferry",
    menu: &["Timetable", "Fares", "Weather"],
    footer: "Ring the bell on the other bank.",
    title_style: TitleStyle::PageAndSite,
    pages: &[
        good_page(
            "/",
            "Across in six minutes",
            "The ferry takes twelve passengers, or four with bicycles, or one with a horse if the \
             horse has been before. It crosses whenever there are three people on either bank, \
             and otherwise when the ferryman has finished his page. In a north wind it goes \
             upstream first, which alarms visitors and is quite usual. Payment is by coin.",
        ),
        good_page(
            "/timetable",
            "Timetable",
            "First crossing at the first bell of the tower, last crossing at dusk, by which is \
             meant the moment when the ferryman can no longer read. There is a pause for dinner \
             that depends on dinner. On market days a second boat goes, rowed by a cousin, and is \
             not recommended to anybody who has bought eggs. No crossings in January.",
        ),
    ],
};

pub(super) const NURSERY: PageTemplate = PageTemplate {
    name: "The Walled Nursery",
    menu: &["Perennials", "Seeds", "Delivery by cart"],
    footer: "Mud is free.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/plants/foxglove",
        "Foxglove",
        "A wood's edge plant that will put up with a border. It makes leaves in its first year and \
         a spire of spotted bells in its second, then leaves its children to go on without it. \
         Ours are the common purple and a cream one from the rectory wall. Give it leaf mold and \
         half a day of sun. Every part is poisonous, so admire it and then wash your hands. We \
         sell it in September, when no one wants it and everybody ought to.",
    )],
};

pub(super) const RECORDS: PageTemplate = PageTemplate {
    name: "Parish Registers Online",
    menu: &["Search by number", "How to read old hands"],
    footer: "Transcribed by volunteers.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/record?id=1871",
        "Record 1871: Hester Orchard",
        "Baptized on the second Sunday after Easter, 1843, daughter of the miller. Married in 1874 \
         in the hall of the library, the church roof being under repair. The clerk has added in \
         the margin that the bride read throughout. Burial not found in this register; a later \
         hand suggests the register of the next parish, and a still later hand disagrees.",
    )],
};

pub(super) const WEEKLY: PageTemplate = PageTemplate {
    name: "The Weekly",
    menu: &["News", "Sport", "Letters"],
    footer: "Printed on Thursdays.",
    title_style: TitleStyle::PageAndSite,
    pages: &[
        good_page(
            "/news/",
            "News",
            "This week: the bridge opens again, the bus does not, and a swan is returned to its \
             owner, who turns out to be the other swan. Further down: the council votes to vote. \
             The whole of last week's news is on the back page, where it has been overtaken by \
             events and by an advertisement for boots. Corrections are at the bottom as always.",
        ),
        good_page(
            "/news/2024/bridge-opens-again",
            "The bridge opens again",
            "After nine months the footbridge was opened on Tuesday by the child who had asked \
             about it most often. It is a hand's breadth wider than before and no longer hums. \
             The engineer thanked the weather. Some two hundred people crossed in the first hour, \
             most of them in order to cross back, and the ferryman was seen to do the same.",
        ),
    ],
};

pub(super) const BIBLIOTECA: PageTemplate = PageTemplate {
    name: "Biblioteca del Valle",
    menu: &["Obras", "Autores", "Préstamo"],
    footer: "Abierta de martes a sábado.",
    title_style: TitleStyle::PageAndSite,
    pages: &[good_page(
        "/obras/241",
        "El molino de la ribera",
        "Novela breve de autor desconocido, impresa en el valle hacia 1890. Cuenta la historia de \
         un molinero que guardaba en sacos de harina las cartas que nadie venía a recoger. El \
         ejemplar de la biblioteca conserva el sello del molino en la última página y una mancha \
         de vino en la primera. Se presta por tres semanas y se devuelve siempre tarde.",
    )],
};
