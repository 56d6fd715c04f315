//! `Gem::Version`.

use arcstr::ArcStr;

use crate::Blk;
use crate::Interp;
use crate::Raise;
use crate::core::big_integer;
use crate::object::Class;
use crate::object::Method;
use crate::value::Rv;

pub(crate) static CLASS: Class = Class {
    name: "Gem::Version",
    parent: None,
    includes: &[&super::comparable::CLASS],
    extends: &[],
    methods: &[
        Method::new("prerelease?", 0, is_prerelease),
        Method::new("segments", 0, segments),
        Method::new("version", 0, version),
    ],
    singleton: &[Method::new("correct?", 1, is_correct), Method::new("create", 1, create), Method::new("new", 1, new)],
};

/// Whether a string is a version of a gem, or empty (`Gem::Version::ANCHORED_VERSION_PATTERN`).
fn is_gem_version(version: &str) -> bool {
    let version = version.trim();
    let (numbers, prerelease) = match version.split_once('-') {
        Some((numbers, prerelease)) => (numbers, Some(prerelease)),
        None => (version, None),
    };
    let segments_match = |segments: &str, is_allowed: fn(char) -> bool| {
        segments.split('.').all(|segment| !segment.is_empty() && segment.chars().all(is_allowed))
    };
    let first = numbers.split('.').next().unwrap_or_default();
    let starts_with_number = !first.is_empty() && first.bytes().all(|byte| byte.is_ascii_digit());
    version.is_empty()
        || starts_with_number
            && segments_match(numbers, |c| c.is_ascii_alphanumeric())
            && prerelease.is_none_or(|prerelease| segments_match(prerelease, |c| c == '-' || c.is_ascii_alphanumeric()))
}

fn is_correct(_: &mut Interp<'_>, _: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::True)
}

/// `Gem::Version.create(version)`
fn create(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let version = rt.to_s(args.first().unwrap_or(&Rv::Nil))?;
    Ok(Rv::Version(ArcStr::from(version.trim())))
}

/// `Gem::Version.new(version)`
fn new(rt: &mut Interp<'_>, _: &Rv, args: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let version = rt.to_s(args.first().unwrap_or(&Rv::Nil))?;
    if !is_gem_version(&version) {
        return rt.raise("ArgumentError", format!("Malformed version number string {version}"));
    }
    Ok(Rv::Version(ArcStr::from(version.trim().replace('-', ".pre."))))
}

fn text(this: &Rv) -> &str {
    match this {
        Rv::Version(version) => version,
        _ => "",
    }
}

fn version(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::str(text(this)))
}

fn segments(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    let segment = |piece: &str| piece.parse().map_or_else(|_| Rv::str(piece), big_integer::to_value);
    Ok(Rv::array(text(this).split(['.', '-']).map(segment).collect()))
}

fn is_prerelease(_: &mut Interp<'_>, this: &Rv, _: &[Rv], _: Blk<'_>) -> Raise<Rv> {
    Ok(Rv::bool(text(this).chars().any(char::is_alphabetic)))
}
