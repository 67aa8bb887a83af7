//! A site that somebody meddled with, and runs that name what is not there.

use std::fs;

use serde_json::json;

use crate::desk::Desk;
use crate::sites::atom;

#[test]
fn a_link_in_the_site_is_not_written_through() {
    let desk = atom();
    fs::create_dir_all(desk.path("elsewhere")).unwrap();
    fs::remove_dir_all(desk.path("site/data")).unwrap();
    std::os::unix::fs::symlink("../elsewhere", desk.path("site/data")).unwrap();
    let ran = desk.publish("w", "site", &[]);
    let site = fs::canonicalize(desk.path("site")).unwrap();
    assert_eq!(
        (ran.code, ran.stdout.as_str(), ran.stderr),
        (
            2,
            "",
            format!(
                "index-gen: {}/data: a link, and the site is swapped in whole; put the folder itself in its place\n",
                site.display()
            )
        )
    );
    assert_eq!(fs::read_dir(desk.path("elsewhere")).unwrap().count(), 0);
}

#[test]
fn a_refused_first_run_leaves_no_folder_above_the_site() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    let set = desk.unmeasured("w").to_string();
    let ran = desk.index_gen(&["--arch", "gfx950", "--out", "new/er/site"], &set);
    assert_eq!(ran.code, 2);
    assert!(!desk.path("new").exists());
}

#[test]
fn a_replacement_of_what_is_not_there_is_noted() {
    let desk = atom();
    let ran = desk.publish("w", "site", &["--replace", "atmo"]);
    assert_eq!(
        (ran.code, ran.stderr.as_str()),
        (0, "index-gen: --replace atmo: the set has no such wheel\n")
    );
}

#[test]
fn what_was_written_into_a_twin_does_not_reach_a_page() {
    for (key, value, cause) in [
        (
            "url",
            "javascript:alert(1)",
            "`javascript:alert(1)` is not an address of the form https://host/path",
        ),
        (
            "filename",
            "torch-1.0-py3-none-any.whl",
            "`torch-1.0-py3-none-any.whl` is not a file of atom",
        ),
    ] {
        let desk = atom();
        let twin = "site/data/wheels/gfx950/atom/index.v1.json";
        let mut page = desk.json(twin);
        page["files"][0][key] = json!(value);
        fs::write(desk.path(twin), page.to_string()).unwrap();
        desk.stubs(&["one", "v", "atom", "2.0"]);
        let ran = desk.publish("v", "site", &["--keep-old"]);
        let path = fs::canonicalize(desk.path(twin)).unwrap();
        assert_eq!(
            (ran.code, ran.stderr),
            (
                2,
                format!(
                    "index-gen: {}: not a page of index-gen's: {cause}; restore it\n",
                    path.display()
                )
            )
        );
    }
    let desk = atom();
    let list = "site/data/wheels/gfx950/index.v1.json";
    let mut page = desk.json(list);
    page["projects"][0]["name"] = json!("../gfx950/atom");
    fs::write(desk.path(list), page.to_string()).unwrap();
    desk.stubs(&["one", "v", "atom", "2.0"]);
    let ran = desk.publish("v", "site", &["--keep-old"]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.ends_with(
            "not a page of index-gen's: `../gfx950/atom` is not a project's name; restore it\n"
        ),
        "{}",
        ran.stderr
    );
}
