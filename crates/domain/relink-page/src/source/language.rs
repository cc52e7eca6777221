//! Families of languages, by what their comments look like.

use super::syntax::{CommentStyle, Syntax};

/// How much of a source is looked at to tell its family.
const LINES_TO_SNIFF: usize = 200;

/// A family of programming languages that write comments alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Language {
    /// C and what follows it: `//` and `/* */`.
    C,
    /// Rust, whose comments may hold comments.
    Rust,
    /// PHP: as C, and `#`.
    Php,
    /// Shells, Ruby, Perl, make and others: `#`.
    Shell,
    /// Python, and others with docstrings.
    Python,
    /// SQL, Lua, Haskell and others: `--`.
    Sql,
    /// Lisps, assemblers: `;`.
    Lisp,
    /// Erlang, Prolog and others: `%`.
    Erlang,
    /// ML and Pascal: `(* *)`.
    Ml,
    /// Components of web pages: `<!-- -->`, and as C.
    Markup,
}

/// Extensions of file names, and the family each stands for.
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

/// Names of files without extension.
const NAMES: &[&str] =
    &["makefile", "gnumakefile", "dockerfile", "rakefile", "gemfile", "vagrantfile", "justfile"];

impl Language {
    /// The family a file's name tells.
    ///
    /// ```
    /// use relink_page::Language;
    /// assert_eq!(Language::of_name("src/main.rs"), Some(Language::Rust));
    /// assert_eq!(Language::of_name("notes.txt"), None);
    /// ```
    pub fn of_name(name: &str) -> Option<Self> {
        let file_name = name.rsplit(['/', '\\']).next()?.to_ascii_lowercase();
        if NAMES.contains(&file_name.as_str()) {
            return Some(Self::Shell);
        }
        let (_, extension) = file_name.rsplit_once('.')?;
        let of_extension = EXTENSIONS.iter().find(|(_, list)| list.contains(&extension));
        of_extension.map(|(language, _)| *language)
    }

    /// The family a source looks like; C if it looks like none.
    pub(super) fn of_content(text: &str) -> Self {
        if let Some(interpreter) = text.strip_prefix("#!").and_then(|rest| rest.lines().next()) {
            return Self::of_interpreter(interpreter);
        }
        let mut scores = [0_usize; Self::GUESSES.len()];
        for line in text.lines().take(LINES_TO_SNIFF) {
            let sign = Self::of_line(line);
            let guesses = Self::GUESSES.iter().zip(&mut scores);
            if let Some((_, score)) = { guesses }.find(|(guess, _)| Some(**guess) == sign) {
                *score += 1;
            }
        }
        let best = scores.iter().max().copied().unwrap_or_default();
        let index = scores.iter().position(|&score| score == best).filter(|_| best > 0);
        index.and_then(|index| Self::GUESSES.get(index)).copied().unwrap_or(Self::C)
    }

    /// The families that content tells, the likeliest first.
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

    fn of_interpreter(line: &str) -> Self {
        if line.contains("python") {
            Self::Python
        } else if ["node", "deno", "bun"].iter().any(|name| line.contains(name)) {
            Self::C
        } else {
            Self::Shell
        }
    }

    /// The family a line is a sign of.
    fn of_line(line: &str) -> Option<Self> {
        let line = line.trim();
        let begins = |marks: &[&str]| marks.iter().any(|mark| line.starts_with(mark));
        let is_python_block = begins(&["def ", "class ", "async def "]) && line.ends_with(':');
        if begins(&["///", "//!", "use ", "pub ", "fn ", "impl ", "#[", "#!["]) {
            Some(Self::Rust)
        } else if is_python_block || begins(&["import ", "from ", "\"\"\""]) && !line.ends_with(';')
        {
            Some(Self::Python)
        } else if begins(&["//", "/*", "* ", "#include", "#define", "#if", "#endif", "#pragma"]) {
            Some(Self::C)
        } else if begins(&["#"]) {
            Some(Self::Shell)
        } else if begins(&["--"]) {
            Some(Self::Sql)
        } else if begins(&[";"]) {
            Some(Self::Lisp)
        } else if begins(&["%"]) {
            Some(Self::Erlang)
        } else if begins(&["(*"]) {
            Some(Self::Ml)
        } else {
            begins(&["<!--", "<template"]).then_some(Self::Markup)
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
    line_marks: &["//"],
    blocks: &[("/*", "*/")],
    quotes: b"\"'",
    long_quotes: b"`",
    habit: CommentStyle::None,
};

static RUST: Syntax = Syntax { quotes: b"'", long_quotes: b"\"", habit: CommentStyle::Rust, ..C };

static PHP: Syntax = Syntax { line_marks: &["//", "#"], quotes: b"", long_quotes: b"\"'", ..C };

static SHELL: Syntax = Syntax {
    line_marks: &["#"],
    blocks: &[("=begin", "\n=end"), ("=pod", "\n=cut"), ("=head1", "\n=cut"), ("<#", "#>")],
    quotes: b"\"'",
    long_quotes: b"",
    habit: CommentStyle::Words,
};

static PYTHON: Syntax = Syntax {
    line_marks: &["#"],
    blocks: &[],
    quotes: b"\"'",
    long_quotes: b"",
    habit: CommentStyle::Docstrings,
};

static SQL: Syntax = Syntax {
    line_marks: &["--"],
    blocks: &[("--[[", "]]"), ("/*", "*/"), ("{-", "-}")],
    quotes: b"\"'",
    long_quotes: b"",
    habit: CommentStyle::None,
};

static LISP: Syntax = Syntax {
    line_marks: &[";"],
    blocks: &[("#|", "|#")],
    quotes: b"",
    long_quotes: b"\"",
    habit: CommentStyle::None,
};

static ERLANG: Syntax = Syntax {
    line_marks: &["%"],
    blocks: &[("/*", "*/")],
    quotes: b"\"",
    long_quotes: b"",
    habit: CommentStyle::None,
};

static ML: Syntax = Syntax {
    line_marks: &["//"],
    blocks: &[("(*", "*)")],
    quotes: b"",
    long_quotes: b"\"",
    habit: CommentStyle::None,
};

static MARKUP: Syntax = Syntax {
    line_marks: &["//"],
    blocks: &[("<!--", "-->"), ("/*", "*/")],
    quotes: b"\"'",
    long_quotes: b"",
    habit: CommentStyle::None,
};
