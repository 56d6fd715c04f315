//! What is new in a kept catalog for a later run of the agent.
//!
//! In: a kept result, the node as it is now. Out: its version, its command for PuppetDB. Must not: compile.

use crate::compile::config_version;
use crate::session::PreparedNode;
use crate::session::Session;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_catalog::Version;
use catwalk_puppetdb::Command;
use catwalk_puppetdb::KeptCommand;
use catwalk_puppetdb::RunMembers;
use catwalk_store::print_time;

impl Session {
    /// The version of catalogs by the command `config_version` of a node's environment, which runs once for each state of the files.
    /// `None`: there is no such command, so the version is a time.
    ///
    /// # Errors
    /// The command fails.
    pub fn configured_version(&self, prepared: &PreparedNode) -> Result<Option<Version>, Reason> {
        let command = prepared.environment().config_version.as_deref().filter(|command| !command.is_empty());
        command.map(|command| config_version(command, self.world.as_ref())).transpose()
    }

    /// The command for PuppetDB with a kept catalog, which has a new version and UUID. `transaction`: the UUID of the agent's run.
    ///
    /// # Errors
    /// PuppetDB would discard the catalog; the error names the violated rule.
    pub fn renewed_command(
        &self,
        kept: &KeptCommand,
        certname: &str,
        (version, uuid): (&Version, &str),
        transaction: Option<&str>,
    ) -> Result<Command, Reason> {
        let run = RunMembers {
            version: version.to_string(),
            catalog_uuid: uuid.to_owned(),
            transaction_uuid: transaction.unwrap_or(uuid).to_owned(),
            producer_timestamp: print_time(self.milliseconds()),
        };
        kept.renewed(&run).map_err(|why| {
            let text = format!("the catalog of {certname} is not submitted, since PuppetDB would discard it: {why}");
            Reason::new(Code::BAD_PAYLOAD, text)
        })
    }
}
