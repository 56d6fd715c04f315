//! Code that can be called later: blocks, lambdas, methods.
//! In: trees. Out: [`Block`]. Must not: run anything.

use std::path::Path;
use std::sync::Arc;

use super::reader::Scope;
use super::reader::Variables;
use catwalk_ruby_syntax::ast::Def;
use catwalk_ruby_syntax::ast::Lambda;
use catwalk_ruby_syntax::ast::Node;
use catwalk_ruby_syntax::ast::NodeKind;
use catwalk_ruby_syntax::ast::Param;

/// A block, lambda or method, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Block {
    code: Code,
    /// The file it is from.
    pub(super) file: Arc<Path>,
    /// The variables that a block sees; a method sees none.
    pub(super) captured: Arc<Variables>,
    /// Whether it was written inside the block of `newtype`.
    pub(super) in_type: bool,
}

#[derive(Clone, Debug)]
enum Code {
    Lambda(Arc<Lambda>),
    Method(Arc<Def>),
}

impl Block {
    pub(super) fn lambda(lambda: &Arc<Lambda>, scope: &Scope) -> Block {
        Block {
            code: Code::Lambda(lambda.clone()),
            file: scope.file.clone(),
            captured: scope.variables.clone(),
            in_type: scope.in_type,
        }
    }

    pub(super) fn method(def: &Arc<Def>, scope: &Scope) -> Block {
        Block { code: Code::Method(def.clone()), file: scope.file.clone(), captured: Arc::default(), in_type: false }
    }

    pub(super) fn params(&self) -> &[Param] {
        match &self.code {
            Code::Lambda(lambda) => &lambda.params,
            Code::Method(def) => &def.params,
        }
    }

    /// How many of `_1`, `_2`, … stand for parameters.
    pub(super) fn numbered(&self) -> usize {
        match &self.code {
            Code::Lambda(lambda) => lambda.numbered_params,
            Code::Method(_) => 0,
        }
    }

    pub(super) fn body(&self) -> &Node {
        match &self.code {
            Code::Lambda(lambda) => &lambda.body,
            Code::Method(def) => &def.body,
        }
    }

    /// `|x| x`
    pub(super) fn is_identity(&self) -> bool {
        match (self.params(), &self.body().kind) {
            ([Param::Required(name)], NodeKind::Local(body)) => *name == body.name,
            _ => false,
        }
    }
}
