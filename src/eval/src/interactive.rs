//! Evaluates code after the main manifest, and restores the state if it fails: for the console and other interactive use.
//!
//! In: parsed files of the program. Out: values. Must not: know its callers.

use crate::Evaluator;
use crate::Res;
use crate::ScopeId;
use catwalk_program::Checkpoint;
use catwalk_syntax::ast::File;
use catwalk_value::Value;

/// The state of a compile at some time.
pub struct Snapshot<'c> {
    evaluator: Box<Evaluator<'c>>,
    program: Checkpoint,
}

impl<'c> Evaluator<'c> {
    /// Evaluates a file at top scope, as if it were at the end of the main manifest, and returns the value of its last statement.
    /// Collectors and lazy evaluation follow, as at the end of a main manifest.
    ///
    /// # Errors
    ///
    /// The first failure.
    pub fn evaluate_after_main(&mut self, file: &'c File) -> Res<Value> {
        for definition in &file.definitions {
            self.check_parameter_names(definition)?;
        }
        self.type_loaded_definitions()?;
        self.scope = ScopeId::TOP;
        self.state.program_file = Some(file.body.span.file);
        let value = self.eval_program(&file.body);
        self.state.program_file = None;
        let value = value?;
        self.evaluate_generators()?;
        Ok(value)
    }

    /// The state for [`Evaluator::restore`].
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<'c> {
        Snapshot { evaluator: Box::new(self.clone()), program: self.program.checkpoint() }
    }

    /// Restores a state: everything that was evaluated or defined since is undone.
    pub fn restore(&mut self, snapshot: &Snapshot<'c>) {
        *self = (*snapshot.evaluator).clone();
        self.program.restore(&snapshot.program);
        // Definitions of files that were loaded since are removed.
        self.state.types.typed_files = self.program.file_count();
    }
}
