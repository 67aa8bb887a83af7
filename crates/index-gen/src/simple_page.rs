//! The pages that pip and uv read: the simple repository API as HTML (PEP 503, 592, 629, 658, 714).
//!
//! Every `<a>` on a project page is a candidate to the clients, so there is one per file and no other.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::twin::{API_VERSION, File};

const STYLE: &str = "body{font:16px/1.6 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;\
    overflow-wrap:anywhere}:root{color-scheme:light dark}";

/// The page of one project.
pub(crate) fn project(name: &str, files: &[File]) -> String {
    page(
        &format!("Links for {name}"),
        &html! {
            @for file in files {
                a href={ (file.url) "#sha256=" (file.hashes.sha256) }
                    data-requires-python=[file.requires_python.as_deref()]
                    data-core-metadata={ "sha256=" (file.core_metadata.sha256) }
                    data-dist-info-metadata={ "sha256=" (file.core_metadata.sha256) }
                    data-yanked=[file.yanked.reason()] { (file.filename) }
                br;
                (PreEscaped("\n"))
            }
        },
    )
}

/// The list of projects.
pub(crate) fn list(arch: &str, names: &[&str]) -> String {
    page(
        &format!("Projects for {arch}"),
        &html! {
            @for name in names {
                a href={ (name) "/" } { (name) }
                br;
                (PreEscaped("\n"))
            }
        },
    )
}

fn page(title: &str, links: &Markup) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="pypi:repository-version" content=(API_VERSION);
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            (PreEscaped("\n"))
            body {
                h1 { (title) }
                (PreEscaped("\n"))
                (links)
            }
        }
        (PreEscaped("\n"))
    };
    page.into_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::facts::Facts;
    use crate::twin::{Hashes, Yanked};

    fn file(filename: &str) -> File {
        let hashes = |digit: &str| Hashes {
            sha256: digit.repeat(64),
        };
        File {
            filename: filename.to_owned(),
            url: "../x".to_owned(),
            hashes: hashes("a"),
            requires_python: None,
            size: 1,
            upload_time: None,
            yanked: Yanked::Flag(false),
            core_metadata: hashes("b"),
            dist_info_metadata: hashes("b"),
            facts: Facts::default(),
        }
    }

    #[test]
    fn what_a_wheel_says_cannot_become_markup() {
        let mut hostile = file("a\"><script>alert(1)</script>.whl");
        hostile.requires_python = Some(">=3.10,<3.14".to_owned());
        hostile.yanked = Yanked::Reason("bad \"build\" & <x>".to_owned());
        let page = project("a", &[hostile]);
        assert!(!page.contains("<script>"), "{page}");
        assert!(
            page.contains(r#" data-requires-python="&gt;=3.10,&lt;3.14""#),
            "{page}"
        );
        let yanked = r#" data-yanked="bad &quot;build&quot; &amp; &lt;x&gt;""#;
        assert!(page.contains(yanked), "{page}");
    }

    #[test]
    fn a_file_has_both_metadata_attributes_and_no_yank() {
        let page = project("a", &[file("a-1.whl")]);
        let link = format!(
            r#"<a href="../x#sha256={a}" data-core-metadata="sha256={b}" data-dist-info-metadata="sha256={b}">a-1.whl</a><br>"#,
            a = "a".repeat(64),
            b = "b".repeat(64),
        );
        assert!(page.contains(&link), "{page}");
    }
}
