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
enum Page {
    Kept(HttpResponse),
    /// The digest of a response that was dropped.
    Dropped([u8; 32]),
}

/// The responses received in a run.
#[derive(Debug)]
pub(super) struct Pages {
    pages: FxHashMap<Arc<HttpRequest>, Page>,
    /// The requests whose responses are kept, oldest first.
    cached: VecDeque<Arc<HttpRequest>>,
    /// Bytes of these responses.
    bytes: u64,
    limit: u64,
}

impl Default for Pages {
    fn default() -> Pages {
        Pages { pages: FxHashMap::default(), cached: VecDeque::new(), bytes: 0, limit: DEFAULT_RESPONSE_LIMIT }
    }
}

impl Pages {
    /// The response to a request, if it is kept.
    pub(super) fn get(&self, request: &HttpRequest) -> Option<&HttpResponse> {
        match self.pages.get(request)? {
            Page::Kept(page) => Some(page),
            Page::Dropped(_) => None,
        }
    }

    /// Adds a response. Returns the first response to this request.
    ///
    /// # Errors
    /// The first response was dropped, and this one differs from it.
    pub(super) fn add(&mut self, request: &HttpRequest, page: HttpResponse) -> Result<HttpResponse, WorldError> {
        match self.pages.get(request) {
            Some(Page::Kept(first)) => return Ok(first.clone()),
            Some(Page::Dropped(first)) if *first == digest(&page) => return Ok(page),
            Some(Page::Dropped(_)) => {
                let why = "its response has changed since the run began, and the first one is no longer kept (raise the limit with \
                           --limit responses=N, or `responses` under [limits] in catwalk.toml)";
                return Err(WorldError::Unreachable(Arc::from(request.url.as_str()), Arc::from(why)));
            }
            None => {}
        }
        let request = Arc::new(request.clone());
        self.bytes = self.bytes.saturating_add(page.body.len() as u64);
        self.pages.insert(request.clone(), Page::Kept(page.clone()));
        self.cached.push_back(request);
        self.drop_oldest();
        Ok(page)
    }

    /// Sets the number of bytes that are kept.
    pub(super) fn set_limit(&mut self, limit: u64) {
        self.limit = limit;
        self.drop_oldest();
    }

    /// Forgets all responses.
    pub(super) fn clear(&mut self) {
        *self = Pages { limit: self.limit, ..Pages::default() };
    }

    fn drop_oldest(&mut self) {
        while self.bytes > self.limit
            && let Some(oldest) = self.cached.pop_front()
        {
            if let Some(page) = self.pages.get_mut(&oldest)
                && let Page::Kept(kept) = page
            {
                self.bytes = self.bytes.saturating_sub(kept.body.len() as u64);
                *page = Page::Dropped(digest(kept));
            }
        }
    }
}

/// The digest of a response. The order of the items in a JSON array is ignored, since rows of a database have no order.
fn digest(page: &HttpResponse) -> [u8; 32] {
    let mut all = Sha256::new();
    all.update(page.status.to_be_bytes());
    match serde_json::from_slice::<Vec<serde_json::Value>>(&page.body) {
        Ok(rows) => {
            let mut rows: Vec<[u8; 32]> = rows.iter().map(|row| Sha256::digest(row.to_string()).into()).collect();
            rows.sort_unstable();
            rows.iter().for_each(|row| all.update(row));
        }
        Err(_) => all.update(&page.body),
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

    fn page(body: &str) -> HttpResponse {
        HttpResponse { status: 200, body: Arc::from(body.as_bytes()) }
    }

    #[test]
    fn the_oldest_responses_are_dropped_and_never_contradicted() {
        let mut pages = Pages::default();
        pages.set_limit(10);
        for number in 0..3 {
            assert_eq!(pages.add(&request(number), page("[1,2]")), Ok(page("[1,2]")));
        }
        let kept: Vec<bool> = (0..3).map(|number| pages.get(&request(number)).is_some()).collect();
        assert_eq!((kept, pages.bytes), (vec![false, true, true], 10));
        // Another thread has sent the request at the same time: the first response is used.
        assert_eq!(pages.add(&request(1), page("[3]")), Ok(page("[1,2]")));
        // A response that was dropped must be the same, except for the order of rows.
        assert_eq!(pages.add(&request(0), page("[2, 1]")), Ok(page("[2, 1]")));
        for changed in ["[1,2,2]", "[1]", "{}", ""] {
            let error = pages.add(&request(0), page(changed)).unwrap_err().to_string();
            assert!(error.contains("has changed since the run began"), "{error}");
        }
        // One that is larger than the limit is not kept at all.
        assert_eq!(pages.add(&request(4), page("[\"larger than all\"]")), Ok(page("[\"larger than all\"]")));
        assert_eq!((pages.cached.len(), pages.bytes), (0, 0));
        pages.clear();
        assert_eq!(pages.add(&request(0), page("[1]")), Ok(page("[1]")));
        assert_eq!((pages.bytes, pages.limit), (3, 10));
    }
}
