//! The site over several runs: what is kept, what goes, what is left alone, and who writes it.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::desk::{Desk, Ran};

const ATOM: &str = "atom-1.0-py3-none-any.whl";

pub(crate) fn atom() -> Desk {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    desk.publish("w", "site", &[]).succeeded();
    desk
}

fn sha256(desk: &Desk, file: &str) -> String {
    wheel::sha256_file(&desk.path(file)).unwrap().0
}

#[test]
fn a10_a_published_name_never_changes_its_bytes() {
    let desk = atom();
    let published = sha256(&desk, &format!("w/{ATOM}"));
    let before = desk.tree("site");
    desk.stubs(&["one", "v", "atom", "1.0", "--req", "numpy"]);
    let ran = desk.publish("v", "site", &[]);
    assert_eq!(
        (ran.code, ran.stderr),
        (
            1,
            format!(
                "index-gen: {ATOM}: was published for gfx950 with other bytes (sha256 {published}); give the new build a \
                 new version, or pass --replace atom\n"
            )
        )
    );
    assert_eq!(desk.tree("site"), before);
    // Neither does it come back with other bytes after it was gone.
    desk.stubs(&["one", "u", "cupy", "1.0"]);
    desk.publish("u", "site", &[]).succeeded();
    assert!(!desk.path("site/data/wheels/gfx950/atom").exists());
    assert_eq!(desk.publish("v", "site", &[]).code, 1);
    // Unless somebody says so, by file or by project.
    desk.publish("v", "site", &["--replace", "Atom"])
        .succeeded();
    assert_eq!(
        desk.json("site/published.json")["architectures"]["gfx950"][ATOM],
        json!(sha256(&desk, &format!("v/{ATOM}")))
    );
    desk.publish("w", "site", &["--replace", ATOM]).succeeded();
}

#[test]
fn one_name_has_other_bytes_for_another_gpu() {
    let desk = atom();
    desk.stubs(&["one", "v", "atom", "1.0", "--req", "numpy"]);
    let arguments = ["--arch", "gfx1201", "--out", "site"];
    desk.index_gen(&arguments, &desk.measured("v").to_string())
        .succeeded();
    let published = &desk.json("site/published.json")["architectures"];
    assert_ne!(published["gfx950"][ATOM], published["gfx1201"][ATOM]);
}

#[test]
fn a_second_run_touches_nothing() {
    let desk = atom();
    let inode = |of: &str| fs::metadata(desk.path(of)).unwrap().ino();
    let before = (inode("site"), inode("site/index.html"));
    let ran = desk.publish("w", "site", &[]).succeeded();
    assert_eq!(ran.stderr, "");
    assert_eq!((inode("site"), inode("site/index.html")), before);
}

#[test]
fn a_second_run_says_what_the_first_one_said() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "capped", "1.0", "--py", "<3.14"]);
    let first = desk.publish("w", "site", &[]).succeeded();
    assert_eq!(first.stderr.lines().count(), 1);
    for more in [&[][..], &["--distrust-cache"], &["--explain"]] {
        let again = desk.publish("w", "site", more).succeeded();
        assert_eq!(again.stderr, first.stderr);
        assert_eq!(again.stdout == first.stdout, more != ["--explain"]);
    }
}

#[test]
fn what_a_run_is_told_otherwise_is_made_otherwise() {
    let desk = atom();
    let with_url = ["--site-url", "https://me.example"];
    desk.publish("w", "site", &with_url).succeeded();
    assert!(
        desk.read("site/index.html")
            .contains("https://me.example/data/wheels/gfx950/")
    );
    fs::write(desk.path("yanks.toml"), "\"atom==1.0\" = \"old\"").unwrap();
    let yanked = ["--yanked", "yanks.toml"];
    for reason in ["old", "new"] {
        fs::write(
            desk.path("yanks.toml"),
            format!("\"atom==1.0\" = \"{reason}\""),
        )
        .unwrap();
        desk.publish("w", "site", &yanked).succeeded();
        let page = desk.read("site/data/wheels/gfx950/atom/index.html");
        assert!(
            page.contains(&format!("data-yanked=\"{reason}\"")),
            "{page}"
        );
    }
    desk.publish("w", "site", &[]).succeeded();
    assert!(
        !desk
            .read("site/data/wheels/gfx950/atom/index.html")
            .contains("data-yanked")
    );
}

#[test]
fn a_page_that_somebody_changed_is_made_again() {
    let desk = atom();
    let whole = desk.tree("site");
    fs::remove_file(desk.path("site/data/wheels/gfx950/atom/index.v1.json")).unwrap();
    fs::write(desk.path("site/data/wheels/gfx950/index.html"), "mine").unwrap();
    desk.publish("w", "site", &[]).succeeded();
    assert_eq!(desk.tree("site"), whole);
    fs::remove_file(desk.path(&format!("site/assets/gfx950/{ATOM}.metadata"))).unwrap();
    desk.publish("w", "site", &[]).succeeded();
    assert_eq!(desk.tree("site"), whole);
    fs::create_dir(desk.path("site/data/wheels/gfx950/left-over")).unwrap();
    desk.publish("w", "site", &[]).succeeded();
    assert!(!desk.path("site/data/wheels/gfx950/left-over").exists());
}

#[test]
fn a16_an_incremental_site_is_the_same_bytes_as_a_full_one() {
    let desk = Desk::new();
    desk.stubs(&["synth", "w", "60", "--projects", "20"]);
    for more in [&[][..], &["--base-url", "https://host.example/v1"]] {
        desk.publish("w", "site", more).succeeded();
        desk.stubs(&["one", "w", "late", &format!("1.{}", more.len())]);
        desk.publish("w", "site", more).succeeded();
        desk.publish("w", "full", &[more, &["--distrust-cache"]].concat())
            .succeeded();
        assert!(desk.tree("site") == desk.tree("full"), "the sites differ");
        for left in ["site", "full", ".site.index-gen", ".full.index-gen"] {
            fs::remove_dir_all(desk.path(left)).unwrap();
        }
    }
}

#[test]
fn a_wheel_that_changed_behind_the_documents_back_is_found() {
    let desk = atom();
    let document = desk.measured("w").to_string();
    let file = desk.path(&format!("w/{ATOM}"));
    // Another file of the same size in its place; the site has the old bytes by its own link.
    let mut bytes = fs::read(&file).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::remove_file(&file).unwrap();
    fs::write(&file, bytes).unwrap();
    // With the document's word for it, the bytes that were read are served.
    let arguments = ["--arch", "gfx950", "--out", "site"];
    let before = desk.tree("site");
    desk.index_gen(&arguments, &document).succeeded();
    assert_eq!(desk.tree("site"), before);
    let ran = desk.index_gen(&[&arguments[..], &["--distrust-cache"]].concat(), &document);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
}

/// Writes into a file in place, which gives it a new age and leaves that of its folder alone.
fn spoil(desk: &Desk, file: &str) {
    let mut bytes = fs::read(desk.path(file)).unwrap();
    // Behind the name of the first member: the archive stays sound.
    let at = bytes.len().min(50) - 1;
    bytes[at] ^= 1;
    fs::write(desk.path(file), bytes).unwrap();
}

#[test]
fn an_asset_that_was_written_into_is_put_right() {
    let desk = atom();
    let whole = desk.tree("site");
    for more in [&[][..], &["--python", "3.13"]] {
        spoil(&desk, &format!("site/assets/gfx950/{ATOM}.metadata"));
        desk.publish("w", "site", more).succeeded();
        assert!(desk.tree("site") == whole, "a sidecar stayed wrong");
    }
    // A copy of a wheel, as there is one where the file system cannot link.
    let wheel = desk.path(&format!("site/assets/gfx950/{ATOM}"));
    fs::rename(&wheel, desk.path("aside")).unwrap();
    fs::copy(desk.path("aside"), &wheel).unwrap();
    spoil(&desk, &format!("site/assets/gfx950/{ATOM}"));
    desk.publish("w", "site", &[]).succeeded();
    assert!(desk.tree("site") == whole, "a wheel stayed wrong");
}

#[test]
fn a_wheel_that_was_written_into_by_its_link_in_the_site_is_refused() {
    let desk = atom();
    let document = desk.measured("w").to_string();
    spoil(&desk, &format!("site/assets/gfx950/{ATOM}"));
    let ran = desk.index_gen(&["--arch", "gfx950", "--out", "site"], &document);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.ends_with("; measure it again\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_kept_file_that_was_changed_or_is_gone_stops_the_run() {
    let desk = atom();
    desk.stubs(&["one", "v", "atom", "1.1"]);
    let keep = ["--keep-old"];
    desk.publish("v", "site", &keep).succeeded();
    let file = format!("assets/gfx950/{ATOM}.metadata");
    let before = desk.tree("site");
    spoil(&desk, &format!("site/{file}"));
    let told = |cause: &str| {
        let site = fs::canonicalize(desk.path("site")).unwrap();
        let path = site.join(&file);
        format!(
            "index-gen: {}: {cause}; restore it, or run without --keep-old\n",
            path.display()
        )
    };
    let ran = desk.publish("v", "site", &keep);
    assert_eq!(
        (ran.code, ran.stderr),
        (2, told("has other bytes than were published"))
    );
    fs::remove_file(desk.path("site").join(&file)).unwrap();
    let ran = desk.publish("v", "site", &keep);
    assert_eq!(
        (ran.code, ran.stderr),
        (2, told("was published, and is gone"))
    );
    fs::write(desk.path("site").join(&file), &before[&file]).unwrap();
    desk.publish("v", "site", &keep).succeeded();
    assert_eq!(desk.tree("site"), before);
}

#[test]
fn a_folder_of_somebody_else_among_the_indexes_is_named() {
    let desk = atom();
    fs::create_dir(desk.path("site/data/wheels/gfx942")).unwrap();
    let before = desk.tree("site");
    desk.stubs(&["one", "w", "cupy", "1.0"]);
    let ran = desk.publish("w", "site", &[]);
    let site = fs::canonicalize(desk.path("site")).unwrap();
    assert_eq!(
        (ran.code, ran.stderr),
        (
            2,
            format!(
                "index-gen: {}/data/wheels/gfx942: not a folder of index-gen's, since it holds no index.v1.json; move it \
                 out of the site, or restore that\n",
                site.display()
            )
        )
    );
    assert_eq!(desk.tree("site"), before);
}

#[test]
fn a_place_that_is_full_is_named_and_the_site_stays() {
    let desk = atom();
    let before = desk.tree("site");
    // METADATA of more than a block: a limit on files is the disk that is full, for whom may not mount one.
    let requirements: Vec<String> = (0..80).map(|i| format!("needed-{i}")).collect();
    let mut stub = vec!["one", "w", "cupy", "1.0"];
    for requirement in &requirements {
        stub.extend(["--req", requirement]);
    }
    desk.stubs(&stub);
    fs::write(desk.path("set.json"), desk.measured("w").to_string()).unwrap();
    let limited = "trap '' XFSZ; ulimit -f 1; exec \"$0\" --arch gfx950 --out site set.json";
    let ran: Ran = desk
        .command(std::path::Path::new("bash"))
        .args(["-c", limited, env!("CARGO_BIN_EXE_index-gen")])
        .output()
        .unwrap()
        .into();
    let site = fs::canonicalize(desk.path("site")).unwrap();
    assert_eq!(
        (ran.code, ran.stderr),
        (
            2,
            format!(
                "index-gen: {}/assets/gfx950/cupy-1.0-py3-none-any.whl.metadata: File too large (os error 27); name a \
                 place that takes files of this size\n",
                site.display()
            )
        )
    );
    assert_eq!(desk.tree("site"), before);
}

#[test]
fn a_damaged_memory_only_costs_time() {
    let desk = atom();
    let before = desk.tree("site");
    fs::write(
        desk.path(".site.index-gen/gfx950.read"),
        "index-gen-memory/1\n{\"filename\":",
    )
    .unwrap();
    desk.publish("w", "site", &[]).succeeded();
    assert_eq!(desk.tree("site"), before);
}

#[test]
fn a_ledger_that_is_damaged_stops_the_run() {
    let desk = atom();
    fs::write(desk.path("site/published.json"), "{").unwrap();
    let ran = desk.publish("w", "site", &[]);
    assert_eq!(ran.code, 2);
    assert!(
        ran.stderr.contains("published.json: not a whole ledger"),
        "{}",
        ran.stderr
    );
}

#[test]
fn earlier_wheels_go_unless_they_are_kept() {
    let desk = Desk::new();
    desk.stubs(&["one", "one", "atom", "1.0"]);
    desk.stubs(&["one", "two", "atom", "1.1"]);
    desk.publish("one", "site", &[]).succeeded();
    desk.publish("two", "site", &["--keep-old"]).succeeded();
    let page = desk.read("site/data/wheels/gfx950/atom/index.html");
    assert!(
        page.contains("atom-1.0-py3") && page.contains("atom-1.1-py3"),
        "{page}"
    );
    for file in [ATOM, "atom-1.1-py3-none-any.whl"] {
        assert!(desk.path(&format!("site/assets/gfx950/{file}")).exists());
        assert!(
            desk.path(&format!("site/assets/gfx950/{file}.metadata"))
                .exists()
        );
    }
    let twin = desk.json("site/data/wheels/gfx950/atom/index.v1.json");
    assert_eq!(twin["versions"], json!(["1.0", "1.1"]));
    assert!(desk.read("site/index.html").contains("1 earlier"));
    let kept = desk.tree("site");
    desk.publish("two", "site", &["--keep-old"]).succeeded();
    assert_eq!(desk.tree("site"), kept);
    desk.publish("two", "site", &[]).succeeded();
    assert!(!desk.path(&format!("site/assets/gfx950/{ATOM}")).exists());
    assert!(
        !desk
            .read("site/data/wheels/gfx950/atom/index.html")
            .contains("atom-1.0-py3")
    );
    assert!(desk.read("site/published.json").contains(ATOM));
}

#[test]
fn an_earlier_metapackage_is_kept_for_pins_only() {
    let desk = Desk::new();
    let meta = |folder: &str, version: &str| {
        desk.stubs(&[
            "one",
            folder,
            "rocm_torch",
            version,
            "--extra",
            "device-gfx950",
        ]);
    };
    meta("one", "10.1.0+gfx950.ffffffff");
    meta("two", "10.1.0+gfx950.aaaaaaaa");
    desk.publish("one", "site", &[]).succeeded();
    desk.publish("two", "site", &["--keep-old"]).succeeded();
    let twin = desk.json("site/data/wheels/gfx950/rocm-torch/index.v1.json");
    assert_eq!(twin["files"][0]["yanked"], json!(false));
    assert_eq!(
        twin["files"][1]["yanked"],
        json!("superseded by 10.1.0+gfx950.aaaaaaaa")
    );
    // And back again.
    desk.publish("one", "site", &["--keep-old"]).succeeded();
    let twin = desk.json("site/data/wheels/gfx950/rocm-torch/index.v1.json");
    assert_eq!(
        twin["files"][0]["yanked"],
        json!("superseded by 10.1.0+gfx950.ffffffff")
    );
    assert_eq!(twin["files"][1]["yanked"], json!(false));
}

#[test]
fn what_is_kept_counts_when_rocm_lines_are_told_apart() {
    let desk = Desk::new();
    desk.stubs(&["one", "one", "vision", "1.0+rocm9.0.0"]);
    desk.stubs(&["one", "two", "vision", "1.0+rocm10.1.0"]);
    desk.publish("one", "site", &[]).succeeded();
    let ran = desk.publish("two", "site", &["--keep-old"]);
    assert_eq!(ran.code, 1);
    assert!(
        ran.stderr.contains("pip would choose 1.0+rocm9.0.0"),
        "{}",
        ran.stderr
    );
    desk.publish("two", "site", &[]).succeeded();
}

#[test]
fn other_architectures_and_other_files_are_carried_over() {
    let desk = atom();
    fs::write(desk.path("site/CNAME"), "wheels.example").unwrap();
    let before = desk.tree("site");
    desk.stubs(&["one", "v", "cupy", "1.0"]);
    let arguments = ["--arch", "gfx1201", "--out", "site"];
    desk.index_gen(&arguments, &desk.measured("v").to_string())
        .succeeded();
    let after = desk.tree("site");
    for (file, bytes) in &before {
        if !["index.html", "published.json"].contains(&file.as_str()) {
            assert_eq!(after.get(file), Some(bytes), "{file}");
        }
    }
    let page = desk.read("site/index.html");
    assert!(page.contains("id=\"gfx950\"") && page.contains("id=\"gfx1201\""));
    assert!(page.find("id=\"gfx950\"") < page.find("id=\"gfx1201\""));
}

#[test]
fn two_runs_at_once_both_end_up_in_the_site() {
    let desk = Desk::new();
    desk.stubs(&["synth", "w", "200", "--projects", "20"]);
    let document = desk.measured("w").to_string();
    let architectures = ["gfx950", "gfx1201", "gfx1151", "gfx942"];
    let running: Vec<_> = architectures
        .iter()
        .map(|arch| desk.start(&["--arch", arch, "--out", "site"], &document))
        .collect();
    for child in running {
        Ran::from(child.wait_with_output().unwrap()).succeeded();
    }
    let page = desk.read("site/index.html");
    for arch in architectures {
        assert!(
            desk.path(&format!("site/data/wheels/{arch}/proj-00019/index.html"))
                .exists()
        );
        assert!(page.contains(&format!("id=\"{arch}\"")));
    }
}

#[test]
fn a_second_writer_waits_and_says_so() {
    let desk = atom();
    let lock = fs::File::open(desk.path(".site.index-gen/lock")).unwrap();
    lock.lock().unwrap();
    let arguments = ["--arch", "gfx950", "--out", "site"];
    let mut child = desk.start(&arguments, &desk.measured("w").to_string());
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    lock.unlock().unwrap();
    let ran = Ran::from(child.wait_with_output().unwrap()).succeeded();
    assert_eq!(
        ran.stderr,
        "index-gen: waiting for another run that writes this site\n"
    );
}

#[test]
fn a_kill_at_any_moment_leaves_the_old_site_or_the_new_one() {
    let desk = Desk::new();
    desk.stubs(&["synth", "w", "300", "--projects", "30"]);
    desk.stubs(&["one", "v", "atom", "1.0"]);
    desk.publish("v", "site", &[]).succeeded();
    let old = desk.tree("site");
    let document = desk.measured("w").to_string();
    let arguments = ["--arch", "gfx950", "--out", "site"];
    desk.publish("v", "whole", &[]).succeeded();
    let began = Instant::now();
    let full = ["--arch", "gfx950", "--out", "whole"];
    desk.index_gen(&full, &document).succeeded();
    let took = began.elapsed();
    let new = desk.tree("whole");
    for step in 1..12 {
        let mut child = desk.start(&arguments, &document);
        std::thread::sleep(took * step / 10);
        let _ = child.kill();
        let _ = child.wait();
        let now = desk.tree("site");
        assert!(now == old || now == new, "half a site after step {step}");
    }
    desk.index_gen(&arguments, &document).succeeded();
    assert!(desk.tree("site") == new);
    let left: Vec<_> = fs::read_dir(desk.path(".site.index-gen"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 3, "{left:?}");
}

#[test]
fn a_site_that_cannot_be_written_is_named() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    fs::write(desk.path("file"), "").unwrap();
    fs::create_dir(desk.path("mine")).unwrap();
    fs::write(desk.path("mine/thesis.tex"), "years").unwrap();
    for (out, cause) in [
        (
            "file/site",
            "Not a directory (os error 20); a file stands where a folder is needed: name another place",
        ),
        (
            "file",
            "holds something that is not a site of index-gen, and would be replaced; name a new folder",
        ),
        (
            "mine",
            "holds something that is not a site of index-gen, and would be replaced; name a new folder",
        ),
    ] {
        let ran = desk.publish("w", out, &[]);
        assert_eq!(ran.code, 2, "{out}");
        assert!(ran.stderr.trim_end().ends_with(cause), "{}", ran.stderr);
        assert_eq!(ran.stderr.lines().count(), 1);
    }
    assert_eq!(desk.read("mine/thesis.tex"), "years");
}

#[test]
fn a_wheel_that_cannot_be_read_leaves_the_site_as_it_was() {
    let desk = atom();
    let before = desk.tree("site");
    desk.stubs(&["one", "w", "cupy", "1.0"]);
    let document = desk.measured("w").to_string();
    let file = desk.path("w/cupy-1.0-py3-none-any.whl");
    let size = fs::metadata(&file).unwrap().len();
    fs::write(&file, vec![b'x'; usize::try_from(size).unwrap()]).unwrap();
    let ran = desk.index_gen(&["--arch", "gfx950", "--out", "site"], &document);
    assert_eq!(ran.code, 2, "{}", ran.stderr);
    assert_eq!(desk.tree("site"), before);
    assert!(!desk.path(".site.index-gen/next").exists());
}

#[test]
fn what_is_published_can_be_read_by_a_web_server() {
    let desk = atom();
    for file in [
        "site/index.html",
        "site/published.json",
        "site/data/wheels/gfx950/atom/index.html",
    ] {
        let mode = fs::metadata(desk.path(file)).unwrap().permissions().mode();
        assert_eq!(mode & 0o444, 0o444, "{file}");
    }
}
