//! The plan by which the pages of some folders moved.
//!
//! The pages are live. The plan invents their past: the old URL and the old title from
//! which the model has to find the live page. The *slug* is the last component of a
//! path.

use super::fate::Fate;
use super::reorganize::SourcePage;
use super::slugs::{self, code, edit, title_words, tokens, without_stop_words};
use crate::random::SeededRandom;

/// The difference between the old folder and the live one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderMove {
    /// The last folder had another name.
    RenameLeaf,
    /// The first folder had another name.
    RenameRoot,
    /// There was one more folder.
    Insert,
    /// There was one folder less.
    Delete,
    /// All pages were in one folder.
    Flat,
    /// The folder was the same.
    Keep,
    /// The pages of all folders were in the same unrelated folder.
    Constant,
    /// The pages were one folder higher.
    Parent,
}

/// The difference between the old slug and the live one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OldSlug {
    Keep,
    /// One more word at the start.
    Prefix,
    /// The first word was absent.
    WithoutFirst,
    WithoutStopWords,
    Title,
    TitleWithoutStopWords,
    /// A number only.
    Id,
    /// This number of edits of words.
    Edit(usize),
    /// As many edits as the slug has words.
    EditAll,
    /// No separators between the words.
    Joined,
    /// The first word with a date, as news sites use.
    WordAndDate,
    /// A number with leading zeros.
    Padded,
    /// `page?id=7`.
    Query,
}

/// The difference between the new slug and the slug of the source page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NewSlug {
    Keep,
    /// The slug, then a new number.
    IdAfter,
    /// A new number, then the slug.
    IdBefore,
    /// The title, then a new number.
    TitleAndId,
    /// The slug, then a code of letters and digits.
    CodeAfter,
    /// The title, then the old id as a component of its own.
    TitleThenOldId,
    /// The slug, then the short code that was the old slug.
    OldCodeAfter,
    /// A number without leading zeros.
    Unpadded,
    /// `show?id=7` with the old id.
    Query,
    /// A new number as a component before the slug.
    NumberFolder,
    /// The old number as a component before the slug.
    OldNumberFolder,
}

/// What is known of old titles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OldTitle {
    Unknown,
    Same,
    Edited,
}

/// The plan of a move.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "independent properties of a site")]
pub struct Plan {
    /// How folders moved.
    pub folder_move: FolderMove,
    /// Names used for new folders and prefixes.
    pub names: [String; 3],
    /// Position of the folder that is inserted or removed.
    pub position: usize,
    /// The folder of all old pages, if they were in one.
    pub flat: Vec<String>,
    /// The start of all old paths.
    pub base: Vec<String>,
    /// The old file extension.
    pub extension: &'static str,
    /// What happened to the pages.
    pub fate: Fate,
    /// Whether some of the deleted pages were merged into other pages.
    pub merges: bool,
    old_slug: OldSlug,
    new_slug: NewSlug,
    old_title: OldTitle,
    separator: &'static str,
    /// A suffix of all old titles, such as the name of the site.
    title_suffix: String,
    /// A suffix of all new titles.
    live_title_suffix: String,
    /// Whether new paths contain a date.
    is_dated: bool,
    /// Whether old paths contained a date.
    was_dated: bool,
    /// Whether every page had a second old URL.
    has_second_old_url: bool,
    /// Share of old slugs with additional edits.
    noise_share: f64,
    /// Number of the additional edits.
    noise_edits: usize,
    /// The year in dated paths.
    year: usize,
}

impl Plan {
    /// Draws a plan.
    pub fn draw(base: &[String], words: &[String], random: &mut SeededRandom) -> Self {
        let (old_slug, new_slug) = draw_slugs(random);
        let mut names = slugs::folder_names(3, random);
        if !words.is_empty() && random.chance(0.5) {
            names[0].clone_from(random.pick(words));
        }
        let names = [names[0].clone(), names[1].clone(), names[2].clone()];
        Self {
            folder_move: draw_folder_move(random),
            position: random.below(8),
            flat: base.iter().chain([&names[2]]).cloned().collect(),
            base: base.to_vec(),
            extension: *random.pick(&["", "", ".html", ".htm", ".php", "/"]),
            fate: random.pick_weighted(&[
                (Fate::Moved, 4.0),
                (Fate::Mixed, 4.0),
                (Fate::Dead, 3.0),
                (Fate::Stay, 3.0),
            ]),
            merges: random.chance(0.1),
            old_slug,
            new_slug,
            old_title: draw_old_title(old_slug, new_slug, random),
            separator: *random.pick(&["-", "-", "-", "_"]),
            title_suffix: draw_suffix(&names[1], random),
            live_title_suffix: draw_suffix(&names[1], random),
            is_dated: random.chance(0.12),
            was_dated: random.chance(if old_slug == OldSlug::WordAndDate { 0.6 } else { 0.1 }),
            has_second_old_url: random.chance(0.12),
            noise_share: *random.pick(&[0.0, 0.05, 0.15, 0.3, 0.5]),
            noise_edits: *random.pick(&[1, 1, 2, 3]),
            year: 2004 + random.below(20),
            names,
        }
    }

    /// Returns the new path of a page.
    pub fn new_path(
        &self,
        folder: &[String],
        page: &SourcePage,
        random: &mut SeededRandom,
    ) -> Vec<String> {
        let mut path = folder.to_vec();
        if self.is_dated {
            path.extend(self.draw_date(random));
        }
        let slug = page.slug();
        let id = 1000 + random.below(900_000);
        let title = title_words(page.title.as_deref().unwrap_or(slug)).join("-");
        match self.new_slug {
            NewSlug::Keep => path.push(slug.to_owned()),
            NewSlug::IdAfter => path.push(format!("{slug}-{id}")),
            NewSlug::IdBefore => path.push(format!("{id}-{slug}")),
            NewSlug::TitleAndId => path.push(format!("{title}-1.{id}")),
            NewSlug::CodeAfter => path.push(format!("{slug}-{}", code(random))),
            NewSlug::TitleThenOldId => path.extend([title, page_number(page).to_string()]),
            NewSlug::OldCodeAfter => path.push(format!("{slug}--{}", page_code(page))),
            NewSlug::Unpadded => path.push((page_number(page) % 100).to_string()),
            NewSlug::Query => path.push(format!("show?id={}", page_number(page))),
            NewSlug::NumberFolder => path.extend([id.to_string(), slug.to_owned()]),
            NewSlug::OldNumberFolder => {
                path.extend([page_number(page).to_string(), slug.to_owned()]);
            }
        }
        path
    }

    /// Returns the old paths of a page: usually one.
    pub fn old_paths(
        &self,
        folder: &[String],
        page: &SourcePage,
        words: &[String],
        random: &mut SeededRandom,
    ) -> Vec<Vec<String>> {
        let date = if self.was_dated { self.draw_date(random).to_vec() } else { Vec::new() };
        let path = |folder: &[String], slugs: Vec<String>| -> Vec<String> {
            folder.iter().chain(&date).cloned().chain(slugs).collect()
        };
        let mut paths = vec![path(folder, self.old_slug(page, &self.names[1], words, random))];
        if self.has_second_old_url {
            let other_folder =
                [self.base.as_slice(), std::slice::from_ref(&self.names[2])].concat();
            paths.push(path(&other_folder, self.old_slug(page, &self.names[0], words, random)));
        }
        paths
    }

    /// Draws a date as path components.
    fn draw_date(&self, random: &mut SeededRandom) -> [String; 3] {
        let (month, day) = (1 + random.below(12), 1 + random.below(28));
        [self.year.to_string(), format!("{month:02}"), format!("{day:02}")]
    }

    /// Returns the old slug, with the components that belong to it.
    fn old_slug(
        &self,
        page: &SourcePage,
        prefix: &str,
        words: &[String],
        random: &mut SeededRandom,
    ) -> Vec<String> {
        let number = page_number(page);
        match (self.new_slug, self.old_slug) {
            (NewSlug::OldCodeAfter, _) => return vec![page_code(page)],
            (NewSlug::OldNumberFolder, _) => {
                return vec![number.to_string(), page.slug().to_owned()];
            }
            (NewSlug::NumberFolder, _) => {
                return vec![(number + 7).to_string(), page.slug().to_owned()];
            }
            (_, OldSlug::Id) => return vec![number.to_string()],
            (_, OldSlug::Padded) => return vec![format!("{:03}", number % 100)],
            (_, OldSlug::Query) => return vec![format!("view?nid={number}")],
            _ => {}
        }
        let mut slug = self.old_slug_words(page, prefix, words, random);
        if self.old_slug == OldSlug::Joined {
            return vec![slug.concat()];
        }
        if random.chance(self.noise_share) {
            edit(&mut slug, self.noise_edits, words, random);
        }
        if slug == tokens(page.slug()) {
            vec![page.slug().to_owned()]
        } else {
            vec![slug.join(self.separator)]
        }
    }

    /// Returns the words of the old slug, for the plans that change words.
    fn old_slug_words(
        &self,
        page: &SourcePage,
        prefix: &str,
        words: &[String],
        random: &mut SeededRandom,
    ) -> Vec<String> {
        let mut slug = tokens(page.slug());
        let title = page.title.as_deref().map(title_words).unwrap_or_default();
        match self.old_slug {
            OldSlug::Prefix => slug.insert(0, prefix.to_owned()),
            OldSlug::WithoutFirst if slug.len() > 2 => {
                slug.remove(0);
            }
            OldSlug::WithoutStopWords => slug = without_stop_words(&slug),
            OldSlug::Title if !title.is_empty() => slug = title,
            OldSlug::TitleWithoutStopWords if !title.is_empty() => {
                slug = without_stop_words(&title);
            }
            OldSlug::Edit(times) => edit(&mut slug, times, words, random),
            OldSlug::EditAll => {
                let times = slug.len().max(2);
                edit(&mut slug, times, words, random);
            }
            OldSlug::WordAndDate => {
                let word = slug.first().cloned().unwrap_or_default();
                slug = vec![format!("{word}{:06}", random.below(300_000))];
            }
            _ => {}
        }
        slug
    }

    /// Returns the title of the live page.
    pub fn live_title(&self, page: &SourcePage) -> Option<String> {
        page.title.as_ref().map(|title| format!("{title}{}", self.live_title_suffix))
    }

    /// Returns the old title, if it is known. Repositories mostly have the
    /// titles of deleted pages.
    pub fn old_title(
        &self,
        page: &SourcePage,
        has_moved: bool,
        words: &[String],
        random: &mut SeededRandom,
    ) -> Option<String> {
        let title = page.title.as_ref()?;
        let is_known = self.old_title != OldTitle::Unknown && random.chance(0.95);
        if !is_known && (has_moved || random.chance(0.4)) {
            return None;
        }
        if self.old_title == OldTitle::Edited || random.chance(0.1) {
            let mut list: Vec<String> = title.split(' ').map(str::to_owned).collect();
            edit(&mut list, *random.pick(&[1, 1, 2, 3]), words, random);
            return Some(format!("{}{}", list.join(" "), self.title_suffix));
        }
        Some(format!("{title}{}", self.title_suffix))
    }
}

fn draw_folder_move(random: &mut SeededRandom) -> FolderMove {
    random.pick_weighted(&[
        (FolderMove::RenameLeaf, 3.0),
        (FolderMove::RenameRoot, 3.0),
        (FolderMove::Insert, 2.0),
        (FolderMove::Delete, 2.0),
        (FolderMove::Flat, 3.0),
        (FolderMove::Keep, 2.0),
        (FolderMove::Constant, 3.0),
        (FolderMove::Parent, 2.0),
    ])
}

fn draw_slugs(random: &mut SeededRandom) -> (OldSlug, NewSlug) {
    let new = random.pick_weighted(&[
        (NewSlug::Keep, 12.0),
        (NewSlug::IdAfter, 1.5),
        (NewSlug::IdBefore, 1.5),
        (NewSlug::TitleAndId, 2.5),
        (NewSlug::CodeAfter, 1.0),
        (NewSlug::TitleThenOldId, 0.7),
        (NewSlug::OldCodeAfter, 0.7),
        (NewSlug::Unpadded, 0.5),
        (NewSlug::Query, 0.5),
        (NewSlug::NumberFolder, 0.7),
        (NewSlug::OldNumberFolder, 0.5),
    ]);
    let old = match new {
        NewSlug::TitleAndId => *random.pick(&[OldSlug::WordAndDate, OldSlug::Id, OldSlug::Keep]),
        NewSlug::TitleThenOldId | NewSlug::Query => *random.pick(&[OldSlug::Query, OldSlug::Id]),
        NewSlug::Unpadded => OldSlug::Padded,
        _ => random.pick_weighted(&[
            (OldSlug::Keep, 9.0),
            (OldSlug::Prefix, 2.0),
            (OldSlug::WithoutFirst, 2.0),
            (OldSlug::WithoutStopWords, 2.0),
            (OldSlug::Title, 2.0),
            (OldSlug::TitleWithoutStopWords, 1.0),
            (OldSlug::Id, 0.6),
            (OldSlug::Edit(1), 3.0),
            (OldSlug::Edit(2), 1.5),
            (OldSlug::EditAll, 0.7),
            (OldSlug::Joined, 0.4),
        ]),
    };
    (old, new)
}

/// Draws what is known of old titles. The title is usually known if the old and the new URL have
/// nothing else in common.
fn draw_old_title(old: OldSlug, new: NewSlug, random: &mut SeededRandom) -> OldTitle {
    let needs_title =
        matches!(old, OldSlug::Id | OldSlug::WordAndDate) || new == NewSlug::TitleAndId;
    if needs_title && random.chance(0.8) {
        return OldTitle::Same;
    }
    random.pick_weighted(&[
        (OldTitle::Unknown, 4.0),
        (OldTitle::Same, 5.0),
        (OldTitle::Edited, 1.5),
    ])
}

/// Draws a suffix of titles, such as the name of a site.
fn draw_suffix(name: &str, random: &mut SeededRandom) -> String {
    if random.chance(0.12) { format!(" | {name} site") } else { String::new() }
}

/// Returns a number of three to five digits that is always the same for a page.
fn page_number(page: &SourcePage) -> u64 {
    let mut hash = 17_u64;
    for byte in page.path.iter().flat_map(|part| part.bytes()) {
        hash = hash.wrapping_mul(31).wrapping_add(u64::from(byte));
    }
    100 + hash % 80_000
}

/// Returns a short code that is always the same for a page, such as `cs262`.
fn page_code(page: &SourcePage) -> String {
    let number = page_number(page);
    let prefix = ["cs", "ud", "ma", "ph"][usize::try_from(number % 4).unwrap_or(0)];
    format!("{prefix}{}", number % 1000)
}
