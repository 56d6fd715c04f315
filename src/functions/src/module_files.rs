//! Finds files by the arguments of functions: `module/name`, or an absolute path.

use std::path::PathBuf;

use catwalk_eval::Evaluator;
use catwalk_world::Kind;

/// The path of a file: an absolute path unchanged, `module/name` below that directory of the module; `None` if the module or the
/// file does not exist (Puppet::Parser::Files.find_file and .find_template).
pub(super) fn find(ev: &Evaluator<'_>, reference: &str, directory: &str) -> Option<PathBuf> {
    let path = ev.program.environment.file_in_module(directory, reference)?;
    (ev.world.kind(&path) != Kind::Missing).then_some(path)
}
