//! The command line: arguments become a `Session`, its results become output and an exit code.
//!
//! In: the process's arguments. Out: text on stdout, diagnostics on stderr, exit codes: 0 done, 1 a node or file failed, 2 usage. Must
//! not: know rules of the language; use more than the public interface of the library.

pub mod args;
pub mod catalog_format;
pub mod catalog_output;
pub mod commands;
pub mod console_log;
mod graph;
pub mod help;
mod log;
mod nodes;
mod options;
mod placed;
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
use catwalk_world::wall::Startable;

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
fn name_paths(command: &mut Command) {
    match command {
        Command::Compile(given) => {
            given.site.writable.extend(given.output.iter().filter(|path| path.as_os_str() != "-").cloned());
            // SQLite writes its log to the directory of the file.
            let folder =
                |path: &PathBuf| path.parent().filter(|folder| folder.as_os_str() != "").map(Path::to_path_buf);
            given
                .site
                .writable
                .extend(given.store.iter().map(|path| folder(path).unwrap_or_else(|| PathBuf::from("."))));
        }
        Command::Test(given) => {
            given.site.writable.extend([&given.junit, &given.markdown, &given.lcov].into_iter().flatten().cloned());
        }
        Command::Catalog(given) => given.name_paths(),
        Command::Classify(given) => {
            given.site.readable.extend([&given.groups, &given.nodes, &given.expect].into_iter().flatten().cloned());
        }
        Command::Eval(given) => given.site.readable.extend(given.file.iter().cloned()),
        Command::Diff(given) => {
            given.site.programs.push(Startable::Git);
            given.site.read_by_command.extend(given.against.iter().cloned());
        }
        Command::Watch(given) => {
            let line = |command: &String| ["sh", "-c", command].map(str::to_owned).to_vec();
            given.site.programs.extend(given.exec.iter().map(line).map(Startable::Words));
        }
        _ => {}
    }
}

/// The arguments of a process that `catwalk_system::Machine` starts to execute another program.
#[cfg(unix)]
fn launched() -> Option<Vec<std::ffi::OsString>> {
    let mut arguments = std::env::args_os().skip(1);
    (arguments.next()? == catwalk_system::LAUNCH).then(|| arguments.collect())
}

/// Runs the program with the process's arguments.
#[must_use]
pub fn run() -> ExitCode {
    #[cfg(unix)]
    if let Some(arguments) = launched() {
        return ExitCode::from(catwalk_system::launch(&arguments));
    }
    let parsed = help::command().try_get_matches().and_then(|matches| Arguments::from_arg_matches(&matches));
    let arguments = match parsed {
        Ok(mut arguments) => {
            name_paths(&mut arguments.command);
            arguments
        }
        Err(error) => {
            let code = if error.use_stderr() { 2 } else { 0 };
            // An error means that the terminal is closed: there is nothing left to do.
            let _ = error.print();
            return ExitCode::from(code);
        }
    };
    // A panic is caught and reported as an error with its position; the standard library's message would only repeat it.
    std::panic::set_hook(Box::new(|_| ()));
    catwalk_world::allow_named_devices(std::env::args_os().skip(1));
    // These commands handle signals themselves, or are processes that another process ends.
    let is_interactive = matches!(
        &arguments.command,
        Command::Apply(_)
            | Command::Resource(_)
            | Command::Eval(_)
            | Command::Watch(_)
            | Command::Serve(_)
            | Command::InternalWorker
            | Command::InternalLaunch { .. }
    ) || matches!(&arguments.command, Command::Snapshot(given) if given.is_review());
    if !is_interactive {
        signals::clean_up_at_the_end();
    }
    let work = || match arguments.command {
        Command::Check(given) => commands::check::run(&given),
        Command::Parse(given) => commands::parse::run(&given),
        Command::Apply(given) => leave(commands::apply::run(&given)),
        Command::InternalLaunch { arguments } => ExitCode::from(catwalk_system::launch(&arguments)),
        Command::Compile(given) => {
            let code = commands::compile::run(&given);
            log::name_explanation();
            leave(code)
        }
        Command::Catalog(given) => ExitCode::from(commands::catalog::run(&given)),
        Command::Show(given) => ExitCode::from(commands::show::run(&given)),
        Command::Classify(given) => ExitCode::from(commands::classify::run(&given)),
        Command::Eval(given) => ExitCode::from(commands::eval::run(&given)),
        Command::Init(given) => ExitCode::from(commands::init::run(&given)),
        Command::New(given) => ExitCode::from(commands::new::run(&given)),
        Command::Lookup(given) => ExitCode::from(commands::lookup::run(&given)),
        Command::Data(given) => ExitCode::from(commands::data::run(&given)),
        Command::Node(given) => ExitCode::from(commands::node::run(&given)),
        Command::Diff(given) => ExitCode::from(commands::diff::run(&given)),
        Command::Completions(given) => ExitCode::from(commands::completions::run(&given)),
        Command::Convert(given) => ExitCode::from(commands::convert::run(&given)),
        Command::Docs(given) => commands::docs::run(&given),
        Command::Man(given) => ExitCode::from(commands::man::run(&given)),
        Command::Test(given) => ExitCode::from(commands::test::run(&given)),
        Command::Snapshot(given) => ExitCode::from(commands::snapshot::run(&given)),
        Command::Facts(given) => ExitCode::from(commands::facts::run(&given)),
        Command::Store(given) => ExitCode::from(commands::store::run(&given)),
        Command::Resource(given) => leave(commands::resource::run(&given)),
        Command::Script(given) => ExitCode::from(commands::script::run(&given)),
        Command::InternalWorker => {
            catwalk_scripting::serve();
            ExitCode::SUCCESS
        }
        Command::Serve(given) => leave(commands::serve::run(&given)),
        Command::Watch(given) => ExitCode::from(commands::watch::run(&given)),
    };
    let code = catwalk_base::stack::with_large(work).unwrap_or_else(|_| {
        Logger::new(site::LogFormat::Human).note("error: internal error: this is a bug of catwalk");
        ExitCode::from(101)
    });
    if !is_interactive {
        log::name_explanation();
    }
    code
}
