//! The `packaging` library as judge: versions, names, file names, requirements, markers.
//!
//! Texts are generated from a fixed seed and judged by one Python process per test.

#![expect(
    clippy::unwrap_used,
    reason = "a judge that cannot be asked fails its test"
)]

mod judge;

use std::str::FromStr;

use judge::{ask, texts};
use serde_json::{Value, json};
use wheel::{
    Environment, Marker, ProjectName, Requirement, Variable, Version, VersionSpecifiers,
    WheelFilename,
};

#[test]
fn versions_are_read_and_printed_as_packaging_does() {
    let texts = texts(
        2000,
        "(1!)?[0-9]{1,3}(\\.[0-9]{1,2}){0,3}([ab]|rc|alpha|-beta|c)?[0-9]{0,2}(\\.post[0-9]{0,2}|-[0-9])?(\\.?dev[0-9]{0,2})?(\\+[a-zA-Z0-9]{1,6}([._-][a-zA-Z0-9]{1,5}){0,2}|\\+[0-9._]{1,5})?",
    );
    let expected = ask(
        "[str(Version(t)) if ok(Version, t) else None for t in texts]",
        &json!(texts),
    );
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let found = Version::from_str(text)
            .ok()
            .map(|version| version.to_string());
        assert_eq!(found.as_deref(), expected.as_str(), "{text}");
    }
}

#[test]
fn versions_are_ordered_and_matched_as_packaging_does() {
    // Left out is `<1.0a1` and `>1.0a1`: pep440_rs keeps a post-release of 1.0 out of the latter, which
    // packaging lets in.
    let versions = texts(
        400,
        "1\\.[01](a[01]|\\.post1|\\.dev1)?(\\+(git1|rocm9|rocm10|rocm101|5|git1\\.rocm10)(\\.[0-9])?)?",
    );
    let specifiers = texts(
        400,
        "(==|!=)1\\.[01](a[01])?(\\.\\*|\\+(git1|rocm10)(\\.1)?)?|(<=|>=|~=|===)1\\.[01](\\.0)?(a1)?|[<>]1\\.[01](\\.0)?",
    );
    let pairs: Vec<(String, String)> = versions.into_iter().zip(specifiers).collect();
    let expected = ask(
        "[[Version(texts[i][0]) < Version(texts[i-1][0]), SpecifierSet(texts[i][1]).contains(texts[i][0], prereleases=True) if ok(SpecifierSet, texts[i][1]) else None] for i in range(len(texts))]",
        &json!(pairs),
    );
    for (at, expected) in expected.as_array().unwrap().iter().enumerate() {
        let version = Version::from_str(&pairs[at].0).unwrap();
        let before = &pairs[at.checked_sub(1).unwrap_or(pairs.len() - 1)].0;
        let less = version < Version::from_str(before).unwrap();
        let matches = VersionSpecifiers::from_str(&pairs[at].1)
            .ok()
            .map(|specifiers| specifiers.contains(&version));
        assert_eq!(
            json!([less, matches]),
            *expected,
            "{:?} {before}",
            pairs[at]
        );
    }
}

#[test]
fn names_are_normalised_as_packaging_does() {
    let texts = texts(
        1000,
        "[A-Za-z0-9._ -]{0,12}|[A-Z][a-z]{1,4}[._-]{1,3}[0-9a-zé]{1,3}",
    );
    let expected = ask(
        "[canonicalize_name(t, validate=True) if ok(lambda t: canonicalize_name(t, validate=True), t) else None for t in texts]",
        &json!(texts),
    );
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let found = ProjectName::new(text).ok();
        assert_eq!(
            found.as_ref().map(ProjectName::as_str),
            expected.as_str(),
            "{text:?}"
        );
    }
}

#[test]
fn file_names_are_taken_apart_as_packaging_does() {
    let texts = texts(
        1500,
        "[A-Za-z][A-Za-z0-9_.]{0,8}[a-z0-9]-[0-9]\\.[0-9]{1,2}(a0)?(\\+[a-z0-9]{1,5}(\\.[a-z0-9]{1,3})?|_rocm)?(-[0-9][a-z0-9]{0,3}|-x1)?-(py2\\.py3|py3|cp314)-(none|abi3|cp314)-(any|linux_x86_64|manylinux_2_17_x86_64\\.manylinux2014_x86_64)(\\.whl|\\.whl|\\.whl|\\.WHL|\\.zip)",
    );
    let expected = ask(
        "[(lambda n, v, b, t: [n, str(v), (str(b[0]) + b[1]) if b else None, sorted(map(str, t))])(*parse_wheel_filename(t)) if ok(parse_wheel_filename, t) else None for t in texts]",
        &json!(texts),
    );
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let found = WheelFilename::from_str(text).ok().map(|filename| {
            let mut tags = filename.tags();
            tags.sort();
            // packaging makes a number of the digits in front.
            let build = filename.build.as_ref().map(|build| {
                let digits = build.trim_start_matches('0');
                let lost = build.len() - digits.len();
                let number = digits.starts_with(|c: char| c.is_ascii_digit());
                if lost > 0 && !number {
                    format!("0{digits}")
                } else {
                    digits.to_owned()
                }
            });
            json!([
                filename.name().as_str(),
                filename.version.to_string(),
                build,
                tags
            ])
        });
        assert_eq!(found.unwrap_or(Value::Null), *expected, "{text}");
        if let Ok(filename) = WheelFilename::from_str(text) {
            let again = WheelFilename::from_str(&filename.to_string()).unwrap();
            assert_eq!(again, filename, "{text}");
        }
    }
}

#[test]
fn requirements_are_read_as_packaging_does() {
    let texts = texts(
        3000,
        "[A-Za-z][A-Za-z0-9._-]{0,5}[a-z0-9]?[ ]?(\\[[a-z]?( ?, ?[a-zA-Z_]{1,3}[a-z])?\\])? ?(\\( ?(==|>=)? ?[0-9]\\.[0-9](\\+g1)?( ?, ?(<|!=)[0-9])?,?\\)?|(=== ?[0-9]\\.[0-9](\\+g1)?|(==|~=|>=|<|!=|>) ?[0-9](\\.[0-9]){1,2}(\\.\\*|\\+g1|a1)?( ?,(<|!=) ?[0-9])?,?)|@ ?https://x/y[.]whl)? ?(; ?(extra ?==? ?'[a-zA-Z._]{1,3}'|python_version (<|>=|in) \"3\\.[0-9]+\"|\\(os_name == 'x' or 'linux' in sys_platform\\)|nonsense)( (and|or) platform_machine != 'x')?)?",
    );
    let expected = ask(
        "[(lambda r: [canonicalize_name(r.name), sorted(canonicalize_name(e) for e in r.extras), sorted(s.operator + str(s.version) for s in r.specifier), r.url, r.marker is not None])(Requirement(t)) if ok(lambda t: canonicalize_name(Requirement(t).name, validate=True), t) else None for t in texts]",
        &json!(texts),
    );
    let mut accepted = 0;
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let found = Requirement::from_str(text).ok().map(|requirement| {
            let mut extras: Vec<String> =
                requirement.extras.iter().map(ToString::to_string).collect();
            extras.sort();
            extras.dedup();
            let mut specifiers: Vec<String> = requirement
                .specifiers
                .iter()
                .map(|part| {
                    // The span is where the version stands, whatever stands around it.
                    assert!(!text[part.version_span.clone()].contains([' ', '(', ')', ',', '=']));
                    format!(
                        "{}{}",
                        part.specifier.operator(),
                        &text[part.version_span.clone()]
                    )
                })
                .collect();
            specifiers.sort();
            specifiers.dedup();
            let marker = requirement.marker.is_some();
            json!([
                requirement.name.as_str(),
                extras,
                specifiers,
                requirement.url,
                marker
            ])
        });
        accepted += u32::from(found.is_some());
        assert_eq!(found.unwrap_or(Value::Null), *expected, "{text:?}");
    }
    assert!(
        accepted > 500,
        "only {accepted} of the texts are requirements"
    );
}

#[test]
fn markers_are_evaluated_as_packaging_does() {
    let atom = "(python_version|python_full_version|implementation_version) (<|<=|>|>=|==|!=|~=) '3\\.(9|10|14)(\\.[01])?'|'3\\.14' (==|in) python_version|(sys_platform|os_name|platform_system|platform_machine) (==|!=|in|not in|<) '(linux|posix|Linux|x86_64|win32|nt)'|extra (==|!=) '(device-gfx950|Device_GFX950|all)'";
    let texts = texts(
        1500,
        &format!(
            "({atom})|({atom}) (and|or) ({atom})|\\(({atom}) or ({atom})\\) and ({atom})|({atom}) or ({atom}) and ({atom})"
        ),
    );
    let environment = json!({
        "os_name": "posix", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64",
        "platform_python_implementation": "CPython", "implementation_name": "cpython",
        "implementation_version": "3.14.1", "python_version": "3.14", "python_full_version": "3.14.1",
        "extra": "device-gfx950",
    });
    let expected = ask(
        "[Marker(t).evaluate(texts[1]) if ok(lambda t: Marker(t).evaluate(texts[1]), t) else None for t in texts[0]]",
        &json!([texts, environment]),
    );
    let here = Environment::linux_cpython("3.14.1", "x86_64")
        .with(Variable::Extra, "")
        .with_extra("Device.GFX950");
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let found = Marker::from_str(text).unwrap().evaluate(&here);
        assert_eq!(json!(found), *expected, "{text}");
    }
}

#[test]
fn a_marked_version_is_the_one_that_packaging_makes_of_the_text() {
    let texts = texts(
        1000,
        "(1!)?[0-9]{1,2}(\\.[0-9]{1,2}){0,2}([ab]|rc)?[0-9]?(\\.post[0-9])?(\\.dev[0-9])?(\\+[a-zA-Z0-9]{1,6}([._-][a-zA-Z0-9]{1,5}){0,2})?",
    );
    let expected = ask(
        "[str(Version(t + ('.' if '+' in t else '+') + 'rocm10.1.0')) if ok(Version, t) else None for t in texts]",
        &json!(texts),
    );
    let mark = wheel::local_segments("rocm10.1.0").unwrap();
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let found = Version::from_str(text).ok();
        let marked = found.map(|version| wheel::with_local_appended(&version, &mark).to_string());
        assert_eq!(marked.as_deref(), expected.as_str(), "{text}");
    }
}

#[test]
fn metadata_is_read_as_pythons_email_reads_it_and_an_edit_changes_the_version_alone() {
    let header = "(Summary|requires-dist|Author|X-Other): ?[a-zü.;=' ]{0,12}((\r\n|\n)[ \t]+(Version: 7|[a-z]{0,5}))?(\r\n|\n)";
    let texts = texts(
        1000,
        &format!(
            "Name: [a-z]{{2,4}}(\r\n|\n)({header}){{0,3}}([Vv]ersion:[ \t]{{0,2}})1\\.0[ \t]?(\r\n|\n)({header}){{0,3}}((\r\n|\n)(Version: 9\\.9\n|[a-z]{{0,9}}|\r){{0,3}}|stray\nVersion: 2\n)?"
        ),
    );
    let expected = ask(
        "[(lambda m: [[[k.lower(), ''.join(v.splitlines()).strip()] for k, v in m.items()], m.get_payload()])(__import__('email').message_from_string(t)) for t in texts]",
        &json!(texts),
    );
    for (text, expected) in texts.iter().zip(expected.as_array().unwrap()) {
        let metadata = wheel::Metadata::parse(text.clone().into_bytes()).unwrap();
        let headers: Vec<(String, String)> = metadata
            .headers()
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        assert_eq!(json!(headers), expected[0], "{text:?}");
        let version = Version::from_str("1.0+rocm10.1.0").unwrap();
        let edited = metadata.edited(vec![metadata.version_edit(&version)]);
        let again = wheel::Metadata::parse(edited.clone()).unwrap();
        assert_eq!(again.version(), &version, "{text:?}");
        let back = String::from_utf8(edited)
            .unwrap()
            .replacen("1.0+rocm10.1.0", "1.0", 1);
        assert_eq!(back, *text);
    }
}
