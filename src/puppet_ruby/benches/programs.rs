//! Measures Ruby programs: `cargo bench -p catwalk-puppet-ruby [FILE.rb…]`, by default those of `tests/reference/ruby-programs`.
//! `tests/reference/ruby-speed` compares whole runs with Ruby. `--renderings=N` renders each template N times and reads no
//! clock, for counting instructions (`valgrind --tool=callgrind`).
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "a benchmark")]

use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use catwalk_base::names::NameMap;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_base::stack;
use catwalk_eval::ErbTemplate;
use catwalk_eval::Evaluator;
use catwalk_eval::Library;
use catwalk_eval::ModuleFunction;
use catwalk_eval::NativeFunctions;
use catwalk_eval::NativeTables;
use catwalk_eval::Ruby;
use catwalk_eval::Settings;
use catwalk_node::Node;
use catwalk_program::Cache;
use catwalk_program::Environment;
use catwalk_program::Program;
use catwalk_puppet_ruby::Interpreter;
use catwalk_world::Disk;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// An empty table of functions in Rust: the programs call none.
static FUNCTIONS: NativeFunctions = NativeFunctions::new(
    NativeTables { seven: NameMap::default, eight: NameMap::default, nine: NameMap::default },
    |_, _| Some(ModuleFunction::Native),
);

/// The number of runs of the program in one rendering of its template.
const RUNS: u32 = 10;

/// The time spent on measuring one program.
const LONG: Duration = Duration::from_secs(1);

fn template(path: &Path) -> String {
    let source = std::fs::read_to_string(path).unwrap();
    match path.extension() {
        Some(extension) if extension == "rb" => {
            format!("<%\n{source}\nlast = nil\n{RUNS}.times {{ last = work }}\n-%>\n<%= last %>\n")
        }
        _ => format!("<% {RUNS}.times do -%>\n{source}<% end -%>\n"),
    }
}

/// The processor time of this thread, which other processes do not affect.
fn spent() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap())
}

/// The number of renderings of each template without reading the clock.
fn renderings() -> Option<u32> {
    std::env::args().find_map(|arg| arg.strip_prefix("--renderings=")?.parse().ok())
}

/// The shortest time of one run.
fn measure(path: &Path) -> Duration {
    let world = Arc::new(Disk::new());
    let program =
        Program::load(Arc::new(Environment::default()), world.clone(), Arc::new(Cache::default()), Some("")).unwrap();
    let (node, settings) = (Node::default(), Settings::default());
    let library = Library { functions: &FUNCTIONS, scripts: None, ruby: &Interpreter };
    let mut evaluator = Evaluator::new(&program, world.as_ref(), &node, &settings, library);
    let text: Arc<str> = Arc::from(template(path));
    let tree = program.erb_string(&text);
    let mut render = || {
        let template = ErbTemplate::Inline { text: &text, tree: &tree };
        let rendered = Interpreter.render(&mut evaluator, &template, Span::new(FileId(0), 0, 0));
        assert!(rendered.is_ok(), "{} fails", path.display());
    };
    if let Some(count) = renderings() {
        (0..count).for_each(|_| render());
        return Duration::ZERO;
    }
    let begin = Instant::now();
    let mut least = Duration::MAX;
    while begin.elapsed() < LONG {
        let one = spent();
        render();
        least = least.min((spent() - one) / RUNS);
    }
    least
}

fn main() {
    let given: Vec<PathBuf> =
        std::env::args().skip(1).filter(|arg| !arg.starts_with("--")).map(PathBuf::from).collect();
    let mut programs = given;
    if programs.is_empty() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/reference/ruby-programs");
        programs.extend(std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        programs.sort();
    }
    let work = || {
        for program in &programs {
            let name = program.file_stem().unwrap_or_default().to_string_lossy();
            println!("{name:10} {:8.3} ms", measure(program).as_secs_f64() * 1e3);
        }
    };
    stack::with_large(work).unwrap();
}
