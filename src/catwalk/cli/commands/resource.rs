//! `catwalk resource TYPE [NAME [ATTRIBUTE=VALUE…]]`: shows and changes resources of this machine.

use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::apply::DeviceArgs;
use crate::cli::commands::apply::seconds;
use crate::cli::console_log::ConsoleLog;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Reason;
use catwalk_run::ResourceOptions;
use catwalk_run::RunLog;
use catwalk_session::Options;
use catwalk_world::Disk;

/// Arguments of `resource`.
#[derive(Args, Debug)]
pub struct Resource {
    /// The type of the resources
    #[arg(value_name = "TYPE")]
    pub type_name: String,
    /// The resource to show [default: all]
    #[arg(value_name = "NAME")]
    pub title: Option<String>,
    /// The desired values of attributes
    #[arg(value_name = "ATTRIBUTE=VALUE")]
    pub attributes: Vec<String>,
    /// Report what would change, without changing anything
    #[arg(long)]
    pub noop: bool,
    /// Print the resources as Hiera data
    #[arg(long = "to_yaml", alias = "to-yaml", conflicts_with = "format")]
    pub to_yaml: bool,
    /// Format of the resources
    #[arg(long, value_enum, default_value = "puppet")]
    pub format: ResourceFormat,
    /// End the run if one call of a provider takes longer than this many seconds [default: no limit]
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub timeout_provider: Option<Duration>,
    #[command(flatten)]
    pub device: DeviceArgs,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Forms of resources.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ResourceFormat {
    /// A manifest
    #[default]
    Puppet,
    /// Hiera data
    Yaml,
    /// JSON
    Json,
}

impl ResourceFormat {
    /// The format itself.
    fn format(self) -> catwalk_run::ResourceFormat {
        match self {
            ResourceFormat::Puppet => catwalk_run::ResourceFormat::Puppet,
            ResourceFormat::Yaml => catwalk_run::ResourceFormat::Yaml,
            ResourceFormat::Json => catwalk_run::ResourceFormat::Json,
        }
    }
}

/// Shows or changes resources. Returns 0, or 1 on failure.
pub fn run(args: &Resource) -> u8 {
    let mut log = ConsoleLog::new(Logger::from_args(&args.site));
    log.print_from(args.site.verbosity.level());
    let resource = ResourceOptions {
        type_name: args.type_name.clone(),
        title: args.title.clone(),
        attributes: args.attributes.clone(),
        noop: args.noop,
        format: if args.to_yaml { ResourceFormat::Yaml } else { args.format }.format(),
        timeout_provider: args.timeout_provider,
        device: args.device.options(),
    };
    catwalk_run::resource(&resource, || options(args), &mut log)
}

fn options(args: &Resource) -> Result<Options, Reason> {
    let world = Disk::new();
    let mut site = args.site.clone();
    site.execute = Some(String::new());
    let mut options = options::for_changes(&site, &world)?;
    if !options.has_facts() && args.device.target.is_none() {
        options.fact_set = Some(Arc::new(catwalk_run::machine_facts(options::agent(&site)?)));
    }
    options.unlisted = true;
    Ok(options)
}
