//! `--reports` and `--report-processor`: what happens to the reports of agents.
//!
//! In: options, the certificates of the server. Out: report processors. A script is read again for each report if it has changed.

use std::convert::Infallible;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use super::Serve;
use super::certificates::Certificates;
use crate::cli::options;
use catwalk_agent_site::ReportProcessor;
use catwalk_agent_site::ReportScript;
use catwalk_agent_site::ServeLog;
use catwalk_agent_site::without_login;
use catwalk_authority::CertificateFiles;
use catwalk_base::diag::Reason;
use catwalk_base::visible;
use catwalk_scripting::RhaiReport;
use catwalk_server::CertificateSource;
use catwalk_value::Value;
use catwalk_world::Disk;
use catwalk_world::Identity;

/// A destination of reports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReportTarget {
    /// The log of the server.
    Log,
    /// YAML files in a directory.
    Store(PathBuf),
    /// A web server.
    Url(String),
    /// A script in Rhai.
    Script(PathBuf),
    /// A processor that the server does not have.
    Missing(String),
    /// None of these, without what may be a login: clap would print a password in its message.
    Invalid(String),
}

/// Reads `log`, `store=DIR`, a URL, or the path of a script.
pub(super) fn report_target(text: &str) -> Result<ReportTarget, Infallible> {
    Ok(match text {
        "log" => ReportTarget::Log,
        url if url.starts_with("http://") || url.starts_with("https://") => ReportTarget::Url(url.to_owned()),
        path if Path::new(path).extension().is_some_and(|extension| extension == "rhai") => {
            ReportTarget::Script(path.into())
        }
        text => match text.strip_prefix("store=").filter(|path| !path.is_empty()) {
            Some(path) => ReportTarget::Store(path.into()),
            None => ReportTarget::Invalid(without_login(text).to_owned()),
        },
    })
}

/// A script as a report processor.
struct ScriptedReport(RhaiReport);

impl ReportScript for ScriptedReport {
    fn process(&self, report: &Value) -> Result<Option<String>, String> {
        self.0.process(report, &Disk::new())
    }

    fn name(&self) -> String {
        self.0.path().file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

/// The report processors of a server.
///
/// # Errors
/// A script, a certificate or a URL is wrong.
pub(super) fn processors(
    args: &Serve,
    certificates: &Certificates,
    log: &Arc<dyn ServeLog>,
) -> Result<Vec<ReportProcessor>, Reason> {
    let mut processors = Vec::new();
    if let Some(folder) = &args.reports {
        processors.push(ReportProcessor::Json(options::absolute(folder)?));
    }
    for target in &args.report_processor {
        processors.push(match target {
            ReportTarget::Log => ReportProcessor::Log,
            ReportTarget::Store(folder) => ReportProcessor::Store(options::absolute(folder)?),
            ReportTarget::Url(url) => ReportProcessor::http(url, identity(certificates), log.clone())?,
            ReportTarget::Script(path) => {
                let script = RhaiReport::open(options::absolute(path)?, &Disk::new());
                let script = script.map_err(|why| Reason::usage(format!("--report-processor: {why}")))?;
                ReportProcessor::Script(Arc::new(ScriptedReport(script)))
            }
            ReportTarget::Invalid(text) => {
                let text = visible::line(text);
                let why = format!("--report-processor: '{text}' is not log, store=DIR, a URL or a script FILE.rhai");
                return Err(Reason::usage(why));
            }
            ReportTarget::Missing(name) => {
                let help = "catwalk serve has log, store and http; --submit sends reports to PuppetDB";
                log.note(&format!("No report named '{name}': {help}"));
                continue;
            }
        });
    }
    Ok(processors)
}

/// The certificates with which reports are sent: as Puppet, the server trusts only its own authority.
fn identity(certificates: &Certificates) -> Identity {
    let files = match &certificates.source {
        CertificateSource::Files(files) => files.clone(),
        CertificateSource::Authority(config) => {
            let (directory, name) = (config.directory.path(), &config.certname);
            let own = match &config.ssldir {
                Some(ssldir) => CertificateFiles::in_ssldir(&ssldir.path(), name),
                None => CertificateFiles {
                    ca: PathBuf::new(),
                    certificate: directory.join(format!("signed/{name}.pem")),
                    key: directory.join(format!("private/{name}.pem")),
                    crl: PathBuf::new(),
                },
            };
            CertificateFiles { ca: directory.join("ca_crt.pem"), crl: directory.join("ca_crl.pem"), ..own }
        }
    };
    Identity {
        ca: Some(files.ca),
        cert: Some(files.certificate),
        key: Some(files.key),
        crl: Some(files.crl),
        token: None,
    }
}
