//! Requests of the compile to workers: functions, classifiers, policies, groups and their rules.
//!
//! In: a script, its entry and arguments. Out: its result, or its failure. Must not: know the calls of workers meanwhile
//! (`parent`).

use std::sync::Arc;
use std::time::Duration;

use super::Conversation;
use super::WorkerFailure;
use super::Workers;
use super::codec::Reader;
use super::documents;
use super::from_worker;
use super::parent::SameWeak;
use super::parent::Subject;
use super::to_worker;
use crate::api::CatalogHandle;
use crate::api::Verdict;
use crate::cache::Script;
use crate::dispatch::Dispatch;
use crate::groups::GroupCollection;
use crate::host::ImportContext;
use crate::register::Registrations;
use catwalk_node::classify::Classification;
use catwalk_node::classify::Request;
use catwalk_value::value::Hash;
use catwalk_value::value::Value;

impl<'a> Conversation<'a> {
    /// Calls a function of a script; the running compile is set as the host.
    pub(crate) fn function(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        entry: &str,
        args: &[Value],
        block: bool,
    ) -> Result<Value, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |conversation| {
            let mut writer = conversation.begin(to_worker::FUNCTION);
            let data = loading.data.map(|path| path.to_string_lossy().into_owned());
            writer.text(entry).optional(data.as_deref()).byte(u8::from(block)).values(args, conversation);
            conversation.send(&writer);
            conversation.value()
        })
    }

    /// Runs a classifier: the classification, and whether the script filled one that it did not return.
    pub(crate) fn classify(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        request: &Request,
    ) -> Result<(Classification, bool), WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |conversation| {
            let mut writer = conversation.begin(to_worker::CLASSIFY);
            documents::write_request(&mut writer, request, conversation);
            conversation.send(&writer);
            let frame = conversation.talk()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::CLASSIFICATION) => {
                    // The process may name any file: only lines of scripts that were loaded are shown.
                    let known = |file: &str| loading.scripts.sources.find(file).is_some();
                    documents::classification(&mut reader, conversation, &known).ok_or_else(|| conversation.wrong())
                }
                _ => Err(conversation.failed(&frame)),
            }
        })
    }

    /// The `dispatch` lines of a script.
    pub(crate) fn dispatches(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
    ) -> Result<Vec<Dispatch>, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |conversation| {
            conversation.send(&conversation.begin(to_worker::TOP));
            let frame = conversation.talk()?;
            let mut reader = Reader::new(&frame);
            match (reader.byte(), reader.number()) {
                (Some(from_worker::DISPATCHES), Some(count)) => (0..count)
                    .map(|_| {
                        let line = reader.text().zip(reader.text());
                        let (text, entry) = line.ok_or_else(|| conversation.wrong())?;
                        Dispatch::new(text, entry).map_err(|_| conversation.wrong())
                    })
                    .collect(),
                _ => Err(conversation.failed(&frame)),
            }
        })
    }

    /// Runs a policy on a catalog; its verdicts are added, also when it fails.
    pub(crate) fn policy(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        catalog: &CatalogHandle,
        verdicts: &mut Vec<Verdict>,
    ) -> Result<(), WorkerFailure> {
        let subject = Subject::Catalog(SameWeak(Arc::downgrade(&catalog.0)));
        Conversation::with(script, loading, limit, &subject, |conversation| {
            let mut writer = conversation.begin(to_worker::POLICY);
            conversation.about(&subject, &mut writer, |writer| {
                documents::write_catalog(writer, &catalog.0.catalog, conversation)
            });
            conversation.send(&writer);
            let frame = conversation.talk()?;
            let mut reader = Reader::new(&frame);
            if reader.byte() != Some(from_worker::VERDICTS) {
                return Err(conversation.failed(&frame));
            }
            let recorded = documents::verdicts(&mut reader).ok_or_else(|| conversation.wrong())?;
            // Files of positions in imported scripts.
            for path in recorded.iter().filter_map(|verdict| verdict.location.0.as_deref()) {
                let _ = conversation.file(path);
            }
            verdicts.extend(recorded);
            match reader.byte() {
                Some(0) => Ok(()),
                Some(_) => Err(conversation.failed(reader.bytes().unwrap_or_default())),
                None => Err(conversation.wrong()),
            }
        })
    }

    /// The groups that a script declares.
    pub(crate) fn groups(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
    ) -> Result<GroupCollection, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |conversation| {
            let reading = loading.scripts.workers.as_ref().map_or(0, Workers::reading);
            let mut writer = conversation.begin(to_worker::GROUPS);
            writer.number(reading);
            conversation.send(&writer);
            let frame = conversation.talk()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::GROUPS) => {
                    let mut collected =
                        documents::groups(&mut reader, conversation, reading).ok_or_else(|| conversation.wrong())?;
                    collected.read.retain(|path| conversation.may_read(path));
                    Ok(collected)
                }
                _ => Err(conversation.failed(&frame)),
            }
        })
    }

    /// The registrations of a script.
    pub(crate) fn registrations(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
    ) -> Result<Registrations, WorkerFailure> {
        Conversation::with(script, loading, limit, &Subject::None, |conversation| {
            conversation.send(&conversation.begin(to_worker::REGISTRATIONS));
            let frame = conversation.talk()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::REGISTRATIONS) => {
                    let mut found =
                        documents::registrations(&mut reader, conversation).ok_or_else(|| conversation.wrong())?;
                    found.imported.retain(|path| conversation.may_read(path));
                    Ok(found)
                }
                _ => Err(conversation.failed(&frame)),
            }
        })
    }

    /// Runs the rule of a group (its index, and the number of the load) for a node.
    pub(crate) fn rule(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        (number, reading): (u64, u64),
        request: &Request,
    ) -> Result<Value, WorkerFailure> {
        let same = |hash: &Arc<Hash>| SameWeak(Arc::downgrade(hash));
        let subject = Subject::Node(request.certname.clone(), same(&request.facts), same(&request.trusted));
        Conversation::with(script, loading, limit, &subject, |conversation| {
            let mut writer = conversation.begin(to_worker::RULE);
            writer.number(number).number(reading);
            conversation.about(&subject, &mut writer, |writer| documents::write_request(writer, request, conversation));
            conversation.send(&writer);
            conversation.value()
        })
    }

    /// The value that a script returns.
    fn value(&self) -> Result<Value, WorkerFailure> {
        let frame = self.talk()?;
        let mut reader = Reader::new(&frame);
        match reader.byte() {
            Some(from_worker::VALUE) => reader.value(self).ok_or_else(|| self.wrong()),
            Some(from_worker::NO_VALUE) => Err(WorkerFailure::NoValue(reader.text().unwrap_or_default().to_owned())),
            _ => Err(self.failed(&frame)),
        }
    }
}
