//! The commands that install from an index, one per client: they are not the same.

use maud::{Markup, html};

use super::metapackage;
use crate::options::Options;
use crate::view::IndexView;

/// Stands for the site's address where nobody told it; the script puts in the one that the page has.
const UNKNOWN: &str = "https://THIS-SITE";

/// The command for pip and the one for uv.
pub(super) fn commands(view: &IndexView, options: &Options) -> Markup {
    let site = options.site_url.as_deref().unwrap_or(UNKNOWN);
    let index = in_shell(&format!("{site}/data/wheels/{}/", view.arch));
    let open = options.site_url.is_none();
    let Some(what) = requirement(view) else {
        return html! { p { "This index is empty." } };
    };
    let public = options.public_index.as_deref().map(in_shell);
    let public = public.as_deref();
    html! {
        div.install {
            (command("pip", &pip(&index, public, &what), &view.arch.to_string(), open))
            (command("uv", &uv(&index, public, &what), &view.arch.to_string(), open))
        }
        @if open {
            p.hint.without-script { "Put this page's address in place of " code { (UNKNOWN) } "." }
        }
    }
}

/// An address as one word of a shell command: people paste it. What a shell would read otherwise is quoted.
fn in_shell(address: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-._~:/%+,=@".contains(c);
    if address.chars().all(is_plain) {
        address.to_owned()
    } else {
        format!("'{}'", address.replace('\'', "%27"))
    }
}

/// What is installed: the metapackage with its extra, or, in an index without one, a wheel at its
/// exact version.
fn requirement(view: &IndexView) -> Option<String> {
    if let Some((project, extra)) = metapackage(view) {
        return Some(format!("{}[{extra}]", project.name));
    }
    let project = view.projects.first()?;
    Some(format!("{}=={}", project.name, project.version))
}

/// pip has no order of indexes: the exact pins decide, wherever ours is named. What else is needed
/// comes from the index that the user has configured, or from the one that is named.
fn pip(index: &str, public: Option<&str>, what: &str) -> Vec<String> {
    let mut lines = vec!["pip install".to_owned()];
    match public {
        None => lines.push(format!("--extra-index-url {index}")),
        Some(public) => {
            lines.push(format!("--index-url {index}"));
            lines.push(format!("--extra-index-url {public}"));
        }
    }
    lines.push(format!("\"{what}\""));
    lines
}

/// uv asks indexes in order and takes the first that has the name: `--index` is asked before the
/// default one, while each `--extra-index-url` would be asked before ours.
fn uv(index: &str, public: Option<&str>, what: &str) -> Vec<String> {
    let mut lines = vec!["uv pip install".to_owned(), format!("--index {index}")];
    if let Some(public) = public {
        lines.push(format!("--default-index {public}"));
    }
    lines.push(format!("\"{what}\""));
    lines
}

fn command(client: &str, lines: &[String], arch: &str, open: bool) -> Markup {
    html! {
        div.command {
            h3 { (client) }
            pre { code data-open[open] { (lines.join(" \\\n  ")) } }
            button.copy type="button" hidden aria-label={ "Copy the " (client) " command for " (arch) } { "Copy" }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &str = "https://me.example/data/wheels/gfx950/";
    const SET: &str = "rocm-torch[device-gfx950]";

    #[test]
    fn an_address_is_one_word_to_a_shell() {
        for (address, word) in [
            ("https://h:8080/a+b/%20~x", "https://h:8080/a+b/%20~x"),
            ("http://[::1]/x", "'http://[::1]/x'"),
            ("https://h/$(id);x&y", "'https://h/$(id);x&y'"),
            ("https://h/it's", "'https://h/it%27s'"),
        ] {
            assert_eq!(in_shell(address), word);
        }
    }

    #[test]
    fn the_short_form_leaves_everything_else_to_the_users_index() {
        assert_eq!(
            pip(OURS, None, SET).join(" "),
            format!("pip install --extra-index-url {OURS} \"{SET}\"")
        );
        assert_eq!(
            uv(OURS, None, SET).join(" "),
            format!("uv pip install --index {OURS} \"{SET}\"")
        );
    }

    #[test]
    fn the_long_form_names_the_public_index() {
        let public = Some("https://public.example/simple");
        assert_eq!(
            pip(OURS, public, SET).join(" "),
            format!(
                "pip install --index-url {OURS} --extra-index-url https://public.example/simple \"{SET}\""
            )
        );
        assert_eq!(
            uv(OURS, public, SET).join(" "),
            format!(
                "uv pip install --index {OURS} --default-index https://public.example/simple \"{SET}\""
            )
        );
    }
}
