//! What a plan asks for: its references, moved to where the registry really is, and the wheel images in it.

use std::collections::BTreeSet;

use pipe::{Stop, TagClass, TagPlan, Target};

use crate::place::Place;
use crate::reference::Reference;
use crate::tag_name::TagName;

/// A place and the plan's references there.
#[derive(Debug, Clone)]
pub(crate) struct Planned {
    /// `--registry`, or the plan's own.
    pub(crate) place: Place,
    /// The plan's registry; all its references begin so.
    registry: String,
}

/// A wheel image that is to be pulled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WheelImage {
    /// Where it is.
    pub(crate) reference: Reference,
    /// Whether the tag's version is that of the wheel, and not of something that the wheel is built for.
    pub(crate) names_the_wheel: bool,
}

impl Planned {
    /// The place that `--registry` names, or the one of the plan.
    ///
    /// # Errors
    /// When the plan's own registry is none.
    pub(crate) fn new(plan: &TagPlan, registry: Option<&Place>) -> Result<Self, Stop> {
        let place = match registry {
            Some(place) => place.clone(),
            None => plan
                .registry
                .parse()
                .map_err(|cause| Stop::cannot(format!("stdin: {cause}")))?,
        };
        Ok(Self {
            place,
            registry: plan.registry.trim_end_matches('/').to_owned(),
        })
    }

    /// Where an image of the plan is.
    ///
    /// # Errors
    /// When the reference is not below the plan's registry, or is none.
    pub(crate) fn find(&self, reference: &str) -> Result<Reference, Stop> {
        let wrong = |what: &str| Stop::cannot(format!("stdin: `{reference}` {what}"));
        let below = reference
            .strip_prefix(&self.registry)
            .and_then(|rest| rest.strip_prefix('/'));
        let below = below.ok_or_else(|| {
            wrong(&format!(
                "is not below the plan's registry, {}",
                self.registry
            ))
        })?;
        let Reference { repository, tag } = below
            .parse()
            .map_err(|cause| wrong(&format!("is no image: {cause}")))?;
        let repository = match &self.place {
            Place::Registry { path, .. } if !path.is_empty() => {
                format!("{path}/{repository}")
            }
            _ => repository,
        };
        Ok(Reference { repository, tag })
    }

    /// A reference as a person, or docker, would write it.
    pub(crate) fn show(&self, reference: &Reference) -> String {
        format!(
            "{}:{}",
            self.show_repository(&reference.repository),
            reference.tag
        )
    }

    /// A repository with its place.
    pub(crate) fn show_repository(&self, repository: &str) -> String {
        match &self.place {
            Place::Registry { host, .. } => format!("{host}/{repository}"),
            Place::Layout(folder) => format!("oci:{}/{repository}", folder.display()),
        }
    }

    /// The versioned image of each `*-wheel` repository.
    ///
    /// # Errors
    /// When the plan has none, or is for more than one architecture, or names an image whose tag does not
    /// say which architecture it is for while its target is not declared noarch, or the other way round.
    pub(crate) fn wheel_images(&self, plan: &TagPlan) -> Result<Vec<WheelImage>, Stop> {
        let targets = || {
            plan.targets
                .iter()
                .filter(|target| target.repository.ends_with("-wheel"))
        };
        let architectures: BTreeSet<&str> = targets()
            .filter_map(|target| target.architecture.as_deref())
            .collect();
        if architectures.len() > 1 {
            let names = Vec::from_iter(architectures).join(", ");
            return Err(Stop::cannot(format!(
                "stdin: the plan is for {names}, whose wheels share file names; plan one architecture with `tag-planner --arch`"
            )));
        }
        let mut images = vec![];
        let mut wrong = vec![];
        for target in targets() {
            match self.wheel_image(target) {
                Ok(image) => images.push(image),
                Err(Stop::Cannot(causes) | Stop::No(causes)) => wrong.extend(causes),
            }
        }
        if !wrong.is_empty() {
            return Err(Stop::Cannot(wrong));
        }
        if images.is_empty() {
            return Err(Stop::cannot(
                "stdin: the plan has no repository whose name ends in `-wheel`",
            ));
        }
        images.sort_by(|a, b| a.reference.cmp(&b.reference));
        images.dedup();
        Ok(images)
    }

    fn wheel_image(&self, target: &Target) -> Result<WheelImage, Stop> {
        let wrong = |what: String| Stop::cannot(format!("stdin: target `{}` {what}", target.name));
        let versioned = target
            .tags
            .iter()
            .find(|tag| tag.class == TagClass::Versioned);
        let versioned = versioned.ok_or_else(|| wrong("has no versioned tag".to_owned()))?;
        let reference = self.find(&versioned.reference)?;
        let tag = TagName::new(&reference.tag);
        match (target.architecture.as_deref(), tag.architecture) {
            (Some(planned), Some(tagged)) if planned == tagged => {}
            (None, None) => {}
            (Some(planned), None) => {
                return Err(wrong(format!(
                    "is for {planned} and its tag `{}` does not say so; put the architecture into the tag, or declare the target noarch",
                    reference.tag
                )));
            }
            (Some(planned), Some(_)) => {
                return Err(wrong(format!(
                    "is for {planned} and its tag is `{}`",
                    reference.tag
                )));
            }
            (None, Some(_)) => {
                return Err(wrong(format!(
                    "is noarch and its tag is `{}`",
                    reference.tag
                )));
            }
        }
        let names_the_wheel = names_the_wheel(target, &tag);
        Ok(WheelImage {
            reference,
            names_the_wheel,
        })
    }
}

/// Whether a tag's version is the wheel's own, as the build arguments tell. aiter's tag names the torch that it was
/// built for: `AITER_REF` is there and says something else, or `PYTORCH_VERSION` says what the tag does.
fn names_the_wheel(target: &Target, tag: &TagName<'_>) -> bool {
    let repository = target.repository.rsplit('/').next().unwrap_or_default();
    let subject = repository
        .trim_end_matches("-wheel")
        .replace('-', "_")
        .to_ascii_uppercase();
    let versions = target.args.iter().filter_map(|(name, value)| {
        let owner = name
            .strip_suffix("_VERSION")
            .or_else(|| name.strip_suffix("_REF"))?;
        Some((owner, *value == tag.version))
    });
    let (own, others): (Vec<_>, Vec<_>) = versions.partition(|(owner, _)| *owner == subject);
    let says_so = |all: &[(&str, bool)]| all.iter().any(|(_, is_tagged)| *is_tagged);
    says_so(&own) || (own.is_empty() && !says_so(&others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan(targets: &[(&str, Option<&str>, &str)]) -> TagPlan {
        let targets = targets.iter().map(|(name, architecture, tag)| {
            json!({"name": name, "repository": name, "dockerfile": null, "stage": "wheel",
                "architecture": architecture, "groups": ["wheels"], "contexts": {}, "needs_published": [],
                "args": {"PYTORCH_VERSION": "2.15.0", "LMCACHE_REF": "v0.5.7"}, "caches": [],
                "tags": [{"reference": format!("h:1/rocm/{name}:{tag}"), "tag": tag, "class": "versioned"}]})
        });
        let plan = json!({"schema": "tag-plan/1", "registry": "h:1/rocm", "groups": {}, "findings": [],
            "targets": targets.collect::<Vec<_>>()});
        pipe::read_plan(plan.to_string().as_bytes()).unwrap()
    }

    fn images(targets: &[(&str, Option<&str>, &str)]) -> Result<Vec<WheelImage>, Stop> {
        let plan = plan(targets);
        Planned::new(&plan, None)?.wheel_images(&plan)
    }

    #[test]
    fn the_wheel_images_are_the_versioned_tags_of_the_wheel_repositories() {
        let found = images(&[
            ("pytorch", Some("gfx950"), "2.15.0-10.1.0-full-gfx950"),
            ("pytorch-wheel", Some("gfx950"), "2.15.0-10.1.0-full-gfx950"),
            ("triton-wheel", None, "3.9.0-10.1.0-full"),
            ("aiter-wheel", Some("gfx950"), "2.15.0-10.1.0-full-gfx950"),
        ]);
        let found = found.unwrap();
        let found: Vec<_> = found
            .iter()
            .map(|image| (image.reference.repository.as_str(), image.names_the_wheel))
            .collect();
        assert_eq!(
            found,
            [
                ("rocm/aiter-wheel", false),
                ("rocm/pytorch-wheel", true),
                ("rocm/triton-wheel", true)
            ]
        );
    }

    #[test]
    fn a_tag_that_is_named_for_something_else_is_known_by_the_arguments() {
        let tag = TagName::new("2.15.0-10.1.0-full-gfx950");
        let cases = [
            (
                "pytorch-wheel",
                json!({"PYTORCH_VERSION": "2.15.0", "PYTORCH_REF": "31a77fc"}),
                true,
            ),
            ("aiter-wheel", json!({"AITER_REF": "v0.1.28"}), false),
            ("aiter-wheel", json!({"PYTORCH_VERSION": "2.15.0"}), false),
            ("aiter-wheel", json!({}), true),
        ];
        for (repository, args, expected) in cases {
            let mut target = plan(&[(repository, None, "1")]).targets.remove(0);
            target.args = serde_json::from_value(args.clone()).unwrap();
            assert_eq!(
                names_the_wheel(&target, &tag),
                expected,
                "{repository} {args}"
            );
        }
    }

    #[test]
    fn a_plan_that_cannot_be_pulled_says_why() {
        let cases = [
            (
                images(&[
                    ("a-wheel", Some("gfx950"), "1-10.1.0-gfx950"),
                    ("b-wheel", Some("gfx1201"), "1-10.1.0-gfx1201"),
                ]),
                "stdin: the plan is for gfx1201, gfx950, whose wheels share file names; plan one architecture with `tag-planner --arch`",
            ),
            (
                images(&[("triton-wheel", Some("gfx950"), "3.9.0-10.1.0-full")]),
                "stdin: target `triton-wheel` is for gfx950 and its tag `3.9.0-10.1.0-full` does not say so; put the architecture into the tag, or declare the target noarch",
            ),
            (
                images(&[("a-wheel", Some("gfx950"), "1-10.1.0-gfx1201")]),
                "stdin: target `a-wheel` is for gfx950 and its tag is `1-10.1.0-gfx1201`",
            ),
            (
                images(&[("a-wheel", None, "1-10.1.0-gfx950")]),
                "stdin: target `a-wheel` is noarch and its tag is `1-10.1.0-gfx950`",
            ),
            (
                images(&[("a-wheel", Some("gfx950"), "1+2")]),
                "stdin: `h:1/rocm/a-wheel:1+2` is no image: `1+2` is not a tag: at most 128 letters, digits, `_`, `.` and `-`, the first no `.` or `-`",
            ),
            (
                images(&[("pytorch", Some("gfx950"), "1-10.1.0-gfx950")]),
                "stdin: the plan has no repository whose name ends in `-wheel`",
            ),
        ];
        for (found, expected) in cases {
            assert_eq!(found, Err(Stop::cannot(expected)));
        }
    }

    #[test]
    fn references_move_to_where_the_registry_is() {
        let plan = plan(&[]);
        let cases = [
            (None, "h:1/rocm/a:1"),
            (Some("mirror/deep/path"), "mirror/deep/path/a:1"),
            (Some("localhost:5000"), "localhost:5000/a:1"),
            (Some("oci:images"), "oci:images/a:1"),
        ];
        for (registry, expected) in cases {
            let place: Option<Place> = registry.map(|text| text.parse().unwrap());
            let planned = Planned::new(&plan, place.as_ref()).unwrap();
            let reference = planned.find("h:1/rocm/a:1").unwrap();
            assert_eq!(planned.show(&reference), expected);
        }
        let planned = Planned::new(&plan, None).unwrap();
        for (reference, what) in [
            (
                "other/rocm/a:1",
                "is not below the plan's registry, h:1/rocm",
            ),
            (
                "h:1/rocmantic/a:1",
                "is not below the plan's registry, h:1/rocm",
            ),
            ("h:1/rocm/a", "is no image: it has no tag"),
        ] {
            let error = planned.find(reference).unwrap_err();
            assert_eq!(error, Stop::cannot(format!("stdin: `{reference}` {what}")));
        }
    }
}
