//! Where the tests find what they test.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// The checkout and the tools that this very build made of it.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Root of the checkout.
    pub root: PathBuf,
    /// Folder of the debug binaries.
    pub bin: PathBuf,
    /// Folder of the real wheels that the tests use.
    pub wheels: PathBuf,
}

impl Workspace {
    /// Finds the three folders.
    ///
    /// # Errors
    /// One sentence that says which one is missing and what to run.
    pub fn find() -> Result<Self, String> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../..")
            .canonicalize()
            .map_err(|error| error.to_string())?;
        // target/debug/deps/<test>-<hash>
        let test = std::env::current_exe().map_err(|error| error.to_string())?;
        let bin = test
            .ancestors()
            .nth(2)
            .ok_or("the test runs outside a target folder")?
            .to_owned();
        if !bin.join("index-gen").exists() {
            return Err(
                "the tools are not built; run `cargo build --workspace` or `make test`".to_owned(),
            );
        }
        let cache = std::env::var_os("XDG_CACHE_HOME")
            .map(PathBuf::from)
            .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache")))
            .ok_or("neither XDG_CACHE_HOME nor HOME is set")?;
        let wheels = cache.join("rocm-bake/wheels");
        if !wheels.exists() {
            return Err("the wheels are not there; run `make fetch-test`".to_owned());
        }
        Ok(Self { root, bin, wheels })
    }

    /// A folder that looks like a checkout to commands: links to its files, with a `build/` of its own.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn desk(&self) -> std::io::Result<TempDir> {
        let desk = tempfile::tempdir()?;
        for entry in std::fs::read_dir(&self.root)? {
            let entry = entry?;
            let name = entry.file_name();
            if !["build", "target", ".git"].iter().any(|own| name == *own) {
                symlink(entry.path(), desk.path().join(name))?;
            }
        }
        std::fs::create_dir(desk.path().join("build"))?;
        Ok(desk)
    }

    /// PATH with our tools and then the oracles in front.
    #[must_use]
    pub fn path(&self) -> String {
        let rest = std::env::var("PATH").unwrap_or_default();
        let oracles = self.root.join("build/oracles/bin");
        format!("{}:{}:{rest}", self.bin.display(), oracles.display())
    }
}
