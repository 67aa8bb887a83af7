//! The landing page: for the person who chooses a GPU, copies a command, and wants to know what it brings.
//!
//! It loads nothing from elsewhere and says everything without JavaScript; the script adds the filter
//! and the copy buttons.

mod install;
mod table;

use std::collections::BTreeSet;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use wheel::WheelFilename;

use crate::cards::cards;
use crate::options::Options;
use crate::reading::Reading;
use crate::size::human;
use crate::view::{IndexView, ProjectView};

const STYLE: &str = include_str!("style.css");
const SCRIPT: &str = include_str!("script.js");

/// The whole page.
pub(crate) fn page(views: &[IndexView], options: &Options) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { "ROCm wheels" }
                meta name="description" content="Python wheels for AMD GPUs, one pip index per GPU architecture.";
                link rel="icon" href="data:,";
                style { (PreEscaped(STYLE)) }
            }
            body {
                a.skip href="#indexes" { "Skip to the indexes" }
                header.top {
                    h1 { "ROCm wheels" }
                    p.lead {
                        "One pip index for each GPU architecture. Every index is a set that was built together: \
                         choose your card, copy the command."
                    }
                    (choice(views))
                }
                main #indexes {
                    div.filter #filter hidden {
                        label for="query" { "Filter wheels" }
                        input #query type="search" autocomplete="off" spellcheck="false"
                            placeholder="torch, gfx942, manylinux…";
                        output #matches for="query" {}
                    }
                    @for view in views { (index(view, options)) }
                }
                (reading_help())
                script { (PreEscaped(SCRIPT)) }
            }
        }
        (PreEscaped("\n"))
    };
    page.into_string()
}

fn choice(views: &[IndexView]) -> Markup {
    html! {
        nav aria-label="GPU architectures" {
            ul.choice {
                @for view in views {
                    li {
                        a href={ "#" (view.arch) } {
                            strong { (view.arch) }
                            @if let Some(cards) = cards(&view.arch) { span { (cards) } }
                        }
                    }
                }
            }
        }
    }
}

fn index(view: &IndexView, options: &Options) -> Markup {
    let arch = view.arch.as_str();
    html! {
        section.index id=(arch) aria-labelledby={ (arch) "-title" } {
            div.title {
                h2 id={ (arch) "-title" } { (arch) }
                @if let Some(cards) = cards(&view.arch) { p.cards { (cards) } }
            }
            p.facts {
                @for fact in facts(view) { span { (fact) } }
                a href={ "data/wheels/" (arch) "/" } { "Plain index" }
            }
            (install::commands(view, options))
            @if !view.notes.is_empty() {
                div.notes role="note" aria-label={ "Notes on " (arch) } {
                    ul { @for note in &view.notes { li { (with_code(note)) } } }
                }
            }
            (table::wheels(view))
        }
    }
}

/// What the whole index is, in a few words.
fn facts(view: &IndexView) -> Vec<String> {
    let mut facts = Vec::new();
    if let Some(rocm) =
        metapackage(view).and_then(|(project, _)| Reading::of(&project.version).rocm)
    {
        facts.push(format!("ROCm {rocm}"));
    }
    facts.extend(pythons(view));
    facts.push(match view.wheels {
        1 => "1 wheel".to_owned(),
        wheels => format!("{wheels} wheels"),
    });
    facts.push(human(view.bytes));
    facts
}

/// A note as it stands on stderr; what is quoted there is set as code.
fn with_code(note: &str) -> Markup {
    html! {
        @for (i, part) in note.split('`').enumerate() {
            @if i % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// The interpreters that wheels of the index are for: `CPython 3.14`.
fn pythons(view: &IndexView) -> Vec<String> {
    let files = view.projects.iter().flat_map(|project| &project.files);
    let names = files.filter_map(|file| file.filename.parse::<WheelFilename>().ok());
    let tags: BTreeSet<String> = names.flat_map(|name| name.python).collect();
    let minor = |tag: &str| {
        tag.strip_prefix("cp3")
            .and_then(|minor| minor.parse::<u64>().ok())
    };
    let minors: BTreeSet<u64> = tags.iter().filter_map(|tag| minor(tag)).collect();
    minors
        .into_iter()
        .map(|minor| format!("CPython 3.{minor}"))
        .collect()
}

/// The project that installs the whole set, with its extra.
fn metapackage(view: &IndexView) -> Option<(&ProjectView, &str)> {
    view.projects.iter().find_map(|project| {
        let installs = project
            .files
            .iter()
            .find_map(|file| file.facts.installs.as_deref())?;
        Some((project, installs))
    })
}

fn reading_help() -> Markup {
    html! {
        footer {
            h2 { "Reading this page" }
            dl {
                dt { "Version" }
                dd {
                    "What upstream released, then the commit it was built from and the ROCm it was built for. \
                     The part behind " code { "+" } " is what keeps these wheels apart from others of the same \
                     name: no upstream release can match it."
                }
                dt { "Platform" }
                dd {
                    code { "manylinux_X_Y" } " loads on every Linux with glibc X.Y or newer; that was measured from the \
                     compiled code. " code { "linux_x86_64" } " makes no such promise: use the system it was built for."
                }
                dt { "GPU" }
                dd {
                    "The architectures that the wheel holds code for, read from its bytes. No file name says so, \
                     and wheels for two cards may have the same name: install from the index, not by hand."
                }
            }
        }
    }
}
