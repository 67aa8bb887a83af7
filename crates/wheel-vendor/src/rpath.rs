//! `DT_RPATH` entries of the members of a wheel.

use std::collections::BTreeSet;

/// The new `DT_RPATH` of a file that is installed at `place` (a path below site-packages) and has to find `folders`
/// (likewise): what it had and still makes sense, then the way to each folder. `None` when nothing is left.
///
/// Entries that start at `$ORIGIN` and do not leave site-packages are kept (pypa/auditwheel#137, #245), so that the way to
/// another package's folder, such as torch's, survives. Absolute ones name a folder of the machine that built the wheel.
pub(crate) fn new_rpath(
    old: Option<&str>,
    place: &str,
    folders: &BTreeSet<&str>,
) -> Option<String> {
    let here = folder_of(place);
    let mut entries: Vec<String> = Vec::new();
    for entry in old.unwrap_or_default().split(':') {
        if stays_inside(entry, &here) {
            push(&mut entries, entry.trim_end_matches('/').to_owned());
        }
    }
    for folder in folders {
        push(&mut entries, way(&here, &parts(folder)));
    }
    (!entries.is_empty()).then(|| entries.join(":"))
}

/// The entries of an old path that [`new_rpath`] leaves out.
pub(crate) fn dropped<'a>(old: Option<&'a str>, place: &str) -> Vec<&'a str> {
    let here = folder_of(place);
    let entries = old.unwrap_or_default().split(':');
    entries
        .filter(|entry| !entry.is_empty() && !stays_inside(entry, &here))
        .collect()
}

fn push(entries: &mut Vec<String>, entry: String) {
    if !entries.contains(&entry) {
        entries.push(entry);
    }
}

fn parts(path: &str) -> Vec<&str> {
    path.split('/').filter(|part| !part.is_empty()).collect()
}

fn folder_of(place: &str) -> Vec<&str> {
    let mut parts = parts(place);
    parts.pop();
    parts
}

/// `$ORIGIN/../x.libs`, from one folder below site-packages to another.
fn way(from: &[&str], to: &[&str]) -> String {
    let shared = from.iter().zip(to).take_while(|(a, b)| a == b).count();
    let mut way = "$ORIGIN".to_owned();
    for _ in shared..from.len() {
        way.push_str("/..");
    }
    for part in &to[shared..] {
        way.push('/');
        way.push_str(part);
    }
    way
}

fn stays_inside(entry: &str, here: &[&str]) -> bool {
    let Some(rest) = entry
        .strip_prefix("$ORIGIN")
        .or_else(|| entry.strip_prefix("${ORIGIN}"))
    else {
        return false;
    };
    if !rest.is_empty() && !rest.starts_with('/') {
        return false;
    }
    let mut depth = here.len();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return false,
            },
            _ => depth += 1,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_leads_from_the_member_to_the_grafted_libraries() {
        for (place, expected) in [
            ("a.so", "$ORIGIN/x.libs"),
            ("x/a.so", "$ORIGIN/../x.libs"),
            ("x/y/a.so", "$ORIGIN/../../x.libs"),
            ("x.libs/a.so", "$ORIGIN"),
        ] {
            assert_eq!(
                new_rpath(None, place, &["x.libs"].into()).as_deref(),
                Some(expected)
            );
        }
    }

    #[test]
    fn entries_inside_site_packages_are_kept_and_others_dropped() {
        let old = Some(
            "/opt/rocm/lib:$ORIGIN/../torch/lib:$ORIGIN/../../../lib::$ORIGINAL/x:${ORIGIN}/lib/",
        );
        assert_eq!(
            new_rpath(old, "x/a.so", &["x.libs"].into()).as_deref(),
            Some("$ORIGIN/../torch/lib:${ORIGIN}/lib:$ORIGIN/../x.libs")
        );
        assert_eq!(
            dropped(old, "x/a.so"),
            ["/opt/rocm/lib", "$ORIGIN/../../../lib", "$ORIGINAL/x"]
        );
    }

    #[test]
    fn nothing_kept_and_nothing_to_find_is_no_path() {
        assert_eq!(
            new_rpath(Some("/usr/lib"), "x.libs/a.so", &BTreeSet::new()),
            None
        );
    }
}
