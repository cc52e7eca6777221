//! Language families, by comment syntax.

use super::syntax::{CommentStyle, Syntax};

/// Number of lines inspected to detect the family.
const LINES_TO_SNIFF: usize = 200;

/// A family of programming languages with the same comment syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// C and similar languages: `//` and `/* */`.
    C,
    /// Rust, with nested comments.
    Rust,
    /// PHP: like C, and `#`.
    Php,
    /// Shells, Ruby, Perl, make and others: `#`.
    Shell,
    /// Python and other languages with docstrings.
    Python,
    /// SQL, Lua, Haskell and others: `--`.
    Sql,
    /// Lisp dialects and assemblers: `;`.
    Lisp,
    /// Erlang, Prolog and others: `%`.
    Erlang,
    /// ML and Pascal: `(* *)`.
    Ml,
    /// Web components: like C, and `<!-- -->`.
    Markup,
}

/// File extensions of each family.
const EXTENSIONS: &[(Language, &[&str])] = &[
    (
        Language::C,
        &[
            "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cs", "java", "js", "mjs",
            "cjs", "jsx", "ts", "mts", "cts", "tsx", "go", "kt", "kts", "swift", "scala", "dart",
            "groovy", "gradle", "d", "v", "sv", "zig", "proto", "glsl", "hlsl", "wgsl", "cu",
            "scss", "less", "sass", "styl", "sol", "vala", "hx",
        ],
    ),
    (Language::Rust, &["rs"]),
    (Language::Php, &["php", "phtml"]),
    (
        Language::Shell,
        &[
            "sh",
            "bash",
            "zsh",
            "fish",
            "ksh",
            "rb",
            "rake",
            "gemspec",
            "pl",
            "pm",
            "r",
            "mk",
            "cmake",
            "ps1",
            "psm1",
            "psd1",
            "tcl",
            "awk",
            "sed",
            "nix",
            "tf",
            "hcl",
            "cr",
            "coffee",
            "dockerfile",
            "graphql",
            "gql",
        ],
    ),
    (Language::Python, &["py", "pyi", "pyw", "pyx", "ex", "exs", "jl", "nim", "gd", "bzl", "star"]),
    (
        Language::Sql,
        &["sql", "lua", "hs", "lhs", "elm", "adb", "ads", "vhd", "vhdl", "purs", "applescript"],
    ),
    (
        Language::Lisp,
        &["lisp", "lsp", "cl", "el", "clj", "cljs", "cljc", "edn", "scm", "ss", "rkt", "asm", "s"],
    ),
    (Language::Erlang, &["erl", "hrl"]),
    (Language::Ml, &["ml", "mli", "fs", "fsi", "fsx", "pas", "sml"]),
    (Language::Markup, &["vue", "svelte", "astro"]),
];

/// File names without an extension, all of the shell family.
const SHELL_FILE_NAMES: &[&str] =
    &["makefile", "gnumakefile", "dockerfile", "rakefile", "gemfile", "vagrantfile", "justfile"];

impl Language {
    /// Returns the family of a file name.
    ///
    /// ```
    /// use relink_page::Language;
    /// assert_eq!(Language::from_file_name("src/main.rs"), Some(Language::Rust));
    /// assert_eq!(Language::from_file_name("notes.txt"), None);
    /// ```
    pub fn from_file_name(name: &str) -> Option<Self> {
        let file_name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
        if SHELL_FILE_NAMES.contains(&file_name.as_str()) {
            return Some(Self::Shell);
        }
        let (_, extension) = file_name.rsplit_once('.')?;
        let by_extension = EXTENSIONS.iter().find(|(_, list)| list.contains(&extension));
        by_extension.map(|(language, _)| *language)
    }

    /// Detects the family by content. Falls back to C.
    pub(super) fn detect(text: &str) -> Self {
        if let Some(interpreter) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
            return Self::from_shebang(interpreter);
        }
        let mut scores = [0_usize; Self::GUESSES.len()];
        for line in text.lines().take(LINES_TO_SNIFF) {
            let family = Self::from_line(line);
            let mut guesses = Self::GUESSES.iter().zip(&mut scores);
            if let Some((_, score)) = guesses.find(|(guess, _)| Some(**guess) == family) {
                *score += 1;
            }
        }
        let best = scores.iter().max().copied().unwrap_or_default();
        let index = scores.iter().position(|&score| score == best).filter(|_| best > 0);
        index.and_then(|index| Self::GUESSES.get(index)).copied().unwrap_or(Self::C)
    }

    /// Families that can be detected by content, most likely first.
    const GUESSES: [Self; 9] = [
        Self::Rust,
        Self::Python,
        Self::C,
        Self::Shell,
        Self::Sql,
        Self::Lisp,
        Self::Erlang,
        Self::Ml,
        Self::Markup,
    ];

    /// Returns the family of an interpreter.
    fn from_shebang(line: &str) -> Self {
        if line.contains("python") {
            Self::Python
        } else if ["node", "deno", "bun"].iter().any(|name| line.contains(name)) {
            Self::C
        } else {
            Self::Shell
        }
    }

    /// Returns the family for which a line is typical.
    fn from_line(line: &str) -> Option<Self> {
        let line = line.trim();
        let starts_with_any =
            |markers: &[&str]| markers.iter().any(|marker| line.starts_with(marker));
        let is_python_block =
            starts_with_any(&["def ", "class ", "async def "]) && line.ends_with(':');
        if starts_with_any(&["///", "//!", "use ", "pub ", "fn ", "impl ", "#[", "#!["]) {
            Some(Self::Rust)
        } else if is_python_block
            || starts_with_any(&["import ", "from ", "\"\"\""]) && !line.ends_with(';')
        {
            Some(Self::Python)
        } else if starts_with_any(&[
            "//", "/*", "* ", "#include", "#define", "#if", "#endif", "#pragma",
        ]) {
            Some(Self::C)
        } else if starts_with_any(&["#"]) {
            Some(Self::Shell)
        } else if starts_with_any(&["--"]) {
            Some(Self::Sql)
        } else if starts_with_any(&[";"]) {
            Some(Self::Lisp)
        } else if starts_with_any(&["%"]) {
            Some(Self::Erlang)
        } else if starts_with_any(&["(*"]) {
            Some(Self::Ml)
        } else {
            starts_with_any(&["<!--", "<template"]).then_some(Self::Markup)
        }
    }

    pub(super) fn syntax(self) -> &'static Syntax {
        match self {
            Self::C => &C,
            Self::Rust => &RUST,
            Self::Php => &PHP,
            Self::Shell => &SHELL,
            Self::Python => &PYTHON,
            Self::Sql => &SQL,
            Self::Lisp => &LISP,
            Self::Erlang => &ERLANG,
            Self::Ml => &ML,
            Self::Markup => &MARKUP,
        }
    }
}

static C: Syntax = Syntax {
    line_markers: &["//"],
    block_markers: &[("/*", "*/")],
    quotes: b"\"'",
    long_quotes: b"`",
    style: CommentStyle::Plain,
};

static RUST: Syntax = Syntax { quotes: b"'", long_quotes: b"\"", style: CommentStyle::Rust, ..C };

static PHP: Syntax = Syntax { line_markers: &["//", "#"], quotes: b"", long_quotes: b"\"'", ..C };

static SHELL: Syntax = Syntax {
    line_markers: &["#"],
    block_markers: &[("=begin", "\n=end"), ("=pod", "\n=cut"), ("=head1", "\n=cut"), ("<#", "#>")],
    quotes: b"\"'",
    long_quotes: b"",
    style: CommentStyle::WordStart,
};

static PYTHON: Syntax = Syntax {
    line_markers: &["#"],
    block_markers: &[],
    quotes: b"\"'",
    long_quotes: b"",
    style: CommentStyle::Docstrings,
};

static SQL: Syntax = Syntax {
    line_markers: &["--"],
    block_markers: &[("--[[", "]]"), ("/*", "*/"), ("{-", "-}")],
    quotes: b"\"'",
    long_quotes: b"",
    style: CommentStyle::Plain,
};

static LISP: Syntax = Syntax {
    line_markers: &[";"],
    block_markers: &[("#|", "|#")],
    quotes: b"",
    long_quotes: b"\"",
    style: CommentStyle::Plain,
};

static ERLANG: Syntax = Syntax {
    line_markers: &["%"],
    block_markers: &[("/*", "*/")],
    quotes: b"\"",
    long_quotes: b"",
    style: CommentStyle::Plain,
};

static ML: Syntax = Syntax {
    line_markers: &["//"],
    block_markers: &[("(*", "*)")],
    quotes: b"",
    long_quotes: b"\"",
    style: CommentStyle::Plain,
};

static MARKUP: Syntax = Syntax {
    line_markers: &["//"],
    block_markers: &[("<!--", "-->"), ("/*", "*/")],
    quotes: b"\"'",
    long_quotes: b"",
    style: CommentStyle::Plain,
};
