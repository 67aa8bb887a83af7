//! Making the site: the same bytes are left alone, others are built beside and swapped in.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use pipe::Architecture;

use crate::admission::Admitted;
use crate::assets::{self, LIST, Published, sidecar};
use crate::landing;
use crate::ledger::Ledger;
use crate::pages::{Pages, index_folder, indexes};
use crate::sink::{Compare, Fill, Sink};
use crate::site::Site;
use crate::staging::Staging;
use crate::upload::write_assets;
use crate::view::IndexView;

/// Everything that goes into the site.
pub(crate) struct Publication<'a> {
    pub(crate) pages: Pages<'a>,
    /// The wheels and sidecars that the site has already.
    pub(crate) published: &'a Published,
    pub(crate) ledger: &'a Ledger,
}

impl Publication<'_> {
    /// Publishes. `staging` is there when wheels had to be read, and holds their sidecars; without it,
    /// a site that has all of this already is left alone.
    pub(crate) fn publish(&self, site: &mut Site, staging: Option<Staging>) -> anyhow::Result<()> {
        if staging.is_none() && site.is_published() && self.is_published(site.folder())? {
            return Ok(());
        }
        let staging = match staging {
            Some(staging) => staging,
            None => new_staging(site, self.arch())?,
        };
        if site.is_published() {
            let rewritten = [
                index_folder(self.arch()),
                assets::folder(self.arch()),
                PathBuf::from("index.html"),
                PathBuf::from("published.json"),
            ];
            staging.carry(&rewritten)?;
        }
        self.bring_assets(&staging)?;
        self.put_all(site.folder(), &mut Fill(&staging))?;
        site.swap(staging)
    }

    fn arch(&self) -> &Architecture {
        &self.pages.options.arch
    }

    /// Whether the site holds exactly these files.
    fn is_published(&self, site: &Path) -> anyhow::Result<bool> {
        let entries = fs::read_dir(site.join(index_folder(self.arch())));
        // Beside one folder for each project stand the list of projects and its twin.
        let projects = entries.map_or(0, Iterator::count);
        Ok(projects == self.pages.projects().len() + 2
            && self.has_assets()
            && self.put_all(site, &mut Compare(site))?)
    }

    /// Hands every page to the sink; false as soon as that wants no more.
    fn put_all(&self, old: &Path, sink: &mut dyn Sink) -> anyhow::Result<bool> {
        let Some(view) = self.pages.make(sink)? else {
            return Ok(false);
        };
        let list = assets::folder(self.arch()).join(LIST);
        let (options, admitted) = (self.pages.options, self.pages.admitted);
        if !sink.put(&list, &|out| write_assets(out, options, admitted))? {
            return Ok(false);
        }
        let page = landing::page(&self.views(old, view)?, options);
        Ok(sink.put(Path::new("index.html"), &|out| {
            out.write_all(page.as_bytes())
        })? && sink.put(Path::new("published.json"), &|out| self.ledger.write(out))?)
    }

    /// This index and those of other architectures, by name.
    fn views(&self, old: &Path, ours: IndexView) -> anyhow::Result<Vec<IndexView>> {
        let folder = old.join(indexes());
        let mut views = vec![];
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let name = entry
                .map_err(|error| pipe::failed(&folder, &error))?
                .file_name();
            match name.to_string_lossy().parse::<Architecture>() {
                Ok(arch) if arch != *self.arch() => views.push(IndexView::load(&folder, &arch)?),
                _ => {}
            }
        }
        views.push(ours);
        // `gfx950` before `gfx1201`, as a person counts.
        views.sort_by_key(|view| (view.arch.as_str().len(), view.arch.clone()));
        Ok(views)
    }

    /// Whether the wheels and sidecars in the site are those that belong there and no others. Sidecars
    /// of the set were looked at when its wheels were recalled, and what is kept when it was read.
    fn has_assets(&self) -> bool {
        let in_site = self.pages.options.location.is_in_site();
        let mut admitted = self.pages.admitted.iter();
        let mut count = admitted.len() * if in_site { 2 } else { 1 };
        let has = admitted.by_ref().filter(|_| in_site).all(|admitted| {
            let filename = &admitted.entrant.wheel.filename;
            self.published.has_wheel(filename, admitted.known)
        });
        for (_, file) in self.pages.kept.values().flatten() {
            count += if file.is_in_site() { 2 } else { 1 };
        }
        has && self.published.count_is(count)
    }

    fn bring_assets(&self, staging: &Staging) -> anyhow::Result<()> {
        let new = staging.folder(&assets::folder(self.arch()))?;
        let old = self.published.folder();
        let in_site = self.pages.options.location.is_in_site();
        let carry = |name: &str| old.map_or(Ok(()), |old| new.carry(old, Path::new(name)));
        for Admitted {
            entrant,
            known,
            fresh,
        } in self.pages.admitted
        {
            let wheel = &entrant.wheel;
            if !fresh {
                carry(&sidecar(&wheel.filename))?;
            }
            if in_site {
                if !fresh && self.published.has_wheel(&wheel.filename, known) {
                    carry(&wheel.filename)?;
                } else {
                    new.bring(Path::new(&wheel.path), &wheel.filename)?;
                }
            }
        }
        for (_, file) in self.pages.kept.values().flatten() {
            carry(&sidecar(&file.filename))?;
            if file.is_in_site() {
                carry(&file.filename)?;
            }
        }
        Ok(())
    }
}

/// A folder for the next site, with the folder that sidecars are written to.
pub(crate) fn new_staging(site: &Site, arch: &Architecture) -> anyhow::Result<Staging> {
    let staging = site.stage()?;
    staging.make_dir(&assets::folder(arch))?;
    Ok(staging)
}
