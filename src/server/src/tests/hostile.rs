//! Damaged input is an error, never a panic.

use crate::files::fileset::matches;
use crate::rules::Endpoint;
use catwalk_http::Parameters;
use catwalk_http::decode;
use catwalk_http::parts;

/// Pseudorandom numbers, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end as u64).unwrap()
    }
}

/// Changes, removes or repeats some bytes.
fn damage(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
    for _ in 0..=numbers.below(3) {
        let at = numbers.below(bytes.len());
        match numbers.below(4) {
            0 => bytes[at] = u8::try_from(numbers.below(256)).unwrap(),
            1 => bytes[at] ^= 1 << numbers.below(8),
            2 if bytes.len() > 8 => drop(bytes.drain(at..(at + 1 + numbers.below(4)).min(bytes.len()))),
            _ => bytes.insert(at, bytes[at]),
        }
    }
}

#[test]
fn damaged_urls_never_lead_up() {
    let whole =
        b"/puppet/v3/file_content/modules/m/%2e%2e/a%20b/..%2f/%c3%a4?environment=a&ignore=%5B&ignore=*x\\[a-".to_vec();
    let mut numbers = Numbers(11);
    for _ in 0..50_000 {
        let mut damaged = whole.clone();
        damage(&mut damaged, &mut numbers);
        let text = String::from_utf8_lossy(&damaged);
        let (path, query) = text.split_once('?').unwrap_or((&text, ""));
        if let Ok(parts) = parts(path) {
            assert!(parts.iter().all(|part| part != ".." && part != "." && !part.contains(['/', '\0'])), "{path}");
        }
        let _ = Endpoint::find(&hyper::Method::GET, path);
        let _ = decode(&text);
        if let Ok(parameters) = Parameters::read(query) {
            for pattern in parameters.all("ignore") {
                matches(pattern, "some name");
            }
        }
    }
}
