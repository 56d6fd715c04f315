//! Signatures of functions written in Rust, parsed once per process, and the table of functions by name.

use std::sync::Arc;
use std::sync::OnceLock;

use crate::diag::Reason;
use crate::eval::Body;
use crate::functions::ALL;
use crate::functions::CHANGED_IN_EIGHT;
use crate::functions::Function;
use crate::functions::local_types::LocalTypes;
use crate::functions::newer_of_stdlib;
use crate::functions::of_stdlib;
use crate::names::Name;
use crate::names::NameMap;
use crate::syntax;
use crate::syntax::ast::Expr;
use crate::types::CallableType;
use crate::types::IntRange;
use crate::types::TupleType;
use crate::types::Type;
use crate::types::mismatch;
use crate::types::parse;
use crate::value::Value;
use crate::version::Version;

/// What a signature says about the block.
#[derive(Debug)]
pub enum BlockRule {
    /// None may be given.
    None,
    /// Any block fits.
    Any,
    /// It must be callable with every number of arguments from the first to the second.
    Counted(usize, Option<usize>),
    /// It must be of this type.
    Typed(Type),
}

/// One signature.
#[derive(Debug)]
pub struct Signature {
    /// Types and names of parameters, block and result.
    pub shape: mismatch::Signature,
    /// Fewest arguments.
    pub min: usize,
    /// Most arguments.
    pub max: usize,
    /// The block.
    pub block: BlockRule,
    /// Whether it must be given.
    pub block_required: bool,
    /// Whether its code words an error.
    pub explains: bool,
    /// The code.
    pub body: Body,
}

impl Signature {
    /// The type of an argument by its position; the last parameter repeats.
    #[must_use]
    pub fn param(&self, at: usize) -> Option<&Type> {
        let types = &self.shape.callable.params.as_ref()?.types;
        types.get(at).or(types.last())
    }

    /// A signature whose code is elsewhere: a script's. `resolver` finds types of modules.
    ///
    /// # Errors
    /// The text is no parameter list.
    pub fn of_text(text: &str, resolver: &mut dyn parse::AliasResolver) -> Result<Signature, Reason> {
        Signature::parse(text, |_| Ok(Value::Undef), resolver)
    }

    /// The same where the repeated parameter must be given once at least.
    #[must_use]
    pub fn with_one_more(mut self) -> Signature {
        self.min += 1;
        if let Some(params) = self.shape.callable.params.take() {
            let size = IntRange::new(i64::try_from(self.min).ok(), None);
            self.shape.callable.params = Some(TupleType::new(params.types, Some(size)));
        }
        self
    }

    fn parse(text: &str, body: Body, resolver: &mut dyn parse::AliasResolver) -> Result<Signature, Reason> {
        let (explains, text) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let parsed = syntax::parse_signature(text)?;
        let mut type_of = |expr: &Option<Expr>| match expr {
            Some(expr) => parse::type_of(expr, text, resolver),
            None => Ok(Type::Any),
        };
        let types = parsed.params.iter().map(|param| type_of(&param.data_type)).collect::<Result<Vec<_>, _>>()?;
        let names = parsed.params.iter().map(|param| Arc::from(param.name.as_str())).collect();
        let min = parsed.params.iter().filter(|param| param.default.is_none() && !param.captures_rest).count();
        let rest = parsed.params.last().is_some_and(|param| param.captures_rest);
        let max = if rest { usize::MAX } else { parsed.params.len() };
        let block = parsed.block.as_ref().map(|param| type_of(&param.data_type)).transpose()?;
        let returns = parsed.return_type.as_ref().map(|expr| parse::type_of(expr, text, resolver));
        let size = IntRange::new(i64::try_from(min).ok(), i64::try_from(max).ok().filter(|_| !rest));
        let size = if min > 0 && min == max { None } else { Some(size) };
        Ok(Signature {
            block_required: block.as_ref().is_some_and(|block| !matches!(block, Type::Optional(_))),
            block: block.as_ref().map_or(BlockRule::None, rule),
            shape: mismatch::Signature {
                callable: CallableType {
                    params: Some(TupleType::new(types, size)),
                    block,
                    returns: returns.transpose()?,
                },
                names,
                block_name: parsed.block.as_ref().map(|param| Arc::from(param.name.as_str())),
            },
            min,
            max,
            explains,
            body,
        })
    }
}

/// The quick form of what a block must be.
fn rule(t: &Type) -> BlockRule {
    let inner = match t {
        Type::Optional(Some(inner)) => inner,
        t => t,
    };
    let Type::Callable(callable) = inner else { return BlockRule::Typed(t.clone()) };
    match &callable.params {
        None if callable.returns.is_none() => BlockRule::Any,
        Some(params) if callable.returns.is_none() && callable.block.is_none() => {
            // `Callable[1, 1]` says nothing about the types of arguments.
            if !params.types.iter().all(|t| matches!(t, Type::Unit)) {
                return BlockRule::Typed(t.clone());
            }
            let size = params.size_range();
            let count = |n: i64| usize::try_from(n).unwrap_or(0);
            BlockRule::Counted(size.lower().map_or(0, count), size.upper().map(count))
        }
        _ => BlockRule::Typed(t.clone()),
    }
}

/// A function with its parsed signatures.
#[derive(Debug)]
pub struct Entry {
    /// The function.
    pub function: &'static Function,
    /// Whether it stands for a function of puppetlabs-stdlib: the module must be there, and its own version in the Puppet
    /// language wins.
    pub stdlib: bool,
    /// Whether the reference has it as a function of the older kind, see [`Function::is_of_old_kind`].
    pub old_kind: bool,
    signatures: OnceLock<Result<Vec<Signature>, Reason>>,
}

impl Entry {
    fn new(function: &'static Function, stdlib: bool) -> Entry {
        Entry { function, stdlib, old_kind: function.is_of_old_kind(), signatures: OnceLock::new() }
    }

    /// Whether the reference has it only where PuppetDB's terminus is installed.
    #[must_use]
    pub fn is_of_puppetdb(&self) -> bool {
        self.function.name == crate::functions::puppetdb_query::FUNCTION.name
    }

    /// Its signatures.
    ///
    /// # Errors
    /// A signature is no parameter list: a mistake in the function, found by a test.
    pub fn signatures(&'static self) -> Result<&'static [Signature], Reason> {
        let parse = || {
            let mut types = LocalTypes::of(self.function.name)?;
            let signatures = self.function.signatures.iter();
            let parsed = signatures.map(|(text, body)| Signature::parse(text, *body, &mut types));
            let mut parsed: Vec<Signature> = parsed.collect::<Result<_, _>>()?;
            if self.function.leaves_blocks_alone() {
                parsed.iter_mut().for_each(|signature| signature.block = BlockRule::Any);
            }
            Ok(parsed)
        };
        match self.signatures.get_or_init(parse) {
            Ok(signatures) => Ok(signatures),
            Err(reason) => Err(reason.clone()),
        }
    }
}

/// The function of this name as stdlib has it since 9.0, when that is another one.
pub(crate) fn find_newer(name: Name) -> Option<&'static Entry> {
    static TABLE: OnceLock<NameMap<Entry>> = OnceLock::new();
    let entry = |function: &&'static Function| (Name::new(function.name), Entry::new(function, true));
    TABLE.get_or_init(|| newer_of_stdlib().iter().map(entry).collect()).get(&name)
}

/// The function of this name (lower case, without leading `::`) in a version of the language.
#[must_use]
pub fn find(name: Name, version: Version) -> Option<&'static Entry> {
    static SEVEN: OnceLock<NameMap<Entry>> = OnceLock::new();
    static EIGHT: OnceLock<NameMap<Entry>> = OnceLock::new();
    let table = |changed: &[&'static Function]| {
        let entry =
            |stdlib: bool| move |function: &&'static Function| (Name::new(function.name), Entry::new(function, stdlib));
        // Of two of the same name the last counts.
        let own = ALL.iter().chain(changed).map(entry(false));
        own.chain(of_stdlib().iter().map(entry(true))).collect()
    };
    let table = match version.major {
        7 => SEVEN.get_or_init(|| table(&[])),
        _ => EIGHT.get_or_init(|| table(CHANGED_IN_EIGHT)),
    };
    table.get(&name)
}
