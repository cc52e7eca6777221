//! The JSON Schema of every contract, generated from the types themselves.

use relink_model::{ControlKind, FetchPurpose, LinkKind, Similarity, Verdict};
use relink_revive::NoAliasReason;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::AliasEvidenceKind;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use crate::decay::DecayReport;
use crate::extract::{LinkReport, LinkRow, SKIP_REASONS, skip_reason_str};
use crate::target_record::TargetRecordRow;
use crate::{Report, ReviveSummary, RevivedRow, TargetRow};

/// The schema of one line of `--format jsonl`.
pub fn target() -> Value {
    of::<TargetRow>()
}

/// The schema of a `--format json` document.
pub fn report() -> Value {
    of::<Report>()
}

/// The schema of `relink explain URL --format json`.
pub fn dossier() -> Value {
    of::<TargetRecordRow>()
}

/// The schema of one line of `relink revive --format jsonl`, and of each element
/// of the array of `--format json`.
pub fn revival() -> Value {
    of::<RevivedRow>()
}

/// The schema of `relink revive --summary --format json`.
pub fn revive_summary() -> Value {
    of::<ReviveSummary>()
}

/// The schema of `relink decay --format json`.
pub fn decay() -> Value {
    of::<DecayReport>()
}

/// The schema of one line of `relink extract --format jsonl`.
pub fn link() -> Value {
    of::<LinkRow>()
}

/// The schema of `relink extract --format json`.
pub fn link_report() -> Value {
    of::<LinkReport>()
}

/// A schema as the text of a file: indented, members in order, newline at the
/// end.
pub fn text(schema: &Value) -> String {
    format!("{:#}\n", sorted(schema))
}

fn of<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// Members in order, whether or not some other crate of the build makes JSON
/// objects keep the order of insertion.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut pairs: Vec<_> = members.iter().collect();
            pairs.sort_by_key(|(name, _)| *name);
            let pairs = pairs.into_iter().map(|(name, value)| (name.clone(), sorted(value)));
            Value::Object(pairs.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

pub(crate) fn word(_: &mut SchemaGenerator) -> Schema {
    one_of(Verdict::ALL.iter().map(|word| word.as_str()))
}

pub(crate) fn word_or_null(_: &mut SchemaGenerator) -> Schema {
    let words = Verdict::ALL.iter().map(|word| Value::from(word.as_str()));
    let names: Vec<Value> = words.chain([Value::Null]).collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

pub(crate) fn code(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "pattern": "^RL[0-9]{3}$" })
}

pub(crate) fn moment(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

pub(crate) fn purpose(_: &mut SchemaGenerator) -> Schema {
    one_of(FetchPurpose::ALL.iter().map(|purpose| purpose.as_str()))
}

pub(crate) fn place_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(LinkKind::ALL.iter().map(|kind| kind.as_str()))
}

pub(crate) fn skip_reason(_: &mut SchemaGenerator) -> Schema {
    let words = SKIP_REASONS.map(|reason| Value::from(skip_reason_str(reason)));
    let names: Vec<Value> = words.into_iter().chain([Value::Null]).collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

pub(crate) fn control_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(ControlKind::ALL.iter().map(|kind| kind.as_str()))
}

pub(crate) fn likeness(_: &mut SchemaGenerator) -> Schema {
    one_of(Similarity::ALL.iter().map(|likeness| likeness.as_str()))
}

/// How an alias may have been found; what is found elsewhere is none.
pub(crate) fn alias_method(_: &mut SchemaGenerator) -> Schema {
    let methods =
        RevivalMethod::ALL.into_iter().filter(|method| *method != RevivalMethod::Elsewhere);
    one_of(methods.map(RevivalMethod::as_str))
}

pub(crate) fn evidence_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(AliasEvidenceKind::ALL.into_iter().map(AliasEvidenceKind::as_str))
}

pub(crate) fn no_alias_codes(_: &mut SchemaGenerator) -> Schema {
    let codes = NoAliasReason::ALL.map(NoAliasReason::code);
    json_schema!({ "type": "array", "items": { "type": "string", "enum": codes } })
}

pub(crate) fn share(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
}

pub(crate) fn share_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["number", "null"], "minimum": 0, "maximum": 1 })
}

pub(crate) fn word_counts(_: &mut SchemaGenerator) -> Schema {
    let count = || serde_json::json!({ "type": "integer", "minimum": 0 });
    let names = Verdict::ALL.map(Verdict::as_str);
    let properties: Map<_, _> = names.map(|name| (name.to_owned(), count())).into_iter().collect();
    json_schema!({ "type": "object", "properties": properties, "required": names })
}

fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> Schema {
    let names: Vec<&str> = names.collect();
    json_schema!({ "type": "string", "enum": names })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// The published files are the snapshots; `INSTA_UPDATE=always` writes them.
    #[track_caller]
    fn check(name: &str, schema: &Value) {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/schema");
        let file = folder.join(name);
        let text = text(schema);
        if std::env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let published = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(published == text, "docs/schema/{name} is out of date");
    }

    #[test]
    fn the_published_schemas_are_up_to_date() {
        check("target.schema.json", &target());
        check("report.schema.json", &report());
        check("dossier.schema.json", &dossier());
        check("decay.schema.json", &decay());
        check("revival.schema.json", &revival());
        check("revive-summary.schema.json", &revive_summary());
        check("link.schema.json", &link());
        check("link-report.schema.json", &link_report());
    }

    #[track_caller]
    fn check_promises(schema: &Value, row: &Value) {
        let required = schema["required"].as_array().unwrap();
        let mut promised: Vec<_> = required.iter().filter_map(Value::as_str).collect();
        let mut written: Vec<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        promised.sort_unstable();
        written.sort_unstable();
        assert_eq!(promised, written);
    }

    #[test]
    fn every_field_of_a_row_is_promised() {
        let row = crate::row::tests::with_dead_row(|row| serde_json::to_value(row).unwrap());
        check_promises(&target(), &row);
        let row = crate::target_record::tests::with_soft_404(|view| {
            serde_json::to_value(TargetRecordRow::new(view)).unwrap()
        });
        check_promises(&dossier(), &row);
        let row = crate::revived::tests::with_all(|view| {
            serde_json::to_value(RevivedRow::new(view)).unwrap()
        });
        check_promises(&revival(), &row);
        let sample = crate::extract::tests::sample();
        let row = serde_json::to_value(crate::extract::tests::row(&sample, None)).unwrap();
        check_promises(&link(), &row);
    }
}
