//! Input that cannot be judged: one line on stderr, exit 2, nothing on stdout.

use crate::stand::{Ran, Site, audit, ours, theirs};

fn line(ran: &Ran) -> &str {
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{ran:?}");
    let line = ran.stderr.strip_prefix("index-audit: ").unwrap().trim_end();
    assert!(!line.contains('\n'), "{line}");
    line
}

#[test]
fn a_report_that_is_none() {
    let site = Site::new(&ours(), &theirs());
    let index = site.path("data");
    let args = [
        "--index",
        index.to_str().unwrap(),
        "--arch",
        "gfx950",
        "--report",
        "-",
    ];
    let empty = br#"{"version": "1", "install": [], "environment": {}}"#;
    for (stdin, told) in [
        (&b""[..], "-: nothing came in, see the message above"),
        (b"<html>", "-: not a whole pylock.toml: "),
        (
            b"{\"version\": \"1\"",
            "-: not a whole report: EOF while parsing an object at line 1 column 15",
        ),
        (
            b"{\"schema\": \"wheel-set/1\"}",
            "-: not a whole report: missing field `version` at line 1 column 25",
        ),
        (
            b"{\"version\": \"2\", \"install\": []}",
            "-: an installation report of version `2`; this tool reads version 1",
        ),
        (
            empty,
            "-: it holds no distribution; resolve with --ignore-installed",
        ),
    ] {
        let ran = audit(&args, stdin, &[]);
        assert!(line(&ran).starts_with(told), "{}", ran.stderr);
    }
    let args = [
        "--index",
        index.to_str().unwrap(),
        "--arch",
        "gfx950",
        "--report",
        "/nowhere/r.json",
    ];
    assert_eq!(
        line(&audit(&args, b"", &[])),
        "/nowhere/r.json: No such file or directory (os error 2); check the path"
    );
    let args = [
        "--index",
        index.to_str().unwrap(),
        "--arch",
        "gfx950,gfx1201",
        "--report",
        "-",
    ];
    assert_eq!(
        line(&audit(&args, b"", &[])),
        "--report: a resolve is for one architecture; name one with --arch"
    );
}

#[test]
fn an_index_that_is_none() {
    let site = Site::new(&ours(), &theirs());
    let server = site.serve(&[]);
    let report = server.pip(&["atom"]);
    let judge = |index: &str, arch: &str| {
        audit(
            &["--index", index, "--arch", arch, "--report", "-"],
            &report,
            &[],
        )
    };
    assert_eq!(
        line(&judge("/nowhere", "gfx950")),
        "--index: /nowhere: No such file or directory (os error 2); check the path"
    );
    assert_eq!(
        line(&judge("ftp://host/data", "gfx950")),
        "--index: `ftp://host/data` is not an http, https or file address"
    );
    assert_eq!(
        server.anonymous(line(&judge(&server.url("data"), "gfx1201"))),
        "HERE/data/gfx1201/: the server answers 404 Not Found; --index names the folder that holds one folder per architecture"
    );
    std::fs::create_dir(site.path("data/gfx1151")).unwrap();
    std::fs::write(
        site.path("data/gfx1151/index.html"),
        "<html>under construction</html>",
    )
    .unwrap();
    assert_eq!(
        server.anonymous(line(&judge(&server.url("data"), "gfx1151"))),
        "HERE/data/gfx1151/: not a page of an index: it lists no project"
    );
    assert_eq!(
        line(&judge("https://me:secret@host/data", "gfx950")),
        "--index: an index is public; take name and password out of its address"
    );
}

#[test]
fn a_server_that_is_not_there() {
    let args = [
        "--index",
        "http://127.0.0.1:9/data",
        "--arch",
        "gfx950",
        "--deadline",
        "60",
    ];
    let ran = audit(&args, b"", &[]);
    assert_eq!(
        line(&ran),
        "http://127.0.0.1:9/data/gfx950/: io: Connection refused (os error 111); check the address, and that its server is up"
    );
}

#[test]
fn arguments_that_make_no_sense() {
    for (args, told) in [
        (&["--index", "x"][..], "--arch"),
        (
            &["--index", "x", "--arch", "GFX950"],
            "`GFX950` is not a GPU architecture",
        ),
        (
            &["--index", "x", "--arch", "gfx950", "--python", "3"],
            "`3` is not a minor release of Python like `3.14`",
        ),
        (
            &[
                "--index",
                "x",
                "--arch",
                "gfx950",
                "--report",
                "-",
                "--download",
            ],
            "cannot be used with",
        ),
        (
            &["--index", "x", "--arch", "gfx950", "--with", "conda"],
            "conda",
        ),
        (
            &[
                "--index",
                "x",
                "--arch",
                "gfx950",
                "--deadline",
                "18446744073709551615",
            ],
            "is not in 1..=604800",
        ),
    ] {
        let ran = audit(args, b"", &[]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        assert!(ran.stderr.contains(told), "{}", ran.stderr);
    }
}

#[test]
fn a_last_report_that_is_none() {
    let site = Site::new(&ours(), &theirs());
    let file = site.path("last.json");
    std::fs::write(&file, "{}").unwrap();
    let index = site.path("data");
    let (index, last) = (index.to_str().unwrap(), file.to_str().unwrap());
    let ran = audit(
        &["--index", index, "--arch", "gfx950", "--previous", last],
        b"",
        &[],
    );
    assert!(
        line(&ran).starts_with(&format!(
            "{last}: not a whole `index-audit/1` document: missing field "
        )),
        "{}",
        ran.stderr
    );
}

#[test]
fn a_file_without_end_does_not_fill_the_memory() {
    let index = Site::new(&ours(), &theirs());
    let index = index.path("data");
    for flag in ["--report", "--previous"] {
        let args = [
            "--index",
            index.to_str().unwrap(),
            "--arch",
            "gfx950",
            flag,
            "/dev/zero",
        ];
        assert_eq!(
            line(&audit(&args, b"", &[])),
            "/dev/zero: more than 64 MiB; give what the documentation names"
        );
    }
}
