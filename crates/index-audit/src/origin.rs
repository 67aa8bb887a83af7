//! Whether a file that a client chose is one of ours.

use crate::address::Address;
use crate::page::Link;
use crate::published::{Project, Published};
use crate::resolved::ResolvedFile;

/// Where a file came from, as far as our own page can tell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Address and sha256 are those of a link on our page.
    Ours(Place),
    /// Our address, other bytes: it was replaced under the same name.
    OtherBytes {
        /// The sha256 that our page promises.
        promised: String,
    },
    /// Our address, but one side gives no sha256, so that nothing is proved.
    NoHash,
    /// No link on our page leads there.
    Foreign,
}

/// Where a file of ours was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// At the very address of the link.
    Linked,
    /// On a server that serves the folder from which our index was read, below this address.
    Served(String),
}

/// Judges a file by the page of its project in our index.
pub(crate) fn origin(published: &Published, project: &Project, file: &ResolvedFile) -> Origin {
    let Ok(address) = Address::parse(&file.url) else {
        return Origin::Foreign;
    };
    let mut best = Origin::Foreign;
    for link in project.files.iter().map(|file| &file.link) {
        let Some(place) = same_file(published, link, &address) else {
            continue;
        };
        match (&link.sha256, &file.sha256) {
            (Some(promised), Some(found)) if promised == found => return Origin::Ours(place),
            (Some(promised), Some(_)) => {
                best = Origin::OtherBytes {
                    promised: promised.clone(),
                };
            }
            _ => best = Origin::NoHash,
        }
    }
    best
}

/// Where `address` is, when a link of our index leads to it.
///
/// Between two addresses on servers, or two on disk, only equality will do. A relative link on a page
/// that was read from disk has no address on a server: whoever serves the folder decides that. There
/// the file's path below the folder that holds the whole index has to be the end of the address; the
/// sha256 then says that the bytes are ours, and the caller sees to it that all came from one site.
fn same_file(published: &Published, link: &Link, address: &Address) -> Option<Place> {
    if link.address == *address {
        return Some(Place::Linked);
    }
    if published.folder.to_path().is_none() || address.to_path().is_some() || !link.is_relative {
        return None;
    }
    let tail = link.address.segments().get(published.depth..)?;
    let site = address.segments().strip_suffix(tail)?;
    let mut place = address.origin();
    for segment in site {
        place.push('/');
        place.push_str(segment);
    }
    Some(Place::Served(place))
}

#[cfg(test)]
mod tests {
    use wheel::ProjectName;

    use super::*;
    use crate::page;
    use crate::published::File;

    fn index(folder: &str, href: &str) -> Published {
        let folder = Address::parse(folder).unwrap();
        let page = folder.join("a/").unwrap();
        let html = format!("<a href='{href}#sha256={}'>x</a>", "ab".repeat(32));
        let link = page::links(&html, &page).unwrap().remove(0);
        let filename = link.address.filename().parse().unwrap();
        let depth = folder
            .segments()
            .iter()
            .zip(link.address.segments())
            .take_while(|(one, other)| one == other)
            .count();
        let project = Project {
            page,
            files: vec![File { filename, link }],
            strays: Vec::new(),
            missing: None,
        };
        Published {
            arch: "gfx950".parse().unwrap(),
            folder,
            projects: [(ProjectName::new("a").unwrap(), project)].into(),
            depth,
        }
    }

    fn judged(index: &Published, url: &str, sha256: Option<&str>) -> Origin {
        let file = ResolvedFile {
            url: url.to_owned(),
            sha256: sha256.map(|two| two.repeat(32)),
        };
        let project = &index.projects[&ProjectName::new("a").unwrap()];
        origin(index, project, &file)
    }

    const WHEEL: &str = "a-1%2Bx-py3-none-any.whl";

    #[test]
    fn on_a_server_only_the_exact_address_is_ours() {
        let ours = index(
            "https://h/s/data/wheels/gfx950/",
            &format!("../../../../assets/gfx950/{WHEEL}"),
        );
        for (url, expected) in [
            (
                format!("https://h/s/assets/gfx950/{WHEEL}"),
                Origin::Ours(Place::Linked),
            ),
            (
                "https://h/s/assets/gfx950/a-1+x-py3-none-any.whl".to_owned(),
                Origin::Ours(Place::Linked),
            ),
            (
                format!("https://evil/s/assets/gfx950/{WHEEL}"),
                Origin::Foreign,
            ),
            (
                format!("https://h/s/assets/gfx1201/{WHEEL}"),
                Origin::Foreign,
            ),
            (format!("https://h/assets/gfx950/{WHEEL}"), Origin::Foreign),
        ] {
            assert_eq!(judged(&ours, &url, Some("ab")), expected, "{url}");
        }
    }

    #[test]
    fn a_folder_on_disk_is_ours_wherever_it_is_served() {
        let ours = index(
            "file:///srv/site/data/wheels/gfx950/",
            &format!("../../../../assets/gfx950/{WHEEL}"),
        );
        let served = judged(
            &ours,
            &format!("http://h:1/x/assets/gfx950/{WHEEL}"),
            Some("ab"),
        );
        assert_eq!(
            served,
            Origin::Ours(Place::Served("http://h:1/x".to_owned()))
        );
        let on_disk = judged(
            &ours,
            &format!("file:///srv/site/assets/gfx950/{WHEEL}"),
            Some("ab"),
        );
        assert_eq!(on_disk, Origin::Ours(Place::Linked));
        for foreign in [
            format!("http://h:1/x/assets/gfx1201/{WHEEL}"),
            format!("file:///other/assets/gfx950/{WHEEL}"),
            format!("http://h:1/{WHEEL}"),
        ] {
            assert_eq!(
                judged(&ours, &foreign, Some("ab")),
                Origin::Foreign,
                "{foreign}"
            );
        }
    }

    #[test]
    fn an_absolute_link_on_disk_is_an_exact_address() {
        let ours = index("file:///srv/site/", &format!("https://h/r/{WHEEL}"));
        let url = format!("https://h/r/{WHEEL}");
        assert_eq!(judged(&ours, &url, Some("ab")), Origin::Ours(Place::Linked));
        let other = format!("https://mirror/r/{WHEEL}");
        assert_eq!(judged(&ours, &other, Some("ab")), Origin::Foreign);
    }

    #[test]
    fn other_bytes_and_no_hash_prove_nothing() {
        let ours = index("https://h/gfx950/", WHEEL);
        let url = format!("https://h/gfx950/a/{WHEEL}");
        assert_eq!(
            judged(&ours, &url, Some("cd")),
            Origin::OtherBytes {
                promised: "ab".repeat(32)
            }
        );
        assert_eq!(judged(&ours, &url, None), Origin::NoHash);
        assert_eq!(judged(&ours, "git+https://h/a", None), Origin::Foreign);
    }
}
