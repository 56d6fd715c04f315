//! Data types that modules write in Ruby (`lib/puppet/datatypes`): from the file's declaration to the type.
//! (`Puppet::DataTypes::TypeBuilder#create_type`)
//!
//! In: the name of a type and its file. Out: the object type. Must not: know Ruby.

use std::path::Path;
use std::sync::Arc;

use crate::Evaluator;
use crate::RubyDataType;
use crate::type_resolver::Aliases;
use catwalk_base::diag::Reason;
use catwalk_base::diag::Severity;
use catwalk_base::names::Name;
use catwalk_syntax::ast::ExprKind;
use catwalk_value::Alias;
use catwalk_value::Type;
use catwalk_value::Value;
use catwalk_value::define_object;
use catwalk_value::parse;

impl Evaluator<'_> {
    pub(super) fn define_ruby_type(&mut self, name: Name, path: &Path) -> Result<Type, Reason> {
        let defined = self.library.ruby.data_type(self, name, path)?;
        let alias = Alias::new(&defined.name);
        // It is added before it is resolved, since its members may name it.
        self.aliases.insert(name, Type::Alias(alias.clone()));
        let data_type = self.interface(&alias, &defined);
        let Ok(data_type) = data_type else {
            self.aliases.remove(&name);
            return data_type;
        };
        if alias.is_recursive() {
            return Ok(Type::Alias(alias));
        }
        self.aliases.insert(name, data_type.clone());
        Ok(data_type)
    }

    fn interface(&mut self, alias: &Arc<Alias>, defined: &RubyDataType) -> Result<Type, Reason> {
        let failed = |message: &str| Reason::runtime(RubyDataType::load_error(&defined.name, message));
        let text = format!("{{ {} }}", defined.interface);
        let sources = catwalk_base::source::SourceMap::new();
        let id = sources.add(None, "<interface>", text.as_str().into());
        let (file, diagnostics) = catwalk_syntax::parse_only(&sources, id, false);
        if let Some(mut error) = diagnostics.into_iter().find(|diagnostic| diagnostic.severity >= Severity::Error) {
            error.message = error.puppet_text(&sources).into();
            return Err(failed(&error.message));
        }
        let hash = match file.body.statements.as_slice() {
            [hash] if matches!(hash.kind, ExprKind::Hash(_)) => hash,
            _ => return Err(Reason::unsupported("an interface of a data type whose parts are not listed")),
        };
        let Value::Hash(definition) = parse::parse_literal(hash, &text, &mut Aliases { ev: self })? else {
            return Err(Reason::unsupported("an interface of a data type whose parts are not listed"));
        };
        let mut object_type = define_object(Some(alias.name()), &definition).map_err(Reason::runtime)?;
        object_type.implemented_in_ruby = defined.implemented_in_ruby;
        let object_type = Type::Object(Arc::new(object_type));
        alias.resolve(&object_type).map_err(Reason::runtime)?;
        Ok(object_type)
    }
}
