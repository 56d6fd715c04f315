//! Files of modules as functions name them: `module/name`, or an absolute path.

use std::path::PathBuf;

use catwalk_eval::Evaluator;
use catwalk_world::Kind;

/// Where a file is: an absolute path as it is, `module/name` below that directory of the module; `None` when there is no
/// such module or nothing at that place (Puppet::Parser::Files.find_file and .find_template).
pub(super) fn find(ev: &Evaluator<'_>, reference: &str, directory: &str) -> Option<PathBuf> {
    let path = ev.program.environment.file_in_module(directory, reference)?;
    (ev.world.kind(&path) != Kind::Missing).then_some(path)
}
