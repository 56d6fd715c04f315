//! bcrypt password hashes of `crypt(3)`.
//!
//! In: password, variant and `NN$` with 22 characters of salt. Out: the whole hash.

use base64::Engine;
use base64::alphabet::BCRYPT;
use base64::engine::DecodePaddingMode;
use base64::engine::GeneralPurpose;
use base64::engine::GeneralPurposeConfig;
use blowfish::Blowfish;

/// The highest cost: the number of rounds is two to the power of it, and more would take minutes.
const MOST: u32 = 16;

/// The hash of a password; `None` if `crypt(3)` returns none (the cost is out of range). `variant` is `2a`, `2b`, `2x` or `2y`.
///
/// # Errors
/// A cost that would stop the compile for minutes.
pub fn hash(variant: &str, password: &[u8], setting: &str) -> Result<Option<String>, String> {
    let Some((cost, salt)) = setting.split_once('$') else { return Ok(None) };
    let Some(rounds) = cost.parse::<u32>().ok().filter(|rounds| (4..=31).contains(rounds)) else { return Ok(None) };
    if rounds > MOST {
        return Err(format!("pw_hash(): a bcrypt hash with a cost of {rounds} takes too long (at most {MOST})"));
    }
    let config = GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::RequireNone)
        .with_decode_allow_trailing_bits(true);
    let engine = GeneralPurpose::new(&BCRYPT, config);
    let Some(Ok(salt)) = salt.get(..22).map(|salt| engine.decode(salt)) else { return Ok(None) };
    // The password ends with a zero byte and is truncated to 72 bytes.
    let key: Vec<u8> = password.iter().copied().chain([0]).take(72).collect();
    let key = if variant == "2x" { sign_extended(&key) } else { key };
    let mut state: Blowfish = Blowfish::bc_init_state();
    state.salted_expand_key(&salt, &key);
    for _ in 0..1_u64 << rounds {
        state.bc_expand_key(&key);
        state.bc_expand_key(&salt);
    }
    let mut words = [0x4f72_7068, 0x6561_6e42, 0x6568_6f6c, 0x6465_7253, 0x6372_7944, 0x6f75_6274];
    for _ in 0..64 {
        for pair in words.chunks_exact_mut(2) {
            if let [left, right] = pair {
                [*left, *right] = state.bc_encrypt([*left, *right]);
            }
        }
    }
    let digest: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).take(23).collect();
    // Bits of the salt beyond 128 are ignored.
    Ok(Some(format!("${variant}${cost}${}{}", engine.encode(&salt), engine.encode(digest))))
}

/// The key for the variant `2x`, as words of the key expansion: bytes from 128 on are sign-extended and overwrite the earlier bytes
/// of their word.
fn sign_extended(key: &[u8]) -> Vec<u8> {
    let mut bytes = key.iter().copied().cycle();
    let mut out = Vec::with_capacity(72);
    for _ in 0..18 {
        let mut word = 0_u32;
        for byte in bytes.by_ref().take(4) {
            let extended = i32::from(i8::from_ne_bytes([byte]));
            word = (word << 8) | u32::from_ne_bytes(extended.to_ne_bytes());
        }
        out.extend(word.to_be_bytes());
    }
    out
}
