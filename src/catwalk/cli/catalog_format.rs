//! Options of formats of catalogs.

use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;

use catwalk_base::secrets::Key;
use catwalk_formats::wire::format::Format;
use catwalk_formats::wire::format::Options;
use catwalk_formats::wire::puppetdb::Style;
use catwalk_formats::wire::puppetdb::Submission;
use catwalk_formats::wire::puppetdb::Version;

/// Formats of catalogs.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CatalogFormat {
    /// What a Puppet server sends to an agent
    #[default]
    Native,
    /// Puppet's native format without `kind`, as servers before Puppet 7.13
    Native1,
    /// PuppetDB's wire format, version 4
    Wire4,
    /// Version 5: with the time of the producer
    Wire5,
    /// Version 6: certname, underscores in names
    Wire6,
    /// Version 7: with `code_id`
    Wire7,
    /// Version 8: with `catalog_uuid`
    Wire8,
    /// Version 9: with `producer` and `job_id`, what PuppetDB 4.2 and later receive
    Wire9,
    /// One parameter per line, without what varies from run to run
    Canonical,
    /// A graph for Graphviz
    Dot,
    /// The native format as YAML
    Yaml,
}

impl CatalogFormat {
    /// The format itself.
    #[must_use]
    pub fn format(self) -> Format {
        match self {
            CatalogFormat::Native => Format::Native,
            CatalogFormat::Native1 => Format::Native1,
            CatalogFormat::Wire4 => Format::Wire(Version::V4),
            CatalogFormat::Wire5 => Format::Wire(Version::V5),
            CatalogFormat::Wire6 => Format::Wire(Version::V6),
            CatalogFormat::Wire7 => Format::Wire(Version::V7),
            CatalogFormat::Wire8 => Format::Wire(Version::V8),
            CatalogFormat::Wire9 => Format::Wire(Version::V9),
            CatalogFormat::Canonical => Format::Canonical,
            CatalogFormat::Dot => Format::Dot,
            CatalogFormat::Yaml => Format::Yaml,
        }
    }

    /// Whether catalogs of the format contain secrets in clear text, as agents receive them.
    #[must_use]
    pub fn has_secrets(self) -> bool {
        matches!(self, CatalogFormat::Native | CatalogFormat::Native1 | CatalogFormat::Yaml)
    }

    /// The name of a format on the command line.
    #[must_use]
    pub fn name(format: Format) -> &'static str {
        match format {
            Format::Native => "native",
            Format::Native1 => "native1",
            Format::Wire(Version::V4) => "wire4",
            Format::Wire(Version::V5) => "wire5",
            Format::Wire(Version::V6) => "wire6",
            Format::Wire(Version::V7) => "wire7",
            Format::Wire(Version::V8) => "wire8",
            Format::Wire(Version::V9) => "wire9",
            Format::Canonical => "canonical",
            Format::Dot => "dot",
            Format::Yaml => "yaml",
        }
    }
}

/// Options of the writer of catalogs.
#[derive(Args, Debug, Clone, Default)]
pub struct FormatArgs {
    /// Write wire formats as PuppetDB's documentation describes them instead of as its terminus sends them
    #[arg(long)]
    pub spec: bool,
    /// Write values that JSON cannot represent as `__ptype` and `__pvalue`, with any value of the setting `rich_data`
    #[arg(long, overrides_with = "no_rich_data")]
    pub rich_data: bool,
    /// Write values that JSON cannot represent as strings, as Puppet does with rich_data=false
    #[arg(long)]
    pub no_rich_data: bool,
    /// The version of the catalog [default: its own]
    #[arg(long, value_name = "STRING")]
    pub version_text: Option<Arc<str>>,
    /// The UUID of the run in wire formats [default: the UUID of the catalog]
    #[arg(long, value_name = "UUID")]
    pub transaction_uuid: Option<Arc<str>>,
    /// The time of the submission in wire formats, RFC 3339 [default: the version of the catalog, if that is a time]
    #[arg(long, value_name = "TIME")]
    pub producer_timestamp: Option<Arc<str>>,
    /// The certname of the server in wire formats [default: none]
    #[arg(long, value_name = "CERTNAME")]
    pub producer: Option<Arc<str>>,
}

impl FormatArgs {
    /// Whether catalogs have rich data, if an option sets it.
    #[must_use]
    pub fn has_rich_data(&self) -> Option<bool> {
        match (self.rich_data, self.no_rich_data) {
            (_, true) => Some(false),
            (true, false) => Some(true),
            (false, false) => None,
        }
    }

    /// The options of the writer. Canonical catalogs have paths relative to `root` and digests computed with `key`.
    #[must_use]
    pub fn options(&self, root: String, key: Key) -> Options {
        Options {
            style: if self.spec { Style::Documented } else { Style::Terminus },
            submission: Submission {
                version: self.version_text.clone(),
                transaction_uuid: self.transaction_uuid.clone(),
                producer_timestamp: self.producer_timestamp.clone(),
                producer: self.producer.clone(),
            },
            root,
            is_plain: self.has_rich_data() == Some(false),
            key,
        }
    }
}

/// A format with the options of its writer.
#[derive(Debug, Clone)]
pub struct CatalogWriter {
    /// The format.
    pub format: Format,
    /// The options.
    pub options: Options,
}
