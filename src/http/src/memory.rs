//! The memory that the bodies of requests use at the same time, in all connections.
//!
//! In: numbers of bytes. Out: reservations, or [`WorkError::Busy`] when the memory stays used up. Must not: know requests.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::future::Future;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::Weak;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering;
use std::task::Poll;
use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::sync::Semaphore;

use crate::work::WorkError;

/// Memory is counted in units of this many bytes.
const UNIT: usize = 1 << 10;
/// The memory of a body grows in steps of this size, in bytes.
const STEP: usize = 16 << 10;
/// The bodies of clients without a certificate, in bytes: requests for certificates, which are small.
const UNAUTHENTICATED: usize = 16 << 20;
/// The maximum number of simultaneous requests with a body of one node.
const MAX_BODIES: usize = 8;
/// The memory for an element of a parsed document, in bytes: a value, and its entry in a table.
const ELEMENT: usize = 80;

/// A number of bytes that requests share.
pub struct Memory {
    units: Arc<Semaphore>,
    total: u32,
    /// A further part that one request at a time may use as it needs: requests that each hold a part of the shared bytes and wait for more
    /// would otherwise wait for each other.
    reserve: Arc<Semaphore>,
    /// How long a request waits for memory.
    wait: Duration,
}

/// Bytes that a request may use until this is dropped.
#[derive(Default)]
pub struct Reservation {
    shared: Option<OwnedSemaphorePermit>,
    reserve: Option<OwnedSemaphorePermit>,
}

impl Memory {
    /// `bytes` that are shared.
    pub fn new(bytes: usize, wait: Duration) -> Memory {
        let total = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).max(1);
        let units = Arc::new(Semaphore::new(total as usize));
        Memory { units, total, reserve: Arc::new(Semaphore::new(0)), wait }
    }

    /// `bytes` in total: `largest` of them are what one request at a time may use as it needs.
    pub fn with_reserve(bytes: usize, largest: usize, wait: Duration) -> Memory {
        let memory = Memory::new(bytes.saturating_sub(largest), wait);
        memory.reserve.add_permits(1);
        memory
    }

    /// Adds bytes to a reservation. Waits until they are free. More than all bytes are taken as all bytes.
    ///
    /// # Errors
    /// `Busy`: they were not free in time.
    pub async fn reserve(&self, reservation: &mut Reservation, bytes: usize) -> Result<(), WorkError> {
        if reservation.reserve.is_some() {
            return Ok(());
        }
        let units = u32::try_from(bytes.div_ceil(UNIT)).unwrap_or(u32::MAX).min(self.total);
        let mut shared = pin!(self.units.clone().acquire_many_owned(units));
        let mut reserve = pin!(self.reserve.clone().acquire_owned());
        let first_free = poll_fn(|context| match shared.as_mut().poll(context) {
            Poll::Ready(permit) => Poll::Ready((true, permit)),
            Poll::Pending => reserve.as_mut().poll(context).map(|permit| (false, permit)),
        });
        let (is_shared, permit) = tokio::time::timeout(self.wait, first_free).await.map_err(|_| WorkError::Busy)?;
        let permit = permit.map_err(|_| WorkError::Busy)?;
        match (&mut reservation.shared, is_shared) {
            (_, false) => reservation.reserve = Some(permit),
            (Some(first), true) => first.merge(permit),
            (none, true) => *none = Some(permit),
        }
        Ok(())
    }
}

/// The memory for requests.
pub struct RequestMemory {
    /// For bodies of nodes, which are in memory until their response is sent.
    bodies: Memory,
    /// For bodies of clients without a certificate.
    unauthenticated: Memory,
    /// For documents that are being parsed and used.
    pub parsed: Memory,
    /// The bytes of the bodies of one node.
    per_node: usize,
    nodes: Mutex<HashMap<String, Weak<AtomicUsize>>>,
}

/// Whose body it is.
#[derive(Clone, Copy, Debug)]
pub enum BodyOwner<'a> {
    /// A client without a certificate.
    Stranger,
    /// The node with this certname, which uses a part of the memory.
    Node(&'a str),
    /// A program that may ask about all nodes, and so sends many requests.
    Service,
}

/// The memory of a body while it is read and used.
pub struct BodyMemory<'m> {
    memory: &'m Memory,
    reservation: Reservation,
    reserved: usize,
    /// The bytes of all bodies of the node, and their maximum.
    node: Option<(Arc<AtomicUsize>, usize)>,
}

impl RequestMemory {
    /// A quarter of `bytes` is for bodies, the rest for parsed documents. There is always enough for the `largest` body, of which one can
    /// always be read to its end.
    pub fn new(bytes: usize, (largest, largest_request): (usize, usize), wait: Duration) -> RequestMemory {
        let largest = largest.next_multiple_of(STEP);
        let bodies = (bytes / 4).max(largest);
        RequestMemory {
            bodies: Memory::with_reserve(bodies, largest, wait),
            unauthenticated: Memory::with_reserve(UNAUTHENTICATED.min(bodies), largest_request, wait),
            parsed: Memory::new(bytes - bytes / 4, wait),
            per_node: (bodies / 4).max(largest),
            nodes: Mutex::default(),
        }
    }

    /// The memory for a body.
    ///
    /// # Errors
    /// `Busy`: the node has too many requests with a body.
    pub fn body(&self, owner: BodyOwner<'_>) -> Result<BodyMemory<'_>, WorkError> {
        let (memory, node) = match owner {
            BodyOwner::Stranger => (&self.unauthenticated, None),
            BodyOwner::Node(certname) => (&self.bodies, Some((self.node(certname)?, self.per_node))),
            BodyOwner::Service => (&self.bodies, None),
        };
        Ok(BodyMemory { memory, reservation: Reservation::default(), reserved: 0, node })
    }

    fn node(&self, certname: &str) -> Result<Arc<AtomicUsize>, WorkError> {
        let mut nodes = self.nodes.lock();
        match nodes.get(certname).and_then(Weak::upgrade) {
            // `bytes` itself holds one more reference.
            Some(bytes) if Arc::strong_count(&bytes) > MAX_BODIES => Err(WorkError::Busy),
            Some(bytes) => Ok(bytes),
            None => {
                nodes.retain(|_, bytes| bytes.strong_count() > 0);
                let bytes = Arc::new(AtomicUsize::new(0));
                nodes.insert(certname.to_owned(), Arc::downgrade(&bytes));
                Ok(bytes)
            }
        }
    }
}

impl BodyMemory<'_> {
    /// Makes sure that `bytes` of the body are reserved.
    ///
    /// # Errors
    /// `Busy`: the memory is used up, or the node has used its part.
    pub async fn grow(&mut self, bytes: usize) -> Result<(), WorkError> {
        let more = bytes.saturating_sub(self.reserved).next_multiple_of(STEP);
        if more == 0 {
            return Ok(());
        }
        if let Some((used, limit)) = &self.node {
            let before = used.fetch_add(more, Ordering::Relaxed);
            self.reserved += more;
            if before.saturating_add(more) > *limit {
                return Err(WorkError::Busy);
            }
        } else {
            self.reserved += more;
        }
        self.memory.reserve(&mut self.reservation, more).await
    }
}

impl Drop for BodyMemory<'_> {
    fn drop(&mut self) {
        if let Some((used, _)) = &self.node {
            used.fetch_sub(self.reserved, Ordering::Relaxed);
        }
    }
}

/// An estimate of the memory that a body uses when it is parsed, in bytes. Facts in a form are copied when they are decoded, so the
/// percent-encoded characters between their elements count, too.
pub fn parsed_size(body: &[u8]) -> usize {
    let separators = body.iter().filter(|byte| matches!(byte, b',' | b':' | b'[' | b'{' | b'%')).count();
    body.len().saturating_mul(3).saturating_add(separators.saturating_mul(ELEMENT))
}
