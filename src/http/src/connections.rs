//! The open connections of a server, with limits for each address, for each node, and for all clients without a certificate.
//!
//! In: addresses of new connections. Out: a slot for each, or a refusal. When a limit is reached, the connection that has been idle for the
//! longest time is closed for the new one, so that a new client does not wait for idle ones. Must not: know TLS and HTTP.

use parking_lot::Mutex;
use parking_lot::MutexGuard;
use std::collections::HashMap;
use std::net::IpAddr;
use std::net::Ipv6Addr;
use std::sync::Arc;
use std::time::Duration;
use std::time::Instant;

use tokio::task::AbortHandle;

/// How often closed connections are reported.
const REPORT_INTERVAL: Duration = Duration::from_secs(60);

/// How many connections may be open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// All connections.
    pub all: usize,
    /// Connections of clients that have not shown a certificate (yet). The others are reserved for nodes.
    pub unauthenticated: usize,
    /// Of these, the connections from one address.
    pub per_address: usize,
    /// The connections of one node.
    pub per_node: usize,
}

/// The client of a connection.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Owner {
    /// A client without a certificate.
    Address(IpAddr),
    /// The node with this certname.
    Node(String),
}

struct Entry {
    owner: Owner,
    /// The start of the connection or of its last request, or the end of its last response.
    since: Instant,
    /// Whether a request has been read completely and is being answered. Such a connection is not closed.
    is_answering: bool,
    /// `None` until the task of the connection is known.
    task: Option<AbortHandle>,
}

#[derive(Default)]
struct Open {
    next: u64,
    entries: HashMap<u64, Entry>,
    owners: HashMap<Owner, usize>,
    unauthenticated: usize,
    /// Connections that were closed for others, or refused, since the last report.
    closed: usize,
    reported: Option<Instant>,
}

/// The open connections.
pub struct Connections {
    limits: ConnectionLimits,
    open: Mutex<Open>,
}

/// The slot of a connection, which is free again when this is dropped.
pub struct Slot {
    connections: Arc<Connections>,
    id: u64,
}

/// An address, of IPv6 the network of a customer (/64), since one machine has many addresses in it.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & !u128::from(u64::MAX))),
        address => address,
    }
}

impl Open {
    fn remove(&mut self, id: u64) -> Option<Entry> {
        let entry = self.entries.remove(&id)?;
        self.leave(&entry.owner);
        Some(entry)
    }

    fn enter(&mut self, owner: &Owner) {
        *self.owners.entry(owner.clone()).or_default() += 1;
        self.unauthenticated += usize::from(matches!(owner, Owner::Address(_)));
    }

    fn leave(&mut self, owner: &Owner) {
        if let Some(count) = self.owners.get_mut(owner) {
            *count -= 1;
            if *count == 0 {
                self.owners.remove(owner);
            }
        }
        self.unauthenticated -= usize::from(matches!(owner, Owner::Address(_)));
    }

    fn count(&self, owner: &Owner) -> usize {
        self.owners.get(owner).copied().unwrap_or(0)
    }

    /// Closes the connection of an owner in `among` that has been idle for the longest time. Returns whether there was one.
    fn close_idle(&mut self, among: impl Fn(&Owner) -> bool) -> bool {
        let idle = self.entries.iter().filter(|(_, entry)| !entry.is_answering && entry.task.is_some());
        let oldest = idle.filter(|(_, entry)| among(&entry.owner)).min_by_key(|(id, entry)| (entry.since, **id));
        let Some(id) = oldest.map(|(id, _)| *id) else { return false };
        if let Some(task) = self.remove(id).and_then(|entry| entry.task) {
            task.abort();
        }
        self.closed += 1;
        true
    }
}

impl Connections {
    /// No connections.
    pub fn new(limits: ConnectionLimits) -> Arc<Connections> {
        Arc::new(Connections { limits, open: Mutex::default() })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        self.open.lock()
    }

    /// A slot for a new connection. `None`: all connections that could be closed for it are being answered.
    pub fn admit(self: &Arc<Self>, address: IpAddr) -> Option<Slot> {
        let owner = Owner::Address(network(address));
        let mut open = self.open();
        let is_unauthenticated = |owner: &Owner| matches!(owner, Owner::Address(_));
        let limits = &self.limits;
        let has_slot = (open.count(&owner) < limits.per_address.max(1) || open.close_idle(|other| *other == owner))
            && (open.unauthenticated < limits.unauthenticated.max(1) || open.close_idle(is_unauthenticated))
            && (open.entries.len() < limits.all.max(1)
                || open.close_idle(is_unauthenticated)
                || open.close_idle(|_| true));
        if !has_slot {
            open.closed += 1;
            return None;
        }
        let id = open.next;
        open.next += 1;
        open.enter(&owner);
        open.entries.insert(id, Entry { owner, since: Instant::now(), is_answering: false, task: None });
        Some(Slot { connections: self.clone(), id })
    }

    /// Notes the task of a connection: a connection can be closed from now on.
    pub fn set_task(&self, id: u64, task: AbortHandle) {
        match self.open().entries.get_mut(&id) {
            Some(entry) => entry.task = Some(task),
            // The connection has ended.
            None => drop(task),
        }
    }

    /// The number of connections that were closed for others, or refused, since the last report; at most once a minute.
    pub fn report(&self) -> Option<usize> {
        let mut open = self.open();
        let is_due = open.reported.is_none_or(|reported| reported.elapsed() >= REPORT_INTERVAL);
        if open.closed == 0 || !is_due {
            return None;
        }
        open.reported = Some(Instant::now());
        Some(std::mem::take(&mut open.closed))
    }
}

impl Slot {
    /// The number of the connection, for [`Connections::set_task`].
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Assigns the connection to the node whose certificate has been verified.
    pub fn authenticate(&self, certname: &str) {
        let mut open = self.connections.open();
        let node = Owner::Node(certname.to_owned());
        if open.count(&node) >= self.connections.limits.per_node.max(1) {
            open.close_idle(|owner| *owner == node);
        }
        let Some(entry) = open.entries.get_mut(&self.id) else { return };
        let address = std::mem::replace(&mut entry.owner, node.clone());
        entry.since = Instant::now();
        open.leave(&address);
        open.enter(&node);
    }

    /// Notes that a request is being answered, until the returned guard is dropped.
    pub fn answer(&self) -> Answering<'_> {
        self.set_answering(true);
        Answering(self)
    }

    fn set_answering(&self, is_answering: bool) {
        if let Some(entry) = self.connections.open().entries.get_mut(&self.id) {
            entry.is_answering = is_answering;
            entry.since = Instant::now();
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.connections.open().remove(self.id);
    }
}

/// Held while a request is being answered.
pub struct Answering<'s>(&'s Slot);

impl Drop for Answering<'_> {
    fn drop(&mut self) {
        self.0.set_answering(false);
    }
}

#[cfg(test)]
mod tests {
    use super::network;

    #[test]
    fn an_address_of_ipv6_is_its_network() {
        let cases = [
            ("10.1.2.3", "10.1.2.3"),
            ("::ffff:10.1.2.3", "10.1.2.3"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
            ("::1", "::"),
        ];
        for (address, expected) in cases {
            assert_eq!(address.parse().map(network), expected.parse(), "{address}");
        }
    }
}
