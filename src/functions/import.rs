//! `import`

use crate::diag::Code;
use crate::diag::Reason;
use crate::eval::Call;
use crate::eval::Res;
use crate::functions::Function;
use crate::value::Value;

pub(super) const FUNCTION: Function = Function {
    name: "import",
    signatures: &[("Any *$args", import)],
    doc: "Does not exist any more: it has been failing since Puppet 4. Manifests are found by the names of what they \
          define.",
    examples: &[
        ("import('other.pp')", "error: Use of 'import' has been discontinued in favor of a manifest directory"),
        ("defined('import')", "false"),
    ],
};

fn import(_call: &mut Call<'_, '_>) -> Res<Value> {
    let message = "Use of 'import' has been discontinued in favor of a manifest directory. See \
                   http://links.puppet.com/puppet-import-deprecation";
    Err(Reason::new(Code("DISCONTINUED_IMPORT"), message).into())
}
