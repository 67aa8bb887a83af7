//! Making the site: the same bytes are left alone, others are built beside and swapped in.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use pipe::Architecture;

use crate::admission::{Admitted, assets, is_carried, sidecar};
use crate::landing;
use crate::ledger::Ledger;
use crate::pages::{Pages, Put, index_folder, indexes};
use crate::site::Site;
use crate::staging::Staging;
use crate::upload::assets_json;
use crate::view::IndexView;

/// Everything that goes into the site.
pub(crate) struct Publication<'a> {
    pub(crate) pages: Pages<'a>,
    pub(crate) ledger: &'a Ledger,
}

impl Publication<'_> {
    /// Publishes. `staging` is there when wheels had to be read, and holds their sidecars; without it,
    /// a site that has all of this already is left alone. Says whether the site changed.
    pub(crate) fn publish(
        &self,
        site: &mut Site,
        staging: Option<Staging>,
    ) -> anyhow::Result<bool> {
        if staging.is_none() && site.is_published() && self.is_published(site)? {
            return Ok(false);
        }
        let staging = match staging {
            Some(staging) => staging,
            None => new_staging(site, self.arch())?,
        };
        self.fill(site, &staging)?;
        site.swap(staging)?;
        Ok(true)
    }

    fn arch(&self) -> &Architecture {
        &self.pages.options.arch
    }

    /// Whether the site holds exactly these files.
    fn is_published(&self, site: &Site) -> anyhow::Result<bool> {
        if !self.has_assets(site) {
            return Ok(false);
        }
        let folder = site.folder();
        let projects =
            fs::read_dir(folder.join(index_folder(self.arch()))).map_or(0, Iterator::count);
        if projects != self.pages.projects().len() + 2 {
            return Ok(false);
        }
        self.put_all(folder, &mut |of, bytes| {
            Ok(fs::read(folder.join(of)).is_ok_and(|there| there == bytes))
        })
    }

    fn fill(&self, site: &Site, staging: &Staging) -> anyhow::Result<()> {
        if site.is_published() {
            let rewritten = [
                index_folder(self.arch()),
                assets(self.arch()),
                PathBuf::from("index.html"),
                PathBuf::from("published.json"),
            ];
            staging.carry(site.folder(), &rewritten)?;
        }
        self.bring_assets(site, staging)?;
        self.put_all(site.folder(), &mut |of, bytes| {
            if let Some(folder) = of.parent() {
                staging.make_dir(folder)?;
            }
            staging.write(of, bytes)?;
            Ok(true)
        })?;
        Ok(())
    }

    /// Hands every page to `put`; false as soon as that says to stop.
    fn put_all(&self, old: &Path, put: &mut Put) -> anyhow::Result<bool> {
        let Some(view) = self.pages.make(put)? else {
            return Ok(false);
        };
        let upload = assets_json(self.pages.options, self.pages.admitted)?;
        if !put(&assets(self.arch()).join("assets.json"), &upload)? {
            return Ok(false);
        }
        drop(upload);
        let views = self.views(old, view)?;
        let page = landing::page(&views, self.pages.options);
        Ok(put(Path::new("index.html"), page.as_bytes())?
            && put(Path::new("published.json"), &self.ledger.to_json()?)?)
    }

    /// This index and those of other architectures, by name.
    fn views(&self, old: &Path, ours: IndexView) -> anyhow::Result<Vec<IndexView>> {
        let folder = old.join(indexes());
        let mut views = vec![];
        for entry in fs::read_dir(&folder).into_iter().flatten() {
            let name = entry
                .with_context(|| folder.display().to_string())?
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

    /// Every file in the folder of assets but the list of them, with its size.
    fn expected_assets(&self) -> BTreeMap<String, Option<u64>> {
        let in_site = self.pages.options.location.is_in_site();
        let mut expected = BTreeMap::new();
        for Admitted { entrant, known, .. } in self.pages.admitted {
            let wheel = &entrant.wheel;
            expected.insert(sidecar(&wheel.filename), Some(known.told.metadata_size));
            if in_site {
                expected.insert(wheel.filename.clone(), Some(wheel.size));
            }
        }
        for (_, file) in self.pages.kept.values().flatten() {
            expected.insert(sidecar(&file.filename), None);
            if file.url.starts_with("../") {
                expected.insert(file.filename.clone(), Some(file.size));
            }
        }
        expected
    }

    fn has_assets(&self, site: &Site) -> bool {
        let expected = self.expected_assets();
        let Ok(entries) = fs::read_dir(site.folder().join(assets(self.arch()))) else {
            return false;
        };
        let mut found = 0;
        for entry in entries {
            let Ok(entry) = entry else { return false };
            let name = entry.file_name();
            if name == "assets.json" {
                continue;
            }
            found += 1;
            let bytes = entry.metadata().map(|there| there.len()).ok();
            match name.to_str().and_then(|name| expected.get(name)) {
                Some(None) => {}
                Some(wanted) if *wanted == bytes => {}
                _ => return false,
            }
        }
        found == expected.len()
    }

    fn bring_assets(&self, site: &Site, staging: &Staging) -> anyhow::Result<()> {
        let folder = assets(self.arch());
        let old = site.folder().join(&folder);
        let in_site = self.pages.options.location.is_in_site();
        for Admitted {
            entrant,
            known,
            fresh,
        } in self.pages.admitted
        {
            let wheel = &entrant.wheel;
            if !fresh {
                let sidecar = sidecar(&wheel.filename);
                staging.bring(&old.join(&sidecar), &folder.join(&sidecar))?;
            }
            if in_site {
                let carried = !fresh && is_carried(&old, &wheel.filename, known);
                let from = if carried {
                    old.join(&wheel.filename)
                } else {
                    PathBuf::from(&wheel.path)
                };
                staging.bring(&from, &folder.join(&wheel.filename))?;
            }
        }
        for (_, file) in self.pages.kept.values().flatten() {
            let sidecar = sidecar(&file.filename);
            staging.bring(&old.join(&sidecar), &folder.join(&sidecar))?;
            if file.url.starts_with("../") {
                staging.bring(&old.join(&file.filename), &folder.join(&file.filename))?;
            }
        }
        Ok(())
    }
}

/// A folder for the next site, with the folder that sidecars are written to.
pub(crate) fn new_staging(site: &Site, arch: &Architecture) -> anyhow::Result<Staging> {
    let staging = site.stage()?;
    staging.make_dir(&assets(arch))?;
    Ok(staging)
}
