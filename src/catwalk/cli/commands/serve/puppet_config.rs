//! `--puppet-config FILE`: settings of `puppet.conf` as options of `serve`.
//!
//! In: the file, the options of the command line. Out: the options completed, settings for compiles, and the settings without effect. What the
//! command line has wins.

use std::path::Path;
use std::path::PathBuf;

use super::Serve;
use super::reports::ReportTarget;
use crate::cli::options;
use catwalk_agent_site::read_puppet_conf;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_base::version::Version;
use catwalk_program::Settings;
use catwalk_program::setting_definition;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// Settings with an effect on compiles, besides `$settings::`.
const OF_COMPILES: [&str; 29] = [
    "basemodulepath",
    "codedir",
    "confdir",
    "data_binding_terminus",
    "default_manifest",
    "digest_algorithm",
    "disable_per_environment_manifest",
    "disable_warnings",
    "external_nodes",
    "hiera_config",
    "ldapattrs",
    "ldapbase",
    "ldapclassattrs",
    "ldapparentattr",
    "ldappassword",
    "ldapport",
    "ldapserver",
    "ldapssl",
    "ldapstackedattrs",
    "ldapstring",
    "ldaptls",
    "ldapuser",
    "log_level",
    "node_terminus",
    "preprocess_deferred",
    "rich_data",
    "strict",
    "strict_variables",
    "trusted_external_command",
];
/// Settings with an effect on the server.
const OF_SERVER: [&str; 14] = [
    "autosign",
    "bucketdir",
    "cadir",
    "certname",
    "dns_alt_names",
    "environmentpath",
    "fileserverconfig",
    "reportdir",
    "reports",
    "reporturl",
    "ssldir",
    "trusted_oid_mapping_file",
    "vardir",
    "vendormoduledir",
];
/// Settings that must not reach compiles: the options of `serve` decide.
const NOT_FOR_COMPILES: [&str; 4] = ["code", "environment", "storeconfigs", "storeconfigs_backend"];

/// The settings of a `puppet.conf`.
pub(super) struct PuppetConfig {
    name: String,
    settings: Settings,
    ignored: Vec<String>,
}

impl PuppetConfig {
    /// Reads the file that the options name.
    ///
    /// # Errors
    /// It cannot be read, or Puppet would refuse it.
    pub(super) fn of(args: &Serve) -> Result<Option<PuppetConfig>, Reason> {
        let version = args.site.puppet.unwrap_or_default();
        args.puppet_config.as_deref().map(|path| PuppetConfig::read(path, version)).transpose()
    }

    fn read(path: &Path, version: Version) -> Result<PuppetConfig, Reason> {
        let path = options::absolute(path)?;
        let name = path.display().to_string();
        let failed = |why: &str| Reason::new(Code::BAD_SETTING, format!("{name}: {why}"));
        let bytes = Disk::new().read(&path).map_err(|why| Reason::new(Code::UNREADABLE_INPUT, why.to_string()))?;
        let text = std::str::from_utf8(&bytes).map_err(|_| failed("it is not UTF-8"))?;
        let mut settings = Settings { version, ..Settings::default() };
        let mut ignored = Vec::new();
        if let Some(directory) = path.parent() {
            settings.values.insert("confdir".to_owned(), directory.to_string_lossy().into_owned());
        }
        for (setting, value) in read_puppet_conf(text, &name)? {
            if setting_definition::find(&setting, version).is_none() {
                ignored.push(setting);
                continue;
            }
            settings.set(&setting, &value).map_err(|why| failed(&why.message))?;
            let is_effective = OF_COMPILES.contains(&setting.as_str()) || OF_SERVER.contains(&setting.as_str());
            if !is_effective {
                ignored.push(setting);
            }
        }
        let mut config = PuppetConfig { name, settings, ignored };
        let terminus = config.settings.values.get("node_terminus").map(String::as_str);
        if terminus.is_some_and(|terminus| !["plain", "exec", "ldap", ""].contains(&terminus)) {
            config.ignored.push("node_terminus".to_owned());
        }
        Ok(config)
    }

    /// The settings without effect on the server, as one sentence.
    pub(super) fn ignored(&self) -> Option<String> {
        let (name, list) = (&self.name, self.ignored.join(", "));
        (!self.ignored.is_empty()).then(|| format!("{name}: these settings have no effect on catwalk serve: {list}"))
    }

    /// The settings for compiles, with the values of other settings filled in.
    ///
    /// # Errors
    /// A value names a setting that does not exist.
    pub(super) fn for_compiles(&self) -> Result<Vec<(String, String)>, Reason> {
        let names = self.settings.values.keys().filter(|name| !NOT_FOR_COMPILES.contains(&name.as_str()));
        let unused = |name: &&String| name.as_str() != "node_terminus" || !self.ignored.contains(*name);
        names.filter(unused).map(|name| Ok((name.clone(), self.value(name)?))).collect()
    }

    /// The value of a setting, or its default.
    fn value(&self, name: &str) -> Result<String, Reason> {
        let failed = |why: Reason| Reason::new(Code::BAD_SETTING, format!("{}: {}", self.name, why.message));
        self.settings.value(name, "$environment", &Disk::new()).map_err(failed)
    }

    fn is_set(&self, name: &str) -> bool {
        self.settings.values.get(name).is_some_and(|value| !value.is_empty())
    }

    /// The path that a setting names, if the setting is in the file or the path exists.
    fn path(&self, name: &str) -> Result<Option<PathBuf>, Reason> {
        let path = PathBuf::from(self.value(name)?);
        if self.is_set(name) && !path.is_absolute() {
            let text = format!("{}: the setting '{name}' is not an absolute path: {}", self.name, path.display());
            return Err(Reason::new(Code::BAD_SETTING, text));
        }
        let exists = self.is_set(name) || Disk::new().kind(&path) != Kind::Missing;
        Ok(Some(path).filter(|path| exists && path.is_absolute()))
    }

    /// Completes the options of the command line.
    ///
    /// # Errors
    /// A value names a setting that does not exist, or a report processor lacks its setting.
    pub(super) fn complete(&self, args: &Serve) -> Result<Serve, Reason> {
        let mut args = args.clone();
        let site = &args.site;
        if args.environmentpath.is_none() && site.site.is_none() && site.manifest.is_none() && site.execute.is_none() {
            let path = match self.is_set("environmentpath") {
                true => self.value("environmentpath")?,
                false => format!("{}/environments", self.value("codedir")?),
            };
            let exists = self.is_set("environmentpath") || Disk::new().kind(path.as_ref()) == Kind::Directory;
            args.environmentpath = Some(path).filter(|_| exists);
        }
        if args.fileserver_config.is_none() {
            args.fileserver_config = self.path("fileserverconfig")?;
        }
        if args.bucket.is_none() && self.is_set("bucketdir") {
            args.bucket = Some(self.value("bucketdir")?.into());
        }
        if args.reports.is_none() && args.report_processor.is_empty() && self.is_set("reports") {
            args.report_processor = self.report_processors()?;
        }
        self.complete_certificates(&mut args)?;
        Ok(args)
    }

    fn complete_certificates(&self, args: &mut Serve) -> Result<(), Reason> {
        let certificates = &mut args.certificates;
        if certificates.dev || certificates.cert.is_some() {
            return Ok(());
        }
        if certificates.certname.is_none() && self.is_set("certname") {
            certificates.certname = Some(self.value("certname")?);
        }
        let has_option = certificates.cadir.is_some() || certificates.ssldir.is_some();
        if !has_option && self.is_set("cadir") {
            certificates.cadir = Some(self.value("cadir")?.into());
        }
        if certificates.ssldir.is_none() && !has_option {
            certificates.ssldir = self.path("ssldir")?;
        }
        if certificates.cadir.is_none() {
            return Ok(());
        }
        if certificates.alt_name.is_empty() && self.is_set("dns_alt_names") {
            let names = self.value("dns_alt_names")?;
            let names = names.split(',').map(str::trim).filter(|name| !name.is_empty());
            certificates.alt_name = names.map(|name| name.trim_start_matches("DNS:").to_owned()).collect();
        }
        if certificates.autosign.is_empty() {
            certificates.autosign = match self.value("autosign")?.as_str() {
                "true" => vec!["all".to_owned()],
                "false" => vec!["none".to_owned()],
                path if self.is_set("autosign") || Disk::new().kind(path.as_ref()) != Kind::Missing => {
                    vec![path.to_owned()]
                }
                _ => Vec::new(),
            };
        }
        Ok(())
    }

    /// The processors that the setting `reports` names.
    fn report_processors(&self) -> Result<Vec<ReportTarget>, Reason> {
        let names = self.value("reports")?;
        let names = names.split(',').map(str::trim).filter(|name| !name.is_empty() && *name != "none");
        names.map(|name| self.report_processor(name)).collect()
    }

    fn report_processor(&self, name: &str) -> Result<ReportTarget, Reason> {
        Ok(match name {
            "log" => ReportTarget::Log,
            "store" => ReportTarget::Store(self.value("reportdir")?.into()),
            "http" => ReportTarget::Url(self.value("reporturl")?),
            name => ReportTarget::Missing(name.to_owned()),
        })
    }
}
