//! `catwalk eval [FILE]`: the value of code at the top scope of a node; on a terminal without code, a console.

mod terminal;

use std::io::IsTerminal;
use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use clap::ValueEnum;

use crate::cli::Logger;
use crate::cli::commands::compile::for_people;
use crate::cli::commands::compile::print;
use crate::cli::commands::compile::usage;
use crate::cli::options;
use crate::cli::site::SiteArgs;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::diag::Reason;
use catwalk_console::Console;
use catwalk_console::Format;
use catwalk_console::InitialState;
use catwalk_session::CompileInput;
use catwalk_session::NodeSource;
use catwalk_session::Session;
use catwalk_value::Value;
use catwalk_world::DEFAULT_FILE_LIMIT;
use catwalk_world::Disk;
use catwalk_world::Kind;
use catwalk_world::World;

/// Arguments of `eval`.
#[derive(Args, Debug)]
#[command(mut_arg("execute", |arg| arg.help("Evaluate this code").conflicts_with("file")))]
pub struct Eval {
    /// File with the code, or - for stdin [default: a console on a terminal, otherwise stdin]
    pub file: Option<PathBuf>,
    /// The node to evaluate the code for, at top scope [default: the node of --facts, the only node of the site, or one without
    /// facts, called localhost]
    #[arg(long, short, value_name = "CERTNAME")]
    pub node: Option<String>,
    /// Compile the node first, so that the code sees what the main manifest and the classification declare
    #[arg(long)]
    pub compiled: bool,
    #[command(flatten)]
    pub site: SiteArgs,
    /// Print decrypted values and other secrets in clear text
    #[arg(long)]
    pub show_secrets: bool,
    /// Format of the value
    #[arg(long, value_enum, default_value = "puppet")]
    pub format: ValueFormat,
    /// Print the type of the value instead: reduced (as inferred), detailed or generalized
    #[arg(long = "type", value_enum, value_name = "METHOD", num_args = 0..=1, require_equals = true, default_missing_value = "reduced")]
    pub type_of: Option<Inference>,
}

/// Forms of values.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ValueFormat {
    /// Puppet source text
    #[default]
    Puppet,
    /// JSON, for values that are Data
    Json,
    /// Rich data: JSON with __ptype where JSON has no form
    Rich,
}

/// How types are inferred, as the function `type` names it.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inference {
    /// Arrays and hashes have one type of elements
    Reduced,
    /// Each element has its type
    Detailed,
    /// Without sizes and values
    Generalized,
}

impl ValueFormat {
    fn format(self) -> Format {
        match self {
            ValueFormat::Puppet => Format::Puppet,
            ValueFormat::Json => Format::Json,
            ValueFormat::Rich => Format::Rich,
        }
    }
}

/// The source of the code.
enum Source {
    Text(String),
    File(PathBuf),
    Terminal,
}

/// Evaluates and prints.
pub fn run(args: &Eval) -> u8 {
    let logger = Logger::from_args(&args.site);
    let opened = read_source(args).and_then(|source| Ok((source, open_session(args)?)));
    let (source, (session, certname)) = match opened {
        Ok(opened) => opened,
        Err(reason) => return usage(&logger, reason),
    };
    let prepared = match args.compiled {
        true => session.prepare_with_exports(&certname),
        false => session.prepare(NodeSource::Site(&certname)),
    };
    let evaluate = |opened: &CompileInput<'_>, logs: Vec<Diagnostic>| {
        write_logs(&logs, &session, &logger);
        let initial_state = if args.compiled { InitialState::Compiled } else { InitialState::Bare };
        match Console::new(opened, initial_state) {
            Err((logs, error)) => {
                write_logs(&logs, &session, &logger);
                Err(error)
            }
            Ok((console, logs)) => {
                write_logs(&logs, &session, &logger);
                match &source {
                    Source::Terminal => terminal::run(console, args, &session, &logger),
                    code => evaluate_once(console, code, args, &session, &logger),
                }
            }
        }
    };
    let outcome = prepared.and_then(|prepared| session.with_prepared(&prepared, evaluate));
    match outcome.and_then(|result| result) {
        Ok(()) => 0,
        Err(error) => {
            logger.write(&error, session.sources(), None);
            1
        }
    }
}

fn write_logs(logs: &[Diagnostic], session: &Session, logger: &Logger) {
    logs.iter().for_each(|line| logger.write(line, session.sources(), None));
}

fn read_source(args: &Eval) -> Result<Source, Reason> {
    if let Some(code) = &args.site.execute {
        return Ok(Source::Text(code.clone()));
    }
    match &args.file {
        Some(path) if path.as_os_str() != "-" => {
            let file = options::absolute(path)?;
            match Disk::new().kind(&file) {
                Kind::Missing => {
                    let reason = Reason::new(Code::UNREADABLE_FILE, format!("no file '{}'", path.display()));
                    Err(reason.help("code follows -e: catwalk eval -e 'CODE'"))
                }
                _ => Ok(Source::File(file)),
            }
        }
        None if std::io::stdin().is_terminal() => Ok(Source::Terminal),
        _ => read_stdin().map(Source::Text),
    }
}

/// Reads stdin to its end, up to the size limit of files.
fn read_stdin() -> Result<String, Reason> {
    let fail = |why: String| Reason::usage(format!("cannot read code from stdin: {why}"));
    let limit = DEFAULT_FILE_LIMIT;
    let mut text = String::new();
    let read = std::io::stdin().lock().take(limit + 1).read_to_string(&mut text);
    read.map_err(|error| fail(error.to_string()))?;
    if text.len() as u64 > limit {
        return Err(fail(format!("larger than {} MiB", limit >> 20)));
    }
    Ok(text)
}

/// The session and the node.
fn open_session(args: &Eval) -> Result<(Session, Arc<str>), Reason> {
    let world = Arc::new(Disk::new());
    let mut options = options::with_optional_site(&args.site, world.as_ref())?;
    options.settings.interrupt = Some(Arc::default());
    // The main manifest is empty, except with `--compiled`, which compiles that of the site.
    options.code = if args.compiled { None } else { Some(String::new()) };
    let mut session = Session::open(options, world)?;
    match session.select_node(args.node.as_deref())? {
        Some(name) => Ok((session, name)),
        None => {
            session.options.unlisted = true;
            Ok((session, Arc::from("localhost")))
        }
    }
}

/// Evaluates the code and finishes the catalog, to report the errors that a compile would.
fn evaluate_once(
    mut console: Console<'_>,
    source: &Source,
    args: &Eval,
    session: &Session,
    logger: &Logger,
) -> Result<(), Box<Diagnostic>> {
    let reply = match source {
        Source::File(path) => console.evaluate_file(path),
        Source::Text(code) => console.evaluate(code),
        Source::Terminal => return Ok(()),
    };
    write_logs(&reply.logs, session, logger);
    if let Some(error) = reply.error {
        return Err(error);
    }
    let (_, logs) = console.catalog()?;
    write_logs(&logs, session, logger);
    let value = value_or_type(reply.value.unwrap_or(Value::Undef), args);
    let secrets = console.secrets();
    let text = args.format.format().write(&value, Some(&*secrets).filter(|_| !args.show_secrets))?;
    let text = if args.format == ValueFormat::Puppet { for_people(&text) } else { text.as_str().into() };
    print(&text).map_err(Box::from)
}

/// The value, or its type if `--type` is set.
fn value_or_type(value: Value, args: &Eval) -> Value {
    match args.type_of {
        None => value,
        Some(Inference::Reduced) => Value::Type(catwalk_value::infer(&value)),
        Some(Inference::Detailed) => Value::Type(catwalk_value::infer_set(&value)),
        Some(Inference::Generalized) => Value::Type(catwalk_value::generalize(&catwalk_value::infer(&value))),
    }
}
