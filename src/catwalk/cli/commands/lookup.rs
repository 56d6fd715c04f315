//! `catwalk lookup KEY…`: values of Hiera for a node, as `puppet lookup` prints them.

use std::borrow::Cow;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Cause;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_console::Console;
use catwalk_console::Explain;
use catwalk_console::InitialState;
use catwalk_console::LookupAnswer;
use catwalk_console::LookupRequest;
use catwalk_console::OutputFormat;
use catwalk_session::CompileInput;
use catwalk_session::NodeSource;
use catwalk_session::Session;
use catwalk_value::Hash;
use catwalk_value::Value;
use catwalk_world::Disk;

/// Arguments of `lookup`.
#[derive(Args, Debug)]
#[command(mut_arg("execute", |arg| arg.requires("compile")))]
pub struct Lookup {
    /// Keys; the first with a value is used
    pub keys: Vec<String>,
    /// The node to look up data for [default: the node of --facts, or the only node of the site]
    #[arg(long, short, value_name = "CERTNAME")]
    pub node: Option<String>,
    /// How to merge values of several levels [default: lookup_options, otherwise first]
    #[arg(long, value_name = "first|unique|hash|deep")]
    pub merge: Option<String>,
    /// With --merge deep: remove elements with this prefix
    #[arg(long, value_name = "PREFIX")]
    pub knock_out_prefix: Option<String>,
    /// With --merge deep: sort merged arrays
    #[arg(long)]
    pub sort_merged_arrays: bool,
    /// With --merge deep: merge hashes in arrays by index
    #[arg(long)]
    pub merge_hash_arrays: bool,
    /// The default value if no data source has the key
    #[arg(long = "default", value_name = "VALUE")]
    pub default_value: Option<String>,
    /// The type the value must have
    #[arg(long = "type", value_name = "TYPE")]
    pub value_type: Option<String>,
    /// Explain where the value was searched for, instead of printing it
    #[arg(long)]
    pub explain: bool,
    /// Explain the sources of lookup_options, instead of printing the value
    #[arg(long)]
    pub explain_options: bool,
    /// Compile the node first, so that hierarchies see the variables of its manifests and its classification
    #[arg(long)]
    pub compile: bool,
    /// Print decrypted values and other secrets in clear text
    #[arg(long)]
    pub show_secrets: bool,
    /// Format of the answer [default: YAML for values, text for explanations]
    #[arg(long, visible_alias = "render-as", value_enum, default_value = "human")]
    pub format: AnswerFormat,
    #[command(flatten)]
    pub site: SiteArgs,
}

/// Forms of answers.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum AnswerFormat {
    /// Values as YAML, explanations as text
    #[default]
    Human,
    /// JSON
    Json,
    /// YAML
    Yaml,
    /// Text
    S,
}

impl AnswerFormat {
    fn output_format(self) -> OutputFormat {
        match self {
            AnswerFormat::Human => OutputFormat::Human,
            AnswerFormat::Json => OutputFormat::Json,
            AnswerFormat::Yaml => OutputFormat::Yaml,
            AnswerFormat::S => OutputFormat::Text,
        }
    }
}

/// The key to use if only options are explained and no key is given (Puppet::Pops::Lookup::GLOBAL).
const GLOBAL: &str = "__global__";

/// Looks up and prints.
pub fn run(args: &Lookup) -> u8 {
    let logger = Logger::from_args(&args.site);
    let opened = parse_question(args).and_then(|(keys, merge)| Ok((keys, merge, open_session(args)?)));
    let (keys, merge, (session, certname)) = match opened {
        Ok(opened) => opened,
        Err(reason) => return usage(&logger, reason),
    };
    let request = LookupRequest {
        keys: &keys,
        merge: &merge,
        value_type: args.value_type.as_deref(),
        default: args.default_value.as_deref(),
        explain: match (args.explain, args.explain_options) {
            (true, _) => Explain::Lookup,
            (false, true) => Explain::Options,
            (false, false) => Explain::Nothing,
        },
        show_secrets: args.show_secrets,
    };
    let prepared = match args.compile {
        true => session.prepare_with_exports(&certname),
        false => session.prepare(NodeSource::Site(&certname)),
    };
    let look_up = |opened: &CompileInput<'_>, logs: Vec<Diagnostic>| {
        let initial_state = if args.compile { InitialState::Compiled } else { InitialState::Bare };
        let mut logs = logs;
        let answer = Console::new(opened, initial_state).and_then(|(mut console, logs_before)| {
            logs.extend(logs_before);
            console.look_up(&request)
        });
        let (new_logs, result) = match answer {
            Ok(mut answer) => (std::mem::take(&mut answer.logs), Ok(answer)),
            Err((new_logs, error)) => (new_logs, Err(error)),
        };
        logs.extend(new_logs);
        if !args.compile && session.is_classified() {
            logs.iter_mut().for_each(suggest_compile);
        }
        logs.iter().for_each(|line| logger.write(line, session.sources(), None));
        result
    };
    let outcome = prepared.and_then(|prepared| session.with_prepared(&prepared, look_up));
    match outcome.and_then(|result| result).and_then(|answer| print_answer(&answer, args, &session, &logger)) {
        Ok(code) => code,
        Err(error) => {
            logger.write(&error, session.sources(), None);
            1
        }
    }
}

/// Adds a hint to the warning about an unknown variable: only `--compile` sets the classifier's variables.
fn suggest_compile(warning: &mut Diagnostic) {
    let is_about_variable =
        matches!(warning.cause, Cause::UnknownVariable(_)) || warning.code == Code::UNKNOWN_VARIABLE;
    if is_about_variable && warning.help.is_none() {
        warning.help = Some("if the classifier sets it: --compile classifies the node first".into());
    }
}

/// Prints the answer. Returns the exit code.
fn print_answer(
    answer: &LookupAnswer,
    args: &Lookup,
    session: &Session,
    logger: &Logger,
) -> Result<u8, Box<Diagnostic>> {
    let format = args.format.output_format();
    if let Some(explanation) = &answer.explanation {
        let text = format.explanation(explanation)?;
        print(&escape_for_format(&text, args))?;
        return Ok(0);
    }
    match &answer.value {
        Ok(value) => {
            print(&escape_for_format(&format.value(value)?, args))?;
            Ok(0)
        }
        Err(failure) => {
            logger.write(failure, session.sources(), None);
            Ok(1)
        }
    }
}

/// Escapes control characters in the forms for people; JSON is unchanged.
fn escape_for_format<'t>(text: &'t str, args: &Lookup) -> Cow<'t, str> {
    if args.format == AnswerFormat::Json { Cow::Borrowed(text) } else { for_people(text) }
}

/// The keys, and the `merge` argument.
///
/// # Errors
/// Conflicting arguments: Puppet's message, exit code 2.
fn parse_question(args: &Lookup) -> Result<(Vec<String>, Value), Reason> {
    let options = args.sort_merged_arrays || args.merge_hash_arrays || args.knock_out_prefix.is_some();
    if options && args.merge.as_deref() != Some("deep") {
        return Err(Reason::usage(
            "The options --knock-out-prefix, --sort-merged-arrays, and --merge-hash-arrays are only available with '--merge deep'",
        ));
    }
    let mut keys = args.keys.clone();
    if keys.is_empty() {
        if !args.explain_options || args.explain {
            return Err(Reason::usage("No keys were given to lookup."));
        }
        keys.push(GLOBAL.to_owned());
    }
    Ok((keys, merge_argument(args)?))
}

fn merge_argument(args: &Lookup) -> Result<Value, Reason> {
    const STRATEGIES: [&str; 4] = ["first", "unique", "hash", "deep"];
    let Some(strategy) = args.merge.as_deref() else { return Ok(Value::Undef) };
    if !STRATEGIES.contains(&strategy) {
        return Err(Reason::usage("The --merge option only accepts 'first', 'hash', 'unique', or 'deep'"));
    }
    let mut merge = Hash::new();
    merge.set("strategy", Value::str(strategy));
    if strategy == "deep" {
        merge.set("sort_merged_arrays", Value::Bool(args.sort_merged_arrays));
        merge.set("merge_hash_arrays", Value::Bool(args.merge_hash_arrays));
        if let Some(prefix) = &args.knock_out_prefix {
            merge.set("knockout_prefix", Value::str(prefix));
        }
    }
    Ok(Value::hash(merge))
}

/// The session and the node. As in Puppet, only `--compile` classifies and evaluates manifests.
fn open_session(args: &Lookup) -> Result<(Session, Arc<str>), Reason> {
    let world = Arc::new(Disk::new());
    let mut options = options::session(&args.site, world.as_ref())?;
    if !args.compile {
        options.code = Some(String::new());
        options.unclassified = true;
    }
    let session = Session::open(options, world)?;
    match session.select_node(args.node.as_deref())? {
        Some(name) => Ok((session, name)),
        None => Err(Reason::usage("no node to look up for: give --node CERTNAME or --facts FILE")),
    }
}
