//! The table of the evaluator's functions, with the properties of special ones.

use super::ALL;
use super::CHANGED_IN_OPENVOX_9;
use super::CHANGED_IN_PUPPET_8;
use super::local_types;
use super::puppetdb_query;
use super::stdlib::release_line::module_function;
use super::stdlib_functions;
use catwalk_base::names::Name;
use catwalk_base::names::NameMap;
use catwalk_eval::Entry;
use catwalk_eval::Function;
use catwalk_eval::NativeFunctions;
use catwalk_eval::NativeTables;

/// Puppet's own functions and those of puppetlabs-stdlib.
pub static LIBRARY: NativeFunctions = NativeFunctions::new(
    NativeTables {
        seven: || table(&[]),
        eight: || table(&[CHANGED_IN_PUPPET_8]),
        nine: || table(&[CHANGED_IN_PUPPET_8, CHANGED_IN_OPENVOX_9]),
    },
    module_function,
);

/// The functions by name; those in `changed` replace earlier ones of the same name.
fn table(changed: &[&[&'static Function]]) -> NameMap<Entry> {
    let puppet = ALL.iter().chain(changed.iter().copied().flatten()).map(|function| puppet_entry(function));
    let stdlib = stdlib_functions().iter().map(|function| stdlib_entry(function));
    puppet.chain(stdlib).map(|entry| (Name::new(entry.function.name), entry)).collect()
}

fn puppet_entry(function: &'static Function) -> Entry {
    let mut entry = entry(function);
    entry.puppetdb = function.name == puppetdb_query::FUNCTION.name;
    entry.throws_next = function.name == "next";
    // Puppet does not check a value that a template returns with `return`; rendered output is always a string.
    entry.unchecked_result = matches!(function.name, "epp" | "inline_epp");
    entry.types = local_types::types_of(function.name);
    entry
}

/// A function of puppetlabs-stdlib.
pub(super) fn stdlib_entry(function: &'static Function) -> Entry {
    let mut entry = entry(function);
    entry.module = Some(catwalk_base::name!("stdlib"));
    // Before 9.0 the function is called with the scope.
    let has_scope = |(signature, _): &(&str, _)| signature.ends_with(" *$args");
    entry.counts_scope = function.name == "validate_legacy" && function.signatures.iter().all(has_scope);
    entry
}

fn entry(function: &'static Function) -> Entry {
    let mut entry = Entry::new(function);
    entry.is_3x = is_3x_function(function);
    // A 3.x function ignores a block, and so does the call of `validate_legacy`.
    entry.ignores_block = entry.is_3x || function.name == "validate_legacy";
    entry
}

/// 4.x functions that accept any arguments like 3.x functions. (The deprecated `is_…` and `validate_…` of stdlib are 4.x
/// functions, too, but ignore a block because of how they are called.)
const UNTYPED_4X: &[&str] = &["flatten", "import"];

/// Whether the function is a 3.x function in Puppet (`Puppet::Parser::Functions`), which accepts any arguments and ignores a
/// block.
fn is_3x_function(function: &Function) -> bool {
    let [(signature, _)] = function.signatures else { return false };
    let is_4x = UNTYPED_4X.contains(&function.name) || function.name.contains("::");
    signature.strip_prefix("Any *$").is_some_and(|rest| !rest.contains([',', '&', '>'])) && !is_4x
}
