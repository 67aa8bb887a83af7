//! `wheelhouse missing`: a plan against what is published.

use serde_json::{Value, json};

use crate::images::{Image, plan, write_layout};
use crate::mock::{Answer, Mock};
use crate::run::wheelhouse;

fn published(mock_tags: &'static [(&str, &[&str])]) -> Mock {
    Mock::new(move |request, _| {
        let found = mock_tags
            .iter()
            .find(|(name, _)| request.path() == format!("/v2/rocm/{name}/tags/list"));
        match found {
            Some((_, tags)) => Answer::new(200, json!({"tags": tags}).to_string()),
            None => Answer::new(
                404,
                r#"{"errors": [{"code": "NAME_UNKNOWN", "message": "unknown"}]}"#,
            ),
        }
    })
}

#[test]
fn what_is_planned_and_not_published_is_missing_and_the_reverse_is_stale() {
    let mock = published(&[
        (
            "pytorch-wheel",
            &[
                "2.15.0-10.1.0-gfx950",
                "2.14.0-10.1.0-gfx950",
                "2.15.0-10.1.0-gfx1201",
            ],
        ),
        ("unplanned-wheel", &["1"]),
    ]);
    let registry = format!("{}/rocm", mock.host);
    let plan = plan(
        &registry,
        &[
            ("pytorch-wheel", Some("gfx950"), "2.15.0-10.1.0-gfx950"),
            ("triton-wheel", None, "3.9.0-10.1.0"),
        ],
    );
    let said = wheelhouse(&["missing", "--plain-http", &mock.host], &plan);
    assert_eq!(said.code, 1);
    assert_eq!(
        serde_json::from_str::<Value>(&said.stdout).unwrap(),
        json!({"schema": "registry-diff/1",
            "missing": [format!("{registry}/triton-wheel:3.9.0-10.1.0")],
            "stale": [format!("{registry}/pytorch-wheel:2.14.0-10.1.0-gfx950"),
                format!("{registry}/pytorch-wheel:2.15.0-10.1.0-gfx1201")],
            "needed": []})
    );
    assert_eq!(
        said.stderr,
        "wheelhouse: 1 of the stale tags belong to architectures outside this plan (gfx1201); plan those too to judge them: tag-planner --arch\n"
    );
    let table = wheelhouse(
        &[
            "missing",
            "--explain",
            "--quiet",
            "--plain-http",
            &mock.host,
        ],
        &plan,
    );
    assert_eq!((table.code, table.stderr.as_str()), (1, ""));
    assert!(
        table.stdout.starts_with("state    image"),
        "{}",
        table.stdout
    );
}

#[test]
fn what_the_wheels_group_is_built_from_must_be_published_first() {
    let mock = published(&[("pytorch-wheel", &["1-10.1.0-gfx950"])]);
    let registry = format!("{}/rocm", mock.host);
    let mut plan: Value = serde_json::from_str(&plan(
        &registry,
        &[("pytorch-wheel", Some("gfx950"), "1-10.1.0-gfx950")],
    ))
    .unwrap();
    let image = format!("{registry}/pytorch:1-10.1.0-gfx950");
    plan["targets"][0]["needs_published"] = json!([image]);
    let said = wheelhouse(&["missing", "--plain-http", &mock.host], &plan.to_string());
    assert_eq!(
        said.code, 0,
        "a target outside the group needs nothing: {}",
        said.stderr
    );

    plan["groups"] = json!({"wheels": ["pytorch-wheel"]});
    let said = wheelhouse(&["missing", "--plain-http", &mock.host], &plan.to_string());
    let document: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(said.code, 1);
    assert_eq!(
        document["needed"],
        json!([{"reference": image, "needed_by": ["pytorch-wheel"]}])
    );
    assert_eq!(document["missing"], json!([]));
}

#[test]
fn a_plan_that_is_published_is_exit_0() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::of_wheel("a-1-py3-none-any.whl", b"bytes");
    write_layout(folder.path(), &[("triton-wheel:3.9.0-10.1.0", &image)]);
    let plan = plan("h:1/rocm", &[("triton-wheel", None, "3.9.0-10.1.0")]);
    let place = format!("oci:{}", folder.path().display());
    let said = wheelhouse(&["missing", "--registry", &place, "--explain"], &plan);
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (0, "everything planned is published, and nothing else\n")
    );
}

#[test]
fn a_registry_that_fails_is_not_taken_for_an_empty_one() {
    let mock = Mock::new(|_, _| Answer::new(403, ""));
    let plan = plan(
        &format!("{}/rocm", mock.host),
        &[("a-wheel", None, "1"), ("b-wheel", None, "1")],
    );
    let said = wheelhouse(&["missing", "--plain-http", &mock.host], &plan);
    let line = |name| {
        format!(
            "wheelhouse: {}/rocm/{name}: access denied: 403 Forbidden; log in with `docker login`, or ask for access",
            mock.host
        )
    };
    let expected = [line("a-wheel"), line("b-wheel")].join("\n");
    assert_eq!(said.refusal(), (2, expected.as_str()));
}

#[test]
fn input_that_is_no_plan_is_refused() {
    let cases = [
        ("", "nothing came in, see the message above"),
        (
            "{",
            "not a whole document: EOF while parsing an object at line 1 column 1",
        ),
        (
            r#"{"schema": "wheel-set/1"}"#,
            "this is a `wheel-set/1` document, expected `tag-plan/1`",
        ),
    ];
    for (input, cause) in cases {
        for command in [&["missing"][..], &["pull", "--out", "/nowhere"]] {
            let said = wheelhouse(command, input);
            assert_eq!(said.refusal(), (2, format!("wheelhouse: {cause}").as_str()));
        }
    }
}

#[test]
fn a_registry_that_cannot_be_reached_is_told_once() {
    let targets =
        ["b-wheel", "a-wheel", "c-wheel"].map(|name| (name, Some("gfx950"), "1-10.1.0-gfx950"));
    let plan = plan("127.0.0.1:1/rocm", &targets);
    let cases = [
        (
            &["missing"][..],
            "wheelhouse: 127.0.0.1:1/rocm/a-wheel and 2 more repositories there: cannot connect: Connection refused (os error 111), 6 times; try again later; --registry names another",
        ),
        (
            &["pull", "--out", "/nowhere"],
            "wheelhouse: 127.0.0.1:1/rocm/a-wheel:1-10.1.0-gfx950 and 2 more images there: cannot connect: Connection refused (os error 111), 6 times; try again later; --registry names another\n\
             wheelhouse: fetched: nothing; not fetched: 127.0.0.1:1/rocm/a-wheel:1-10.1.0-gfx950, 127.0.0.1:1/rocm/b-wheel:1-10.1.0-gfx950, 127.0.0.1:1/rocm/c-wheel:1-10.1.0-gfx950; run it again to go on",
        ),
    ];
    for (command, expected) in cases {
        assert_eq!(wheelhouse(command, &plan).refusal(), (2, expected));
    }
}
