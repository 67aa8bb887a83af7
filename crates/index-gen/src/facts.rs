//! What was measured about a wheel, in the few words that a page has room for.

use pipe::{Device, DeviceKind, Platform, Wheel};
use serde::{Deserialize, Serialize};

/// What the landing page tells about a wheel beside what the simple API has a field for.
///
/// It travels in the page's JSON twin under a private key, so that another architecture's run can
/// draw the landing page without the wheels.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Facts {
    /// The platforms of its file name: `manylinux_2_39_x86_64`, `any`.
    pub(crate) platforms: Vec<String>,
    /// Why it has that platform; absent when it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) why: Option<String>,
    /// The newest glibc that its code asks for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) glibc: Option<String>,
    /// What the presence or absence of GPU code means; absent when it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) device: Option<DeviceKind>,
    /// The GPUs that it carries code for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) targets: Vec<String>,
    /// The file as it came in, before it was marked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) before: Option<Before>,
    /// The extra that installs the set, when the wheel is a metapackage of this architecture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) installs: Option<String>,
}

/// A wheel before it was marked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Before {
    /// Its version then.
    pub(crate) version: String,
    /// The platforms of its file name then.
    pub(crate) platforms: Vec<String>,
}

impl Facts {
    /// Gathers what the document says about a wheel. Much of it are names out of the wheel's own bytes, which
    /// must not steer the page.
    pub(crate) fn of(wheel: &Wheel) -> Self {
        let required = wheel.platform.as_ref().map(|platform| &platform.required);
        Self {
            platforms: platforms(&wheel.tags),
            why: wheel
                .platform
                .as_ref()
                .map(|platform| pipe::one_line(&why(platform, wheel.device.as_ref()))),
            glibc: required
                .and_then(|required| required.get("GLIBC"))
                .map(|glibc| pipe::one_line(glibc)),
            device: wheel.device.as_ref().map(|device| device.kind),
            targets: wheel.device.as_ref().map_or_else(Vec::new, |device| {
                device
                    .targets
                    .iter()
                    .map(|target| pipe::one_line(target))
                    .collect()
            }),
            before: wheel.origin.as_ref().map(|origin| Before {
                version: pipe::one_line(&origin.version),
                platforms: platforms(&origin.tags)
                    .iter()
                    .map(|platform| pipe::one_line(platform))
                    .collect(),
            }),
            installs: None,
        }
    }
}

/// The platforms of expanded tags, each once, in their order.
pub(crate) fn platforms(tags: &[String]) -> Vec<String> {
    let mut platforms: Vec<String> = Vec::new();
    for platform in tags.iter().filter_map(|tag| tag.rsplit('-').next()) {
        if !platforms.iter().any(|known| known == platform) {
            platforms.push(platform.to_owned());
        }
    }
    platforms
}

/// One clause: why the wheel promises what it promises.
fn why(platform: &Platform, device: Option<&Device>) -> String {
    if platform.libc.is_none() {
        return match device.map(|device| device.kind) {
            Some(DeviceKind::Code) => "GPU code only, nothing for the host to load".to_owned(),
            _ => "no compiled code".to_owned(),
        };
    }
    let outside: Vec<&str> = platform
        .external
        .iter()
        .map(|external| external.library.as_str())
        .collect();
    let needs = needs(platform);
    if !platform.tag.starts_with("linux_") {
        needs.unwrap_or_else(|| "needs no particular C library".to_owned())
    } else if !outside.is_empty() && !platform.symbols_tag.starts_with("linux_") {
        format!("needs {} from the system", outside.join(", "))
    } else {
        let needs = needs.unwrap_or_else(|| "needs more".to_owned());
        format!("{needs}: no manylinux policy grants that")
    }
}

/// The versions that policies differ by, in the words of people who look them up.
fn needs(platform: &Platform) -> Option<String> {
    let families = [("GLIBC", "glibc"), ("GLIBCXX", "GLIBCXX")];
    let needs: Vec<String> = families
        .iter()
        .filter_map(|(family, name)| Some(format!("{name} {}", platform.required.get(*family)?)))
        .collect();
    (!needs.is_empty()).then(|| format!("needs {}", needs.join(", ")))
}

/// What the presence or absence of GPU code means, in words.
pub(crate) fn device_words(kind: DeviceKind) -> &'static str {
    match kind {
        DeviceKind::Code => "GPU code",
        DeviceKind::None => "no GPU code",
        DeviceKind::RuntimeCompiled => "compiles its kernels where it runs",
        DeviceKind::Caller => "calls HIP, has no kernels",
        DeviceKind::Compiler => "a compiler, serves every GPU",
        DeviceKind::External => "its GPU code is in other packages",
        DeviceKind::Placeholder => "a placeholder",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn platform(tag: &str, symbols_tag: &str, glibc: Option<&str>) -> Platform {
        Platform {
            tag: tag.to_owned(),
            symbols_tag: symbols_tag.to_owned(),
            machine: Some("x86_64".to_owned()),
            libc: Some("glibc".to_owned()),
            required: glibc
                .map(|v| ("GLIBC".to_owned(), v.to_owned()))
                .into_iter()
                .collect(),
            external: vec![],
            excluded: vec![],
            findings: vec![],
            more: pipe::More::new(),
        }
    }

    #[test]
    fn the_reason_for_a_platform_is_one_clause() {
        let manylinux = "manylinux_2_39_x86_64";
        let kept = platform(manylinux, manylinux, Some("2.38"));
        assert_eq!(why(&kept, None), "needs glibc 2.38");
        let newer = platform("linux_x86_64", "linux_x86_64", Some("2.43"));
        assert_eq!(
            why(&newer, None),
            "needs glibc 2.43: no manylinux policy grants that"
        );
        let mut outside = platform("linux_x86_64", manylinux, Some("2.38"));
        outside.external.push(pipe::External {
            library: "libfoo.so.1".to_owned(),
            needed_by: vec![],
        });
        assert_eq!(why(&outside, None), "needs libfoo.so.1 from the system");
    }

    #[test]
    fn platforms_are_told_once() {
        let tags = ["py3-none-any", "py2-none-any"].map(ToOwned::to_owned);
        assert_eq!(platforms(&tags), ["any"]);
    }
}
