//! The scripts of the module `linux`, for types that neither the site nor a module defines.

/// A script: its path below the module and its contents.
pub type EmbeddedScript = (&'static str, &'static str);

/// A file of the module `linux` with its contents.
macro_rules! script {
    ($path:literal) => {
        ($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../modules/linux/", $path)))
    };
}

/// All scripts, in order of their paths.
pub const SCRIPTS: &[EmbeddedScript] = &[
    script!("scripts/lib/accounts.rhai"),
    script!("scripts/lib/apt.rhai"),
    script!("scripts/lib/commands.rhai"),
    script!("scripts/lib/debian_versions.rhai"),
    script!("scripts/lib/dnf.rhai"),
    script!("scripts/lib/ini_file.rhai"),
    script!("scripts/lib/ranges.rhai"),
    script!("scripts/lib/rpm_versions.rhai"),
    script!("scripts/lib/values.rhai"),
    script!("scripts/providers/cron.rhai"),
    script!("scripts/providers/file_line.rhai"),
    script!("scripts/providers/group.rhai"),
    script!("scripts/providers/host.rhai"),
    script!("scripts/providers/ini_setting.rhai"),
    script!("scripts/providers/package.rhai"),
    script!("scripts/providers/service.rhai"),
    script!("scripts/providers/user.rhai"),
    script!("scripts/types/cron.rhai"),
    script!("scripts/types/file_line.rhai"),
    script!("scripts/types/group.rhai"),
    script!("scripts/types/host.rhai"),
    script!("scripts/types/ini_setting.rhai"),
    script!("scripts/types/package.rhai"),
    script!("scripts/types/service.rhai"),
    script!("scripts/types/user.rhai"),
];

/// Whether a type is managed by these scripts.
#[must_use]
pub fn has_type(name: &str) -> bool {
    SCRIPTS
        .iter()
        .any(|(path, _)| path.strip_prefix("scripts/types/").and_then(|file| file.strip_suffix(".rhai")) == Some(name))
}
