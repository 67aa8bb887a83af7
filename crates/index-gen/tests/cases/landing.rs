//! The landing page in a real browser, on a desk, on a phone, in the dark, by keyboard and without JavaScript.

use std::path::Path;

use serde_json::{Value, json};

use crate::desk::{Desk, Ran, root};

/// What the browser saw of a site's landing page.
fn look(desk: &Desk, site: &str) -> Value {
    let modules = root().join("build/browser/node_modules");
    assert!(
        modules.exists() && Path::new("/usr/bin/chromium").exists(),
        "no browser to look with: run `tests/browser/setup.sh` first"
    );
    let server = desk.serve(site);
    let script = root().join("tests/browser/look.mjs");
    let mut node = desk.command(Path::new("node"));
    let ran: Ran = node
        .arg(script)
        .arg(format!("{}/", server.url))
        .output()
        .unwrap()
        .into();
    serde_json::from_str(&ran.succeeded().stdout).unwrap()
}

/// Two architectures, with a bit of everything that a page can show.
fn shop() -> Desk {
    let desk = Desk::new();
    desk.stubs(&["seeds", "w"]);
    desk.stubs(&["one", "w", "capped", "1.0", "--py", ">=3.10,<3.14"]);
    for arch in ["gfx950", "gfx1201"] {
        let mut set = desk.measured("w");
        // The metapackage is that of gfx950; the other index has none.
        let wheels = set["wheels"].as_array_mut().unwrap();
        wheels.retain(|wheel| arch == "gfx950" || wheel["name"] != json!("rocm-torch"));
        for wheel in set["wheels"].as_array_mut().unwrap() {
            measure(wheel, arch);
        }
        let arguments = ["--arch", arch, "--out", "site", "--yanked", "yanks.toml"];
        std::fs::write(
            desk.path("yanks.toml"),
            "\"atom==0.1.9+rocm10.1.0\" = \"wrong kernels\"\n",
        )
        .unwrap();
        desk.index_gen(&arguments, &set.to_string()).succeeded();
    }
    desk
}

fn measure(wheel: &mut Value, arch: &str) {
    let name = wheel["name"].as_str().unwrap().to_owned();
    if ["torch", "cupy", "amd-aiter"].contains(&name.as_str()) {
        let targets = json!(["gfx90a", arch, "gfx1100"]);
        wheel["device"] =
            json!({"kind": "code", "targets": targets, "common": targets, "members": []});
    }
    if ["torch", "cupy"].contains(&name.as_str()) {
        wheel["platform"]["libc"] = json!("glibc");
        wheel["platform"]["required"] =
            json!({"GLIBC": if name == "torch" { "2.43" } else { "2.38" }});
        wheel["origin"] = json!({"filename": "x", "version": "1.0", "tags": ["cp314-cp314-manylinux2014_x86_64"],
            "sha256": ""});
    }
}

#[test]
fn people_can_use_the_page_whatever_they_see_it_with() {
    let desk = shop();
    let seen = look(&desk, "site");
    for nothing in ["errors", "elsewhere", "dialogs"] {
        assert_eq!(seen[nothing], json!([]), "{nothing}");
    }
    // Accessibility, as axe-core judges it, with everything unfolded.
    assert_eq!(
        seen["violations"],
        json!({"desk": [], "dark": [], "phone": []})
    );
    // Nothing has to be scrolled sideways.
    assert_eq!(seen["overflow"], json!({"desk": 0, "dark": 0, "phone": 0}));
    assert_eq!(seen["commands"].as_array().unwrap().len(), 4);
    assert_eq!(seen["copied"], seen["commands"]);

    assert_eq!(seen["rows"], json!(25));
    // Every word is looked for, in any case: `torchvision`, once for each architecture.
    assert_eq!(
        seen["filtered"],
        json!({"rows": 2, "said": "2 of 25 wheels"})
    );
    assert_eq!(seen["nothing"], json!({"rows": 0, "indexes": 0}));
    assert_eq!(seen["unfiltered"], json!(25));
    assert_eq!(
        seen["plain"],
        json!({"rows": 25, "commands": 4, "buttons": 0, "filter": 0})
    );

    let stops = seen["keyboard"].as_array().unwrap();
    assert_eq!(stops[0]["text"], json!("Skip to the indexes"));
    for stop in stops {
        assert_eq!(
            stop["shown"],
            json!(true),
            "the focus is not seen on {stop}"
        );
        assert_ne!(stop["text"], json!(""), "{stop} has no name");
        if stop["what"] == json!("summary") {
            assert_eq!(stop["opened"], json!(true));
        }
    }
    let buttons = stops
        .iter()
        .filter(|stop| stop["what"] == json!("button"))
        .count();
    assert_eq!(buttons, 4);
}

#[test]
fn the_page_puts_its_own_address_into_commands_that_have_none() {
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0"]);
    desk.publish("w", "site", &[]).succeeded();
    let seen = look(&desk, "site");
    let command = seen["commands"][0].as_str().unwrap();
    assert!(
        command.contains("--extra-index-url http://127.0.0.1:"),
        "{command}"
    );
    assert!(command.ends_with("\"atom==1.0\""), "{command}");
    assert!(
        desk.read("site/index.html")
            .contains("https://THIS-SITE/data/wheels/gfx950/")
    );
}

#[test]
fn nothing_that_a_wheel_says_becomes_markup_or_script() {
    let evil = "\"'><img src=x onerror='injected=1'><script>injected=1;alert(1)</script>";
    let desk = Desk::new();
    desk.stubs(&["one", "w", "atom", "1.0", "--py", &format!(">=3 {evil}")]);
    let mut set = desk.measured("w");
    let wheel = &mut set["wheels"][0];
    let targets = json!(["gfx950", evil, "gfx90a", "gfx942", "gfx1100"]);
    wheel["device"] = json!({"kind": "code", "targets": targets, "common": [evil], "members": [
        {"member": evil, "carrier": evil, "bundles": 1, "targets": [evil]}]});
    wheel["platform"] = json!({"tag": "linux_x86_64", "symbols_tag": "manylinux_2_17_x86_64", "machine": "x86_64",
        "libc": "glibc", "required": {"GLIBC": evil}, "external": [{"library": evil, "needed_by": [evil]}],
        "excluded": [], "findings": []});
    wheel["origin"] = json!({"filename": evil, "version": evil, "tags": [evil], "sha256": evil});
    std::fs::write(
        desk.path("yanks.toml"),
        format!("\"atom==1.0\" = {}\n", json!(evil)),
    )
    .unwrap();
    let arguments = [
        "--arch",
        "gfx950",
        "--out",
        "site",
        "--yanked",
        "yanks.toml",
    ];
    desk.index_gen(&arguments, &set.to_string()).succeeded();
    // And once more, drawn from the twins.
    desk.index_gen(
        &["--arch", "gfx1201", "--out", "site"],
        &desk.measured("w").to_string(),
    )
    .succeeded();
    let seen = look(&desk, "site");
    assert_eq!(seen["injected"], json!([null, 0]));
    for nothing in ["errors", "elsewhere", "dialogs"] {
        assert_eq!(seen[nothing], json!([]), "{nothing}");
    }
    assert_eq!(seen["overflow"], json!({"desk": 0, "dark": 0, "phone": 0}));
    assert_eq!(
        seen["violations"],
        json!({"desk": [], "dark": [], "phone": []})
    );
}
