//! Functions of the module puppetlabs-stdlib: those of 8.5 by their old names, those of 9 by names in `stdlib::`.
//!
//! In: a call. Out: a value. If Puppet has a function of the same name, it is used instead. Must not: be called by Puppet's own
//! functions.

mod affixes;
mod any2array;
mod assert_private;
mod base64;
mod basename;
mod checks;
mod checksums;
mod code;
mod concat;
mod deep_merge;
mod delete;
mod deprecation;
mod dig44;
mod enclose_ipv6;
mod ensure;
mod ensure_resource;
mod external;
mod fact;
mod glob;
mod grep;
mod hash;
mod ip;
mod kind_predicates;
mod member;
mod modules;
mod numbers;
mod parse;
mod pick;
mod prefix;
pub(super) mod pw_hash;
mod random;
mod range;
pub(super) mod release_line;
mod shell;
mod single_functions;
mod str2bool;
mod strings;
mod to_json;
mod validate;
mod validate_number;
mod x509;

use crate::Function;

/// All functions, in alphabetical order.
pub(super) const ALL: &[&Function] = &[
    &any2array::FUNCTION,
    &str2bool::ANY2BOOL,
    &assert_private::ASSERT_PRIVATE,
    &base64::FUNCTION,
    &basename::BASENAME,
    &shell::BATCH_ESCAPE,
    &str2bool::BOOL2NUM,
    &str2bool::BOOL2STR,
    &numbers::CLAMP,
    &concat::CONCAT,
    &numbers::CONVERT_BASE,
    &member::COUNT,
    &deep_merge::DEEP_MERGE,
    &ensure_resource::DEFINED_WITH_PARAMS,
    &delete::DELETE,
    &delete::DELETE_AT,
    &delete::DELETE_REGEX,
    &delete::DELETE_UNDEF_VALUES,
    &delete::DELETE_VALUES,
    &deprecation::DEPRECATION,
    &concat::DIFFERENCE,
    &dig44::DIG44,
    &basename::DIRNAME,
    &strings::DOS2UNIX,
    &enclose_ipv6::ENCLOSE_IPV6,
    &ensure_resource::ENSURE_PACKAGES,
    &ensure_resource::ENSURE_RESOURCE,
    &ensure_resource::ENSURE_RESOURCES,
    &fact::FACT,
    &random::FQDN_RAND_STRING,
    &random::FQDN_ROTATE,
    &random::FQDN_UUID,
    &modules::GET_MODULE_PATH,
    &ensure_resource::GETPARAM,
    &glob::GLOB,
    &grep::GREP,
    &fact::HAS_INTERFACE_WITH,
    &fact::HAS_IP_ADDRESS,
    &fact::HAS_IP_NETWORK,
    &member::HAS_KEY,
    &hash::HASH,
    &concat::INTERSECTION,
    &member::IS_A,
    &kind_predicates::IS_ABSOLUTE_PATH,
    &kind_predicates::IS_ARRAY,
    &kind_predicates::IS_BOOL,
    &kind_predicates::IS_DOMAIN_NAME,
    &kind_predicates::IS_EMAIL_ADDRESS,
    &kind_predicates::IS_FLOAT,
    &kind_predicates::IS_FUNCTION_AVAILABLE,
    &kind_predicates::IS_HASH,
    &kind_predicates::IS_INTEGER,
    &kind_predicates::IS_IP_ADDRESS,
    &kind_predicates::IS_IPV4_ADDRESS,
    &kind_predicates::IS_IPV6_ADDRESS,
    &kind_predicates::IS_MAC_ADDRESS,
    &kind_predicates::IS_NUMERIC,
    &kind_predicates::IS_STRING,
    &prefix::JOIN_KEYS_TO_VALUES,
    &modules::LOAD_MODULE_METADATA,
    &modules::LOADJSON,
    &modules::LOADYAML,
    &member::MEMBER,
    &deep_merge::MERGE,
    &str2bool::NUM2BOOL,
    &fact::OS_VERSION_GTE,
    &parse::PARSEHOCON,
    &parse::PARSEJSON,
    &parse::PARSEPSON,
    &parse::PARSEYAML,
    &pick::PICK,
    &pick::PICK_DEFAULT,
    &shell::POWERSHELL_ESCAPE,
    &prefix::PREFIX,
    &assert_private::PRIVATE,
    &external::PRY,
    &pw_hash::FUNCTION,
    &range::FUNCTION,
    &strings::REGEXPESCAPE,
    &grep::REJECT,
    &strings::REVERSE,
    &random::SEEDED_RAND,
    &random::SEEDED_RAND_STRING,
    &shell::SHELL_ESCAPE,
    &shell::SHELL_JOIN,
    &shell::SHELL_SPLIT,
    &random::SHUFFLE,
    &single_functions::SPRINTF_HASH,
    &strings::SQUEEZE,
    &shell::STDLIB_BATCH_ESCAPE,
    &checksums::CRC32,
    &affixes::END_WITH,
    &ensure::FUNCTION,
    &ensure_resource::STDLIB_ENSURE_PACKAGES,
    &basename::EXTNAME,
    &random::STDLIB_FQDN_RAND_STRING,
    &random::STDLIB_FQDN_ROTATE,
    &single_functions::HAS_FUNCTION,
    &fact::STDLIB_HAS_INTERFACE_WITH,
    &enclose_ipv6::IP_IN_RANGE,
    &deep_merge::STDLIB_MERGE,
    &deep_merge::NESTED_VALUES,
    &fact::STDLIB_OS_VERSION_GTE,
    &parse::STDLIB_PARSEHOCON,
    &shell::STDLIB_POWERSHELL_ESCAPE,
    &to_json::REWRAP_SENSITIVE_DATA,
    &random::STDLIB_SEEDED_RAND,
    &random::STDLIB_SEEDED_RAND_STRING,
    &checksums::SHA256,
    &shell::STDLIB_SHELL_ESCAPE,
    &single_functions::SORT_BY,
    &affixes::START_WITH,
    &single_functions::STR2RESOURCE,
    &to_json::STDLIB_TO_JSON,
    &to_json::STDLIB_TO_JSON_PRETTY,
    &code::STDLIB_TO_PYTHON,
    &code::STDLIB_TO_RUBY,
    &code::STDLIB_TO_TOML,
    &to_json::STDLIB_TO_YAML,
    &single_functions::STDLIB_TYPE_OF,
    &single_functions::VALIDATE_DOMAIN_NAME,
    &single_functions::VALIDATE_EMAIL_ADDRESS,
    &affixes::XML_ENCODE,
    &str2bool::STR2BOOL,
    &checksums::STR2SALTEDPBKDF2,
    &checksums::STR2SALTEDSHA512,
    &prefix::SUFFIX,
    &strings::SWAPCASE,
    &single_functions::TIME,
    &numbers::TO_BYTES,
    &to_json::TO_JSON,
    &to_json::TO_JSON_PRETTY,
    &code::TO_PYTHON,
    &code::TO_RUBY,
    &code::TO_TOML,
    &to_json::TO_YAML,
    &dig44::TRY_GET_VALUE,
    &single_functions::TYPE3X,
    &single_functions::TYPE_OF,
    &concat::UNION,
    &strings::UNIX2DOS,
    &strings::URIESCAPE,
    &validate::ABSOLUTE_PATH,
    &validate::ARRAY,
    &external::VALIDATE_AUGEAS,
    &validate::BOOL,
    &external::VALIDATE_CMD,
    &validate::DOMAIN_NAME,
    &validate::EMAIL_ADDRESS,
    &validate::HASH,
    &validate::INTEGER,
    &validate::IP_ADDRESS,
    &validate::IPV4_ADDRESS,
    &validate::IPV6_ADDRESS,
    &deprecation::VALIDATE_LEGACY,
    &validate::NUMERIC,
    &validate::RE,
    &validate::SLENGTH,
    &validate::STRING,
    &x509::VALIDATE_X509_RSA_KEY_PAIR,
    &hash::VALUES_AT,
    &hash::ZIP,
];

/// Functions of 9.0 and later that differ from those of the same name in [`ALL`].
pub(super) const CHANGED_IN_9: &[&Function] = &[
    &deprecation::DEPRECATION_9,
    &modules::LOADJSON_9,
    &modules::LOADYAML_9,
    &modules::LOAD_MODULE_METADATA_9,
    &parse::PARSEPSON_9,
    &grep::REJECT_9,
    &pw_hash::FUNCTION_9,
    &strings::URIESCAPE_9,
    &deprecation::VALIDATE_LEGACY_9,
];
