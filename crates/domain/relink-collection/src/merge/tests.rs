//! Tests that an import changes only what the file states.

use super::*;
use crate::{ImportFormat, read_outline};

fn import(text: &str, stored: &[StoredEntry]) -> Vec<MergedCollection> {
    merge("r", &read_outline(ImportFormat::Markdown, text), stored).0
}

/// Returns the members as they would be stored, with ids in order.
fn store(merged: &[MergedCollection]) -> Vec<StoredEntry> {
    let mut next = 100;
    let mut stored = Vec::new();
    for collection in merged {
        for member in &collection.members {
            next += 1;
            stored.push(StoredEntry {
                id: member.id.unwrap_or(next),
                collection: collection.name.clone(),
                url: member.url.clone(),
                replaced_url: None,
                entry: member.entry.clone(),
                position: member.position,
                state: member.state,
            });
        }
    }
    stored
}

const FIRST: &str = "## Owls\n- [A](http://a.test/a) note\n- [B](http://a.test/b)\n## Hawks\n- [C](http://a.test/c)\n";

#[test]
fn unchanged_file_changes_nothing() {
    let stored = store(&import(FIRST, &[]));
    let again = import(FIRST, &stored);
    assert!(again.iter().flat_map(|list| &list.members).all(|member| member.edits.is_empty()));
}

#[test]
fn edited_file_moves_reorders_and_annotates() {
    let stored = store(&import(FIRST, &[]));
    let edited = "## Owls\n- [B](http://a.test/b) new note\n- [A](http://a.test/a)\n- [C](http://a.test/c)\n";
    let merged = import(edited, &stored);
    let owls = merged.iter().find(|list| list.name == "r/Owls").unwrap();
    let edits: Vec<_> = owls.members.iter().map(|member| member.edits.as_slice()).collect();
    assert_eq!(edits[0], [MemberEdit::Reordered, MemberEdit::Annotated]);
    assert_eq!(edits[1], []);
    assert_eq!(edits[2], [MemberEdit::Moved { from: "r/Hawks".to_owned() }]);
    assert_eq!(owls.members[1].entry.annotation, "note");
    assert!(owls.members.iter().all(|member| member.id.is_some()));
}

#[test]
fn removed_member_is_a_gap_and_can_return() {
    let stored = store(&import(FIRST, &[]));
    let merged = import("## Owls\n- [B](http://a.test/b)\n", &stored);
    let owls = merged.iter().find(|list| list.name == "r/Owls").unwrap();
    let gap = owls.members.iter().find(|member| member.url.ends_with("/a")).unwrap();
    assert_eq!((gap.state, gap.entry.annotation.as_str()), (MemberState::Gap, "note"));
    let hawks = merged.iter().find(|list| list.name == "r/Hawks").unwrap();
    assert_eq!(hawks.members[0].edits, [MemberEdit::Removed]);
    let restored = import(FIRST, &store(&merged));
    let owls = restored.iter().find(|list| list.name == "r/Owls").unwrap();
    assert!(owls.members[0].edits.contains(&MemberEdit::Restored));
}

#[test]
fn replaced_page_stays_replaced_if_the_file_has_the_old_url() {
    let mut stored = store(&import(FIRST, &[]));
    let member = stored.iter_mut().find(|known| known.url.ends_with("/a")).unwrap();
    let old = std::mem::replace(&mut member.url, "http://a.test/new".to_owned());
    member.entry.url.clone_from(&member.url);
    member.replaced_url = Some(old);
    let merged = import(FIRST, &stored);
    let owls = merged.iter().find(|list| list.name == "r/Owls").unwrap();
    assert_eq!(owls.members.len(), 2);
    let first = &owls.members[0];
    assert_eq!((first.url.as_str(), first.edits.len()), ("http://a.test/new", 0));
    assert_eq!(first.entry.url, "http://a.test/new");
}

#[test]
fn page_in_two_folders_is_two_members_and_duplicates_are_skipped() {
    let text =
        "## A\n- [x](http://a.test/x)\n- [y](http://a.test/x#part)\n## B\n- [x](http://a.test/x)\n";
    let (merged, skipped) = merge("r", &read_outline(ImportFormat::Markdown, text), &[]);
    let members: usize = merged.iter().map(|list| list.members.len()).sum();
    assert_eq!((members, skipped), (2, 1));
}
