//! `wheelhouse tags`, against every kind of paging and a real registry.

use oci_distribution::secrets::RegistryAuth;
use serde_json::{Value, json};

use crate::debian::DebianRegistry;
use crate::images::{Image, write_layout};
use crate::mock::{Answer, Mock, Request};
use crate::run::{Said, wheelhouse};

fn tags(host: &str) -> Said {
    wheelhouse(
        &[
            "tags",
            "--plain-http",
            host,
            "--registry",
            host,
            "rocm/pytorch",
        ],
        "",
    )
}

fn names(said: &Said) -> Vec<String> {
    let document: Value = said.document();
    let tags = document["tags"].as_array().unwrap();
    tags.iter()
        .map(|tag| tag["tag"].as_str().unwrap().to_owned())
        .collect()
}

fn some(count: usize) -> Vec<String> {
    (0..count)
        .map(|number| format!("2.15.{number}-10.1.0-full-gfx950"))
        .collect()
}

fn page(tags: &[String]) -> Answer {
    Answer::new(
        200,
        json!({"name": "rocm/pytorch", "tags": tags}).to_string(),
    )
}

/// The page that the specification gives: sorted by text, after `last`, at most `n` and the registry's own cap.
fn paged(request: &Request, cap: usize) -> (Vec<String>, bool) {
    let mut all = some(230);
    all.sort();
    let n = request
        .query("n")
        .map_or(cap, |text| text.parse::<usize>().unwrap().min(cap));
    let after = request.query("last").unwrap_or_default();
    let rest: Vec<_> = all.into_iter().filter(|tag| tag.as_str() > after).collect();
    let more = rest.len() > n;
    (rest.into_iter().take(n).collect(), more)
}

#[test]
fn every_kind_of_paging_ends_with_all_tags() {
    let with_link = Mock::new(|request, _| {
        let (tags, more) = paged(request, 100);
        let last = tags.last().cloned().unwrap_or_default();
        let answer = page(&tags);
        if more {
            return answer.header(
                "Link",
                format!("</v2/rocm/pytorch/tags/list?last={last}&n=100>; rel=\"next\""),
            );
        }
        answer
    });
    let without_link = Mock::new(|request, _| page(&paged(request, 100).0));
    let opaque = Mock::new(|request, _| {
        let begin: usize = request
            .query("next_page")
            .map_or(0, |text| text.parse().unwrap());
        let all = some(230);
        let end = (begin + 50).min(all.len());
        let answer = page(&all[begin..end]);
        if end < all.len() {
            return answer.header("Link", format!("<?next_page={end}>; rel=\"next\""));
        }
        answer
    });
    let ignores_pages = Mock::new(|_, _| page(&some(230)));
    let links_to_itself = Mock::new(|_, _| {
        page(&some(230)).header("Link", "</v2/rocm/pytorch/tags/list?n=5000>; rel=next")
    });
    // What the reader may not see is left out of a page.
    let empty_page = Mock::new(|request, _| match request.query("n") {
        Some(_) if request.query("last").is_none() => {
            page(&[]).header("Link", "<?page=2>; rel=next")
        }
        _ => page(&some(230)),
    });
    let refuses_large_pages = Mock::new(|request, _| match request.query("n") {
        Some(_) => Answer::new(
            400,
            r#"{"errors": [{"code": "PAGINATION_NUMBER_INVALID"}]}"#,
        ),
        None => page(&paged(request, 100).0),
    });
    let cases = [
        ("link", with_link, 4),
        ("no link", without_link, 4),
        ("opaque", opaque, 6),
        ("ignores", ignores_pages, 2),
        ("itself", links_to_itself, 1),
        ("empty", empty_page, 3),
        ("refuses", refuses_large_pages, 5),
    ];
    let mut expected = some(230);
    expected.sort_by_key(|tag| {
        tag["2.15.".len()..tag.find('-').unwrap()]
            .parse::<usize>()
            .unwrap()
    });
    for (kind, mock, requests) in cases {
        assert_eq!(names(&tags(&mock.host)), expected, "{kind}");
        assert_eq!(mock.requests().len(), requests, "{kind}");
    }
}

#[test]
fn pages_without_end_that_bring_nothing_new_are_given_up() {
    let mock = Mock::new(|request, before| {
        let link = format!("<{}?page={before}>; rel=next", request.path());
        page(&some(1)).header("Link", link)
    });
    assert_eq!(
        tags(&mock.host).refusal(),
        (
            2,
            "wheelhouse: rocm/pytorch: the list of tags cannot be read: after 1 tags it has no end; ask who runs the registry"
        )
    );
    assert_eq!(mock.requests().len(), 102);
}

#[test]
fn who_sends_more_than_was_asked_for_is_asked_once_unless_it_may_be_a_page() {
    // As docker-registry does before 3.0: everything, in the order of a folder.
    let everything = Mock::new(|_, _| page(&some(5001)));
    let pages_of_its_own = Mock::new(|request, _| {
        let mut all = some(12_000);
        all.sort();
        let after = request.query("last").unwrap_or_default();
        let rest = all.into_iter().filter(|tag| tag.as_str() > after);
        page(&rest.take(6000).collect::<Vec<_>>())
    });
    for (mock, count, requests) in [(everything, 5001, 1), (pages_of_its_own, 12_000, 3)] {
        assert_eq!(names(&tags(&mock.host)), some(count));
        assert_eq!(mock.requests().len(), requests);
    }
}

#[test]
fn tags_come_sorted_by_what_they_mean() {
    let unsorted = [
        "latest",
        "2.9.0-10.1.0-gfx950",
        "2.15.0-10.1.0-gfx1201",
        "2.15.0-10.1.0-gfx950",
        "2.15.0-7.2-gfx950",
    ];
    let unsorted: Vec<String> = unsorted.map(str::to_owned).to_vec();
    let mock = Mock::new(move |_, _| page(&unsorted));
    assert_eq!(
        names(&tags(&mock.host)),
        [
            "2.9.0-10.1.0-gfx950",
            "2.15.0-7.2-gfx950",
            "2.15.0-10.1.0-gfx950",
            "2.15.0-10.1.0-gfx1201",
            "latest"
        ]
    );
}

#[test]
fn a_person_gets_a_table() {
    let mock =
        Mock::new(|_, _| page(&["2.15.0-10.1.0-full-gfx950".to_owned(), "latest".to_owned()]));
    let said = wheelhouse(
        &[
            "tags",
            "--explain",
            "--plain-http",
            &mock.host,
            &format!("{}/pytorch", mock.host),
        ],
        "",
    );
    assert_eq!(
        said.stdout,
        "tag                        version  ROCm         architecture\n\
         2.15.0-10.1.0-full-gfx950  2.15.0   10.1.0-full  gfx950\n\
         latest                     latest\n"
    );
}

#[test]
fn what_is_no_list_of_tags_is_told() {
    let cases = [
        (
            Answer::new(404, "page not found"),
            1,
            "rocm/pytorch: not published",
        ),
        (
            Answer::new(200, "<html>log in</html>"),
            2,
            "rocm/pytorch: the list of tags cannot be read: expected value at line 1 column 1; is this a registry?",
        ),
        (
            page(&["a".to_owned(), "\u{1b}[31m\n../../x".to_owned()]),
            2,
            "rocm/pytorch: the list of tags cannot be read: `\u{fffd}[31m ../../x` is not a tag: at most 128 letters, digits, `_`, `.` and `-`, the first no `.` or `-` at line 1 column 57; is this a registry?",
        ),
        (
            page(&some(100_001)),
            2,
            "rocm/pytorch: the list of tags cannot be read: a list of more than 100000 items at line 1 column 3188954; is this a registry?",
        ),
        (
            page(&some(1)).header(
                "Link",
                "<http://elsewhere.example/v2/rocm/pytorch/tags/list>; rel=next",
            ),
            2,
            "rocm/pytorch: it says that the next page of tags is at another host; ask who runs the registry",
        ),
        (
            Answer::new(200, vec![b' '; 17 << 20]),
            2,
            "rocm/pytorch: the list of tags is longer than 16777216 bytes; ask who runs the registry",
        ),
    ];
    for (answer, code, cause) in cases {
        let mock = Mock::new(move |_, _| answer.clone());
        let said = tags(&mock.host);
        assert_eq!(
            said.refusal(),
            (code, format!("wheelhouse: {cause}").as_str())
        );
    }
}

#[test]
fn arguments_that_name_no_registry_are_refused() {
    let cases = [
        (
            vec!["tags", "rocm-pytorch/pytorch"],
            "wheelhouse: `rocm-pytorch/pytorch` names no registry: write HOST/rocm-pytorch/pytorch, or give --registry HOST",
        ),
        (
            vec!["tags", "--registry", "oci:/nowhere", "pytorch"],
            "wheelhouse: /nowhere/oci-layout: No such file or directory (os error 2); check the path",
        ),
        (
            vec!["tags", "--ca-file", "/nowhere", "localhost:1/pytorch"],
            "wheelhouse: /nowhere: No such file or directory (os error 2); check the path",
        ),
    ];
    for (arguments, expected) in cases {
        assert_eq!(wheelhouse(&arguments, "").refusal(), (2, expected));
    }
}

#[test]
fn a_real_registry_is_listed_with_digest_size_and_date() {
    let registry = DebianRegistry::start();
    let image = Image::of_wheel("a-1-py3-none-any.whl", b"bytes");
    let (first, second) = (some(2)[0].clone(), some(2)[1].clone());
    registry.push(
        "rocm/pytorch",
        &[second.clone(), first.clone()],
        &image,
        &RegistryAuth::Anonymous,
    );
    assert_eq!(names(&tags(&registry.host)), [first.clone(), second]);

    let said = wheelhouse(
        &[
            "tags",
            "--long",
            "--plain-http",
            &registry.host,
            "--registry",
            &registry.host,
            "rocm/pytorch",
        ],
        "",
    );
    let size: usize = image.blobs.values().map(Vec::len).max().unwrap();
    let layer = image
        .blobs
        .values()
        .find(|bytes| bytes.starts_with(&[0x1f, 0x8b]))
        .unwrap();
    assert!(size >= layer.len());
    assert_eq!(
        said.document()["tags"][0],
        json!({"tag": first, "digest": image.manifest, "size": layer.len(), "created": "2026-11-30T12:00:00Z"})
    );
    assert_eq!(said.document()["repository"], "rocm/pytorch");

    let nothing = wheelhouse(
        &[
            "tags",
            "--plain-http",
            &registry.host,
            &format!("{}/nothing", registry.host),
        ],
        "",
    );
    assert_eq!(nothing.refusal(), (1, "wheelhouse: nothing: not published"));
}

#[test]
fn a_layout_is_listed_like_a_registry() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::of_wheel("a-1-py3-none-any.whl", b"bytes");
    write_layout(
        folder.path(),
        &[
            ("pytorch:2.15.0", &image),
            ("pytorch:latest", &image),
            ("other:1", &image),
        ],
    );
    let place = format!("oci:{}", folder.path().display());
    let said = wheelhouse(&["tags", "--registry", &place, "rocm-pytorch/pytorch"], "");
    assert_eq!(names(&said), ["2.15.0", "latest"]);
    let nothing = wheelhouse(&["tags", "--registry", &place, "rocm-pytorch/nothing"], "");
    assert_eq!(
        nothing.refusal(),
        (1, "wheelhouse: rocm-pytorch/nothing: not published")
    );
}

#[test]
fn a_date_that_is_none_is_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let image = Image::with_config(&[], |config| {
        config["created"] = "\u{1b}[31myesterday".into();
    });
    write_layout(folder.path(), &[("pytorch:1", &image)]);
    let place = format!("oci:{}", folder.path().display());
    let said = wheelhouse(&["tags", "--long", "--registry", &place, "pytorch"], "");
    assert_eq!(
        said.document()["tags"],
        json!([{"tag": "1", "digest": image.manifest, "size": 0}])
    );
}
