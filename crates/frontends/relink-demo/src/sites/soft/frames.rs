//! The page frames and the good pages of sites that answer everything.

use crate::sites::frame::{Frame, Titles, leaf};

pub(super) const MUSEUM: Frame = Frame {
    name: "Museum of Small Machines",
    menu: &["Visit", "Exhibits", "School parties", "The shop"],
    foot: "Open every day but Monday. Please wind nothing without asking.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/exhibits/tin-soldiers",
        "The tin soldiers",
        "Two hundred and eleven tin soldiers march around a table the size of a door, driven by a \
         single spring that is wound on Sundays. The maker was a watchman with long nights and a \
         steady hand. One soldier walks against the others; he was put on last, and the museum \
         has been asked by three generations of children to leave him as he is.",
    )],
};

pub(super) const THEATER: Frame = Frame {
    name: "The Corner Theater",
    menu: &["This season", "Tickets", "Players"],
    foot: "The bar opens when the curtain falls.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/plays/the-late-train",
        "The Late Train",
        "A comedy in two acts and one waiting room. Four travelers, a stationmaster and a cello \
         wait for a train that is announced eleven times. The cello is played by a different \
         member of the audience each night, chosen by the number of the ticket, and has so far \
         had better reviews than the stationmaster. Runs until the end of the month.",
    )],
};

pub(super) const BAKERY: Frame = Frame {
    name: "Hobb's Bakery",
    menu: &["Bread", "Cakes", "Find us"],
    foot: "Closed when the flour is gone.",
    titles: Titles::Both,
    leaves: &[
        leaf(
            "/",
            "Bread since 1881",
            "The oven was lit in the spring of 1881 and has been out four times, twice for weddings. \
             We bake at three in the morning and sell from six, to whoever is awake. Regular \
             customers have a peg behind the door with their name on it and a bag on the peg; to \
             get a peg, be regular. Orders for the fair are taken until the day before it.",
        ),
        leaf(
            "/bread/rye",
            "Rye",
            "Dark, close and slightly sour, made with a leaven that is older than the baker. It is \
             best on its third day and still good on its ninth. Three pounds to the loaf, two \
             loaves to the customer on Saturdays. The caraway is in half of them; we do not say \
             which half, because people who ask have usually been given the wrong one.",
        ),
    ],
};

pub(super) const TOWER: Frame = Frame {
    name: "The Clock Tower",
    menu: &["Climb", "The clock", "The bells"],
    foot: "Two hundred and six steps.",
    titles: Titles::Both,
    leaves: &[
        leaf(
            "/",
            "Come up and see the time",
            "The tower may be climbed on dry afternoons, in groups of eight, by people who do not \
             mind bells. Half way up there is a bench, given by a visitor who needed it. From the \
             top one sees the river, the branch line and, on the clearest days, the next town's \
             clock, which is wrong. Tickets are sold at the foot, and excuses at the top.",
        ),
        leaf(
            "/bells/old-margaret",
            "Old Margaret",
            "Cast in the churchyard in 1704 from broken cannon and a good many kettles. She weighs \
             a little over a ton and strikes the hours; the quarters are left to the small bells, \
             who are quicker. A crack as long as a finger was found in 1933 and has been watched \
             ever since. It has not grown, though the finger has been replaced twice.",
        ),
    ],
};

pub(super) const HARBOR: Frame = Frame {
    name: "The Old Harbor",
    menu: &["Berths", "Tides", "Notices to sailors"],
    foot: "Keep to the left of the green buoy.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/tides/how-to-read-them",
        "How to read the tides",
        "The board by the slipway gives two times and two heights for every day, in chalk. Take \
         the first time, add the hour in summer, and ask somebody who is already in a boat. Where \
         the chalk has been rained away, yesterday's times plus fifty minutes will do. The large \
         red figure is not a tide; it is the number of the harbor master's telephone.",
    )],
};

pub(super) const MARKET: Frame = Frame {
    name: "Saturday Market",
    menu: &["Stalls", "Days and hours", "Rent a stall"],
    foot: "No dogs on the cheese side.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/stalls/knife-grinder",
        "The knife grinder",
        "On the corner by the pump, every second Saturday, with the same wheel his grandmother \
         used. Kitchen knives while you wait, scissors by noon, shears the week after. He will \
         not sharpen anything with a name on it that is not yours. Children may turn the handle \
         for the length of one song, which he chooses, and it is never a short one.",
    )],
};

pub(super) const FERRY: Frame = Frame {
    name: "The Ferry",
    menu: &["Timetable", "Fares", "Weather"],
    foot: "Ring the bell on the other bank.",
    titles: Titles::Both,
    leaves: &[
        leaf(
            "/",
            "Across in six minutes",
            "The ferry takes twelve passengers, or four with bicycles, or one with a horse if the \
             horse has been before. It crosses whenever there are three people on either bank, \
             and otherwise when the ferryman has finished his page. In a north wind it goes \
             upstream first, which alarms visitors and is quite usual. Payment is by coin.",
        ),
        leaf(
            "/timetable",
            "Timetable",
            "First crossing at the first bell of the tower, last crossing at dusk, by which is \
             meant the moment when the ferryman can no longer read. There is a pause for dinner \
             that depends on dinner. On market days a second boat goes, rowed by a cousin, and is \
             not recommended to anybody who has bought eggs. No crossings in January.",
        ),
    ],
};

pub(super) const NURSERY: Frame = Frame {
    name: "The Walled Nursery",
    menu: &["Perennials", "Seeds", "Delivery by cart"],
    foot: "Mud is free.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/plants/foxglove",
        "Foxglove",
        "A wood's edge plant that will put up with a border. It makes leaves in its first year and \
         a spire of spotted bells in its second, then leaves its children to go on without it. \
         Ours are the common purple and a cream one from the rectory wall. Give it leaf mold and \
         half a day of sun. Every part is poisonous, so admire it and then wash your hands. We \
         sell it in September, when nobody wants it and everybody ought to.",
    )],
};

pub(super) const RECORDS: Frame = Frame {
    name: "Parish Registers Online",
    menu: &["Search by number", "How to read old hands"],
    foot: "Transcribed by volunteers.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/record?id=1871",
        "Record 1871: Hester Orchard",
        "Baptized on the second Sunday after Easter, 1843, daughter of the miller. Married in 1874 \
         in the hall of the library, the church roof being under repair. The clerk has added in \
         the margin that the bride read throughout. Burial not found in this register; a later \
         hand suggests the register of the next parish, and a still later hand disagrees.",
    )],
};

pub(super) const WEEKLY: Frame = Frame {
    name: "The Weekly",
    menu: &["News", "Sport", "Letters"],
    foot: "Printed on Thursdays.",
    titles: Titles::Both,
    leaves: &[
        leaf(
            "/news/",
            "News",
            "This week: the bridge opens again, the bus does not, and a swan is returned to its \
             owner, who turns out to be the other swan. Further down: the council votes to vote. \
             The whole of last week's news is on the back page, where it has been overtaken by \
             events and by an advertisement for boots. Corrections are at the bottom as always.",
        ),
        leaf(
            "/news/2024/bridge-opens-again",
            "The bridge opens again",
            "After nine months the footbridge was opened on Tuesday by the child who had asked \
             about it most often. It is a hand's breadth wider than before and no longer hums. \
             The engineer thanked the weather. Some two hundred people crossed in the first hour, \
             most of them in order to cross back, and the ferryman was seen to do the same.",
        ),
    ],
};

pub(super) const BIBLIOTECA: Frame = Frame {
    name: "Biblioteca del Valle",
    menu: &["Obras", "Autores", "Préstamo"],
    foot: "Abierta de martes a sábado.",
    titles: Titles::Both,
    leaves: &[leaf(
        "/obras/241",
        "El molino de la ribera",
        "Novela breve de autor desconocido, impresa en el valle hacia 1890. Cuenta la historia de \
         un molinero que guardaba en sacos de harina las cartas que nadie venía a recoger. El \
         ejemplar de la biblioteca conserva el sello del molino en la última página y una mancha \
         de vino en la primera. Se presta por tres semanas y se devuelve siempre tarde.",
    )],
};
