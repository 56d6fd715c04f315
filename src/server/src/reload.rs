//! Reads certificates and CRLs again when their files change; signs certificate requests that wait.
//!
//! In: the files of a running server. Out: its certificates and CRLs, replaced as a whole. Must not: answer requests.

use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use crate::config::Event;
use crate::config::ServerError;
use crate::pki::trust::FileStamp;
use crate::pki::trust::Trust;
use crate::running::ServerState;
use crate::running::read_auth;
use crate::running::read_mounts;
use catwalk_authority::Authority;
use catwalk_authority::CertificateFiles;
use catwalk_authority::Refusal;

/// How soon changed files that could not be read are read again.
const RETRY: Duration = Duration::from_secs(1);

/// The state of the thread that signs stored requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Signing {
    #[default]
    Idle,
    Running,
    /// It begins again: the policy or the requests may have changed.
    RunningAgain,
}

/// The stamps of the files that are read again when they change.
pub(crate) fn stamps(files: &CertificateFiles) -> [FileStamp; 2] {
    [FileStamp::of(&files.crl), FileStamp::of(&files.ca)]
}

impl ServerState {
    /// The certificates and CRLs on disk: a certificate that was revoked a moment ago is refused. A file that cannot be read is reported
    /// once, and the last ones stay in use.
    pub(crate) async fn current_trust(self: &Arc<ServerState>) -> Arc<Trust> {
        if *self.stamps.lock() != stamps(&self.files) {
            let state = self.clone();
            // Fails only when the server ends.
            let _ = tokio::task::spawn_blocking(move || state.read_changed_files()).await;
        }
        self.trust()
    }

    /// Reads the certificates and CRLs if their files have changed. Only one thread reads them at a time.
    pub(crate) fn read_changed_files(&self) {
        let mut read = self.stamps.lock();
        let current = stamps(&self.files);
        if *read == current {
            return;
        }
        let mut failed = self.failed.lock();
        let is_known = failed.is_some_and(|(stamps, _)| stamps == current);
        if is_known && failed.is_some_and(|(_, time)| time.elapsed() < RETRY) {
            return;
        }
        match Trust::read(&self.files) {
            Ok(trust) => {
                (*read, *failed) = (current, None);
                *self.trust.write() = Arc::new(trust);
            }
            // Tried again: a revocation must not wait for the next change.
            Err(why) => {
                *failed = Some((current, Instant::now()));
                if !is_known {
                    self.log(&Event::Problem(format!("the certificates in use are kept: {why}")));
                }
            }
        }
    }

    /// Reads the certificates, CRLs, `auth.conf` and `fileserver.conf`, and replaces a CRL that expires soon. A part that fails keeps no other
    /// one from being read.
    ///
    /// # Errors
    /// Files cannot be read or written: what is kept for each of them.
    pub(crate) fn reload(&self) -> Result<(), ServerError> {
        let renewed = self.authority.as_ref().map_or(Ok(()), |authority| authority.renew_crl());
        let parts = [
            ("the revocation lists are not renewed", renewed.map_err(ServerError::from)),
            ("the certificates in use are kept", self.reload_trust()),
            ("the mounts in use are kept", self.reload_mounts()),
            ("the rules of auth.conf in use are kept", self.reload_auth()),
        ];
        let failed = parts.into_iter().filter_map(|(what, done)| done.err().map(|why| format!("{what}: {why}")));
        let failed: Vec<String> = failed.collect();
        if failed.is_empty() { Ok(()) } else { Err(ServerError(failed.join("; "))) }
    }

    fn reload_trust(&self) -> Result<(), ServerError> {
        let mut read = self.stamps.lock();
        let current = stamps(&self.files);
        let trust = Arc::new(Trust::read(&self.files)?);
        *read = current;
        *self.failed.lock() = None;
        *self.trust.write() = trust;
        Ok(())
    }

    fn reload_mounts(&self) -> Result<(), ServerError> {
        let mounts = Arc::new(read_mounts(&self.config)?);
        *self.mounts.write() = mounts;
        Ok(())
    }

    fn reload_auth(&self) -> Result<(), ServerError> {
        let rules = read_auth(&self.config)?;
        *self.auth.write() = rules;
        Ok(())
    }

    /// Signs the requests for certificates in `requests/` that the autosign policy allows, on a thread: a command may take long to decide
    /// about each of them.
    pub(crate) fn sign_stored_requests(self: &Arc<ServerState>) {
        let mut signing = self.signing.lock();
        if *signing != Signing::Idle {
            *signing = Signing::RunningAgain;
            return;
        }
        let state = self.clone();
        let sign = move || {
            loop {
                *state.signing.lock() = Signing::Running;
                state.sign_stored_requests_once();
                let mut signing = state.signing.lock();
                if *signing == Signing::Running {
                    *signing = Signing::Idle;
                    return;
                }
            }
        };
        match std::thread::Builder::new().name("stored requests".to_owned()).spawn(sign) {
            Ok(_) => *signing = Signing::Running,
            Err(why) => self.log(&Event::Problem(format!("waiting certificate requests are not signed: {why}"))),
        }
    }

    fn sign_stored_requests_once(&self) {
        for (certname, signed) in self.authority.iter().flat_map(Authority::sign_stored_requests) {
            self.log(&match signed {
                Ok(()) => Event::Signed { certname },
                Err(Refusal::Request(reason)) => Event::NotSigned { certname, reason },
                Err(Refusal::Full(_) | Refusal::Missing(_)) => continue,
                Err(Refusal::Authority(why)) => Event::Problem(why.to_string()),
            });
        }
    }
}
