//! Submission to PuppetDB: the options of commands that submit.
//!
//! In: options, the site. Out: a [`Submission`]. Must not: compile.

use std::path::Path;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;

use crate::cli::options;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_puppetdb::PuppetDb;
use catwalk_puppetdb::Queue;
use catwalk_puppetdb::Submission;
use catwalk_puppetdb::Submitter;
use catwalk_puppetdb::check_url;
use catwalk_puppetdb::queue_error;
use catwalk_session::secret_key;
use catwalk_session::site::Site;
use catwalk_session::site::read_puppetdb_conf;
use catwalk_world::Disk;
use catwalk_world::World;
use catwalk_world::output::MachineKey;
use catwalk_world::output::Place;
use catwalk_world::output::state_directory;
use sha2::Digest;
use sha2::Sha256;

/// The directory of queues in the user's state; earlier versions kept that of a site in its `.catwalk`.
const QUEUE: &str = "queue";
/// How many hexadecimal digits of a digest tell queues apart.
const DIGITS: usize = 16;

/// The address of PuppetDB and the directory of the queue.
#[derive(Args, Debug, Clone, Default)]
pub struct SubmitArgs {
    /// The address of PuppetDB, such as https://puppetdb:8081; several are tried in turn [default: catwalk.toml]
    #[arg(long, value_name = "URL")]
    pub puppetdb_url: Vec<String>,
    /// Take the addresses from this puppetdb.conf
    #[arg(long, value_name = "FILE", conflicts_with = "puppetdb_url")]
    pub puppetdb_conf: Option<PathBuf>,
    /// The certificate of the authority that signed PuppetDB's (PEM) [default: catwalk.toml]
    #[arg(long, value_name = "FILE")]
    pub ssl_ca: Option<PathBuf>,
    /// The certificate to present to PuppetDB (PEM) [default: catwalk.toml]
    #[arg(long, value_name = "FILE")]
    pub ssl_cert: Option<PathBuf>,
    /// The key of this certificate (PEM) [default: catwalk.toml]
    #[arg(long, value_name = "FILE")]
    pub ssl_key: Option<PathBuf>,
    /// Revocation lists of the authorities in PuppetDB's chain, such as crl.pem of Puppet's ssl directory (PEM) [default: catwalk.toml]
    #[arg(long, value_name = "FILE")]
    pub ssl_crl: Option<PathBuf>,
    /// The directory of commands that PuppetDB has not accepted yet [default: catwalk.toml, otherwise a directory of this user]
    #[arg(long, value_name = "DIR")]
    pub queue: Option<PathBuf>,
    /// The time limit of a request to PuppetDB [default: catwalk.toml, otherwise 30]
    #[arg(long, value_name = "SECONDS")]
    pub puppetdb_timeout: Option<u32>,
    /// How often all addresses are tried again, with a pause that doubles each time [default: 3]
    #[arg(long, value_name = "N")]
    pub retries: Option<u32>,
}

impl SubmitArgs {
    /// Prepares the submission for a site.
    ///
    /// # Errors
    /// The address of PuppetDB is unknown, a certificate cannot be read, or there is no directory for the queue.
    pub(super) fn open(&self, site: &Site) -> Result<Submission, Reason> {
        let puppetdb = self.configured(site)?;
        let submitter =
            Submitter::new(&puppetdb, self.retries).map_err(|refused| Reason::usage(refused.to_string()))?;
        let queue = self.queue(site)?;
        queue.check().map_err(queue_error)?;
        let is_default = self.queue.is_none() && site.queue.is_none();
        let earlier = is_default.then(|| Queue::new(secret_key::private_place(&site.root, QUEUE)));
        Ok(Submission::new(queue, submitter, puppetdb.location(), earlier))
    }

    /// The PuppetDB of the options, or of a site.
    ///
    /// # Errors
    /// Its address is unknown or invalid.
    pub(super) fn configured(&self, site: &Site) -> Result<PuppetDb, Reason> {
        self.puppetdb_url.iter().try_for_each(|url| check_url(url)).map_err(Reason::usage)?;
        let puppetdb = self.puppetdb(site)?;
        if !puppetdb.is_configured() {
            let help = "set `url` in [puppetdb] of catwalk.toml, or give --puppetdb-url URL";
            return Err(Reason::usage("no address of PuppetDB is set").help(help));
        }
        Ok(puppetdb)
    }

    fn puppetdb(&self, site: &Site) -> Result<PuppetDb, Reason> {
        let world = Disk::new();
        let mut puppetdb = match &self.puppetdb_conf {
            Some(path) => read_puppetdb_conf(&options::absolute(path)?, &site.puppetdb, &world)?,
            None if self.puppetdb_url.is_empty() => site.puppetdb(&world)?,
            None => PuppetDb { urls: self.puppetdb_url.clone(), ..site.puppetdb.clone() },
        };
        let identity = &mut puppetdb.identity;
        for (path, value) in [
            (&mut identity.ca, &self.ssl_ca),
            (&mut identity.cert, &self.ssl_cert),
            (&mut identity.key, &self.ssl_key),
            (&mut identity.crl, &self.ssl_crl),
        ] {
            if let Some(value) = value {
                *path = Some(options::absolute(value)?);
            }
        }
        if let Some(seconds) = self.puppetdb_timeout {
            puppetdb.timeout = Some(Duration::from_secs(u64::from(seconds.max(1))));
        }
        Ok(puppetdb)
    }

    /// The queue of a site; by default a directory of the user, so that a repository cannot contain commands that are sent with the user's
    /// certificate. Nothing is written into it.
    ///
    /// # Errors
    /// Neither the options nor a site define the directory, or the user has no directory for it.
    pub(super) fn queue(&self, site: &Site) -> Result<Queue, Reason> {
        if let Some(folder) = &self.queue {
            return Ok(Queue::new(Place::named(options::absolute(folder)?)));
        }
        if let Some(place) = &site.queue {
            return Ok(Queue::in_repository(place.clone(), MachineKey::open()?));
        }
        if site.root.as_os_str().is_empty() {
            return Err(Reason::usage("no queue of commands for PuppetDB is set").help("give --queue DIR"));
        }
        let state = state_directory().ok_or_else(|| {
            Reason::usage("no queue of commands for PuppetDB is set")
                .help("give --queue DIR, or set HOME or XDG_STATE_HOME")
        })?;
        Ok(Queue::new(state.join(QUEUE).join(&queue_name(&site.root))))
    }
}

/// The name of a queue: that of the site's directory, and a digest of its path. The address of PuppetDB is not part of it: commands that one
/// address has not accepted are sent to the next one that the user names.
fn queue_name(root: &Path) -> String {
    let root = Disk::new().canonical(root).unwrap_or_else(|_| root.to_path_buf());
    let digest: String =
        Sha256::digest(root.as_os_str().as_encoded_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name: String = name.chars().filter(is_plain).take(DIGITS).collect();
    format!("{name}-{}", digest.get(..DIGITS).unwrap_or_default())
}

/// An error where untrusted code would reach PuppetDB.
pub(super) fn untrusted_error() -> Reason {
    let text =
        "catalogs of untrusted code are not submitted: PuppetDB would pass the resources they export to other nodes";
    let help =
        "submit a site that you trust: without --untrusted, CATWALK_UNTRUSTED and `untrusted = true` in catwalk.toml";
    Reason::new(Code::SUBMIT_UNTRUSTED, text).help(help)
}
