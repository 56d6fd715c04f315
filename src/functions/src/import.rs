//! `import`

use crate::Function;
use catwalk_base::diag::Code;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "import",
    signatures: &[("Any *$args", import)],
    doc: "Always fails: removed in Puppet 4. Manifests are found by the names of what they define.",
    examples: &[
        ("import('other.pp')", "error: Use of 'import' has been discontinued in favor of a manifest directory"),
        ("defined('import')", "false"),
    ],
};

fn import(_call: &mut Call<'_, '_>) -> Res<Value> {
    let message = "Use of 'import' has been discontinued in favor of a manifest directory. See \
                   http://links.puppet.com/puppet-import-deprecation";
    Err(Reason::new(Code::DISCONTINUED_IMPORT, message).into())
}
