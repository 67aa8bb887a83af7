//! pip and uv as judges: the site served on loopback, a stand-in for the public index beside it.

use std::fs;
use std::process::Command;

use serde_json::Value;

use crate::desk::{Desk, Ran, Server, oracle};

/// A desk with the site of the seed wheels and a stand-in for the public index, both served.
struct Shop {
    desk: Desk,
    ours: Server,
    public: Server,
}

impl Shop {
    /// `any` makes wheels that every Python installs; otherwise they are for cp314 on Linux.
    fn open(any: bool) -> Self {
        let desk = Desk::new();
        desk.stubs(if any {
            &["seeds", "w", "--any"]
        } else {
            &["seeds", "w"]
        });
        desk.publish("w", "site", &[]).succeeded();
        desk.stubs(&["upstream", "u"]);
        desk.stubs(&["index", "u", "public"]);
        let (ours, public) = (desk.serve("site"), desk.serve("public"));
        Self { desk, ours, public }
    }

    fn index(&self) -> String {
        format!("{}/data/wheels/gfx950/", self.ours.url)
    }

    /// An environment without packages, and its interpreter.
    fn environment(&self, name: &str) -> String {
        let arguments = ["-m", "venv", "--without-pip", name];
        let made = self
            .desk
            .command(&oracle("python"))
            .args(arguments)
            .output()
            .unwrap();
        assert!(made.status.success());
        format!("{name}/bin/python")
    }

    fn pip(&self) -> Command {
        let mut pip = self.desk.command(&oracle("pip"));
        pip.env("PIP_INDEX_URL", &self.public.url);
        pip
    }

    fn uv(&self) -> Command {
        let mut uv = self.desk.command(&oracle("uv"));
        uv.env("UV_DEFAULT_INDEX", &self.public.url);
        uv
    }

    /// Every request for a wheel of ours; the files beside them do not count.
    fn wheels_fetched(&self) -> Vec<String> {
        let mut requests = self.ours.requests();
        requests.retain(|request| {
            request.starts_with("GET") && request.rsplit('.').next() == Some("whl")
        });
        requests
    }
}

fn run(command: &mut Command) -> Ran {
    command.output().unwrap().into()
}

/// The command of one client, as a person copies it from the landing page.
fn copied(page: &str, client: &str) -> Vec<String> {
    let start = format!(">{client} ");
    let text = page.split(&start).nth(1).unwrap();
    let text = text.split("</code>").next().unwrap();
    let text = text.replace("&quot;", "\"").replace("\\\n", " ");
    text.split_whitespace()
        .map(|word| word.trim_matches('"').to_owned())
        .collect()
}

/// What pip's report says where each distribution came from.
fn report(ran: &Ran) -> Vec<(String, String)> {
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let installed = report["install"].as_array().unwrap().iter();
    installed
        .map(|item| {
            (
                text(&item["metadata"]["name"]),
                text(&item["download_info"]["url"]),
            )
        })
        .collect()
}

#[test]
fn the_commands_on_the_page_install_the_set_with_pip_and_with_uv() {
    let shop = Shop::open(true);
    let site = shop.ours.url.clone();
    shop.desk
        .publish("w", "site", &["--site-url", &site])
        .succeeded();
    let page = shop.desk.read("site/index.html");
    for client in ["pip", "uv"] {
        let python = shop.environment(client);
        let words = copied(&page, client);
        let mut command = if client == "pip" {
            shop.pip()
        } else {
            shop.uv()
        };
        if client == "pip" {
            command.args(["--python", &python]).args(&words);
        } else {
            command.args(&words).args(["--python", &python]);
        }
        run(&mut command).succeeded();
        let listed = run(shop.uv().args(["pip", "freeze", "--python", &python])).succeeded();
        let ours = listed
            .stdout
            .lines()
            .filter(|line| line.contains("rocm10"))
            .count();
        assert_eq!(ours, 10, "{}", listed.stdout);
        for pin in [
            "torch==2.15.0a0+git31a77fc.rocm10.1.0",
            "nixl==1.5.2+rocm10.1.0",
            "numpy==2.4.0",
        ] {
            assert!(
                listed.stdout.lines().any(|line| line == pin),
                "{}",
                listed.stdout
            );
        }
        assert!(!listed.stdout.contains("cu12"), "{}", listed.stdout);
    }
}

#[test]
fn a6_pip_takes_the_whole_set_from_our_index() {
    let shop = Shop::open(true);
    // In pip the order of the two indexes does not matter: the exact pins decide.
    for (first, second) in [
        (shop.index(), shop.public.url.clone()),
        (shop.public.url.clone(), shop.index()),
    ] {
        let arguments = [
            "install",
            "--dry-run",
            "--ignore-installed",
            "-q",
            "--report",
            "-",
        ];
        let ran = run(shop.pip().args(arguments).args([
            "--index-url",
            &first,
            "--extra-index-url",
            &second,
            "rocm-torch[device-gfx950]",
        ]))
        .succeeded();
        let mut foreign: Vec<_> = report(&ran)
            .into_iter()
            .filter(|(_, url)| !url.starts_with(&shop.ours.url))
            .map(|(name, _)| name)
            .collect();
        foreign.sort();
        // `triton_kernels` has no mark, and an upstream of the same version ties with it.
        assert!(
            foreign == ["numpy"] || foreign == ["numpy", "triton_kernels"],
            "{foreign:?}"
        );
    }
}

#[test]
fn a8_uv_takes_the_set_for_another_python_from_our_index() {
    let shop = Shop::open(false);
    let resolve = |order: &[&str]| {
        fs::write(shop.desk.path("in.txt"), "rocm-torch[device-gfx950]\n").unwrap();
        run(shop
            .desk
            .command(&oracle("uv"))
            .args(["pip", "compile", "in.txt", "--format", "pylock.toml", "-q"])
            .args([
                "--python-version",
                "3.14",
                "--python-platform",
                "x86_64-manylinux_2_39",
            ])
            .args(["--only-binary", ":all:", "--python"])
            .arg(oracle("python"))
            .args(order))
    };
    let (ours, public) = (shop.index(), shop.public.url.as_str());
    let lock = resolve(&["--index", &ours, "--default-index", public])
        .succeeded()
        .stdout;
    // Every wheel of the set, and numpy.
    let urls: Vec<&str> = lock
        .split("url = \"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .collect();
    let foreign: Vec<&&str> = urls
        .iter()
        .filter(|url| !url.starts_with(&shop.ours.url))
        .collect();
    assert_eq!(urls.len(), 13, "{lock}");
    assert!(
        matches!(foreign[..], [url] if url.contains("numpy")),
        "{foreign:?}"
    );
    // The order that pip would not mind is the one that uv cannot resolve; the page does not print it.
    assert_ne!(
        resolve(&["--index-url", &ours, "--extra-index-url", public]).code,
        0
    );
    assert!(
        !copied(&shop.desk.read("site/index.html"), "uv").contains(&"--extra-index-url".to_owned())
    );
}

#[test]
fn a_dry_run_fetches_metadata_and_no_wheel() {
    let shop = Shop::open(true);
    let what = "rocm-torch[device-gfx950]";
    let arguments = [
        "install",
        "--dry-run",
        "--ignore-installed",
        "-q",
        "--extra-index-url",
    ];
    run(shop.pip().args(arguments).args([&shop.index(), what])).succeeded();
    let metadata = |requests: &[String]| {
        requests
            .iter()
            .filter(|r| r.ends_with(".whl.metadata"))
            .count()
    };
    assert!(metadata(&shop.ours.requests()) >= 11);
    let python = shop.environment("env");
    let arguments = [
        "pip",
        "install",
        "--dry-run",
        "--python",
        &python,
        "--index",
    ];
    run(shop.uv().args(arguments).args([&shop.index(), what])).succeeded();
    assert!(metadata(&shop.ours.requests()) >= 23);
    assert_eq!(shop.wheels_fetched(), Vec::<String>::new());
}

#[test]
fn bytes_that_do_not_match_the_page_are_refused_by_both() {
    let shop = Shop::open(true);
    let file = "atom-0.1.9+rocm10.1.0-py3-none-any.whl";
    let served = shop.desk.path(&format!("site/assets/gfx950/{file}"));
    let mut bytes = fs::read(&served).unwrap();
    bytes.push(0);
    fs::remove_file(&served).unwrap();
    fs::write(&served, bytes).unwrap();
    let python = shop.environment("env");
    let pip = run(shop.pip().args([
        "--python",
        &python,
        "install",
        "--index-url",
        &shop.index(),
        "atom",
    ]));
    assert_eq!(pip.code, 1);
    assert!(pip.stderr.contains("Expected sha256"), "{}", pip.stderr);
    let uv = run(shop.uv().args([
        "pip",
        "install",
        "--python",
        &python,
        "--index",
        &shop.index(),
        "atom",
    ]));
    assert_eq!(uv.code, 1);
    assert!(uv.stderr.contains("Hash mismatch"), "{}", uv.stderr);
}

#[test]
fn a_yanked_release_is_taken_by_its_pin_only() {
    let shop = Shop::open(true);
    fs::write(
        shop.desk.path("yanks.toml"),
        "\"cupy==14.2.0+rocm10.1.0\" = \"wrong kernels\"\n",
    )
    .unwrap();
    shop.desk
        .publish("w", "site", &["--yanked", "yanks.toml"])
        .succeeded();
    let python = shop.environment("env");
    let pip = |what: &str| {
        let arguments = [
            "--python",
            &python,
            "install",
            "--dry-run",
            "--no-deps",
            "--index-url",
        ];
        run(shop.pip().args(arguments).args([&shop.index(), what]))
    };
    let uv = |what: &str| {
        let arguments = [
            "pip",
            "install",
            "--dry-run",
            "--no-deps",
            "--python",
            &python,
            "--default-index",
        ];
        run(shop.uv().args(arguments).args([&shop.index(), what]))
    };
    for client in [&pip as &dyn Fn(&str) -> Ran, &uv] {
        assert_ne!(client("cupy").code, 0);
        let pinned = client("cupy==14.2.0+rocm10.1.0").succeeded();
        let said = format!("{}{}", pinned.stdout, pinned.stderr);
        assert!(said.contains("wrong kernels"), "{said}");
    }
}

#[test]
fn a_python_that_is_too_old_is_told_by_the_page_alone() {
    let shop = Shop::open(true);
    shop.desk
        .stubs(&["one", "w", "modern", "1.0", "--py", ">=3.99"]);
    shop.desk.publish("w", "site", &[]).succeeded();
    let python = shop.environment("env");
    let arguments = ["--python", &python, "install", "--dry-run", "--index-url"];
    let pip = run(shop.pip().args(arguments).args([&shop.index(), "modern"]));
    assert_eq!(pip.code, 1);
    assert!(
        pip.stderr.contains("Requires-Python >=3.99"),
        "{}",
        pip.stderr
    );
    let arguments = [
        "pip",
        "install",
        "--dry-run",
        "--python",
        &python,
        "--index",
    ];
    let uv = run(shop.uv().args(arguments).args([&shop.index(), "modern"]));
    assert_eq!(uv.code, 1);
    assert_eq!(shop.wheels_fetched(), Vec::<String>::new());
}

#[test]
fn a_page_does_for_find_links_and_the_site_does_from_disk() {
    let desk = Desk::new();
    desk.stubs(&["seeds", "w", "--any"]);
    desk.publish("w", "site", &[]).succeeded();
    let server = desk.serve("site");
    let on_disk = format!("file://{}", desk.path("site").display());
    let page = "data/wheels/gfx950/atom/index.html";
    for (folder, place) in [
        (
            "a",
            [
                "--no-index",
                "--find-links",
                &format!("{}/{page}", server.url),
            ],
        ),
        (
            "b",
            [
                "--no-index",
                "--find-links",
                &desk.path("site").join(page).display().to_string(),
            ],
        ),
        (
            "c",
            [
                "--no-cache-dir",
                "--index-url",
                &format!("{on_disk}/data/wheels/gfx950/"),
            ],
        ),
    ] {
        let arguments = ["download", "-q", "--no-deps", "-d", folder];
        run(desk
            .command(&oracle("pip"))
            .args(arguments)
            .args(place)
            .arg("atom"))
        .succeeded();
        assert!(
            desk.path(folder)
                .join("atom-0.1.9+rocm10.1.0-py3-none-any.whl")
                .exists()
        );
    }
}

#[test]
fn both_clients_resolve_from_the_twins_alone() {
    let shop = Shop::open(true);
    let twins = shop.desk.serve_twins("site");
    let index = format!("{}/data/wheels/gfx950/", twins.url);
    for page in shop
        .desk
        .tree("site")
        .into_keys()
        .filter(|page| page.rsplit('/').next() == Some("index.html"))
    {
        fs::remove_file(shop.desk.path("site").join(page)).unwrap();
    }
    let what = "rocm-torch[device-gfx950]";
    let arguments = [
        "install",
        "--dry-run",
        "--ignore-installed",
        "-q",
        "--report",
        "-",
        "--extra-index-url",
    ];
    let ran = run(shop.pip().args(arguments).args([&index, what])).succeeded();
    assert_eq!(report(&ran).len(), 13);
    let python = shop.environment("env");
    let arguments = ["pip", "install", "--python", &python, "--index"];
    run(shop.uv().args(arguments).args([&index, what])).succeeded();
}
