//! LDAP messages (RFC 4511): requests of a search, and the responses to them.
//!
//! In: requests, or the bytes of a response. Out: the other of the two. Must not: read beyond a response, or recurse into it: `decode`
//! returns `None` for all bytes that are not a response.

use std::sync::Arc;

use ldap3::asn1::ASNTag;
use ldap3::asn1::Boolean;
use ldap3::asn1::Enumerated;
use ldap3::asn1::Integer;
use ldap3::asn1::OctetString;
use ldap3::asn1::Sequence;
use ldap3::asn1::StructureTag;
use ldap3::asn1::Tag;
use ldap3::asn1::TagClass;
use ldap3::asn1::write;

use super::LdapEntry;
use super::LdapScope;
use super::LdapSearch;

/// The tags of the messages that a server sends.
pub(super) const BIND: u8 = 0x61;
const ENTRY: u8 = 0x64;
pub(super) const SEARCH_DONE: u8 = 0x65;
const REFERENCE: u8 = 0x73;
pub(super) const EXTENDED: u8 = 0x78;
const INTERMEDIATE: u8 = 0x79;

const INTEGER: u8 = 0x02;
const OCTET_STRING: u8 = 0x04;
const ENUMERATED: u8 = 0x0a;
pub(super) const SEQUENCE: u8 = 0x30;
const SET: u8 = 0x31;

/// The name of StartTLS.
const START_TLS: &str = "1.3.6.1.4.1.1466.20037";
/// The longest filter, in bytes, and its deepest nesting.
const MAX_FILTER: (usize, usize) = (64 << 10, 64);
/// The most values of an entry.
const MAX_VALUES: usize = 100_000;

/// Why bytes that are not LDAP are refused.
pub(super) const NONSENSE: &str = "its answer is not one of a directory server (LDAP)";

/// A message of a server.
#[derive(PartialEq, Debug)]
pub(super) enum Response {
    /// An entry that a search found.
    Entry(LdapEntry),
    /// The end of an operation, with the tag of its kind.
    Result(u8, ServerResult),
    /// A reference to another server, or an intermediate message: both are ignored.
    Other,
}

/// The result of an operation.
#[derive(PartialEq, Debug)]
pub(super) struct ServerResult {
    code: i64,
    message: String,
}

impl ServerResult {
    /// Fails unless the operation was successful; `what` is the beginning of the message.
    pub(super) fn check(&self, what: &str) -> Result<(), String> {
        if self.code == 0 {
            return Ok(());
        }
        let name = code_name(self.code).map_or_else(String::new, |name| format!("{name}, "));
        let mut text = format!("{what}: {name}code {}", self.code);
        if !self.message.is_empty() {
            text += &format!(" ({})", self.message);
        }
        Err(text)
    }
}

/// The description of a result code.
fn code_name(code: i64) -> Option<&'static str> {
    Some(match code {
        1 => "operations error",
        2 => "protocol error",
        3 => "time limit exceeded",
        4 => "size limit exceeded",
        7 => "authentication method not supported",
        8 => "stronger authentication required",
        10 => "referral to another server, which is not followed",
        11 => "administrative limit exceeded",
        13 => "confidentiality (TLS) required",
        16 => "no such attribute",
        18 => "inappropriate matching",
        21 => "invalid attribute syntax",
        32 => "no such object",
        34 => "invalid DN",
        48 => "inappropriate authentication",
        49 => "invalid credentials",
        50 => "insufficient access rights",
        51 => "busy",
        52 => "unavailable",
        53 => "unwilling to perform",
        _ => return None,
    })
}

/// Checks a filter.
///
/// # Errors
/// It is malformed, too long or nested too deeply; the string is the reason.
pub fn check_filter(filter: &str) -> Result<(), String> {
    parse_filter(filter).map(drop)
}

pub(super) fn parse_filter(filter: &str) -> Result<Tag, String> {
    let (bytes, levels) = MAX_FILTER;
    let depth = |(depth, max): (usize, usize), byte| match byte {
        b'(' => (depth + 1, max.max(depth + 1)),
        b')' => (depth.saturating_sub(1), max),
        _ => (depth, max),
    };
    let (_, deepest) = filter.bytes().fold((0, 0), depth);
    if filter.len() > bytes || deepest > levels {
        return Err(format!("the filter is longer than {} KiB or has more than {levels} levels", bytes >> 10));
    }
    ldap3::parse_filter(filter).map_err(|()| format!("the filter is malformed: {filter}"))
}

fn string(text: &str) -> Tag {
    Tag::OctetString(OctetString { inner: text.into(), ..OctetString::default() })
}

fn integer(number: i64) -> Tag {
    Tag::Integer(Integer { inner: number, ..Integer::default() })
}

fn enumerated(number: i64) -> Tag {
    Tag::Enumerated(Enumerated { inner: number, ..Enumerated::default() })
}

fn sequence(inner: Vec<Tag>) -> Tag {
    Tag::Sequence(Sequence { inner, ..Sequence::default() })
}

/// A string with a tag of the operation.
fn tagged(id: u64, text: &str) -> Tag {
    Tag::OctetString(OctetString { id, class: TagClass::Context, inner: text.into() })
}

fn message(id: i32, operation: u64, inner: Vec<Tag>) -> Result<Vec<u8>, String> {
    let operation = Tag::Sequence(Sequence { id: operation, class: TagClass::Application, inner });
    encode(sequence(vec![integer(id.into()), operation]).into_structure())
}

fn encode(structure: StructureTag) -> Result<Vec<u8>, String> {
    let mut bytes = bytes::BytesMut::new();
    write::encode_into(&mut bytes, structure).map_err(|error| error.to_string())?;
    Ok(bytes.to_vec())
}

/// A request to continue with TLS.
pub(super) fn start_tls(id: i32) -> Result<Vec<u8>, String> {
    message(id, 23, vec![tagged(0, START_TLS)])
}

/// A request to log in with a password.
pub(super) fn bind(id: i32, name: &str, password: &str) -> Result<Vec<u8>, String> {
    message(id, 0, vec![integer(3), string(name), tagged(0, password)])
}

/// A request to search.
pub(super) fn search(id: i32, search: &LdapSearch, filter: Tag) -> Result<Vec<u8>, String> {
    let scope = match search.scope {
        LdapScope::Base => 0,
        LdapScope::One => 1,
        LdapScope::Sub => 2,
    };
    // Aliases are not followed; the limits of entries and time are those of the server; attributes are returned with values.
    let no = Tag::Boolean(Boolean { inner: false, ..Boolean::default() });
    let attributes = search.attributes.iter().map(|name| string(name)).collect();
    let base = string(&search.base);
    message(
        id,
        3,
        vec![base, enumerated(scope), enumerated(0), integer(0), integer(0), no, filter, sequence(attributes)],
    )
}

/// The end of a conversation.
pub(super) fn unbind(id: i32) -> Result<Vec<u8>, String> {
    let unbind = StructureTag { class: TagClass::Application, id: 2, payload: ldap3::asn1::PL::P(Vec::new()) };
    encode(sequence(vec![integer(id.into()), Tag::StructureTag(unbind)]).into_structure())
}

/// The elements of a value in BER, one after the other.
struct Elements<'b>(&'b [u8]);

impl<'b> Elements<'b> {
    /// The next element's tag and contents; `None` at the end, and where the bytes are no element.
    fn next(&mut self) -> Option<(u8, &'b [u8])> {
        let (tag, rest) = self.0.split_first()?;
        let (length, mut rest) = rest.split_first()?;
        let mut size = usize::from(*length);
        if *length > 127 {
            let count = Some(usize::from(length & 127)).filter(|count| (1..=4).contains(count))?;
            let bytes = rest.get(..count)?;
            size = bytes.iter().fold(0, |size, byte| size << 8 | usize::from(*byte));
            rest = rest.get(count..)?;
        }
        let contents = rest.get(..size)?;
        self.0 = rest.get(size..)?;
        Some((*tag, contents))
    }

    /// The contents of the next element if it has this tag.
    fn expect(&mut self, tag: u8) -> Option<&'b [u8]> {
        self.next().filter(|(found, _)| *found == tag).map(|(_, contents)| contents)
    }

    fn string(&mut self) -> Option<String> {
        String::from_utf8(self.expect(OCTET_STRING)?.to_vec()).ok()
    }

    fn number(&mut self, tag: u8) -> Option<i64> {
        let bytes = self.expect(tag).filter(|bytes| (1..=8).contains(&bytes.len()))?;
        Some(bytes.iter().fold(0, |number, byte| number << 8 | i64::from(*byte)))
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The response in the contents of a message, which must answer a request. `None`: it is malformed.
///
/// # Errors
/// The server ends the conversation; the string is its reason.
pub(super) fn decode(body: &[u8], request: i32) -> Option<Result<Response, String>> {
    let mut elements = Elements(body);
    let id = elements.number(INTEGER)?;
    let (kind, contents) = elements.next()?;
    let mut contents = Elements(contents);
    if id == 0 && kind == EXTENDED {
        return Some(result(&mut contents)?.check("it ends the conversation").map(|()| Response::Other));
    }
    if id != i64::from(request) {
        return None;
    }
    Some(Ok(match kind {
        ENTRY => Response::Entry(entry(&mut contents)?),
        BIND | SEARCH_DONE | EXTENDED => Response::Result(kind, result(&mut contents)?),
        REFERENCE | INTERMEDIATE => Response::Other,
        _ => return None,
    }))
}

fn result(contents: &mut Elements<'_>) -> Option<ServerResult> {
    let code = contents.number(ENUMERATED)?;
    let _matched = contents.expect(OCTET_STRING)?;
    let message = String::from_utf8_lossy(contents.expect(OCTET_STRING)?).trim().to_owned();
    Some(ServerResult { code, message })
}

fn entry(contents: &mut Elements<'_>) -> Option<LdapEntry> {
    let mut entry = LdapEntry { dn: contents.string()?, attributes: Vec::new() };
    let mut positions = rustc_hash::FxHashMap::default();
    let mut count = 0;
    let mut attributes = Elements(contents.expect(SEQUENCE)?);
    while !attributes.is_empty() {
        let mut attribute = Elements(attributes.expect(SEQUENCE)?);
        let name = attribute.string()?;
        count += 1;
        let mut set = Elements(attribute.expect(SET)?);
        let mut values: Vec<Arc<[u8]>> = Vec::new();
        while !set.is_empty() {
            count += 1;
            if count > MAX_VALUES {
                return None;
            }
            values.push(Arc::from(set.expect(OCTET_STRING)?));
        }
        // No server sends an attribute twice; the values of one that does are joined.
        let position = *positions.entry(name.to_ascii_lowercase()).or_insert(entry.attributes.len());
        match entry.attributes.get_mut(position) {
            Some((_, known)) => known.extend(values),
            None => entry.attributes.push((name, values)),
        }
    }
    Some(entry)
}
