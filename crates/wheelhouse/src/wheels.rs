//! The wheels of one image: its layers put on one another, what is missing fetched, and names given at the end.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use wheel::{WheelFilename, WheelFilenameError};

use crate::digest::Digest;
use crate::image::{Image, Layer};
use crate::layer::{Contents, FetchError, MOST, StagedWheel, WheelEntry, fetch};
use crate::registry::Registry;
use crate::store::{Store, StoreError};

/// A wheel that has its name, and where it came from.
#[derive(Debug, Clone)]
pub(crate) struct Pulled {
    /// Its file name as it stands there.
    pub(crate) name: String,
    /// The same, understood.
    pub(crate) filename: WheelFilename,
    /// Size and hash.
    pub(crate) entry: WheelEntry,
    /// The layer that holds it.
    pub(crate) layer: Digest,
}

/// Why the wheels of an image were not pulled.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PullError {
    /// See [`FetchError`].
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// See [`StoreError`].
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `/wheels/README.whl`
    #[error(
        "`/wheels/{name}` has not the name of a wheel: {cause}; rename it in the image's build"
    )]
    Name {
        /// The file's name.
        name: String,
        /// Why it is none.
        cause: WheelFilenameError,
    },
    /// An image without `/wheels/*.whl`.
    #[error("there is no wheel in /wheels of this image; build its wheel stage")]
    NoWheels,
    /// Many layers of many whiteouts, which are held in memory.
    #[error("its layers hold more than {MOST} wheels and whiteouts; build it anew from fewer")]
    TooMany,
    /// What the run remembers could not be written.
    #[error("{0}")]
    Receipt(String),
}

/// Where images come from and where their wheels go.
pub(crate) struct Context {
    registry: Arc<Registry>,
    store: Arc<Store>,
    arrived: Box<dyn Fn(u64) + Send + Sync>,
    /// Images may share layers; each is fetched by one at a time.
    busy: Mutex<BTreeMap<Digest, Arc<tokio::sync::Mutex<()>>>>,
}

/// Wheels without a name are removed when their image did not come through.
#[derive(Default)]
struct Unnamed(Vec<PathBuf>);

impl Unnamed {
    fn note(&mut self, contents: &Contents) {
        self.0.extend(
            contents
                .wheels
                .values()
                .filter_map(|wheel| wheel.staged.clone()),
        );
    }
}

impl Drop for Unnamed {
    fn drop(&mut self) {
        for path in &self.0 {
            // Gone when it got a name; and what cannot be removed, the next run removes.
            let _ = std::fs::remove_file(path);
        }
    }
}

impl Context {
    /// Pulls from a registry into a folder; `arrived` is told how many bytes came.
    pub(crate) fn new(
        registry: Arc<Registry>,
        store: Store,
        arrived: Box<dyn Fn(u64) + Send + Sync>,
    ) -> Self {
        Self {
            registry,
            store: Arc::new(store),
            arrived,
            busy: Mutex::default(),
        }
    }

    /// Pulls the wheels of an image; `shown` is its reference for messages.
    ///
    /// Layers whose wheels are all here, by hash, are not fetched. No wheel gets its name before every layer
    /// of the image was verified.
    ///
    /// # Errors
    /// See [`PullError`].
    pub(crate) async fn pull(
        &self,
        repository: &str,
        image: &Image,
        shown: &str,
    ) -> Result<Vec<Pulled>, PullError> {
        let (mut contents, mut unnamed) = (vec![], Unnamed::default());
        let mut entries = 0;
        for layer in &image.layers {
            let found = self.contents(repository, layer, true).await?;
            unnamed.note(&found);
            entries += found.removals.len() + found.wheels.len();
            if entries > MOST {
                return Err(PullError::TooMany);
            }
            contents.push(found);
        }
        let left = Contents::overlay(&contents);
        if left.is_empty() {
            return Err(PullError::NoWheels);
        }
        let mut named = vec![];
        for (name, (number, wheel)) in left {
            let filename = WheelFilename::from_str(&name).map_err(|cause| {
                let name = name.clone();
                PullError::Name { name, cause }
            })?;
            named.push((name, filename, number, wheel));
        }
        let mut pulled = vec![];
        for (name, filename, number, wheel) in named {
            let layer = &image.layers[number];
            self.store.claim(&name, &wheel.entry, shown)?;
            let staged = match wheel.staged {
                Some(path) => Some(path),
                None if self.holds(&name, &wheel.entry).await => None,
                None => {
                    // Known from a receipt, and moved away since. The layer's other wheels come along.
                    if contents[number]
                        .wheels
                        .values()
                        .all(|wheel| wheel.staged.is_none())
                    {
                        contents[number] = self.contents(repository, layer, false).await?;
                        unnamed.note(&contents[number]);
                    }
                    staged_path(&contents[number], &name)
                }
            };
            if let Some(path) = staged {
                self.store.name(&path, &name)?;
            }
            pulled.push(Pulled {
                name,
                filename,
                entry: wheel.entry,
                layer: layer.digest.clone(),
            });
        }
        Ok(pulled)
    }

    /// What a layer holds: as an earlier run found it, where that is enough, or fetched.
    async fn contents(
        &self,
        repository: &str,
        layer: &Layer,
        facts_are_enough: bool,
    ) -> Result<Contents, PullError> {
        let busy = {
            let mut all = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
            Arc::clone(all.entry(layer.digest.clone()).or_default())
        };
        let _busy = busy.lock().await;
        if let Some(known) = self.store.receipt(layer).filter(|_| facts_are_enough) {
            (self.arrived)(layer.size);
            return Ok(known);
        }
        let folder = self.store.work();
        let contents = fetch(&self.registry, repository, layer, folder, &*self.arrived).await?;
        let remembered = self.store.remember(layer, &contents);
        remembered.map_err(|cause| PullError::Receipt(format!("{cause:#}")))?;
        Ok(contents)
    }

    /// Hashing gigabytes must not hold up the network.
    async fn holds(&self, name: &str, entry: &WheelEntry) -> bool {
        let (store, name, entry) = (Arc::clone(&self.store), name.to_owned(), entry.clone());
        let hashed = tokio::task::spawn_blocking(move || store.holds(&name, &entry));
        hashed.await.unwrap_or(false)
    }
}

fn staged_path(contents: &Contents, name: &str) -> Option<PathBuf> {
    let wheel: &StagedWheel = contents.wheels.get(name)?;
    wheel.staged.clone()
}
