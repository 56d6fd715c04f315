//! What a compile used of its files: recorded while it runs, read at its end.
//!
//! In: definitions, node blocks and files in Ruby that were used. Out: the uses of each file, the names that were looked for.
//! Must not: compare them with edited files.

use std::path::Path;
use std::sync::Arc;

use crate::program::ParsedSource;
use crate::program::Program;
use crate::program::RubyUse;
use crate::program::Use;
use catwalk_base::names::Name;

impl Program {
    pub(super) fn record_ruby_use(&self, path: &Path, bytes: Arc<[u8]>, template: bool) {
        self.ruby.borrow_mut().add(path, bytes, template);
    }

    /// Names of definitions that were looked for, existing or not, in no order.
    #[must_use]
    pub fn looked_up_names(&self) -> Box<[Name]> {
        let mut names: Vec<Name> = self.searched_names.borrow().iter().copied().collect();
        names.sort_unstable_by_key(|name| name.as_str().as_ptr().addr());
        names.into_boxed_slice()
    }

    /// The files in Ruby and templates in ERB that were used.
    #[must_use]
    pub fn uses_of_ruby(&self) -> Vec<RubyUse> {
        self.ruby.take().into_list()
    }

    /// Records that a node block is used, not only tried; by its index in [`Program::nodes`].
    pub fn record_node_block_use(&self, block: usize) {
        if let Some(id) = self.index.borrow().nodes.get(block) {
            self.used.borrow_mut().insert((id.file, id.definition));
        }
    }

    /// Records that the position of code affects the contents of the catalog, not only the file and line of resources.
    pub fn record_position_use(&self) {
        self.uses_positions.set(true);
    }

    /// How many of the files in [`Program::uses_of_files`] are the main manifest; they are the first. `None` if code replaces it.
    #[must_use]
    pub fn main_file_count(&self) -> Option<usize> {
        let parsed = self.parsed.borrow();
        let is_file = |parsed: &&Arc<ParsedSource>| parsed.path().is_some_and(Path::is_absolute);
        let count = parsed.iter().take(self.main.len()).filter(is_file).count();
        (count == self.main.len()).then_some(count)
    }

    /// What was used of each file, and whether positions were.
    #[must_use]
    pub fn uses_of_files(&self) -> (Vec<Use>, bool) {
        let mut used: Vec<(usize, usize)> = self.used.borrow().iter().copied().collect();
        used.sort_unstable();
        let mut uses = Vec::new();
        for (at, parsed) in self.parsed.borrow().iter().enumerate() {
            let from = used.partition_point(|(file, _)| *file < at);
            let to = used.partition_point(|(file, _)| *file <= at);
            let definitions = used.get(from..to).unwrap_or_default().iter().map(|(_, number)| *number).collect();
            if parsed.path().is_some_and(Path::is_absolute) {
                uses.push(Use { parsed: parsed.clone(), definitions });
            }
        }
        (uses, self.uses_positions.get())
    }
}
