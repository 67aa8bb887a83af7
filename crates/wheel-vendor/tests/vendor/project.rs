//! Small projects: libraries that gcc links, and a wheel of one package that calls into them.

use std::fs;
use std::io::{Cursor, Write};
use std::os::unix::fs::symlink;

use wheel::{Record, RecordRow};
use zip::write::SimpleFileOptions;

use crate::desk::{Desk, judged};

/// The wheel that [`Desk::package`] makes.
pub(crate) const WHEEL: &str = "demo-1.0-py3-none-linux_x86_64.whl";
/// The package: `demo.answer()` calls into `demo/a.so`.
pub(crate) const INIT: &str = "\
import ctypes, pathlib
answer = ctypes.CDLL(str(pathlib.Path(__file__).with_name('a.so'))).answer
";
/// What every test's library does.
pub(crate) const FOO: &str = "int foo(void) { return 42; }";
/// What every test's member does.
pub(crate) const ANSWER: &str = "int foo(void); int answer(void) { return foo(); }";

impl Desk {
    /// Links a shared library from one C source, with more arguments for gcc.
    #[track_caller]
    pub(crate) fn link(&self, library: &str, source: &str, arguments: &[&str]) {
        self.compile("gcc", "c", library, source, arguments);
    }

    /// The same from C++.
    #[track_caller]
    pub(crate) fn link_cxx(&self, library: &str, source: &str, arguments: &[&str]) {
        self.compile("g++", "c++", library, source, arguments);
    }

    #[track_caller]
    fn compile(
        &self,
        compiler: &str,
        language: &str,
        library: &str,
        source: &str,
        arguments: &[&str],
    ) {
        let text = self.path("build/source");
        fs::write(&text, source).unwrap();
        judged(
            self.command(compiler)
                .args(["-shared", "-fPIC", "-O1", "-o", library, "-x", language])
                .arg(text)
                .args(["-x", "none"])
                .args(arguments),
        );
    }

    /// `lib/libfoo.so.1`, which answers 42, as a link to the file with the full version.
    pub(crate) fn foo(&self, arguments: &[&str]) {
        let all = [&["-Wl,-soname,libfoo.so.1"], arguments].concat();
        self.link("lib/libfoo.so.1.2", FOO, &all);
        symlink("libfoo.so.1.2", self.path("lib/libfoo.so.1")).unwrap();
    }

    /// `build/a.so`, which needs `lib/libfoo.so.1`.
    pub(crate) fn answer(&self, arguments: &[&str]) {
        let all = [&["lib/libfoo.so.1"], arguments].concat();
        self.link("build/a.so", ANSWER, &all);
    }

    /// The wheel of a package with `build/a.so` at `demo/a.so` and more members.
    pub(crate) fn package(&self, more: &[(&str, &str)]) {
        let members = [&[("demo/a.so", "build/a.so")], more].concat();
        self.wheel(WHEEL, &members);
    }

    /// A wheel in `in/` of files from the desk: member and file.
    pub(crate) fn wheel(&self, filename: &str, files: &[(&str, &str)]) {
        let mut parts = filename.trim_end_matches(".whl").split('-');
        let (name, version) = (parts.next().unwrap(), parts.next().unwrap());
        let tag = parts.collect::<Vec<_>>().join("-");
        let dist_info = format!("{name}-{version}.dist-info");
        let mut members: Vec<(String, Vec<u8>)> =
            vec![("demo/__init__.py".to_owned(), INIT.into())];
        for (member, file) in files {
            members.push(((*member).to_owned(), fs::read(self.path(file)).unwrap()));
        }
        let metadata = format!("Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n");
        members.push((format!("{dist_info}/METADATA"), metadata.into()));
        let info =
            format!("Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: false\nTag: {tag}\n");
        members.push((format!("{dist_info}/WHEEL"), info.into()));
        let record = format!("{dist_info}/RECORD");
        let rows = members
            .iter()
            .map(|(path, content)| RecordRow::of(path, content))
            .chain([RecordRow::bare(&record)])
            .collect();
        members.push((record, Record::new(rows).to_text().into()));
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (path, content) in &members {
            let mode = if path.contains(".so") { 0o755 } else { 0o644 };
            let options = SimpleFileOptions::default().unix_permissions(mode);
            writer.start_file(path.as_str(), options).unwrap();
            writer.write_all(content).unwrap();
        }
        let bytes = writer.finish().unwrap().into_inner();
        fs::write(self.path("in").join(filename), bytes).unwrap();
    }
}
