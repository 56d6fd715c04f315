//! The functions of an evaluator: those written in Rust, those of scripts, those of modules in Ruby.
//!
//! In: a [`Library`], passed to [`Evaluator::new`]. Out: a function by its name. Must not: name a function.

use std::sync::LazyLock;
use std::sync::OnceLock;

use crate::BlockRule;
use crate::Evaluator;
use crate::Extern;
use crate::Function;
use crate::Res;
use crate::Ruby;
use crate::Signature;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_base::source::Span;
use catwalk_base::version::Version;
use catwalk_value::Alias;
use catwalk_value::AliasResolver;
use catwalk_value::Type;
use catwalk_value::parse;

/// Everything that an evaluator can call and that is not written in the Puppet language.
#[derive(Clone, Copy)]
pub struct Library<'c> {
    /// Functions written in Rust.
    pub functions: &'static NativeFunctions,
    /// Functions of scripts.
    pub scripts: Option<&'c dyn Extern>,
    /// Functions and other code of modules in Ruby.
    pub ruby: &'static dyn Ruby,
}

impl<'c> Library<'c> {
    /// Functions in other languages, in the order in which they are looked for.
    pub(crate) fn externs(self) -> impl Iterator<Item = &'c dyn Extern> {
        let ruby: &'c dyn Extern = self.ruby;
        self.scripts.into_iter().chain([ruby])
    }
}

/// Functions written in Rust, by name. One table for each version of the language serves all compiles of a process.
#[derive(Debug)]
pub struct NativeFunctions {
    seven: LazyLock<NameMap<Entry>>,
    eight: LazyLock<NameMap<Entry>>,
    nine: LazyLock<NameMap<Entry>>,
    /// The meaning of a module's function name in that module on the modulepath; `None` without the module.
    in_module: fn(&Evaluator<'_>, Name) -> Option<ModuleFunction>,
}

/// What builds the functions of each major version.
#[derive(Clone, Copy, Debug)]
pub struct NativeTables {
    /// Puppet 7.
    pub seven: fn() -> NameMap<Entry>,
    /// Puppet 8.
    pub eight: fn() -> NameMap<Entry>,
    /// OpenVox 9.
    pub nine: fn() -> NameMap<Entry>,
}

impl NativeFunctions {
    /// The functions of each major version; each table is built when a function is first looked up. `in_module` determines the
    /// meaning of a module's function name in that module on the modulepath.
    #[must_use]
    pub const fn new(
        tables: NativeTables,
        in_module: fn(&Evaluator<'_>, Name) -> Option<ModuleFunction>,
    ) -> NativeFunctions {
        NativeFunctions {
            seven: LazyLock::new(tables.seven),
            eight: LazyLock::new(tables.eight),
            nine: LazyLock::new(tables.nine),
            in_module,
        }
    }

    /// The function of this name (lower case, without leading `::`) in a version of the language.
    #[must_use]
    pub fn find(&'static self, name: Name, version: Version) -> Option<&'static Entry> {
        self.table(version).get(&name)
    }

    fn table(&'static self, version: Version) -> &'static NameMap<Entry> {
        match version.major {
            7 => &self.seven,
            8 => &self.eight,
            _ => &self.nine,
        }
    }

    /// The names of Puppet's own functions, sorted.
    pub(crate) fn names_of_puppet(&'static self, version: Version) -> Vec<&'static str> {
        let of_puppet = self.table(version).iter().filter(|(_, entry)| entry.module.is_none());
        let mut names: Vec<&'static str> = of_puppet.map(|(name, _)| name.as_str()).collect();
        names.sort_unstable();
        names
    }
}

/// The meaning of a function name in its module, whose versions differ.
#[derive(Clone, Copy, Debug)]
pub enum ModuleFunction {
    /// The function of all versions.
    Native,
    /// The function of later versions.
    Newer(&'static Entry),
    /// A deprecated name of another function.
    Renamed {
        /// The function that is called instead.
        to: Name,
        /// Warns before the call; `None` if the other function warns itself.
        warn: Option<DeprecationWarning>,
    },
    /// The module's source code differs from the version that the function in Rust implements: the source code is run.
    ModuleSource,
    /// The module does not have it.
    Missing,
}

/// Warns that a function is called by a deprecated name: the evaluator, the deprecated and the current name, the span of the
/// call.
pub type DeprecationWarning = fn(&mut Evaluator<'_>, Name, Name, Span) -> Res<()>;

/// Types that the signatures of a function may name, each with its meaning; a meaning may use earlier types.
pub type LocalTypes = &'static [(&'static str, &'static str)];

/// A function written in Rust with its parsed signatures.
#[derive(Debug)]
pub struct Entry {
    /// The function.
    pub function: &'static Function,
    /// The module whose function it implements: the module must be on the modulepath, and its own version in the Puppet
    /// language wins. `None` for functions of Puppet.
    pub module: Option<Name>,
    /// Whether Puppet has it only if PuppetDB's terminus is installed.
    pub puppetdb: bool,
    /// Whether Puppet has it as a 3.x function (`Puppet::Parser::Functions`): references among its
    /// arguments are resources there.
    pub is_3x: bool,
    /// Whether a block is accepted but never called.
    pub ignores_block: bool,
    /// Whether a `next` that it throws is passed on to the caller: only the function of that name does so.
    pub throws_next: bool,
    /// Whether messages about its arguments count the scope as the first argument.
    pub counts_scope: bool,
    /// Whether the type of its result is documentation only.
    pub unchecked_result: bool,
    /// Types that its signatures may name.
    pub types: LocalTypes,
    signatures: OnceLock<Result<Vec<Signature>, Reason>>,
}

impl Entry {
    /// A function without special properties.
    #[must_use]
    pub fn new(function: &'static Function) -> Entry {
        Entry {
            function,
            module: None,
            puppetdb: false,
            is_3x: false,
            ignores_block: false,
            throws_next: false,
            counts_scope: false,
            unchecked_result: false,
            types: &[],
            signatures: OnceLock::new(),
        }
    }

    /// Its signatures, parsed on first use.
    ///
    /// # Errors
    ///
    /// A signature is not a parameter list: a mistake in the function, found by a test.
    pub fn signatures(&'static self) -> Result<&'static [Signature], Reason> {
        let parse = || {
            let mut types = Aliases::new(self.types)?;
            let signatures = self.function.signatures.iter();
            let parsed = signatures.map(|(text, body)| Signature::parse(text, *body, &mut types));
            let mut parsed: Vec<Signature> = parsed.collect::<Result<_, _>>()?;
            if self.ignores_block {
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

/// The types of [`LocalTypes`], parsed.
struct Aliases(Vec<(&'static str, Type)>);

impl Aliases {
    /// # Errors
    ///
    /// A meaning is not a type: a mistake in the table, found by a test.
    fn new(types: LocalTypes) -> Result<Aliases, Reason> {
        let mut aliases = Aliases(Vec::new());
        for (name, text) in types {
            let alias = Alias::new(name);
            // It is added before it is resolved, since it may name itself.
            aliases.0.push((name, Type::Alias(alias.clone())));
            let meaning = parse::parse_type(text, &mut aliases)?;
            alias.resolve(&meaning).map_err(Reason::runtime)?;
        }
        Ok(aliases)
    }
}

impl AliasResolver for Aliases {
    fn resolve(&mut self, name: &str) -> Result<Option<Type>, Reason> {
        Ok(self.0.iter().find(|(known, _)| *known == name).map(|(_, t)| t.clone()))
    }
}

impl Evaluator<'_> {
    /// The function written in Rust of this name (lower case, without leading `::`).
    #[must_use]
    pub fn native(&self, name: Name) -> Option<&'static Entry> {
        self.library.functions.find(name, self.settings.version)
    }

    /// The meaning of a module's function name in that module on the modulepath; `None` without the module.
    #[must_use]
    pub(crate) fn in_module(&self, name: Name) -> Option<ModuleFunction> {
        (self.library.functions.in_module)(self, name)
    }
}
