//! The functions of Puppet and stdlib that a script in a worker process may call.
//!
//! In: a name. Out: whether it is on the list. Functions of modules are not on it and may be called, as what they do is limited by the
//! world they get ([`catwalk_world::worker::restricted`]), and so is what functions on the list call. Must not: limit scripts of this process.

use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;

/// Names of functions that neither start processes nor read files, do not use the network or the environment, do not evaluate
/// code that they are given as a string, and end soon. Sorted.
#[rustfmt::skip]
pub(super) const ALLOWED: &[&str] = &[
    "abs", "alert", "all", "annotate", "any", "any2array", "any2bool", "assert_private", "assert_type", "base64",
    "basename", "batch_escape", "bool2num", "bool2str", "break", "camelcase", "capitalize", "ceiling", "chomp", "chop",
    "clamp", "compare", "concat", "contain", "convert_base", "convert_to", "count", "crit", "debug", "deep_merge",
    "defined", "defined_with_params", "delete", "delete_at", "delete_regex", "delete_undef_values", "delete_values",
    "deprecation", "difference", "dig", "dig44", "digest", "dirname", "dos2unix", "downcase", "each", "emerg", "empty",
    "enclose_ipv6", "err", "fact", "fail", "filter", "flatten", "floor", "fqdn_rand", "fqdn_rand_string", "fqdn_rotate",
    "fqdn_uuid", "get", "get_module_path", "getparam", "getvar", "grep", "group_by", "has_interface_with",
    "has_ip_address", "has_ip_network", "has_key", "hash", "hiera", "hiera_array", "hiera_hash", "hiera_include",
    "include", "index", "info", "intersection", "is_a", "is_absolute_path", "is_array", "is_bool", "is_domain_name",
    "is_email_address", "is_float", "is_function_available", "is_hash", "is_integer", "is_ip_address",
    "is_ipv4_address", "is_ipv6_address", "is_mac_address", "is_numeric", "is_string", "join", "join_keys_to_values",
    "keys", "length", "lest", "lookup", "lstrip", "map", "match", "max", "md5", "member", "merge", "min",
    "module_directory", "new", "next", "notice", "num2bool", "os_version_gte", "parsehocon", "parsejson", "parsepson",
    "parseyaml", "partition", "pick", "pick_default", "powershell_escape", "prefix", "range", "realize", "reduce",
    "regexpescape", "regsubst", "reject", "require", "return", "reverse", "reverse_each", "round", "rstrip", "scanf",
    "seeded_rand", "seeded_rand_string", "sha1", "sha256", "shell_escape", "shell_join", "shell_split", "shellquote",
    "shuffle", "size", "slice", "sort", "split", "sprintf", "sprintf_hash", "squeeze", "stdlib::batch_escape",
    "stdlib::crc32", "stdlib::end_with", "stdlib::ensure", "stdlib::extname", "stdlib::fqdn_rand_string",
    "stdlib::fqdn_rotate", "stdlib::has_function", "stdlib::has_interface_with", "stdlib::ip_in_range", "stdlib::merge",
    "stdlib::nested_values", "stdlib::os_version_gte", "stdlib::parsehocon", "stdlib::powershell_escape",
    "stdlib::rewrap_sensitive_data", "stdlib::seeded_rand", "stdlib::seeded_rand_string", "stdlib::sha256",
    "stdlib::shell_escape", "stdlib::sort_by", "stdlib::start_with", "stdlib::str2resource", "stdlib::to_json",
    "stdlib::to_json_pretty", "stdlib::to_python", "stdlib::to_ruby", "stdlib::to_toml", "stdlib::to_yaml",
    "stdlib::type_of", "stdlib::validate_domain_name", "stdlib::validate_email_address", "stdlib::xml_encode", "step",
    "str2bool", "str2saltedsha512", "strftime", "strip", "suffix", "swapcase", "tag", "tagged", "then", "time",
    "to_bytes", "to_json", "to_json_pretty", "to_python", "to_ruby", "to_toml", "to_yaml", "tree_each", "try_get_value",
    "type", "type3x", "type_of", "union", "unique", "unix2dos", "unwrap", "upcase", "uriescape", "validate_integer",
    "validate_legacy", "validate_numeric", "validate_x509_rsa_key_pair", "values", "values_at", "versioncmp", "warning",
    "with", "zip",
];

/// Checks that a script may call a function of Puppet or stdlib.
///
/// # Errors
/// It may not: which function, and what to do.
pub(super) fn check(name: &str) -> Result<(), Reason> {
    let name = name.trim_start_matches("::").to_lowercase();
    let is_native = catwalk_functions::all().any(|function| function.name == name);
    if !is_native || ALLOWED.binary_search(&name.as_str()).is_ok() {
        return Ok(());
    }
    let text = format!("an isolated script may not call {name}()");
    Err(Reason::new(Code::SCRIPT_NOT_ALLOWED, text).help(
        "call it in a manifest and give the result to the script as an argument; which functions may be called is in docs/scripts.md",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_names_functions_that_exist() {
        assert!(ALLOWED.is_sorted());
        for name in ALLOWED {
            assert!(catwalk_functions::all().any(|function| function.name == *name), "{name}");
        }
        for name in ["generate", "::file", "Template", "inline_epp", "yaml_data", "validate_cmd", "puppetdb_query"] {
            assert!(check(name).is_err(), "{name}");
        }
        assert!(check("upcase").is_ok() && check("m::f").is_ok());
    }
}
