//! Nodes, classifications, catalogs, groups and verdicts of policies in frames.
//!
//! A document has only the parts that scripts can read (`schema`); the values that belong to them follow, in the order of the parts. Must
//! not: trust its input.

use std::borrow::Cow;
use std::path::Path;
use std::path::PathBuf;
use std::sync::Arc;

use indexmap::IndexMap;
use rhai::Position;

use super::codec::FROM_COMPILE;
use super::codec::FROM_WORKER;
use super::codec::Reader;
use super::codec::RetainedValues;
use super::codec::Writer;
use super::schema::CallDocument;
use super::schema::CatalogDocument;
use super::schema::ClassificationDocument;
use super::schema::GroupsDocument;
use super::schema::NodeDocument;
use super::schema::PartDocument;
use super::schema::PositionDocument;
use super::schema::RegistrationDocument;
use super::schema::RegistrationsDocument;
use super::schema::ResourceDocument;
use super::schema::StepDocument;
use super::schema::VerdictDocument;
use crate::api::Verdict;
use crate::groups::GroupCollection;
use crate::groups::GroupDeclaration;
use crate::groups::RuleCode;
use crate::register;
use crate::register::Registration;
use crate::register::Registrations;
use catwalk_base::names::Name;
use catwalk_catalog::Catalog;
use catwalk_catalog::Kind;
use catwalk_catalog::Resource;
use catwalk_catalog::Tags;
use catwalk_catalog::Version;
use catwalk_classifier::group::DefinitionLocation;
use catwalk_node::classify::Classification;
use catwalk_node::classify::ClassificationPart;
use catwalk_node::classify::Request;
use catwalk_resource_api::Step;
use catwalk_value::Value;

pub(super) fn write_request(writer: &mut Writer, request: &Request, retained: &dyn RetainedValues) {
    writer.document(&NodeDocument { certname: &request.certname, environment: &request.environment });
    writer.hash(&request.facts, retained).hash(&request.trusted, retained);
}

pub(super) fn read_request(reader: &mut Reader<'_>, retained: &dyn RetainedValues) -> Option<Request> {
    let node: NodeDocument<'_> = reader.document(FROM_COMPILE)?;
    Some(Request {
        certname: Arc::from(node.certname),
        environment: Arc::from(node.environment),
        facts: reader.hash(retained)?,
        trusted: reader.hash(retained)?,
    })
}

pub(super) fn write_classification(
    writer: &mut Writer,
    classification: &Classification,
    retained: &dyn RetainedValues,
) {
    let call = |(part, location)| match location {
        &DefinitionLocation::Call { ref file, line, column } => {
            Some(CallDocument { part: part_document(part), file: file.to_string_lossy(), line, column })
        }
        _ => None,
    };
    writer.document(&ClassificationDocument {
        classes: classification.classes.iter().map(|(class, given)| (&**class, given.is_some())).collect(),
        variables: classification.parameters.keys().map(|name| &**name).collect(),
        data: classification.data.keys().map(|name| &**name).collect(),
        environment: classification.environment.as_deref(),
        is_unreturned: !classification.warnings.is_empty(),
        calls: classification.locations.iter().filter_map(call).collect(),
    });
    for parameters in classification.classes.values().flatten() {
        writer.hash(parameters, retained);
    }
    for value in classification.parameters.values().chain(classification.data.values()) {
        writer.value(value, retained);
    }
}

fn part_document(part: &ClassificationPart) -> PartDocument<'_> {
    match part {
        ClassificationPart::Class(class) => PartDocument::Class(class),
        ClassificationPart::Parameter(class, parameter) => PartDocument::Parameter(class, parameter),
        ClassificationPart::Variable(name) => PartDocument::Variable(name),
        ClassificationPart::Data(key) => PartDocument::Data(key),
        ClassificationPart::Environment => PartDocument::Environment,
    }
}

impl From<PartDocument<'_>> for ClassificationPart {
    fn from(part: PartDocument<'_>) -> ClassificationPart {
        match part {
            PartDocument::Class(class) => ClassificationPart::Class(class.into()),
            PartDocument::Parameter(class, parameter) => ClassificationPart::Parameter(class.into(), parameter.into()),
            PartDocument::Variable(name) => ClassificationPart::Variable(name.into()),
            PartDocument::Data(key) => ClassificationPart::Data(key.into()),
            PartDocument::Environment => ClassificationPart::Environment,
        }
    }
}

/// A classification, and whether the script filled one that it did not return. Calls in files that are not known have no location.
pub(super) fn read_classification(
    reader: &mut Reader<'_>,
    retained: &dyn RetainedValues,
    is_known_file: &dyn Fn(&str) -> bool,
) -> Option<(Classification, bool)> {
    let document: ClassificationDocument<'_> = reader.document(FROM_WORKER)?;
    let mut result = Classification::default();
    for (class, has_parameters) in document.classes {
        let parameters = if has_parameters { Some(reader.hash(retained)?) } else { None };
        result.classes.insert(Arc::from(class), parameters);
    }
    let mut values = |names: Vec<&str>| -> Option<IndexMap<Arc<str>, Value>> {
        names.into_iter().map(|name| Some((Arc::from(name), reader.value(retained)?))).collect()
    };
    (result.parameters, result.data) = (values(document.variables)?, values(document.data)?);
    result.environment = document.environment.map(Arc::from);
    for CallDocument { part, file, line, column } in document.calls {
        if is_known_file(&file) {
            let file = Arc::from(Path::new(&*file));
            result.locations.insert(part.into(), DefinitionLocation::Call { file, line, column });
        }
    }
    Some((result, document.is_unreturned))
}

pub(super) fn write_catalog(writer: &mut Writer, catalog: &Catalog, retained: &dyn RetainedValues) {
    writer.document(&CatalogDocument {
        name: &catalog.name,
        environment: &catalog.environment,
        classes: catalog.classes.iter().map(|class| &**class).collect(),
        resources: catalog.resources.iter().map(resource_document).collect(),
        edges: catalog.edges.clone(),
    });
    for value in catalog.resources.iter().flat_map(|resource| resource.parameters.values()) {
        writer.value(value, retained);
    }
}

fn resource_document(resource: &Resource) -> ResourceDocument<'_> {
    let is_secret = |name: &Name| resource.sensitive.contains(name);
    ResourceDocument {
        type_name: resource.type_name.as_str(),
        title: &resource.title,
        file: resource.file.as_deref(),
        line: resource.line,
        exported: resource.exported,
        tags: resource.tags.iter().map(|tag| &**tag).collect(),
        parameters: resource.parameters.keys().map(|name| (name.as_str(), is_secret(name))).collect(),
    }
}

/// A catalog with only the parts that policies can read.
pub(super) fn read_catalog(reader: &mut Reader<'_>, retained: &dyn RetainedValues) -> Option<Catalog> {
    let document: CatalogDocument<'_> = reader.document(FROM_COMPILE)?;
    let resources = document.resources.into_iter().map(|resource| read_resource(resource, reader, retained));
    Some(Catalog {
        name: Arc::from(document.name),
        version: Version::Seconds(0),
        uuid: Arc::from(""),
        environment: Arc::from(document.environment),
        tags: Tags::default(),
        classes: document.classes.into_iter().map(Arc::from).collect(),
        resources: resources.collect::<Option<_>>()?,
        edges: document.edges,
        origins: Vec::new(),
        automatic: Vec::new(),
        secrets: Arc::default(),
    })
}

fn read_resource(
    document: ResourceDocument<'_>,
    reader: &mut Reader<'_>,
    retained: &dyn RetainedValues,
) -> Option<Resource> {
    let mut tags = Tags::default();
    for tag in document.tags {
        let _ = tags.add(tag);
    }
    let mut resource = Resource {
        type_name: Name::new(document.type_name),
        title: Arc::from(document.title),
        title_is_main: false,
        tags,
        file: document.file.map(Arc::from),
        line: document.line,
        exported: document.exported,
        is_virtual: false,
        kind: Kind::Unknown,
        namevar: Name::new("name"),
        isomorphic: true,
        composite: false,
        builtin: false,
        parameters: [].into_iter().collect(),
        sensitive: Vec::new(),
    };
    for (name, is_secret) in document.parameters {
        let name = Name::new(name);
        if is_secret {
            resource.sensitive.push(name);
        }
        resource.parameters.insert(name, reader.value(retained)?);
    }
    Some(resource)
}

fn position_document(at: Position) -> PositionDocument {
    let part = |part: Option<usize>| part.and_then(|part| u16::try_from(part).ok()).unwrap_or(0);
    (part(at.line()), part(at.position()))
}

fn read_position((line, column): PositionDocument) -> Position {
    if line == 0 { Position::NONE } else { Position::new(line, column) }
}

pub(super) fn write_verdicts(writer: &mut Writer, verdicts: &[Verdict]) {
    writer.document(&verdicts.iter().map(verdict_document).collect::<Vec<_>>());
}

fn verdict_document(verdict: &Verdict) -> VerdictDocument<'_> {
    let (file, at) = &verdict.location;
    VerdictDocument {
        denied: verdict.denied,
        message: &verdict.message,
        resource: verdict.resource,
        file: file.as_deref(),
        at: position_document(*at),
    }
}

pub(super) fn read_verdicts(reader: &mut Reader<'_>) -> Option<Vec<Verdict>> {
    let verdict = |verdict: VerdictDocument<'_>| Verdict {
        denied: verdict.denied,
        message: verdict.message.to_owned(),
        resource: verdict.resource,
        location: (verdict.file.map(str::to_owned), read_position(verdict.at)),
    };
    let verdicts: Vec<VerdictDocument<'_>> = reader.document(FROM_WORKER)?;
    Some(verdicts.into_iter().map(verdict).collect())
}

fn imported_document(imported: &[PathBuf]) -> Vec<Cow<'_, str>> {
    imported.iter().map(|path| path.to_string_lossy()).collect()
}

fn read_imported(imported: Vec<Cow<'_, str>>) -> Vec<PathBuf> {
    imported.into_iter().map(|path| PathBuf::from(path.into_owned())).collect()
}

pub(super) fn write_groups(writer: &mut Writer, collected: &GroupCollection, retained: &dyn RetainedValues) {
    writer.document(&GroupsDocument {
        groups: collected.groups.iter().map(|group| (group.rule.is_some(), position_document(group.at))).collect(),
        imported: imported_document(&collected.imported),
    });
    for group in &collected.groups {
        writer.hash(&group.members, retained);
    }
}

/// Groups whose rules are in the worker, which finds them by the number of this load.
pub(super) fn read_groups(
    reader: &mut Reader<'_>,
    retained: &dyn RetainedValues,
    reading: u64,
) -> Option<GroupCollection> {
    let document: GroupsDocument<'_> = reader.document(FROM_WORKER)?;
    let mut groups = Vec::new();
    for (number, (has_rule, at)) in (0..).zip(document.groups) {
        let members = reader.hash(retained)?.as_ref().clone();
        let rule = has_rule.then_some(RuleCode::InWorker(number, reading));
        groups.push(GroupDeclaration { members, rule, at: read_position(at) });
    }
    Some(GroupCollection { groups, imported: read_imported(document.imported) })
}

pub(super) fn write_registrations(writer: &mut Writer, registrations: &Registrations, retained: &dyn RetainedValues) {
    writer.document(&RegistrationsDocument {
        calls: registrations.calls.iter().map(registration_document).collect(),
        imported: imported_document(&registrations.imported),
    });
    for call in &registrations.calls {
        writer.value(&call.value, retained);
    }
}

fn registration_document(call: &Registration) -> RegistrationDocument<'_> {
    RegistrationDocument {
        is_transport: call.kind == register::Kind::Transport,
        at: position_document(call.at),
        positions: call
            .positions
            .iter()
            .map(|(path, at)| (path.iter().map(step_document).collect(), position_document(*at)))
            .collect(),
    }
}

fn step_document(step: &Step) -> StepDocument<'_> {
    match step {
        Step::Key(key) => StepDocument::Key(key),
        Step::Index(at) => StepDocument::Index(*at),
    }
}

pub(super) fn read_registrations(reader: &mut Reader<'_>, retained: &dyn RetainedValues) -> Option<Registrations> {
    let document: RegistrationsDocument<'_> = reader.document(FROM_WORKER)?;
    let step = |step: StepDocument<'_>| match step {
        StepDocument::Key(key) => Step::Key(Arc::from(key)),
        StepDocument::Index(at) => Step::Index(at),
    };
    let mut calls = Vec::new();
    for call in document.calls {
        let positions = call.positions.into_iter();
        let positions = positions.map(|(path, at)| (path.into_iter().map(step).collect(), read_position(at))).collect();
        let kind = if call.is_transport { register::Kind::Transport } else { register::Kind::Type };
        calls.push(Registration { kind, value: reader.value(retained)?, at: read_position(call.at), positions });
    }
    Some(Registrations { calls, imported: read_imported(document.imported) })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "tests")]

    use super::*;
    use crate::worker::remote::NoRetainedValues;
    use catwalk_value::Hash;

    fn hash(name: &str, value: i64) -> Arc<Hash> {
        Arc::new(Hash::from_iter([(Value::str(name), Value::Int(value))]))
    }

    fn written(write: impl FnOnce(&mut Writer)) -> Vec<u8> {
        let mut writer = Writer::default();
        write(&mut writer);
        writer.0
    }

    fn classification() -> Classification {
        let mut classification = Classification::default();
        classification.classes.insert("a".into(), None);
        classification.classes.insert("b".into(), Some(hash("p", 1)));
        classification.parameters.insert("x".into(), Value::array(vec![Value::Undef, Value::Bool(true)]));
        classification.data.insert("b::p".into(), Value::Int(2));
        classification.environment = Some("test".into());
        for (part, line) in [(ClassificationPart::Class("b".into()), 3), (ClassificationPart::Environment, 4)] {
            let file = Arc::from(Path::new("/site/enc.rhai"));
            classification.locations.insert(part, DefinitionLocation::Call { file, line, column: 5 });
        }
        classification
    }

    #[test]
    fn documents_survive_being_written_and_read() {
        let node = Request {
            certname: "web1".into(),
            environment: "production".into(),
            facts: hash("cores", 2),
            trusted: hash("extensions", 0),
        };
        let bytes = written(|writer| write_request(writer, &node, &NoRetainedValues::default()));
        let read = read_request(&mut Reader::new(&bytes), &NoRetainedValues::default()).unwrap();
        assert_eq!((read.certname, read.environment), (node.certname, node.environment));
        assert_eq!((read.facts, read.trusted), (node.facts, node.trusted));
        let bytes = written(|writer| write_classification(writer, &classification(), &NoRetainedValues::default()));
        let read = |is_known| {
            read_classification(&mut Reader::new(&bytes), &NoRetainedValues::default(), &|_| is_known).unwrap()
        };
        assert_eq!(read(true), (classification(), false));
        assert_eq!(read(false), (Classification { locations: IndexMap::default(), ..classification() }, false));
    }

    #[test]
    fn truncated_documents_are_refused() {
        let bytes = written(|writer| write_classification(writer, &classification(), &NoRetainedValues::default()));
        for end in 0..bytes.len() {
            let mut reader = Reader::new(&bytes[..end]);
            assert_eq!(read_classification(&mut reader, &NoRetainedValues::default(), &|_| true), None, "{end}");
        }
    }

    #[test]
    fn documents_of_workers_are_limited() {
        let verdict = Verdict {
            denied: true,
            message: "x".repeat(FROM_WORKER),
            resource: None,
            location: (None, Position::NONE),
        };
        let bytes = written(|writer| write_verdicts(writer, &[verdict]));
        assert!(read_verdicts(&mut Reader::new(&bytes)).is_none());
        // An announced number of elements allocates nothing.
        let bytes = written(|writer| {
            writer.bytes(&[0xff, 0xff, 0xff, 0xff, 0x7f]);
        });
        assert!(read_verdicts(&mut Reader::new(&bytes)).is_none());
    }
}
