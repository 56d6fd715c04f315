//! The command line: arguments become a `Session`, its results become output and an exit code.
//!
//! In: the process's arguments. Out: text on stdout, diagnostics on stderr, exit codes: 0 done, 1 a node or file failed, 2 usage. Must
//! not: know rules of the language; use more than the public interface of the library.

pub mod args;
pub mod catalog_format;
pub mod catalog_output;
pub mod commands;
mod complete;
pub mod console_log;
pub mod help;
mod log;
mod options;
mod screen;
mod signals;
pub mod site;
pub mod submission;

use std::io::Write;
use std::path::Path;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::FromArgMatches;

use crate::cli::args::Arguments;
use crate::cli::args::Command;
use crate::cli::site::LogFormat;
use catwalk_world::sandbox::Startable;

pub use log::Logger;

/// Ends the process without dropping values: freeing the memory of a compile takes long.
fn leave(code: u8) -> ! {
    // An error means that the reader has closed the pipe: there is nothing left to do.
    let _ = std::io::stdout().flush();
    let _ = std::io::stderr().flush();
    #[cfg(unix)]
    catwalk_world::kill_children();
    signal_hook::low_level::exit(i32::from(code))
}

/// Adds the paths outside of the site that a command's own options name, and the programs that it starts, to the site's arguments. The
/// kernel denies untrusted code access to all other paths.
fn add_paths(command: &mut Command) {
    match command {
        Command::Compile(args) => {
            args.site.writable.extend(args.output.iter().filter(|path| path.as_os_str() != "-").cloned());
            // SQLite writes its log to the directory of the file.
            let folder =
                |path: &PathBuf| path.parent().filter(|folder| folder.as_os_str() != "").map(Path::to_path_buf);
            args.site.writable.extend(args.store.iter().map(|path| folder(path).unwrap_or_else(|| PathBuf::from("."))));
        }
        Command::Test(args) => {
            args.directories.add_to(&mut args.site);
            args.site.writable.extend([&args.junit, &args.markdown, &args.lcov].into_iter().flatten().cloned());
        }
        Command::Snapshot(args) => args.add_directories(),
        Command::Catalog(args) => args.add_paths(),
        Command::Classify(args) => {
            args.site.readable.extend([&args.groups, &args.nodes, &args.expect].into_iter().flatten().cloned());
        }
        Command::Eval(args) => args.site.readable.extend(args.file.iter().cloned()),
        Command::Diff(args) => {
            args.site.programs.push(Startable::Git);
            args.site.read_by_command.extend(args.against.iter().cloned());
        }
        Command::Watch(args) => {
            args.directories.add_to(&mut args.site);
            let line = |command: &String| ["sh", "-c", command].map(str::to_owned).to_vec();
            args.site.programs.extend(args.exec.iter().map(line).map(Startable::Words));
        }
        _ => {}
    }
}

/// The arguments of a process that `catwalk_system::Machine` starts to execute another program.
#[cfg(unix)]
fn launch_arguments() -> Option<Vec<std::ffi::OsString>> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == catwalk_system::LAUNCH).then(|| arguments.collect())
}

/// Prints the version if the arguments request nothing else: the command line with all its commands is not built then.
fn answer_version() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    let is_only =
        arguments.next().is_some_and(|first| first == "--version" || first == "-V") && arguments.next().is_none();
    if is_only {
        // An error means that the reader has closed the pipe: there is nothing left to do.
        let _ = writeln!(std::io::stdout(), "catwalk {}", env!("CARGO_PKG_VERSION"));
    }
    is_only
}

/// Runs the program with the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    #[cfg(unix)]
    if let Some(arguments) = launch_arguments() {
        return ExitCode::from(catwalk_system::launch(&arguments));
    }
    // A panic is caught and reported as an error with its position; the standard library's message would only repeat it.
    std::panic::set_hook(Box::new(|_| ()));
    if answer_version() || complete::answer() {
        return ExitCode::SUCCESS;
    }
    let Arguments { command, log_format } = match parse_arguments() {
        Ok(arguments) => arguments,
        Err(code) => return code,
    };
    catwalk_world::allow_named_devices(std::env::args_os().skip(1));
    let handles_signals = handles_signals(&command);
    if !handles_signals {
        signals::clean_up_at_the_end();
    }
    let code = catwalk_base::stack::with_large(|| execute(command, log_format)).unwrap_or_else(|_| {
        Logger::new(LogFormat::Human).note("error: internal error: this is a bug of catwalk");
        ExitCode::from(101)
    });
    if !handles_signals {
        log::suggest_explanation();
    }
    code
}

/// Parses the process's arguments. For wrong usage and for `--help`, prints the message and returns the exit code.
fn parse_arguments() -> Result<Arguments, ExitCode> {
    let parsed = help::command().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    match parsed {
        Ok(mut arguments) => {
            add_paths(&mut arguments.command);
            Ok(arguments)
        }
        Err(error) => {
            // An error means that the terminal is closed: there is nothing left to do.
            let _ = error.print();
            Err(ExitCode::from(if error.use_stderr() { 2 } else { 0 }))
        }
    }
}

/// Whether a command handles signals itself, or is a process that another process ends.
fn handles_signals(command: &Command) -> bool {
    match command {
        Command::Apply(_)
        | Command::Resource(_)
        | Command::Eval(_)
        | Command::Watch(_)
        | Command::Serve(_)
        | Command::InternalServe(_)
        | Command::InternalWorker
        | Command::InternalLaunch { .. } => true,
        Command::Snapshot(args) => args.is_review(),
        Command::Eyaml(args) => args.is_edit(),
        _ => false,
    }
}

/// Runs a command. Commands that hold much memory end the process instead of returning.
fn execute(command: Command, log_format: LogFormat) -> ExitCode {
    let logger = Logger::new(log_format);
    match command {
        Command::Check(args) => commands::check::run(&args, &logger),
        Command::Parse(args) => commands::parse::run(&args, &logger),
        Command::Apply(args) => leave(commands::apply::run(&args)),
        Command::InternalLaunch { arguments } => ExitCode::from(catwalk_system::launch(&arguments)),
        Command::Compile(args) => {
            let code = commands::compile::run(&args);
            log::suggest_explanation();
            leave(code)
        }
        Command::Catalog(args) => ExitCode::from(commands::catalog::run(&args, &logger)),
        Command::Show(args) => ExitCode::from(commands::show::run(&args)),
        Command::Classify(args) => ExitCode::from(commands::classify::run(&args)),
        Command::Eval(args) => ExitCode::from(commands::eval::run(&args)),
        Command::Init(args) => ExitCode::from(commands::init::run(&args, &logger)),
        Command::New(args) => ExitCode::from(commands::new::run(&args, &logger)),
        Command::Lookup(args) => ExitCode::from(commands::lookup::run(&args)),
        Command::Data(args) => ExitCode::from(commands::data::run(&args)),
        Command::Node(args) => ExitCode::from(commands::node::run(&args)),
        Command::Migrate(args) => ExitCode::from(commands::migrate::run(&args)),
        Command::Eyaml(args) => ExitCode::from(commands::eyaml::run(&args, &logger)),
        Command::Diff(args) => ExitCode::from(commands::diff::run(&args)),
        Command::Completions(args) => ExitCode::from(commands::completions::run(&args, &logger)),
        Command::Convert(args) => ExitCode::from(commands::convert::run(&args, &logger)),
        Command::Docs(args) => commands::docs::run(&args, &logger),
        Command::Man(args) => ExitCode::from(commands::man::run(&args, &logger)),
        Command::Test(args) => ExitCode::from(commands::test::run(&args)),
        Command::Snapshot(args) => ExitCode::from(commands::snapshot::run(&args)),
        Command::Facts(args) => ExitCode::from(commands::facts::run(&args, &logger)),
        Command::Ca(args) => ExitCode::from(commands::ca::run(&args, &logger)),
        Command::Store(args) => ExitCode::from(commands::store::run(&args, &logger)),
        Command::Resource(args) => leave(commands::resource::run(&args)),
        Command::Script(args) => ExitCode::from(commands::script::run(&args, &logger)),
        Command::InternalWorker => {
            catwalk_scripting::serve();
            ExitCode::SUCCESS
        }
        Command::Serve(args) => leave(commands::serve::run(&args, None)),
        Command::InternalServe(args) => leave(commands::serve::run(&args.serve, Some(&args.start))),
        Command::Watch(args) => ExitCode::from(commands::watch::run(&args)),
    }
}
