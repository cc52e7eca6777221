//! JSON: collections exported by Relink, bookmarks of Chromium and Firefox, and
//! lists of URLs or objects.

use serde_json::{Map, Value};

use crate::outline::{OutlineBuilder, OutlineEntry, split_tags};

/// Members of an object that contain entries and folders.
const CHILDREN: [&str; 7] =
    ["members", "children", "items", "links", "bookmarks", "collections", "roots"];

/// Reads a JSON file. Nothing is read from a malformed file.
pub(super) fn read(text: &str, builder: &mut OutlineBuilder) {
    if let Ok(value) = serde_json::from_str::<Value>(text) {
        read_root(&value, builder);
    }
}

/// Reads the outermost value, which is the root and not a folder.
fn read_root(value: &Value, builder: &mut OutlineBuilder) {
    match value {
        Value::Object(object) if text_of(object, &["url", "uri", "link", "href"]).is_none() => {
            builder.set_title(text_of(object, &["title", "name"]).unwrap_or_default());
            read_details(object, builder);
            read_children(object, builder);
        }
        other => read_value(other, builder),
    }
}

/// Reads a URL, a list of values, or an object.
fn read_value(value: &Value, builder: &mut OutlineBuilder) {
    match value {
        Value::String(url) => builder.add_url(url, ""),
        Value::Array(values) => values.iter().for_each(|value| read_value(value, builder)),
        Value::Object(object) => read_object(object, builder),
        _ => {}
    }
}

/// Reads an object: an entry if it has a URL, otherwise a folder.
fn read_object(object: &Map<String, Value>, builder: &mut OutlineBuilder) {
    let title = text_of(object, &["title", "name", "text"]).unwrap_or_default();
    if let Some(url) = text_of(object, &["url", "uri", "link", "href"]) {
        builder.add(OutlineEntry {
            url: url.to_owned(),
            title: title.to_owned(),
            annotation: annotation_of(object).to_owned(),
            tags: tags_of(object),
        });
        return;
    }
    builder.open(title);
    read_details(object, builder);
    read_children(object, builder);
    builder.close();
}

/// Reads the description, tags and context of a folder.
fn read_details(object: &Map<String, Value>, builder: &mut OutlineBuilder) {
    builder.describe(annotation_of(object));
    builder.tag(&tags_of(object));
    if let Some(Ok(context)) = text_of(object, &["context"]).map(str::parse) {
        builder.set_context(context);
    }
}

/// Reads the entries and folders of an object.
fn read_children(object: &Map<String, Value>, builder: &mut OutlineBuilder) {
    for children in CHILDREN.iter().filter_map(|name| object.get(*name)) {
        match children {
            // Chromium stores its root folders in an object and not in an array.
            Value::Object(named) => {
                named
                    .values()
                    .filter(|value| value.is_object())
                    .for_each(|value| read_value(value, builder));
            }
            other => read_value(other, builder),
        }
    }
}

/// Returns the first text that is not empty among the members with these names.
fn text_of<'o>(object: &'o Map<String, Value>, names: &[&str]) -> Option<&'o str> {
    names.iter().find_map(|name| object.get(*name)?.as_str()).filter(|text| !text.is_empty())
}

fn annotation_of(object: &Map<String, Value>) -> &str {
    text_of(object, &["annotation", "note", "description", "comment"]).unwrap_or_default()
}

fn tags_of(object: &Map<String, Value>) -> Vec<String> {
    match object.get("tags") {
        Some(Value::String(tags)) => split_tags(tags),
        Some(Value::Array(tags)) => {
            tags.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use crate::{ContextKind, ImportFormat, read_outline};

    /// Asserts the paths of the folders and the number of entries of a JSON file.
    #[track_caller]
    fn check(text: &str, paths: &[&str], entries: usize) {
        let outline = read_outline(ImportFormat::Json, text);
        let found: Vec<_> = outline.folders.iter().map(|folder| folder.path.join("/")).collect();
        assert_eq!(found, paths);
        assert_eq!(outline.len(), entries);
    }

    #[test]
    fn lists_of_urls_and_objects_are_entries() {
        check(r#"["http://a.test/1", {"url": "http://a.test/2", "note": "x"}]"#, &[""], 2);
        check("not json", &[""], 0);
    }

    #[test]
    fn bookmarks_of_browsers_have_folders() {
        let chromium = r#"{"roots": {"bookmark_bar": {"type": "folder", "name": "Bar",
            "children": [{"type": "url", "name": "One", "url": "http://a.test/1"}]}}, "version": 1}"#;
        check(chromium, &["", "Bar"], 1);
        let firefox = r#"{"title": "", "children": [{"title": "menu", "children": [
            {"title": "One", "uri": "http://a.test/1", "tags": "a,b"}]}]}"#;
        check(firefox, &["", "menu"], 1);
    }

    #[test]
    fn exported_collection_declares_its_context() {
        let text = r#"{"name": "reading", "context": "neighbors", "description": "d",
            "members": [{"url": "http://a.test/1", "annotation": "n"}],
            "collections": [{"title": "Owls", "members": [{"url": "http://a.test/2"}]}]}"#;
        check(text, &["", "Owls"], 2);
        let outline = read_outline(ImportFormat::Json, text);
        assert_eq!(outline.context, Some(ContextKind::Neighbors));
        assert_eq!(outline.folders[0].description, "d");
    }
}
