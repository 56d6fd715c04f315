//! Requests of the compile to workers: functions, classifiers, policies, groups and their rules.
//!
//! In: a script, its entry and arguments. Out: its result, or its failure. Must not: know the calls of workers meanwhile
//! (`parent`).

use std::sync::Arc;
use std::time::Duration;

use super::Conversation;
use super::WorkerFailure;
use super::Workers;
use super::codec::FROM_WORKER;
use super::codec::Reader;
use super::documents;
use super::from_worker;
use super::parent::Subject;
use super::parent::WeakByAddress;
use super::schema::DispatchesDocument;
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
use catwalk_value::Hash;
use catwalk_value::Value;

impl<'a> Conversation<'a> {
    /// Calls a function of a script; the running compile is set as the host.
    pub(crate) fn call_function(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        entry: &str,
        args: &[Value],
        has_block: bool,
    ) -> Result<Value, WorkerFailure> {
        Conversation::run(script, loading, limit, &Subject::None, |conversation| {
            let mut writer = conversation.start_request(to_worker::FUNCTION);
            let data = loading.data.map(|path| path.to_string_lossy().into_owned());
            writer.string(entry).optional_string(data.as_deref()).byte(u8::from(has_block)).values(args, conversation);
            conversation.send(&writer);
            conversation.receive_value()
        })
    }

    /// Runs a classifier: the classification, and whether the script filled one that it did not return.
    pub(crate) fn classify(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        request: &Request,
    ) -> Result<(Classification, bool), WorkerFailure> {
        Conversation::run(script, loading, limit, &Subject::None, |conversation| {
            let mut writer = conversation.start_request(to_worker::CLASSIFY);
            documents::write_request(&mut writer, request, conversation);
            conversation.send(&writer);
            let frame = conversation.answer_calls()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::CLASSIFICATION) => {
                    // The process may name any file: only lines of scripts that were loaded are shown.
                    let is_loaded = |file: &str| loading.scripts.sources.find(file).is_some();
                    documents::read_classification(&mut reader, conversation, &is_loaded)
                        .ok_or_else(|| conversation.invalid_response())
                }
                _ => Err(conversation.read_failure(&frame)),
            }
        })
    }

    /// The `dispatch` lines of a script.
    pub(crate) fn collect_dispatches(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
    ) -> Result<Vec<Dispatch>, WorkerFailure> {
        Conversation::run(script, loading, limit, &Subject::None, |conversation| {
            conversation.send(&conversation.start_request(to_worker::TOP));
            let frame = conversation.answer_calls()?;
            let mut reader = Reader::new(&frame);
            if reader.byte() != Some(from_worker::DISPATCHES) {
                return Err(conversation.read_failure(&frame));
            }
            let lines: Option<DispatchesDocument<'_>> = reader.document(FROM_WORKER);
            let lines = lines.ok_or_else(|| conversation.invalid_response())?.into_iter();
            lines.map(|(text, entry)| Dispatch::new(text, entry).map_err(|_| conversation.invalid_response())).collect()
        })
    }

    /// Runs a policy on a catalog; its verdicts are added, also when it fails.
    pub(crate) fn check_policy(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        catalog: &CatalogHandle,
        verdicts: &mut Vec<Verdict>,
    ) -> Result<(), WorkerFailure> {
        let subject = Subject::Catalog(WeakByAddress(Arc::downgrade(&catalog.0)));
        Conversation::run(script, loading, limit, &subject, |conversation| {
            let mut writer = conversation.start_request(to_worker::POLICY);
            conversation.send_subject(&subject, &mut writer, |writer| {
                documents::write_catalog(writer, &catalog.0.catalog, conversation)
            });
            conversation.send(&writer);
            let frame = conversation.answer_calls()?;
            let mut reader = Reader::new(&frame);
            if reader.byte() != Some(from_worker::VERDICTS) {
                return Err(conversation.read_failure(&frame));
            }
            let recorded = documents::read_verdicts(&mut reader).ok_or_else(|| conversation.invalid_response())?;
            // Files of positions in imported scripts.
            for path in recorded.iter().filter_map(|verdict| verdict.location.0.as_deref()) {
                let _ = conversation.find_source(path);
            }
            verdicts.extend(recorded);
            match reader.byte() {
                Some(0) => Ok(()),
                Some(_) => Err(conversation.read_failure(reader.bytes().unwrap_or_default())),
                None => Err(conversation.invalid_response()),
            }
        })
    }

    /// The groups that a script declares.
    pub(crate) fn collect_groups(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
    ) -> Result<GroupCollection, WorkerFailure> {
        Conversation::run(script, loading, limit, &Subject::None, |conversation| {
            let reading = loading.scripts.workers.as_ref().map_or(0, Workers::next_reading);
            let mut writer = conversation.start_request(to_worker::GROUPS);
            writer.number(reading);
            conversation.send(&writer);
            let frame = conversation.answer_calls()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::GROUPS) => {
                    let mut collected = documents::read_groups(&mut reader, conversation, reading)
                        .ok_or_else(|| conversation.invalid_response())?;
                    collected.imported.retain(|path| conversation.may_read(path));
                    Ok(collected)
                }
                _ => Err(conversation.read_failure(&frame)),
            }
        })
    }

    /// The registrations of a script.
    pub(crate) fn collect_registrations(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
    ) -> Result<Registrations, WorkerFailure> {
        Conversation::run(script, loading, limit, &Subject::None, |conversation| {
            conversation.send(&conversation.start_request(to_worker::REGISTRATIONS));
            let frame = conversation.answer_calls()?;
            let mut reader = Reader::new(&frame);
            match reader.byte() {
                Some(from_worker::REGISTRATIONS) => {
                    let mut registrations = documents::read_registrations(&mut reader, conversation)
                        .ok_or_else(|| conversation.invalid_response())?;
                    registrations.imported.retain(|path| conversation.may_read(path));
                    Ok(registrations)
                }
                _ => Err(conversation.read_failure(&frame)),
            }
        })
    }

    /// Runs the rule of a group (its index, and the number of the load) for a node.
    pub(crate) fn evaluate_rule(
        script: &'a Script,
        loading: &'a ImportContext<'a>,
        limit: Duration,
        (number, reading): (u64, u64),
        request: &Request,
    ) -> Result<Value, WorkerFailure> {
        let by_address = |hash: &Arc<Hash>| WeakByAddress(Arc::downgrade(hash));
        let subject = Subject::Node(request.certname.clone(), by_address(&request.facts), by_address(&request.trusted));
        Conversation::run(script, loading, limit, &subject, |conversation| {
            let mut writer = conversation.start_request(to_worker::RULE);
            writer.number(number).number(reading);
            conversation
                .send_subject(&subject, &mut writer, |writer| documents::write_request(writer, request, conversation));
            conversation.send(&writer);
            conversation.receive_value()
        })
    }

    /// The value that a script returns.
    fn receive_value(&self) -> Result<Value, WorkerFailure> {
        let frame = self.answer_calls()?;
        let mut reader = Reader::new(&frame);
        match reader.byte() {
            Some(from_worker::VALUE) => reader.value(self).ok_or_else(|| self.invalid_response()),
            Some(from_worker::NO_VALUE) => Err(WorkerFailure::NoValue(reader.string().unwrap_or_default().to_owned())),
            _ => Err(self.read_failure(&frame)),
        }
    }
}
