//! Functions written in Rust: Puppet's own and puppetlabs-stdlib's.
//!
//! In: a [`Call`](catwalk_eval::Call). Out: a value. Each function has a file (families of identical code share one) and a line in
//! [`ALL`]. Must not: access files or processes except through the world of the call.

mod abs;
mod annotate;
mod calling;
mod compare;
mod contain;
mod convert_to;
mod create_resources;
mod data_files;
mod defined;
mod dig;
mod digests;
mod each;
mod empty;
mod entries;
mod epp;
mod extremes;
mod file;
mod find_file;
mod flatten;
mod fqdn_rand;
mod generate;
mod hiera;
mod import;
mod include;
mod index;
mod iterable;
mod iterate;
mod join;
mod jump;
mod keys;
mod length;
mod local_types;
mod logging;
mod lookup;
mod matching;
mod module_directory;
mod module_files;
mod partition;
mod puppetdb_query;
mod realize;
mod reduce;
mod regsubst;
mod require;
mod rounding;
mod scanf;
mod sequences;
mod shellquote;
mod sort;
mod split;
mod sprintf;
mod stdlib;
mod strftime;
mod strip;
mod tag;
mod tagged;
mod template;
mod typed;
mod unique;
mod unwrap;
mod upcase;
mod versioncmp;

pub use entries::LIBRARY;

use catwalk_eval::Function;

/// All functions, in alphabetical order.
pub const ALL: &[&Function] = &[
    &abs::FUNCTION,
    &logging::ALERT,
    &each::ALL,
    &annotate::FUNCTION,
    &each::ANY,
    &typed::ASSERT_TYPE,
    &file::BINARY_FILE,
    &jump::BREAK,
    &calling::CALL,
    &strip::CAMELCASE,
    &strip::CAPITALIZE,
    &rounding::CEILING,
    &strip::CHOMP,
    &strip::CHOP,
    &compare::FUNCTION,
    &contain::FUNCTION,
    &convert_to::FUNCTION,
    &create_resources::FUNCTION,
    &logging::CRIT,
    &logging::DEBUG,
    &defined::FUNCTION,
    &dig::DIG,
    &digests::DIGEST,
    &upcase::DOWNCASE,
    &each::EACH,
    &logging::EMERG,
    &empty::FUNCTION,
    &epp::EPP,
    &logging::ERR,
    &jump::FAIL,
    &file::FILE,
    &each::FILTER,
    &find_file::FIND_FILE,
    &find_file::FIND_TEMPLATE,
    &flatten::FUNCTION,
    &rounding::FLOOR,
    &fqdn_rand::FUNCTION,
    &generate::FUNCTION,
    &dig::GET,
    &dig::GETVAR,
    &partition::GROUP_BY,
    &hiera::HIERA,
    &hiera::HIERA_ARRAY,
    &hiera::HIERA_HASH,
    &hiera::HIERA_INCLUDE,
    &data_files::HOCON_DATA,
    &import::FUNCTION,
    &include::FUNCTION,
    &index::INDEX,
    &logging::INFO,
    &epp::INLINE_EPP,
    &template::INLINE_TEMPLATE,
    &join::FUNCTION,
    &data_files::JSON_DATA,
    &keys::KEYS,
    &length::LENGTH,
    &calling::LEST,
    &lookup::FUNCTION,
    &strip::LSTRIP,
    &each::MAP,
    &matching::FUNCTION,
    &extremes::MAX,
    &digests::MD5,
    &extremes::MIN,
    &module_directory::FUNCTION,
    &typed::NEW,
    &jump::NEXT,
    &logging::NOTICE,
    &partition::PARTITION,
    &puppetdb_query::FUNCTION,
    &realize::FUNCTION,
    &reduce::REDUCE,
    &regsubst::FUNCTION,
    &require::FUNCTION,
    &jump::RETURN,
    &sequences::REVERSE_EACH,
    &rounding::ROUND,
    &strip::RSTRIP,
    &scanf::FUNCTION,
    &digests::SHA1,
    &digests::SHA256,
    &shellquote::FUNCTION,
    &length::SIZE,
    &reduce::SLICE,
    &sort::FUNCTION,
    &split::FUNCTION,
    &sprintf::FUNCTION,
    &sequences::STEP,
    &strftime::FUNCTION,
    &strip::STRIP,
    &tag::FUNCTION,
    &tagged::FUNCTION,
    &template::TEMPLATE,
    &calling::THEN,
    &sequences::TREE_EACH,
    &typed::TYPE,
    &unique::FUNCTION,
    &unwrap::FUNCTION,
    &upcase::UPCASE,
    &keys::VALUES,
    &versioncmp::FUNCTION,
    &logging::WARNING,
    &calling::WITH,
    &data_files::YAML_DATA,
];

/// Functions that differ in Puppet 8.
const CHANGED_IN_PUPPET_8: &[&Function] =
    &[&extremes::MAX_8, &extremes::MIN_8, &regsubst::FUNCTION_8, &split::FUNCTION_8];

/// Functions that differ in OpenVox 9 from those of Puppet 8.
const CHANGED_IN_OPENVOX_9: &[&Function] = &[&regsubst::FUNCTION_9];

/// Puppet's own functions and those of puppetlabs-stdlib.
pub fn all() -> impl Iterator<Item = &'static Function> {
    ALL.iter().chain(stdlib::ALL).copied()
}

/// The functions of puppetlabs-stdlib, available if that module is on the modulepath.
pub fn stdlib_functions() -> &'static [&'static Function] {
    stdlib::ALL
}

#[cfg(test)]
mod tests;
