//! `relink init`, `relink config`, `relink completions` and `relink man`.

use crate::sandbox::Sandbox;

/// A new user reads explanations and mistypes commands and keys.
#[test]
fn story_29_mistakes_have_a_cause_and_a_hint() {
    let sandbox = Sandbox::new();
    let code = sandbox.run(&["explain", "RL301"]).exits(0).stdout;
    assert!(code.contains("what to do: "), "{code}");
    let command = sandbox.run(&["chekc"]).exits(2).stderr;
    assert!(command.contains("'check'"), "{command}");
    sandbox.write("relink.toml", "timout = \"1s\"\n").write("a.md", "");
    sandbox.run(&["check", "a.md"]).fails(2, &["unknown key `timout`", "did you mean `timeout`?"]);
    sandbox.run(&["config", "show"]).fails(2, &["did you mean `timeout`?"]);
    for shell in ["bash", "zsh", "fish", "powershell"] {
        let script = sandbox.run(&["completions", shell]).exits(0).stdout;
        assert!(script.contains("max-findings") && script.contains("baseline"), "{shell}");
    }
    let man = sandbox.run(&["man"]).exits(0).stdout;
    assert!(man.contains(".TH relink") && man.contains("max\\-findings"), "{man}");
}

/// A user of lychee converts the configuration.
#[test]
fn story_28_configuration_of_lychee_is_converted() {
    let sandbox = Sandbox::new();
    let text = "timeout = 20\nmax_retries = 2\nmax_concurrency = 14\naccept = [\"200\", \"429\"]\n\
                exclude = [\"^https://drafts\\\\.example\"]\nexclude_path = [\"vendor/*\"]\n\
                header = { Authorization = \"s3cr3t\" }\ninclude_fragments = true\n\
                max_redirects = 10\nverbose = \"info\"\n";
    sandbox.write("lychee.toml", text).write(".lycheeignore", "# old\nhttp://127.0.0.1:9/.*\n");
    let output = sandbox.run(&["init", "--from", "lychee"]).exits(0).stdout;
    let table: toml::Table = sandbox.read("relink.toml").parse().unwrap();
    assert_eq!(table["timeout"].as_str(), Some("20s"));
    assert_eq!(table["retries"].as_integer(), Some(2));
    assert_eq!(table["exclude"].as_array().unwrap().len(), 3);
    for key in ["header", "max_redirects", "verbose"] {
        assert!(output.contains(&format!("not mapped: `{key}`")), "{output}");
    }
    assert!(!output.contains("s3cr3t") && !sandbox.read("relink.toml").contains("s3cr3t"));
    // The ignored URL is not requested.
    sandbox.write("a.md", "<http://127.0.0.1:9/x> <https://drafts.example/y>\n");
    sandbox.run(&["check", "--db", "relink.db", "a.md"]).exits(0);
}

#[test]
fn init_writes_a_commented_file_and_does_not_replace_it() {
    let sandbox = Sandbox::new();
    sandbox.write("mkdocs.yml", "site_name: x\n").write("a.md", "");
    let output = sandbox.run(&["init"]).exits(0).stdout;
    assert!(output.contains("detected MkDocs"), "{output}");
    let text = sandbox.read("relink.toml");
    assert!(
        text.contains("anchors = \"mkdocs\"") && text.contains("# timeout = \"10s\""),
        "{text}"
    );
    sandbox.run(&["check", "--db", "relink.db", "a.md"]).exits(0);
    assert!(sandbox.run(&["init"]).exits(2).stderr.contains("--force"));
    sandbox.run(&["init", "--force"]).exits(0);
}

#[test]
fn config_show_names_the_source_of_each_value_and_hides_secrets() {
    let sandbox = Sandbox::new();
    sandbox.write_user_config("retries = 7\nproxy = \"http://u:secret@127.0.0.1:9\"\n");
    sandbox.write("relink.toml", "timeout = \"3s\"\nheader = [\"A: hidden\"]\n");
    let mut command = sandbox.command(&["config", "show"]);
    let output = command.env("RELINK_CONCURRENCY", "5").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let line = |key: &str| text.lines().find(|line| line.starts_with(&format!("{key} ="))).unwrap();
    assert!(
        line("timeout").starts_with("timeout = \"3s\"  # ")
            && line("timeout").ends_with("relink.toml"),
        "{text}"
    );
    assert!(
        line("retries").starts_with("retries = 7  # ") && line("retries").ends_with("config.toml"),
        "{text}"
    );
    assert_eq!(line("concurrency"), "concurrency = \"5\"  # RELINK_CONCURRENCY");
    assert_eq!(line("sort"), "sort = unset  # default");
    assert_eq!(line("header"), "header = unset  # default", "a project cannot set it");
    assert!(!text.contains("secret") && !text.contains("hidden"), "{text}");
}

#[test]
fn config_show_restricts_only_files_inside_of_the_project() {
    let (sandbox, outside) = (Sandbox::new(), Sandbox::new());
    sandbox.write("relink.toml", "retries = 3\n");
    // A file of the project must not set the user agent; a file of the user may.
    for (directory, expected) in
        [(&sandbox, "user-agent = unset  # default\n"), (&outside, "user-agent = \"Own/1.0\"  # ")]
    {
        directory.write("own.toml", "user-agent = \"Own/1.0\"\n");
        let file = directory.path("own.toml");
        let args = ["config", "show", "--config", file.to_str().unwrap()];
        let shown = sandbox.run(&args).exits(0).stdout;
        assert!(shown.contains(expected), "{shown}");
    }
}
