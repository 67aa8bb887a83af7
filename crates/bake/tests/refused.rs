//! What is refused, with the place and the cause, word for word.

use bake::{Definitions, Outside, Source};

/// What an evaluation of `text` says; a text that is taken fails the test.
fn refusal(name: &str, text: &str) -> String {
    let outcome = Definitions::parse(&[Source::new(name, text)])
        .and_then(|definitions| definitions.evaluate(&Outside::of([("FLAG", "maybe")])));
    match outcome {
        Ok(_) => panic!("taken: {text}"),
        Err(error) => error.to_string(),
    }
}

const EXPRESSIONS: &[(&str, &str)] = &[
    (
        "a = b",
        "a.hcl:1:5: there is no variable `b`; only a `variable` block makes one, also for the environment",
    ),
    (
        "a = HOME",
        "a.hcl:1:5: there is no variable `HOME`; only a `variable` block makes one, also for the environment",
    ),
    (
        "a = true ? \"x\" : b",
        "a.hcl:1:18: there is no variable `b`; only a `variable` block makes one, also for the environment",
    ),
    (
        "a = timestamp()",
        "a.hcl:1:5: the function `timestamp` is not known here",
    ),
    (
        "a = ns::f()",
        "a.hcl:1:5: the function `f` is not known here",
    ),
    ("a = b\nb = a", "a.hcl:2:5: `a` is defined by itself"),
    (
        "a = 3.1 - 2.5",
        "a.hcl:1:5: `3.1` is no exact binary number, and computing with it rounds; quote the value that is meant",
    ),
    (
        "a = 1 / 3",
        "a.hcl:1:5: the quotient has no end as a decimal; quote the value that is meant",
    ),
    ("a = 1 / 0", "a.hcl:1:5: division by zero"),
    (
        "a = [] == []",
        "a.hcl:1:5: `==`: lists and objects are not compared; compare their members",
    ),
    ("a = 1 + null", "a.hcl:1:5: this is null, expected a value"),
    ("a = \"x\" + 1", "a.hcl:1:5: `x` is not a number"),
    (
        "a = \"yes\" && true",
        "a.hcl:1:5: `yes` is neither `true` nor `false`",
    ),
    (
        "a = \"x${[1]}\"",
        "a.hcl:1:9: this is a list, expected a string",
    ),
    (
        "a = \"x${null}\"",
        "a.hcl:1:9: this is null, expected a string",
    ),
    ("a = [1][2]", "a.hcl:1:5: there is no member `2`"),
    ("a = { b = 1 }.c", "a.hcl:1:5: there is no member `c`"),
    ("a = upper()", "a.hcl:1:5: `upper`: takes one, and 0 came"),
    (
        "a = strlen(\"ü\")",
        "a.hcl:1:5: `strlen`: counts characters of ASCII text only",
    ),
    (
        "a = format(\"%f\", 1)",
        "a.hcl:1:5: `format`: the verb `%f` has no value, or is none that is supported here",
    ),
    (
        "a = regex(\"z\", \"a\")",
        "a.hcl:1:5: `regex`: the pattern is nowhere in the text",
    ),
    ("a = try()", "a.hcl:1:5: `an argument` is missing in `try`"),
    (
        "a = target",
        "a.hcl:1:5: a whole target or group as a value is not supported here",
    ),
    (
        "a = 1\na = 2",
        "a.hcl:2:1: invalid attribute; expected unique attribute key; found redefined attribute",
    ),
    (
        "a = \"x\ny\"",
        "a.hcl:1:5: a quoted string ends on its line; write `\\n` or a heredoc",
    ),
    (
        "a = <<E\nE\nb = <<E\nx\nE\n",
        "a.hcl:1:5: an empty heredoc is not told from the next one; write `\"\"`",
    ),
    ("a = [", "a.hcl:1:5: expected `]`"),
];

const WORDS: &[(&str, &str)] = &[
    (
        "v = []\na = [for x inv : x]",
        "a.hcl:2:14: a blank is expected before this name",
    ),
    (
        "v = true\na = [for x in [] : x ifv]",
        "a.hcl:2:24: a blank is expected before this name",
    ),
    (
        "v = true\na = \"%{ ifv }x%{ endif }\"",
        "a.hcl:2:11: a blank is expected before this name",
    ),
];

const DEFINITIONS: &[(&str, &str)] = &[
    (
        "variable \"V\" {\n  type = string\n}",
        "a.hcl:2:3: `type` of a variable is not supported here",
    ),
    (
        "variable \"V\" {\n  validation {\n  }\n}",
        "a.hcl:2:3: `validation` of a variable is not supported here",
    ),
    (
        "variable \"V\" {\n  preset = 1\n}",
        "a.hcl:2:3: `preset` is not expected in a variable",
    ),
    (
        "variable \"FLAG\" {\n  default = true\n}",
        "a.hcl:1:1: the value `maybe` of `FLAG` from outside is not a boolean, as its default is",
    ),
    (
        "variable \"FLAG\" {\n  default = [1]\n}",
        "a.hcl:1:1: `FLAG` cannot be set from outside: its default is a list",
    ),
    (
        "variable \"FLAG\" {\n}\nFLAG = 1",
        "a.hcl:3:1: `FLAG` is already set; each may be set once",
    ),
    (
        "function \"f\" {\n  params = [a]\n}",
        "a.hcl:1:1: `result` is missing in a function",
    ),
    (
        "function \"upper\" {\n  params = []\n  result = 1\n}",
        "a.hcl:1:1: `upper` is already set; each may be set once",
    ),
    (
        "function \"f\" {\n  params = [\"${1}\"]\n  result = 1\n}",
        "a.hcl:2:16: parameters are names",
    ),
    (
        "frobnicate \"x\" {\n}",
        "a.hcl:1:1: `frobnicate` is not expected in a bake file",
    ),
    (
        "BAKE_CMD_CONTEXT = 1",
        "a.hcl:1:1: `BAKE_CMD_CONTEXT` is not expected in a bake file",
    ),
];

const TARGETS: &[(&str, &str)] = &[
    (
        "target \"t\" {\n  dockerfil = \"x\"\n}",
        "a.hcl:2:3: `dockerfil` is not expected in a target",
    ),
    (
        "target \"t\" {\n  args {\n  }\n}",
        "a.hcl:2:3: `args` is not expected in a target or group",
    ),
    (
        "target \"t\" {\n  tags = \"x\"\n}",
        "a.hcl:2:10: this is a string, expected a list",
    ),
    (
        "target \"t\" {\n  tags = [\"a\", null]\n}",
        "a.hcl:2:16: this is null, expected a string",
    ),
    (
        "target \"t\" {\n  args = { A = [] }\n}",
        "a.hcl:2:12: this is a list, expected a string",
    ),
    (
        "target \"a.b\" {\n}",
        "a.hcl:1:1: `a.b` is not a name; letters, digits, `_` and `-` make one",
    ),
    (
        "target \"a\" \"b\" {\n}",
        "a.hcl:1:1: a block with other than one label is not supported here",
    ),
    (
        "target \"t\" {\n  inherits = [\"u\"]\n}",
        "a.hcl:2:15: there is no target `u`",
    ),
    (
        "target \"t\" {\n  inherits = [\"u\"]\n}\ntarget \"u\" {\n  inherits = [\"t\"]\n}",
        "a.hcl:5:15: `t` is defined by itself",
    ),
    (
        "target \"t\" {\n  contexts = { c = \"target:t\" }\n}",
        "a.hcl:1:1: `t` is defined by itself",
    ),
    (
        "target \"t\" {\n  contexts = { c = \"target:u\" }\n}",
        "a.hcl:2:16: there is no target `u`",
    ),
    (
        "target \"t\" {\n  name = \"x\"\n}",
        "a.hcl:2:3: `matrix` is missing in a target with a name of its own",
    ),
    (
        "target \"t\" {\n  matrix = { a = [] }\n}",
        "a.hcl:2:3: `name` is missing in a target with a matrix",
    ),
    (
        "target \"t\" {\n  name = \"x\"\n  matrix = { a = [1, 2] }\n}",
        "a.hcl:2:3: `x` is already set; each may be set once",
    ),
    (
        "target \"t\" {\n  args = { A = target.u.tags }\n}",
        "a.hcl:2:16: there is no target `u`",
    ),
    (
        "target \"t\" {\n  tags = target.t.tags\n}",
        "a.hcl:2:10: `target.t.tags` is defined by itself",
    ),
    (
        "group \"g\" {\n  targets = [\"t\"]\n}",
        "a.hcl:2:14: there is no target `t`",
    ),
    (
        "group \"g\" {\n}",
        "a.hcl:1:1: `targets` is missing in a group",
    ),
];

#[test]
fn every_refusal_says_where_and_why() {
    let mut wrong = Vec::new();
    for (text, message) in [EXPRESSIONS, WORDS, DEFINITIONS, TARGETS].concat() {
        let said = refusal("a.hcl", text);
        if said != message {
            wrong.push(format!("{text:?}\n  says     {said}\n  expected {message}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn json_is_refused_with_its_place() {
    let cases = [
        ("{", "a.json:1:2: a string is expected here"),
        ("{\"a\": 1", "a.json:1:8: `,` or `}` is expected here"),
        (
            "{\"a\": 1} x",
            "a.json:1:10: the file ends here in JSON, and more follows",
        ),
        (
            "{\"a\": 1,\n \"a\": 2}",
            "a.json:2:2: `a` is already set; each may be set once",
        ),
        (
            "{\"a\": \"${b}\"}",
            "a.json:1:7: there is no variable `b`; only a `variable` block makes one, also for the environment",
        ),
        (
            "{\"a\": \"\\ud800\"}",
            "a.json:1:14: half a surrogate pair is no character",
        ),
        (
            "{\"target\": []}",
            "a.json:1:12: an object is expected here",
        ),
        ("[1]", "a.json:1:1: an object is expected here"),
    ];
    for (text, message) in cases {
        assert_eq!(refusal("a.json", text), message, "{text}");
    }
}

#[test]
fn a_compose_file_is_refused() {
    assert_eq!(
        refusal("compose.yaml", "services: {}"),
        "compose.yaml:1:1: a compose file is not supported here"
    );
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = Definitions::read(&["nowhere/docker-bake.hcl"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "nowhere/docker-bake.hcl: No such file or directory (os error 2)"
    );
}
