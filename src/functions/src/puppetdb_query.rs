//! `puppetdb_query`: queries PuppetDB (docs: "Customizing catalogs with PuppetDB queries").

use crate::Function;
use catwalk_base::diag::Reason;
use catwalk_eval::Call;
use catwalk_eval::Res;
use catwalk_eval::Stop;
use catwalk_eval::issues;
use catwalk_value::Value;
use catwalk_value::json;
use catwalk_world::WorldError;

pub(super) const FUNCTION: Function = Function {
    name: "puppetdb_query",
    signatures: &[("Variant[String[1], Array[Data, 1]] $query", puppetdb_query)],
    doc: "Queries PuppetDB with a PQL string or an AST query as an array, and returns the result. `catwalk.toml` names \
          the PuppetDB: without it the function does not exist, as in Puppet without PuppetDB; with `--replay` the \
          result is read from a file.",
    examples: &[
        ("puppetdb_query([])", "error: 'puppetdb_query' parameter 'query' variant 0 expects a String value, got Array"),
        ("if false { puppetdb_query('nodes[certname] { }') }", "undef"),
    ],
};

/// The path of PuppetDB's query endpoint.
const PATH: &str = "/pdb/query/v4";

fn puppetdb_query(call: &mut Call<'_, '_>) -> Res<Value> {
    let query = json::to_json(call.arg(0));
    match call.ev.world.puppetdb(&query) {
        Ok(answer) => Ok(json::from_json(&answer)),
        // Puppet logs the reason.
        Err(WorldError::Unreachable(url, why)) => {
            let url = url.trim_end_matches(PATH);
            let message = format!("Failed to execute '{PATH}' on at least 1 of the following 'server_urls': {url}");
            Err(Reason::runtime(message).help(why.to_string()).into())
        }
        // Without PuppetDB's terminus, Puppet does not have the function.
        Err(WorldError::NotAllowed(why)) => Err(Stop::issue(
            issues::unknown_function(FUNCTION.name).help(format!("not allowed here: {why}")),
            call.span,
        )),
        Err(refused) => Err(Reason::runtime(refused.to_string()).because(refused.cause()).into()),
    }
}
