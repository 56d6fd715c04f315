//! Responses of servers to requests that are sent once in a run.
//!
//! In: requests with their responses. Out: the same response to the same request. The limit `responses` bounds the bytes that are cached;
//! of older responses only a digest is kept. Their requests are sent again, and a changed response is an error, so that two compiles of a
//! run never see different responses.

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use sha2::Digest;
use sha2::Sha256;

use crate::HttpRequest;
use crate::HttpResponse;
use crate::WorldError;

/// The default of the limit `responses`, in bytes.
pub const DEFAULT_RESPONSE_LIMIT: u64 = 256 << 20;

/// A response that was received.
#[derive(Debug)]
enum CachedResponse {
    Whole(HttpResponse),
    /// The digest of a response that was dropped.
    Digest([u8; 32]),
}

/// The responses received in a run.
#[derive(Debug)]
pub(super) struct ResponseCache {
    responses: FxHashMap<Arc<HttpRequest>, CachedResponse>,
    /// The requests whose responses are kept, oldest first.
    whole: VecDeque<Arc<HttpRequest>>,
    /// Bytes of these responses.
    bytes: u64,
    limit: u64,
}

impl Default for ResponseCache {
    fn default() -> ResponseCache {
        ResponseCache {
            responses: FxHashMap::default(),
            whole: VecDeque::new(),
            bytes: 0,
            limit: DEFAULT_RESPONSE_LIMIT,
        }
    }
}

impl ResponseCache {
    /// The response to a request, if it is kept.
    pub(super) fn get(&self, request: &HttpRequest) -> Option<&HttpResponse> {
        match self.responses.get(request)? {
            CachedResponse::Whole(response) => Some(response),
            CachedResponse::Digest(_) => None,
        }
    }

    /// Adds a response. Returns the first response to this request.
    ///
    /// # Errors
    /// The first response was dropped, and this one differs from it.
    pub(super) fn add(&mut self, request: &HttpRequest, response: HttpResponse) -> Result<HttpResponse, WorldError> {
        match self.responses.get(request) {
            Some(CachedResponse::Whole(first)) => return Ok(first.clone()),
            Some(CachedResponse::Digest(first)) if *first == digest(&response) => return Ok(response),
            Some(CachedResponse::Digest(_)) => {
                let why = "its response has changed since the run began, and the first one is no longer kept (raise the limit with \
                           --limit responses=N, or `responses` under [limits] in catwalk.toml)";
                return Err(WorldError::Unreachable(Arc::from(request.url.as_str()), Arc::from(why)));
            }
            None => {}
        }
        let request = Arc::new(request.clone());
        self.bytes = self.bytes.saturating_add(response.body.len() as u64);
        self.responses.insert(request.clone(), CachedResponse::Whole(response.clone()));
        self.whole.push_back(request);
        self.drop_oldest();
        Ok(response)
    }

    /// The number of bytes that are kept.
    pub(super) fn limit(&self) -> u64 {
        self.limit
    }

    /// Sets the number of bytes that are kept.
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        self.drop_oldest();
    }

    /// Forgets all responses.
    pub(super) fn clear(&mut self) {
        *self = ResponseCache { limit: self.limit, ..ResponseCache::default() };
    }

    fn drop_oldest(&mut self) {
        while self.bytes > self.limit
            && let Some(oldest) = self.whole.pop_front()
        {
            if let Some(response) = self.responses.get_mut(&oldest)
                && let CachedResponse::Whole(dropped) = response
            {
                self.bytes = self.bytes.saturating_sub(dropped.body.len() as u64);
                *response = CachedResponse::Digest(digest(dropped));
            }
        }
    }
}

/// The digest of a response. The order of the items in a JSON array is ignored, since rows of a database have no order.
fn digest(response: &HttpResponse) -> [u8; 32] {
    let mut all = Sha256::new();
    all.update(response.status.to_be_bytes());
    match serde_json::from_slice::<Vec<serde_json::Value>>(&response.body) {
        Ok(rows) => {
            let mut rows: Vec<[u8; 32]> = rows.iter().map(|row| Sha256::digest(row.to_string()).into()).collect();
            rows.sort_unstable();
            rows.iter().for_each(|row| all.update(row));
        }
        Err(_) => all.update(&response.body),
    }
    all.finalize().into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;

    fn request(number: usize) -> HttpRequest {
        HttpRequest { url: format!("https://puppetdb/{number}"), once: true, ..HttpRequest::default() }
    }

    fn response(body: &str) -> HttpResponse {
        HttpResponse { status: 200, body: Arc::from(body.as_bytes()) }
    }

    #[test]
    fn the_oldest_responses_are_dropped_and_never_contradicted() {
        let mut responses = ResponseCache::default();
        responses.set_limit(10);
        for number in 0..3 {
            assert_eq!(responses.add(&request(number), response("[1,2]")), Ok(response("[1,2]")));
        }
        let is_whole: Vec<bool> = (0..3).map(|number| responses.get(&request(number)).is_some()).collect();
        assert_eq!((is_whole, responses.bytes), (vec![false, true, true], 10));
        // Another thread has sent the request at the same time: the first response is used.
        assert_eq!(responses.add(&request(1), response("[3]")), Ok(response("[1,2]")));
        // A response that was dropped must be the same, except for the order of rows.
        assert_eq!(responses.add(&request(0), response("[2, 1]")), Ok(response("[2, 1]")));
        for changed in ["[1,2,2]", "[1]", "{}", ""] {
            let error = responses.add(&request(0), response(changed)).unwrap_err().to_string();
            assert!(error.contains("has changed since the run began"), "{error}");
        }
        // One that is larger than the limit is not kept at all.
        assert_eq!(
            responses.add(&request(4), response("[\"larger than all\"]")),
            Ok(response("[\"larger than all\"]"))
        );
        assert_eq!((responses.whole.len(), responses.bytes), (0, 0));
        responses.clear();
        assert_eq!(responses.add(&request(0), response("[1]")), Ok(response("[1]")));
        assert_eq!((responses.bytes, responses.limit), (3, 10));
    }
}
