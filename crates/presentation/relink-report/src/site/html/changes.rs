//! What changed since the crawl before.

use relink_model::Verdict;

use super::head::moment;
use super::markup::{Markup, element};
use super::part::Body;
use super::table::words;
use super::view::{View, badge};
use crate::human::grouped;
use crate::site::{Capped, ChangeRow};

pub(super) fn body(view: &View) -> Option<Body> {
    let comparison = view.report.comparison.as_ref()?;
    let lists = [
        ("new", "+", "New: broken now, and not known to work before", &comparison.new),
        ("regressed", "↺", "Regressed: well before, and broken now", &comparison.regressed),
        ("fixed", "✓", "Fixed: broken before, and well or gone now", &comparison.fixed),
    ];
    let since =
        format!("Compared with crawl {}, begun {}.", comparison.run, moment(comparison.started));
    let tiles: Markup =
        lists.iter().map(|(name, sign, _, list)| tile(name, sign, list.total)).collect();
    let mut markup = element("p", [], since);
    markup.push(element("ul", [("class", "tiles")], tiles));
    for (_, _, caption, list) in lists {
        markup.push(changed(view, caption, list));
    }
    Some(Body { count: None, markup })
}

fn tile(name: &str, sign: &str, count: u64) -> Markup {
    let name = element("span", [("class", "name")], format!("{sign} {name}"));
    element("li", [("class", "tile")], [name, element("strong", [], grouped(count))])
}

fn changed(view: &View, caption: &'static str, list: &Capped<ChangeRow>) -> Markup {
    if list.total == 0 {
        return Markup::default();
    }
    let columns = [words("before"), words("now"), words("address")];
    view.table(caption, columns, &list.rows, list.total, |row| {
        let code = row.code.map(|code| format!(" {code}")).unwrap_or_default();
        [
            told(row.before, "not seen"),
            [told(row.after, "gone"), element("span", [("class", "quiet")], code)].into(),
            view.addresses.link(&row.url),
        ]
    })
}

fn told(word: Option<Verdict>, otherwise: &str) -> Markup {
    word.map_or_else(|| element("span", [("class", "quiet")], otherwise), badge)
}
