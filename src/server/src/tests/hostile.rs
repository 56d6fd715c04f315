//! Damaged input is an error, never a panic.

use cms::cert::x509::der::Encode;

use super::support::certificate_request;
use super::support::extension;
use crate::files::fileset::matches;
use crate::pki::encoding::pem;
use crate::pki::key::new_p256;
use crate::pki::request::Request;
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
fn damaged_requests_for_certificates_are_never_signed() {
    use cms::cert::x509::der::DecodePem;
    let extensions = [extension("1.3.6.1.4.1.34380.1.1.13", "web")];
    let whole = certificate_request("a.example.com", &new_p256().unwrap(), &extensions);
    let der = cms::cert::x509::request::CertReq::from_pem(&whole).unwrap().to_der().unwrap();
    assert!(Request::read(whole.as_bytes()).unwrap().check_signable().is_ok());
    let mut numbers = Numbers(7);
    let mut read = 0;
    for _ in 0..5_000 {
        let mut damaged = der.clone();
        damage(&mut damaged, &mut numbers);
        if damaged == der {
            continue;
        }
        let text = pem("CERTIFICATE REQUEST", &damaged).unwrap();
        if let Ok(request) = Request::read(text.as_bytes()) {
            read += 1;
            assert!(request.check_signable().is_err(), "{text}");
        }
    }
    assert!(read > 100, "damage is not only to the structure: {read}");
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
