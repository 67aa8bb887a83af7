//! From a registry of wheel images to an index that pip installs from.
#![expect(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "a test that cannot go on fails"
)]

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use end_to_end::Workspace;

/// What the repositories of the group `wheels` publish here: real wheels with GPU code, by name, and pure ones that are
/// made for the test, by name and version.
const IMAGES: &[(&str, &str, &[&str])] = &[
    (
        "pytorch-wheel",
        "2.15.0-10.1.0-full-gfx950",
        &["pyg_lib_rocm-0.8.0.post2-cp314-cp314-manylinux_2_32_x86_64.whl"],
    ),
    (
        "triton-wheel",
        "3.9.0-10.1.0-full",
        &["triton_kernels-1.0.0-py3-none-any.whl"],
    ),
    (
        "aiter-wheel",
        "2.15.0-10.1.0-full-gfx950",
        &["torch_scatter_rocm-2.1.2.post7-cp314-cp314-manylinux_2_32_x86_64.whl"],
    ),
    (
        "torchvision-wheel",
        "v0.29.2-10.1.0-full-gfx950",
        &["torchvision_extra-0.29.2-py3-none-any.whl"],
    ),
    (
        "cupy-wheel",
        "v14.2.0-10.1.0-full-gfx950",
        &["cupy_extra-14.2.0-py3-none-any.whl"],
    ),
    (
        "nixl-wheel",
        "v1.5.2-10.1.0-full-gfx950",
        &["nixl-1.5.2-py3-none-any.whl"],
    ),
    (
        "vllm-wheel",
        "v0.33.0-10.1.0-full-gfx950",
        &["vllm_extra-0.33.0-py3-none-any.whl"],
    ),
    (
        "lmcache-wheel",
        "v0.5.7-10.1.0-full-gfx950",
        &["lmcache_extra-0.5.6-py3-none-any.whl"],
    ),
];

/// Makes a pure wheel of one module; arguments are the folder and the file name.
const MAKE_WHEEL: &str = "
import base64, hashlib, pathlib, sys, zipfile
folder, filename = sys.argv[1:]
name, version = filename.split('-')[:2]
info = f'{name}-{version}.dist-info'
files = {
    f'{name}.py': f'VERSION = {version!r}\\n',
    f'{info}/METADATA': f'Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n',
    f'{info}/WHEEL': 'Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n',
}
record = ''
with zipfile.ZipFile(pathlib.Path(folder) / filename, 'w') as wheel:
    for path, text in files.items():
        wheel.writestr(path, text)
        digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()
        record += f'{path},sha256={digest},{len(text)}\\n'
    wheel.writestr(f'{info}/RECORD', record + f'{info}/RECORD,,\\n')
";

/// Debian's docker-registry on loopback; it goes with its storage.
struct Registry {
    host: String,
    process: Child,
    _storage: tempfile::TempDir,
}

impl Drop for Registry {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Registry {
    fn start(root: &Path) -> Self {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let own = root.join("build/registry/usr/bin");
        let mut programs = std::iter::once(own)
            .chain(std::env::split_paths(&path))
            .map(|folder| folder.join("docker-registry"));
        let program: PathBuf = programs
            .find(|program| program.exists())
            .expect("no docker-registry: run `make test-services` first");
        let storage = tempfile::tempdir().unwrap();
        let host = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .to_string();
        let config = storage.path().join("config.yml");
        let data = storage.path().join("data");
        let text = format!(
            "version: 0.1\nstorage:\n  filesystem:\n    rootdirectory: {}\nhttp:\n  addr: {host}\n",
            data.display()
        );
        fs::write(&config, text).unwrap();
        let process = Command::new(program)
            .arg("serve")
            .arg(&config)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let registry = Self {
            host,
            process,
            _storage: storage,
        };
        let begin = Instant::now();
        while TcpStream::connect(&registry.host).is_err() {
            assert!(
                begin.elapsed() < Duration::from_secs(20),
                "the registry does not start"
            );
            thread::sleep(Duration::from_millis(20));
        }
        registry
    }
}

/// Runs a script with our tools in front; what it says on stderr is for the reader of a failure.
fn run(workspace: &Workspace, desk: &Path, script: &str) -> (i32, String) {
    let output = Command::new("bash")
        .args(["-euo", "pipefail", "-c", script])
        .current_dir(desk)
        .env("PATH", workspace.path())
        // Nobody's pip configuration, and no credentials.
        .env("HOME", desk)
        .env("PIP_CONFIG_FILE", "/dev/null")
        .env_remove("DOCKER_CONFIG")
        .env_remove("REGISTRY_AUTH_FILE")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout) + &text(&output.stderr),
    )
}

#[test]
fn what_images_hold_is_installed_by_pip() {
    let workspace = Workspace::find().unwrap();
    let desk = tempfile::tempdir().unwrap();
    let registry = Registry::start(&workspace.root);
    let at = format!("{}/rocm-pytorch", registry.host);
    for (repository, tag, wheels) in IMAGES {
        let folder = desk.path().join(repository);
        fs::create_dir(&folder).unwrap();
        for name in *wheels {
            if name.ends_with("-py3-none-any.whl") {
                let made = Command::new("python3")
                    .args(["-c", MAKE_WHEEL])
                    .args([folder.as_os_str(), name.as_ref()])
                    .status();
                assert!(made.unwrap().success());
            } else {
                let wheel = workspace.wheels.join(name);
                fs::copy(&wheel, folder.join(name)).expect("run `make fetch-test` first");
            }
        }
        let script = workspace.root.join("tests/wheel-images/build.sh");
        let script = format!(
            "{} {repository} {repository} {tag} docker://{at}",
            script.display()
        );
        let (code, said) = run(&workspace, desk.path(), &script);
        assert_eq!(code, 0, "{said}");
    }

    let plan = format!(
        "(cd {} && tag-planner REGISTRY={at} --arch gfx950 --group wheels) >plan.json",
        workspace.root.display()
    );
    let (code, said) = run(&workspace, desk.path(), &plan);
    assert_eq!(code, 0, "{said}");
    // The images that the group is built FROM were never published here, and no `latest`.
    let missing = format!(
        "wheelhouse missing --plain-http {} <plan.json >missing.json",
        registry.host
    );
    let (code, said) = run(&workspace, desk.path(), &missing);
    assert_eq!(code, 1, "{said}");

    let pipeline = format!(
        "wheelhouse pull --plain-http {} --out pulled <plan.json | tee pulled.json | glibc-probe \
         | wheel-tagger --rocm 10.1.0 --out tagged | metapkg --rocm 10.1.0 --arch gfx950 --out tagged \
         | index-gen --arch gfx950 --out site >published.json",
        registry.host
    );
    let (code, said) = run(&workspace, desk.path(), &pipeline);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("lmcache-wheel:v0.5.7-10.1.0-full-gfx950: the tag says v0.5.7, and the image holds lmcache-extra 0.5.6"), "{said}");
    let pulled = fs::read_to_string(desk.path().join("pulled.json")).unwrap();
    let published = fs::read_to_string(desk.path().join("published.json")).unwrap();
    let source = format!("{at}/pytorch-wheel");
    assert!(
        pulled.contains(&source) && published.contains(&source),
        "a wheel's source is passed on"
    );

    let index = format!("file://{}/site/data/wheels/gfx950/", desk.path().display());
    // pip takes a platform literally and knows no older ones for it.
    let platforms: Vec<String> = (17..40)
        .map(|minor| format!("--platform manylinux_2_{minor}_x86_64"))
        .collect();
    let platforms = platforms.join(" ");
    let resolve = format!(
        "pip install --quiet --dry-run --ignore-installed --no-cache-dir --disable-pip-version-check --index-url {index} \
         --only-binary :all: --python-version 3.14 {platforms} --target nowhere \
         --report report.json 'rocm-torch[device-gfx950]'"
    );
    let (code, said) = run(&workspace, desk.path(), &resolve);
    assert_eq!(code, 0, "{said}");
    let report = fs::read_to_string(desk.path().join("report.json")).unwrap();
    for name in [
        "pyg_lib_rocm",
        "torch_scatter_rocm",
        "nixl",
        "triton_kernels",
        "lmcache_extra",
    ] {
        assert!(report.contains(name), "{name} is not resolved");
    }

    let install = format!(
        "pip install --quiet --no-cache-dir --disable-pip-version-check --index-url {index} --target here \
         nixl==1.5.2+rocm10.1.0 && PYTHONPATH=here python -c 'import nixl; assert nixl.VERSION == \"1.5.2\"'"
    );
    let (code, said) = run(&workspace, desk.path(), &install);
    assert_eq!(code, 0, "{said}");
}
