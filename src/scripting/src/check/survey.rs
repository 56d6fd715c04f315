//! The definitions and imports of a script.
//!
//! In: the tree of a script. Out: its functions, constants, entries and imports. Must not: check expressions.

use std::path::Path;

use indexmap::IndexMap;
use rhai::AST;
use rhai::ASTNode;
use rhai::Expr;
use rhai::FnAccess;
use rhai::Position;
use rhai::Stmt;

use super::Checker;
use super::Purpose;
use super::ScriptSurvey;
use crate::host;
use crate::parse;
use catwalk_base::diag::Code;
use catwalk_base::diag::Diagnostic;
use catwalk_base::source::FileId;
use catwalk_program::Environment;
use catwalk_world::World;

#[derive(Default)]
pub(super) struct ImportedScript {
    pub(super) functions: Vec<(String, usize)>,
    pub(super) variables: Vec<String>,
}

/// The constants at the top of a script.
pub(super) fn constants(ast: &AST) -> Vec<String> {
    let name = |statement: &Stmt| match statement {
        Stmt::Var(var, flags, _) if flags.intersects(rhai::ASTFlags::CONSTANT | rhai::ASTFlags::EXPORTED) => {
            Some(var.0.name.to_string())
        }
        _ => None,
    };
    ast.statements().iter().filter_map(name).collect()
}

/// The closures that read a constant of the file, by the parser's names for them, with the name of the constant.
fn closures_reading_constants(ast: &AST) -> IndexMap<String, String> {
    let mut closures = IndexMap::new();
    for closure in ast.iter_functions().filter(|function| function.name.starts_with("anon$")) {
        let mut function = ast.clone_functions_only();
        function.retain_functions(|_, _, name, _| name == closure.name);
        function.walk(&mut |nodes| {
            if let Some(ASTNode::Expr(Expr::Variable(variable, ..))) = nodes.last()
                && !variable.2.is_empty()
                && variable.2.root() == "global"
            {
                closures.entry(closure.name.to_owned()).or_insert_with(|| variable.1.to_string());
            }
            true
        });
    }
    closures
}

impl Checker {
    /// The functions, constants and imports of a script.
    #[allow(clippy::too_many_arguments, reason = "the inputs of a survey")]
    pub(super) fn survey<'a>(
        &self,
        ast: &AST,
        path: &Path,
        purpose: Purpose,
        file: FileId,
        environment: &Environment,
        world: &dyn World,
        diagnostics: &'a mut Vec<Diagnostic>,
    ) -> ScriptSurvey<'a> {
        let functions = ast.iter_functions().map(|f| {
            let params = f.params.iter().map(|param| (*param).to_owned()).collect();
            (f.name.to_owned(), params, f.access == FnAccess::Public)
        });
        let mut survey = ScriptSurvey {
            purpose,
            functions: functions.collect(),
            constants: constants(ast),
            imports: IndexMap::new(),
            closures_reading_constants: closures_reading_constants(ast),
            file,
            diagnostics,
        };
        let mut imports = Vec::new();
        ast.walk(&mut |nodes| {
            if let Some(ASTNode::Stmt(Stmt::Import(import, at))) = nodes.last() {
                let name = match &import.0 {
                    Expr::StringConstant(name, _) => Some(name.to_string()),
                    _ => None,
                };
                imports.push((import.1.name.to_string(), name, *at));
            }
            true
        });
        for (alias, name, at) in imports {
            let imported = name.map(|name| self.import(&name, path, environment, world));
            let imported = match imported {
                Some(Ok(imported)) => Some(imported),
                Some(Err(why)) => {
                    self.report(&mut survey, Code::SCRIPT_IMPORT, why, None, at);
                    None
                }
                None => None,
            };
            survey.imports.insert(alias, imported);
        }
        survey
    }

    fn import(
        &self,
        name: &str,
        from: &Path,
        environment: &Environment,
        world: &dyn World,
    ) -> Result<ImportedScript, String> {
        let importing_module = environment.module_of_path(from).map(|module| module.name.to_string());
        let (module, inner) = match name.split_once("::") {
            Some((module, inner)) => (module.to_owned(), inner),
            None => (importing_module.unwrap_or_else(|| "environment".to_owned()), name),
        };
        let file = host::library_path(environment, &module, inner)
            .ok_or_else(|| format!("cannot import \"{name}\": there is no module '{module}'"))?;
        let bytes = self
            .links
            .read(&file, environment, world)
            .map_err(|why| format!("cannot import \"{name}\": cannot read the script: {why}"))?;
        let text = String::from_utf8_lossy(&bytes);
        let library = self.sources.add(Some(&file), &file.to_string_lossy(), text.as_ref().into());
        let ast = parse::parse(&self.engine, &text, library, &self.sources)
            .map_err(|why| format!("cannot import \"{name}\": {}", why.puppet_text(&self.sources)))?;
        let public = ast.iter_functions().filter(|f| f.access == FnAccess::Public);
        let functions = public.map(|f| (f.name.to_owned(), f.params.len())).collect();
        Ok(ImportedScript { functions, variables: constants(&ast) })
    }

    /// Reports a script that lacks the function that Catwalk calls.
    pub(super) fn check_entries(&self, survey: &mut ScriptSurvey<'_>, path: &Path) {
        let has = |name: &str, counts: &[usize]| {
            survey.functions.iter().any(|(n, params, public)| n == name && *public && counts.contains(&params.len()))
        };
        let file_name = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let calls = |function: &str| {
            let text = self.sources.get(survey.file).map(|source| source.text.clone());
            text.is_some_and(|text| text.lines().any(|line| line.trim_start().starts_with(&format!("{function}("))))
        };
        let missing = match survey.purpose {
            Purpose::Function if !calls("dispatch") && !survey.functions.iter().any(|(n, ..)| n == file_name) => {
                format!("there is no function {file_name}(), and no dispatch()")
            }
            Purpose::Backend if !has("lookup_key", &[3]) && !has("data_dig", &[3]) && !has("data_hash", &[2]) => {
                "there is no function data_hash(options, context), lookup_key(key, options, context) or data_dig(segments, options, context)".to_owned()
            }
            Purpose::Policy if !has("check", &[1]) => "there is no function check(catalog)".to_owned(),
            Purpose::Classifier if !calls("group") && !has("classify", &[1]) => {
                "there is no function classify(node), and no group()".to_owned()
            }
            Purpose::Provider if !has("get", &[1, 2, 3]) => {
                "there is no function get(context) or get(context, names)".to_owned()
            }
            Purpose::Provider if !has("set", &[2, 3]) && !has("change", &[5]) && !has("flush", &[4]) => {
                let simple = [("create", 3), ("update", 3), ("delete", 2)];
                let missing = simple.iter().filter(|(name, count)| !has(name, &[*count])).map(|(name, _)| format!("{name}()"));
                let missing: Vec<String> = missing.collect();
                if missing.is_empty() {
                    return;
                }
                format!("there is no function {}, and no set(context, changes)", missing.join(" and no "))
            }
            // Whether a file of types or transports registers one shows when its top runs.
            Purpose::Transport if !has("connect", &[2]) => "there is no function connect(context, connection)".to_owned(),
            Purpose::Test if !survey.functions.iter().any(|(n, params, _)| n.starts_with("test_") && params.is_empty()) => {
                "there is no function test_…()".to_owned()
            }
            _ => return,
        };
        self.report(survey, Code::SCRIPT_ENTRY, missing, None, Position::new(1, 1));
    }
}
