//! Adds exported resources of other nodes to the catalog for collectors.
//!
//! In: a collector of exported resources. Out: the added resources. Must not: know their source.

use super::CollectorId;
use super::CollectorTarget;
use super::filter;
use super::query::matches_exported;
use crate::Evaluator;
use crate::Res;
use crate::Stop;
use crate::resource::Form;
use crate::resource::NewResource;
use crate::resource::parse_error;
use crate::state::Params;
use crate::state::ResourceDefinition;
use catwalk_catalog::ExportQuery;
use catwalk_catalog::Kind;
use catwalk_catalog::ResourceId;

impl Evaluator<'_> {
    /// Adds the exported resources that a collector selects, once for each collector
    /// (Puppet::Pops::Evaluator::Collectors::ExportedCollector, Puppet::Resource::Puppetdb).
    pub(super) fn import(&mut self, id: CollectorId) -> Res<Vec<ResourceId>> {
        let Some(exports) = self.exports.clone() else { return Ok(Vec::new()) };
        let Some(collector) = self.state.collection.collectors.get_mut(id.0 as usize) else { return Ok(Vec::new()) };
        let CollectorTarget::Exported { type_name, query } = &collector.target else { return Ok(Vec::new()) };
        if std::mem::replace(&mut collector.imported, true) {
            return Ok(Vec::new());
        }
        let (type_name, query, scope, source) = (*type_name, query.clone(), collector.scope, collector.source);
        let Some(declared) = self.find_resource_type(type_name)? else {
            return Ok(Vec::new());
        };
        let mut added = Vec::new();
        let secrets = self.world.secrets();
        exports.secrets().iter().for_each(|secret| secrets.report(secret));
        let filter = query.as_ref().map(filter::to_puppetdb);
        let request = ExportQuery { type_name, certname: &self.node.certname, filter };
        let rows = exports.select(&request, self.world).map_err(Stop::runtime)?;
        let filter = query.as_ref().filter(|_| !exports.applies_filters());
        for row in rows.iter() {
            if row.certname == self.node.certname || filter.is_some_and(|query| !matches_exported(query, row)) {
                continue;
            }
            if let Some(existing) = self.find_resource(type_name, &row.title)? {
                if self.state.collection.imported.get(&existing) != Some(&row.certname) {
                    let text =
                        "A duplicate resource was found while collecting exported resources, with the type and title";
                    return parse_error(format!("{text} {type_name}[{}]", row.title), None);
                }
                continue;
            }
            let mut params = Params::default();
            for (name, value) in &row.parameters {
                params.insert(*name, self.param(value.clone(), source, None, false)?);
            }
            let kind = match &declared {
                ResourceDefinition::Builtin(_) => Kind::CompilableType,
                _ => Kind::DefinedType,
            };
            let entry = self.new_entry(
                NewResource {
                    type_name,
                    title: &row.title,
                    title_is_main: false,
                    title_value: None,
                    declared: declared.clone(),
                    kind,
                    span: None,
                    form: Form { is_virtual: false, exported: Some(false), by_function: false },
                    params,
                    scope,
                    source,
                },
                true,
            )?;
            let object = self.add_resource(scope, entry)?;
            self.state.collection.imported.insert(object, row.certname.clone());
            added.push(object);
        }
        Ok(added)
    }
}
