//! The blocks `autorequire`, `autobefore`, `autosubscribe` and `autonotify` of resource types that modules write in Ruby.
//!
//! In: the resources of a catalog. Out: the names that the blocks of one type return for each of its resources. Must not: know
//! which of these exist.

use std::path::PathBuf;
use std::sync::Arc;

use crate::PuppetInterp;
use crate::PuppetProgram;
use crate::prelude::AUTOMATIC_RELATIONS;
use catwalk_base::diag::Reason;
use catwalk_base::names::Name;
use catwalk_base::source::FileId;
use catwalk_base::source::Span;
use catwalk_eval::Evaluator;
use catwalk_eval::Stop;
use catwalk_ruby::Raise;
use catwalk_ruby::Rv;
use catwalk_value::Value;

/// The methods that define automatic relations; a file without these names defines none.
const BLOCKS: [&str; 4] = ["autorequire", "autobefore", "autosubscribe", "autonotify"];

/// The relationships that the blocks of a type define.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct AutomaticRelations {
    /// The index of the resource, the method, the type and the title of the other resource.
    pub targets: Vec<(usize, &'static str, Name, Arc<str>)>,
    /// The index of each resource for which a block failed, with the message.
    pub failures: Vec<(usize, String)>,
}

/// Runs the blocks of a type for its resources. `resources` is an array of `[type, title, parameters]`, types in lower case.
///
/// # Errors
/// The file of the type fails or uses an unsupported feature.
pub fn automatic_relations(
    ev: &mut Evaluator<'_>,
    type_name: Name,
    resources: &Value,
) -> Result<AutomaticRelations, Reason> {
    let mut program = PuppetProgram::new(ev, Span::new(FileId(u32::MAX), 0, 0), AUTOMATIC_RELATIONS.name());
    let mut rt = program.interp();
    let result = run_blocks(&mut rt, type_name, resources);
    rt.ruby().write_back();
    match result {
        Ok(Some(rows)) => Ok(parse_rows(&rows)),
        Ok(None) => Ok(AutomaticRelations::default()),
        Err(thrown) => Err(match rt.convert_thrown(thrown) {
            Stop::Reason(reason) => *reason,
            Stop::Failed(diagnostic) => Reason::new(diagnostic.code, diagnostic.message),
            Stop::Next(_) | Stop::Break(_) | Stop::Return(_) => Reason::runtime("unexpected return"),
        }),
    }
}

/// The result of the program; `None` if the type has no file in Ruby or defines no relations.
fn run_blocks(rt: &mut PuppetInterp<'_, '_>, type_name: Name, resources: &Value) -> Raise<Option<Value>> {
    let library = format!("puppet/type/{type_name}");
    let file: Option<PathBuf> = rt.ruby().library_file("require", &library);
    let Some(bytes) = file.and_then(|file| rt.host.ev.world.read(&file).ok()) else { return Ok(None) };
    let code = String::from_utf8_lossy(&bytes);
    if !BLOCKS.iter().any(|block| code.contains(block)) {
        return Ok(None);
    }
    rt.ruby().load_prelude(&AUTOMATIC_RELATIONS)?;
    rt.ruby().require("require", &library)?;
    let resources = rt.ruby().to_ruby(resources);
    let class = Rv::Class(Name::new("Puppet::AutomaticCatalog"));
    let catalog = rt.ruby().call_method(&class, "new", &[resources], None)?;
    let rows = rt.ruby().call_method(&catalog, "related", &[Rv::str(type_name.as_str())], None)?;
    rt.ruby().to_puppet(&rows).map(Some)
}

fn parse_rows(rows: &Value) -> AutomaticRelations {
    let mut relations = AutomaticRelations::default();
    let Value::Array(rows) = rows else { return relations };
    for row in rows.iter() {
        let Value::Array(row) = row else { continue };
        let [Value::Int(at), relation, type_name, title] = &row[..] else { continue };
        let (Ok(at), Some(title)) = (usize::try_from(*at), title.as_str()) else { continue };
        let relation = relation.as_str().unwrap_or_default();
        match BLOCKS.iter().find(|block| block.strip_prefix("auto") == Some(relation)) {
            Some(block) => {
                let type_name = Name::new(type_name.as_str().unwrap_or_default());
                relations.targets.push((at, block, type_name, Arc::from(title)));
            }
            None => relations.failures.push((at, title.to_owned())),
        }
    }
    relations
}
