//! The JSON Schema of every JSON output, generated from the row types.

use relink_model::{ControlKind, FetchPurpose, LinkKind, Similarity, Verdict};
use relink_revive::NoAliasReason;
use relink_revive::copy_gap::CopyGap;
use relink_revive::cost::RevivalMethod;
use relink_revive::evidence::AliasEvidenceKind;
use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Map, Value};

use crate::decay::DecayReport;
use crate::extract::{LinkReport, LinkRow, SKIP_REASONS, skip_reason_str};
use crate::target_record::TargetRecordRow;
use crate::{Report, ReviveResultRow, ReviveSummary, TargetRow};

/// Returns the schema of one line of `--format jsonl`.
pub fn target() -> Value {
    schema_for::<TargetRow>()
}

/// Returns the schema of a `--format json` document.
pub fn report() -> Value {
    schema_for::<Report>()
}

/// Returns the schema of `relink explain URL --format json`.
pub fn target_record() -> Value {
    schema_for::<TargetRecordRow>()
}

/// Returns the schema of one line of `relink revive --format jsonl`, which is
/// also the schema of each element of the `--format json` array.
pub fn revival() -> Value {
    schema_for::<ReviveResultRow>()
}

/// Returns the schema of `relink revive --summary --format json`.
pub fn revive_summary() -> Value {
    schema_for::<ReviveSummary>()
}

/// Returns the schema of `relink decay --format json`.
pub fn decay() -> Value {
    schema_for::<DecayReport>()
}

/// Returns the schema of one line of `relink extract --format jsonl`.
pub fn link() -> Value {
    schema_for::<LinkRow>()
}

/// Returns the schema of `relink extract --format json`.
pub fn link_report() -> Value {
    schema_for::<LinkReport>()
}

/// Formats a schema as it is published: indented, with sorted members and a
/// final newline.
pub fn text(schema: &Value) -> String {
    format!("{:#}\n", sorted(schema))
}

/// Returns the schema of a type.
fn schema_for<T: JsonSchema>() -> Value {
    let generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    generator.into_root_schema_for::<T>().to_value()
}

/// Sorts the members of all objects. If another crate enables the `preserve_order`
/// feature of `serde_json`, the members would otherwise be in insertion order.
fn sorted(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(sorted).collect(),
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_by_key(|(name, _)| *name);
            let members = members.into_iter().map(|(name, value)| (name.clone(), sorted(value)));
            Value::Object(members.collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

// The attribute `schema_with` of row fields names the functions below. schemars passes a
// generator, which they do not need.

pub(crate) fn verdict(_: &mut SchemaGenerator) -> Schema {
    one_of(Verdict::ALL.iter().map(|verdict| verdict.as_str()))
}

pub(crate) fn verdict_or_null(_: &mut SchemaGenerator) -> Schema {
    let verdicts = Verdict::ALL.iter().map(|verdict| Value::from(verdict.as_str()));
    let names: Vec<Value> = verdicts.chain([Value::Null]).collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

pub(crate) fn code(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["string", "null"], "pattern": "^RL[0-9]{3}$" })
}

pub(crate) fn timestamp(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "string", "format": "date-time" })
}

pub(crate) fn purpose(_: &mut SchemaGenerator) -> Schema {
    one_of(FetchPurpose::ALL.iter().map(|purpose| purpose.as_str()))
}

pub(crate) fn link_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(LinkKind::ALL.iter().map(|kind| kind.as_str()))
}

pub(crate) fn skip_reason(_: &mut SchemaGenerator) -> Schema {
    let reasons = SKIP_REASONS.map(|reason| Value::from(skip_reason_str(reason)));
    let names: Vec<Value> = reasons.into_iter().chain([Value::Null]).collect();
    json_schema!({ "type": ["string", "null"], "enum": names })
}

pub(crate) fn control_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(ControlKind::ALL.iter().map(|kind| kind.as_str()))
}

pub(crate) fn similarity(_: &mut SchemaGenerator) -> Schema {
    one_of(Similarity::ALL.iter().map(|similarity| similarity.as_str()))
}

/// Returns the schema of a method that finds an alias, the new URL of the same page. A
/// replacement, a similar page of another site, is not an alias.
pub(crate) fn alias_method(_: &mut SchemaGenerator) -> Schema {
    let methods =
        RevivalMethod::ALL.into_iter().filter(|method| *method != RevivalMethod::Replacement);
    one_of(methods.map(RevivalMethod::as_str))
}

pub(crate) fn evidence_kind(_: &mut SchemaGenerator) -> Schema {
    one_of(AliasEvidenceKind::ALL.into_iter().map(AliasEvidenceKind::as_str))
}

pub(crate) fn no_alias_codes(_: &mut SchemaGenerator) -> Schema {
    let codes = NoAliasReason::ALL.map(NoAliasReason::code);
    json_schema!({ "type": "array", "items": { "type": "string", "enum": codes } })
}

pub(crate) fn copy_gaps(_: &mut SchemaGenerator) -> Schema {
    let codes = CopyGap::ALL.map(CopyGap::code);
    json_schema!({ "type": ["array", "null"], "items": { "type": "string", "enum": codes } })
}

pub(crate) fn share(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "number", "minimum": 0, "maximum": 1 })
}

pub(crate) fn share_or_null(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": ["number", "null"], "minimum": 0, "maximum": 1 })
}

pub(crate) fn verdict_counts(_: &mut SchemaGenerator) -> Schema {
    let count = || serde_json::json!({ "type": "integer", "minimum": 0 });
    let names = Verdict::ALL.map(Verdict::as_str);
    let properties: Map<_, _> = names.map(|name| (name.to_owned(), count())).into_iter().collect();
    json_schema!({ "type": "object", "properties": properties, "required": names })
}

/// Returns the schema of a string with one of these values.
fn one_of<'a>(names: impl Iterator<Item = &'a str>) -> Schema {
    let names: Vec<&str> = names.collect();
    json_schema!({ "type": "string", "enum": names })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// Compares a schema with its published file; `INSTA_UPDATE=always` writes the
    /// file.
    #[track_caller]
    fn check_published(name: &str, schema: &Value) {
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
    fn published_schemas_are_up_to_date() {
        check_published("target.schema.json", &target());
        check_published("report.schema.json", &report());
        check_published("target-record.schema.json", &target_record());
        check_published("decay.schema.json", &decay());
        check_published("revival.schema.json", &revival());
        check_published("revive-summary.schema.json", &revive_summary());
        check_published("link.schema.json", &link());
        check_published("link-report.schema.json", &link_report());
    }

    /// Checks that the schema requires exactly the fields of `row`.
    #[track_caller]
    fn check_required(schema: &Value, row: &Value) {
        let required = schema["required"].as_array().unwrap();
        let mut required_names: Vec<_> = required.iter().filter_map(Value::as_str).collect();
        let mut row_names: Vec<_> = row.as_object().unwrap().keys().map(String::as_str).collect();
        required_names.sort_unstable();
        row_names.sort_unstable();
        assert_eq!(required_names, row_names);
    }

    #[test]
    fn schemas_require_every_field_of_a_row() {
        let row = crate::row::tests::with_dead_row(|row| serde_json::to_value(row).unwrap());
        check_required(&target(), &row);
        let row = crate::target_record::tests::with_soft_404(|view| {
            serde_json::to_value(TargetRecordRow::new(view)).unwrap()
        });
        check_required(&target_record(), &row);
        let row = crate::revive_result::tests::with_all(|view| {
            serde_json::to_value(ReviveResultRow::new(view)).unwrap()
        });
        check_required(&revival(), &row);
        let malformed_link = crate::extract::tests::malformed_link();
        let row = crate::extract::tests::row(&malformed_link, None);
        let row = serde_json::to_value(row).unwrap();
        check_required(&link(), &row);
    }
}
