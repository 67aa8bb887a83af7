//! What is on the pages, for clients and for the twin.

use std::path::Path;

use crate::desk::{Desk, oracle};
use serde_json::{Value, json};

/// Every link of a page: its attributes, as Python's own parser reads them.
fn links(desk: &Desk, page: &str) -> Vec<Value> {
    let script = "import sys, json\nfrom html.parser import HTMLParser\nclass P(HTMLParser):\n    \
        def handle_starttag(self, tag, attrs):\n        if tag == 'a': print(json.dumps(dict(attrs)))\n\
        P().feed(open(sys.argv[1]).read())";
    let output = desk
        .command(&oracle("python"))
        .args(["-c", script, page])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn seeds() -> Desk {
    let desk = Desk::new();
    desk.stubs(&["seeds", "w"]);
    desk.publish("w", "site", &[]).succeeded();
    desk
}

const INDEX: &str = "site/data/wheels/gfx950";

/// The projects of the index, by its list.
fn projects(desk: &Desk) -> Vec<String> {
    let list = desk.json(&format!("{INDEX}/index.v1.json"));
    let projects = list["projects"].as_array().unwrap().iter();
    projects
        .map(|project| project["name"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a1_the_same_wheels_make_the_same_bytes() {
    let desk = seeds();
    desk.publish("w", "again", &[]).succeeded();
    assert_eq!(desk.tree("site"), desk.tree("again"));
    // Another age and another order in the folder.
    std::fs::create_dir(desk.path("copy")).unwrap();
    let mut files: Vec<_> = std::fs::read_dir(desk.path("w"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.sort();
    for file in files.iter().rev() {
        std::fs::copy(file, desk.path("copy").join(file.file_name().unwrap())).unwrap();
    }
    let mut document = desk.measured("copy");
    document["wheels"].as_array_mut().unwrap().reverse();
    let arguments = ["--arch", "gfx950", "--out", "third"];
    desk.index_gen(&arguments, &document.to_string())
        .succeeded();
    assert_eq!(desk.tree("site"), desk.tree("third"));
}

#[test]
fn a2_every_link_has_its_hashes_and_no_bare_plus() {
    let desk = seeds();
    assert_eq!(projects(&desk).len(), 12);
    for project in projects(&desk) {
        let page = format!("{INDEX}/{project}/index.html");
        let text = desk.read(&page);
        assert!(
            text.contains(r#"<meta name="pypi:repository-version" content="1.1">"#),
            "{text}"
        );
        let links = links(&desk, &page);
        assert_eq!(links.len(), 1);
        for link in links {
            let href = link["href"].as_str().unwrap();
            let (url, sha256) = href.split_once("#sha256=").unwrap();
            assert!(!url.contains('+'), "{url}");
            assert_eq!(url.contains("%2B"), project != "triton-kernels", "{url}");
            let file = desk.path(&format!("{INDEX}/{project}/{}", url.replace("%2B", "+")));
            assert_eq!(wheel::sha256_file(&file).unwrap().0, sha256);
            let sidecar = format!("{}.metadata", file.display());
            let metadata = format!(
                "sha256={}",
                wheel::sha256_file(Path::new(&sidecar)).unwrap().0
            );
            assert_eq!(link["data-core-metadata"], json!(metadata));
            assert_eq!(link["data-dist-info-metadata"], json!(metadata));
        }
    }
}

#[test]
fn a3_the_served_metadata_is_that_of_the_wheel() {
    let desk = seeds();
    let server = desk.serve("site");
    let script = "import sys, io, json, zipfile, urllib.request, urllib.parse\nfrom html.parser import HTMLParser\n\
        get = lambda url: urllib.request.urlopen(url).read()\nclass P(HTMLParser):\n    \
        def handle_starttag(self, tag, attrs):\n        if tag == 'a': hrefs.append(dict(attrs)['href'])\n\
        count = 0\nfor name in sys.argv[2:]:\n    page = f'{sys.argv[1]}/data/wheels/gfx950/{name}/'\n    hrefs = []\n    \
        P().feed(get(page).decode())\n    for href in hrefs:\n        url = urllib.parse.urljoin(page, href.split('#')[0])\n        \
        with zipfile.ZipFile(io.BytesIO(get(url))) as z:\n            \
        name = next(n for n in z.namelist() if n.endswith('.dist-info/METADATA'))\n            \
        assert z.read(name) == get(url + '.metadata'), url\n        count += 1\nprint(count)";
    let output = desk
        .command(&oracle("python"))
        .args(["-c", script, &server.url])
        .args(projects(&desk))
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout).trim(),
        "12",
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a4_requires_python_is_escaped_and_its_exclusion_named() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "capped", "1.0", "--py", ">=3.10,<3.14"]);
    let ran = desk.publish("w", "site", &[]).succeeded();
    assert_eq!(
        ran.stderr,
        "index-gen: capped-1.0-py3-none-any.whl: Requires-Python `>=3.10,<3.14` excludes Python 3.14\n"
    );
    let page = desk.read(&format!("{INDEX}/capped/index.html"));
    assert!(
        page.contains(r#" data-requires-python="&gt;=3.10,&lt;3.14""#),
        "{page}"
    );
    assert!(
        desk.read("site/index.html")
            .contains("&lt;3.14</code> excludes Python 3.14")
    );
    let ran = desk.publish("w", "site", &["--python", "3.13"]).succeeded();
    assert_eq!(ran.stderr, "");
}

#[test]
fn a_requires_python_that_is_no_range_is_a_note_and_not_a_stop() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "odd", "1.0", "--py", ">=three"]);
    let ran = desk.publish("w", "site", &[]).succeeded();
    assert_eq!(
        ran.stderr,
        "index-gen: odd-1.0-py3-none-any.whl: Requires-Python `>=three` is not a version range; pip ignores it, \
         uv may skip the wheel\n"
    );
}

#[test]
fn a15_a_yank_carries_its_reason() {
    let desk = Desk::new();
    desk.stubs(&["seeds", "w", "--any"]);
    let reason = "bad \"build\" & <x>";
    std::fs::write(
        desk.path("yanks.toml"),
        format!("\"torch==2.15.0a0+git31a77fc.rocm10.1.0\" = '{reason}'\n"),
    )
    .unwrap();
    desk.publish("w", "site", &["--yanked", "yanks.toml"])
        .succeeded();
    let page = desk.read(&format!("{INDEX}/torch/index.html"));
    assert!(
        page.contains(r#" data-yanked="bad &quot;build&quot; &amp; &lt;x&gt;""#),
        "{page}"
    );
    assert_eq!(
        desk.json(&format!("{INDEX}/torch/index.v1.json"))["files"][0]["yanked"],
        json!(reason)
    );
    assert_eq!(
        desk.json(&format!("{INDEX}/atom/index.v1.json"))["files"][0]["yanked"],
        json!(false)
    );
    assert!(
        !desk
            .read(&format!("{INDEX}/atom/index.html"))
            .contains("data-yanked")
    );
}

#[test]
fn a18_the_twin_says_what_the_page_says() {
    let desk = Desk::new();
    for version in ["1.10", "1.9", "1.9+rocm10.1.0", "1.10rc1"] {
        desk.stubs(&["one", "w", "nixl", version, "--py", ">=3.10"]);
    }
    desk.publish("w", "site", &[]).succeeded();
    let twin = desk.json(&format!("{INDEX}/nixl/index.v1.json"));
    assert_eq!(twin["meta"], json!({"api-version": "1.1"}));
    assert_eq!(twin["name"], json!("nixl"));
    assert_eq!(
        twin["versions"],
        json!(["1.9", "1.9+rocm10.1.0", "1.10rc1", "1.10"])
    );
    let files = twin["files"].as_array().unwrap();
    let links = links(&desk, &format!("{INDEX}/nixl/index.html"));
    assert_eq!((files.len(), links.len()), (4, 4));
    for (file, link) in files.iter().zip(links) {
        let sha256 = file["hashes"]["sha256"].as_str().unwrap();
        assert_eq!(
            link["href"],
            json!(format!("{}#sha256={sha256}", file["url"].as_str().unwrap()))
        );
        assert_eq!(link["data-requires-python"], file["requires-python"]);
        let metadata = file["core-metadata"]["sha256"].as_str().unwrap();
        assert_eq!(
            link["data-core-metadata"],
            json!(format!("sha256={metadata}"))
        );
        let size = std::fs::metadata(desk.path("w").join(file["filename"].as_str().unwrap()))
            .unwrap()
            .len();
        assert_eq!(file["size"], json!(size));
        assert!(file.get("upload-time").is_none());
    }
}

#[test]
fn an_upload_time_is_passed_on_when_the_set_brings_one() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "0.1.9"]);
    let mut document = desk.measured("w");
    document["wheels"][0]["upload_time"] = json!("2026-11-30T12:00:00Z");
    let arguments = ["--arch", "gfx950", "--out", "site"];
    desk.index_gen(&arguments, &document.to_string())
        .succeeded();
    let file = desk.json(&format!("{INDEX}/atom/index.v1.json"))["files"][0].clone();
    assert_eq!(file["upload-time"], json!("2026-11-30T12:00:00Z"));
}

#[test]
fn with_a_base_url_the_site_holds_what_is_uploaded_and_no_wheels() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "0.1.9+rocm10.1.0"]);
    desk.publish("w", "site", &["--base-url", "https://host.example/v1"])
        .succeeded();
    let url = "https://host.example/v1/atom-0.1.9%2Brocm10.1.0-py3-none-any.whl";
    let page = desk.read(&format!("{INDEX}/atom/index.html"));
    assert!(page.contains(&format!("href=\"{url}#sha256=")), "{page}");
    let assets = desk.json("site/assets/gfx950/assets.json");
    let [wheel, metadata] = &assets["files"].as_array().unwrap()[..] else {
        panic!("{assets}")
    };
    assert_eq!(wheel["url"], json!(url));
    assert_eq!(metadata["url"], json!(format!("{url}.metadata")));
    assert_eq!(
        metadata["name"],
        json!("atom-0.1.9+rocm10.1.0-py3-none-any.whl.metadata")
    );
    let files: Vec<_> = desk.tree("site/assets/gfx950").into_keys().collect();
    assert_eq!(
        files,
        [
            "assets.json",
            "atom-0.1.9+rocm10.1.0-py3-none-any.whl.metadata"
        ]
    );
}

#[test]
fn a_url_map_places_each_wheel() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "0.1.9+rocm10.1.0"]);
    let url = "https://host.example/download/v7/atom-0.1.9+rocm10.1.0-py3-none-any.whl";
    let map = json!({"atom-0.1.9+rocm10.1.0-py3-none-any.whl": url});
    std::fs::write(desk.path("map.json"), map.to_string()).unwrap();
    desk.publish("w", "site", &["--url-map", "map.json"])
        .succeeded();
    let page = desk.read(&format!("{INDEX}/atom/index.html"));
    assert!(page.contains("href=\"https://host.example/download/v7/atom-0.1.9%2Brocm10.1.0-py3-none-any.whl#sha256="), "{page}");
}

#[test]
fn the_set_is_printed_as_it_came() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "0.1.9"]);
    let ran = desk.publish("w", "site", &[]).succeeded();
    let printed: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(printed, desk.measured("w"));
}

#[test]
fn explain_shows_a_table_and_the_site() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "0.1.9+rocm10.1.0"]);
    let mut document = desk.measured("w");
    document["wheels"][0]["origin"] =
        json!({"filename": "x", "version": "0.1.9", "tags": ["py3-none-any"], "sha256": ""});
    let arguments = ["--arch", "gfx950", "--out", "site", "--explain"];
    let ran = desk
        .index_gen(&arguments, &document.to_string())
        .succeeded();
    let size = document["wheels"][0]["size"].to_string();
    assert_eq!(
        ran.stdout,
        format!(
            "distribution  version                   platform tag  newest glibc  GPU targets   size\n\
             atom          0.1.9 → 0.1.9+rocm10.1.0  any           -             no GPU code  {size} B\n\nsite: site/index.html\n"
        )
    );
}
