use crate::sha256::sha256;
use std::collections::hash_map::RandomState;
use std::fs::File;
use std::hash::BuildHasher;
use std::io::Read;
use std::time::SystemTime;

/// Random bytes, at most 32: of the system's generator, or where there is no such file from the seed of std's maps, which is the system's too.
pub(crate) fn bytes<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    if File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes)).is_ok() {
        return bytes;
    }
    let mut seed = Vec::new();
    for index in 0..4u64 {
        seed.extend_from_slice(&RandomState::new().hash_one((index, SystemTime::now())).to_le_bytes());
    }
    bytes.copy_from_slice(&sha256(&seed)[..N]);
    bytes
}
