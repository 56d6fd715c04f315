//! `catwalk classify`: the classification of a node, or of all nodes, by node groups.

mod remote;

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::classify::remote::ServerArgs;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_classify::ClassifyOptions;
use catwalk_classify::Failure;
use catwalk_node::groups::GroupsError;
use catwalk_session::Session;
use catwalk_world::Disk;

/// Arguments of `classify`.
#[derive(Args, Debug)]
pub struct Arguments {
    /// The node
    pub certname: Option<String>,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Node groups: a file (JSON, YAML, .rhai) or a directory of them [default: those of the site's classifier]
    #[arg(long, value_name = "PATH")]
    pub groups: Option<PathBuf>,
    /// Explain the classification
    #[arg(long)]
    pub explain: bool,
    /// Also list the groups that the node is not in, each with the first condition that is false; implies --explain
    #[arg(long)]
    pub all: bool,
    /// Facts of many nodes: a directory of CERTNAME.json or .yaml [default: the nodes of the site]
    #[arg(long, value_name = "DIR")]
    pub nodes: Option<PathBuf>,
    /// Classify all nodes: a table of nodes and groups, conflicts, groups without nodes, suspicious rules
    #[arg(long)]
    pub matrix: bool,
    /// Test the groups: a file of nodes with their expected groups and classes
    #[arg(long, value_name = "FILE")]
    pub expect: Option<PathBuf>,
    /// Show the rules of all groups, or of one, as PuppetDB queries
    #[arg(long, value_name = "GROUP", num_args = 0..=1, conflicts_with_all = ["certname", "matrix", "nodes", "expect"])]
    pub translate_rules: Option<Option<String>>,
    #[command(flatten)]
    pub service: ServerArgs,
    /// Format of the answer [default: json for a node, otherwise human]
    #[arg(long, value_enum)]
    pub format: Option<Format>,
}

/// Forms of answers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Format {
    /// For people
    Human,
    /// The documents of the classifier service
    Json,
}

impl Format {
    /// The format itself.
    fn format(self) -> catwalk_classify::Format {
        match self {
            Format::Human => catwalk_classify::Format::Human,
            Format::Json => catwalk_classify::Format::Json,
        }
    }
}

impl Arguments {
    /// The options themselves, with absolute paths.
    ///
    /// # Errors
    /// The current directory does not exist.
    fn options(&self) -> Result<ClassifyOptions, Reason> {
        let absolute = |path: &Option<PathBuf>| path.as_deref().map(options::absolute).transpose();
        Ok(ClassifyOptions {
            certname: self.certname.clone(),
            groups: absolute(&self.groups)?,
            explain: self.explain,
            all: self.all,
            nodes: absolute(&self.nodes)?,
            matrix: self.matrix,
            expect: absolute(&self.expect)?,
            translate_rules: self.translate_rules.clone(),
            service: self.service.service()?,
            format: self.format.map(Format::format),
        })
    }
}

/// Classifies.
pub fn run(args: &Arguments) -> u8 {
    let logger = Logger::from_args(&args.site);
    let world = Arc::new(Disk::new());
    let opened = options::with_optional_site(&args.site, world.as_ref())
        .and_then(|options| Session::open(options, world.clone()));
    let session = match opened {
        Ok(session) => session,
        Err(reason) => return usage(&logger, reason),
    };
    let failed = |diagnostic: &Diagnostic| {
        logger.write(diagnostic, session.sources(), None);
        1
    };
    let options = match args.options() {
        Ok(options) => options,
        Err(reason) => return usage(&logger, reason),
    };
    let mut log = |line: &Diagnostic| logger.write(line, session.sources(), None);
    match catwalk_classify::classify(&options, &session, world.as_ref(), &mut log) {
        Ok((text, code)) => {
            match print(&if args.format == Some(Format::Json) { text.into() } else { for_people(&text) }) {
                Ok(()) => code,
                Err(reason) => failed(&Diagnostic::new(reason, None)),
            }
        }
        Err(Failure::Usage(reason)) => usage(&logger, reason),
        Err(Failure::Failed(diagnostic)) => failed(&diagnostic),
        Err(Failure::Groups(GroupsError::Invalid(_, problem))) if args.format == Some(Format::Json) => {
            match print(&catwalk_classify::json(&problem.document())) {
                Ok(()) => 1,
                Err(reason) => failed(&Diagnostic::new(reason, None)),
            }
        }
        Err(Failure::Groups(unread)) => failed(&unread.diagnostic()),
    }
}
