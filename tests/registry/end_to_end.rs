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
        .env_remove("MAKEFLAGS")
        .env_remove("REGISTRY_AUTH_FILE")
        .output()
        .unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (
        output.status.code().unwrap_or(-1),
        text(&output.stdout) + &text(&output.stderr),
    )
}

/// Publishes what one repository has.
fn publish(workspace: &Workspace, desk: &Path, at: &str, image: &(&str, &str, &[&str])) {
    let (repository, tag, wheels) = image;
    let folder = desk.join("images").join(repository);
    fs::create_dir_all(&folder).unwrap();
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
    let script =
        format!("tests/wheel-images/build.sh images/{repository} {repository} {tag} docker://{at}");
    let (code, said) = run(workspace, desk, &script);
    assert_eq!(code, 0, "{said}");
}

#[test]
fn make_brings_what_images_hold_to_an_index_that_pip_installs_from() {
    let workspace = Workspace::find().unwrap();
    let desk = workspace.desk().unwrap();
    let registry = Registry::start(&workspace.root);
    let at = format!("{}/rocm-pytorch", registry.host);
    let (late, published) = IMAGES.split_last().unwrap();
    for image in published {
        publish(&workspace, desk.path(), &at, image);
    }
    // The tools of this very build, in place of the release that make would build.
    let make = |goal: &str| {
        format!(
            "make --no-print-directory {goal} ARCH=gfx950 REGISTRY={at} PLAIN_HTTP={} SITE=site CARGO=true BUILD_TOOLS='{}'",
            registry.host,
            workspace.bin.display()
        )
    };
    let there = |path: &str| desk.path().join(path).exists();

    // Nothing of lmcache is published yet: it is told, the other wheels are kept, and there is no set.
    let (code, said) = run(&workspace, desk.path(), &make("wheelhouse"));
    assert_eq!(code, 2, "{said}");
    let absent = format!("{at}/lmcache-wheel:v0.5.7-10.1.0-full-gfx950");
    let told = [
        format!("\nmissing       {absent}\n"),
        // No image that the wheels are built FROM was published either.
        format!("\nneeded first  {at}/vllm:v0.33.0-10.1.0-full-gfx950"),
        format!("\nwheelhouse: {absent}: not published\n"),
        "\nwheelhouse: build/gfx950/pulled: the other images' wheels are here; ".to_owned(),
    ];
    for line in told {
        assert!(said.contains(&line), "{line}: {said}");
    }
    assert!(there("build/gfx950/pulled/nixl-1.5.2-py3-none-any.whl"));
    assert!(!there("build/gfx950/pulled.json"));

    publish(&workspace, desk.path(), &at, late);
    let (code, said) = run(&workspace, desk.path(), &make("wheelhouse"));
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("lmcache-wheel:v0.5.7-10.1.0-full-gfx950: the tag says v0.5.7, and the image holds lmcache-extra 0.5.6"), "{said}");
    let measure = "glibc-probe <build/gfx950/pulled.json";
    let (code, said) = run(&workspace, desk.path(), measure);
    assert_eq!(code, 0, "{said}");
    let source = format!("\"repository\": \"{at}/pytorch-wheel\"");
    assert!(
        said.contains(&source),
        "where a wheel came from is passed on: {said}"
    );

    let wheels = make("wheel-index WHEELS=build/gfx950/pulled");
    let (code, said) = run(&workspace, desk.path(), &wheels);
    assert_eq!(code, 0, "{said}");

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
