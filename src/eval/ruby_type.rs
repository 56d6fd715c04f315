//! Data types that modules write in Ruby (`lib/puppet/datatypes`): from what the file says to the type.
//! (`Puppet::DataTypes::TypeBuilder#create_type`)
//!
//! In: the name that is asked for and its file. Out: the object type. Must not: know Ruby.

use std::path::Path;
use std::sync::Arc;

use crate::diag::Reason;
use crate::diag::Severity;
use crate::eval::Evaluator;
use crate::eval::RubyDataType;
use crate::eval::type_resolver::Aliases;
use crate::names::Name;
use crate::syntax::ast::ExprKind;
use crate::types::Alias;
use crate::types::Type;
use crate::types::define_object;
use crate::types::parse;
use crate::value::Value;

impl Evaluator<'_> {
    pub(super) fn define_ruby_type(&mut self, name: Name, path: &Path) -> Result<Type, Reason> {
        let defined = self.library.ruby.data_type(self, name, path)?;
        let alias = Alias::new(&defined.name);
        // It is known before it is resolved: its members may name it.
        self.aliases.insert(name, Type::Alias(alias.clone()));
        let made = self.interface(&alias, &defined);
        let Ok(made) = made else {
            self.aliases.remove(&name);
            return made;
        };
        if alias.is_recursive() {
            return Ok(Type::Alias(alias));
        }
        self.aliases.insert(name, made.clone());
        Ok(made)
    }

    fn interface(&mut self, alias: &Arc<Alias>, defined: &RubyDataType) -> Result<Type, Reason> {
        let failed = |message: &str| Reason::runtime(RubyDataType::load_error(&defined.name, message));
        let text = format!("{{ {} }}", defined.interface);
        let sources = crate::source::SourceMap::new();
        let id = sources.add(None, "<interface>", text.as_str().into());
        let (file, diagnostics) = crate::syntax::parse_only(&sources, id, false);
        if let Some(mut error) = diagnostics.into_iter().find(|diagnostic| diagnostic.severity >= Severity::Error) {
            error.message = error.puppet_text(&sources).into();
            return Err(failed(&error.message));
        }
        let hash = match file.body.statements.as_slice() {
            [hash] if matches!(hash.kind, ExprKind::Hash(_)) => hash,
            _ => return Err(Reason::unsupported("an interface of a data type that is no list of its parts")),
        };
        let Value::Hash(definition) = parse::literal(hash, &text, &mut Aliases { ev: self })? else {
            return Err(Reason::unsupported("an interface of a data type that is no list of its parts"));
        };
        let mut made = define_object(Some(alias.name()), &definition).map_err(Reason::runtime)?;
        made.by_class = defined.by_class;
        let made = Type::Object(Arc::new(made));
        alias.resolve(&made).map_err(Reason::runtime)?;
        Ok(made)
    }
}
