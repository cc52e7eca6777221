//! Product recommendations for error pages. They are chosen at random, so that no two error
//! pages are equal.

/// Goods of the market.
#[rustfmt::skip]
pub(super) const GOODS: [&str; 12] = [
    "string by the yard", "a second-hand kettle", "honey in the comb", "half a bicycle",
    "rope soles", "blue eggs", "a lamp without a shade", "goose feathers", "garden twine",
    "a box of keys", "walnuts", "sealing wax",
];

/// Remarks about the goods.
#[rustfmt::skip]
pub(super) const REMARKS: [&str; 12] = [
    "from the stall behind the pump, cash only",
    "as good as new, or nearly, or once",
    "sold by weight to anyone with a basket",
    "two for the price of one and a half before noon",
    "slightly damp but otherwise complete",
    "found in an attic by people who needed the attic",
    "to be fetched by someone with a cart",
    "the last of three, the others having been stolen",
    "priced too high on purpose, please bargain",
    "not for resale in the next town",
    "with the compliments of a widow who has two",
    "wrapped in last Saturday's paper at no extra charge",
];

/// Plants of the nursery.
#[rustfmt::skip]
pub(super) const PLANTS: [&str; 24] = [
    "Lady's mantle", "Sea holly", "Bear's breech", "Yellow flag", "Cuckoo flower", "Sneezewort",
    "Goat's beard", "Mourning widow", "Fair maids of France", "Old man's beard", "Sweet rocket",
    "Toad lily", "Lamb's ear", "Masterwort", "Viper's bugloss", "Traveler's joy", "Dusty miller",
    "Balloon flower", "Bleeding heart", "Snow in summer", "Monkshood", "Soapwort", "Feverfew",
    "Jacob's ladder",
];

/// Remarks about the plants.
#[rustfmt::skip]
pub(super) const PRAISE: [&str; 20] = [
    "which forgives a late frost and a forgetful gardener",
    "happy in the shade of a wall that no one has mended",
    "a favorite of bees from the middle of June onward",
    "sown in March under glass and planted out after the fair",
    "best in threes, away from the path and the dog",
    "as tall as a schoolboy and about as steady in the wind",
    "said to keep moths out of woolens, on what evidence we forget",
    "slow in its first year and not to be stopped in its third",
    "with leaves that hold the rain like small green cups",
    "for dry banks, railway cuttings and the tops of old towers",
    "sold in pots of two sizes, both of them too small",
    "a cottage plant that came over with someone's grandmother",
    "which seeds itself wherever you have just swept",
    "whose scent is strongest an hour before a thunderstorm",
    "poisonous in every part, and very pretty in most of them",
    "divided in autumn by anyone with a sharp spade",
    "pale at dawn, purple at noon and closed by tea time",
    "that drinks more than it looks and should be watered twice",
    "grown here since the nursery was a field with one goat",
    "good with silver foliage and with people who do not fuss",
];
