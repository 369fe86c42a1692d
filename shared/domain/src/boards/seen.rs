//! The ids a walk has met. Kept as short hashes, so that the state of a walk over a hundred thousand jobs still
//! fits into its row.

use std::collections::HashSet;
use std::hash::Hasher;

use base64::Engine;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use siphasher::sip::SipHasher13;

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Seen(HashSet<u64>);

/// A name as a number; two of a hundred thousand names collide once in some billion boards.
pub fn hash(name: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(0x6672_6573_6865_7421, 0x626f_6172_6473_2e31);
    hasher.write(name.as_bytes());
    hasher.finish()
}

impl Seen {
    /// Whether it is new.
    pub fn add(&mut self, name: &str) -> bool {
        self.0.insert(hash(name))
    }

    pub fn has(&self, name: &str) -> bool {
        self.0.contains(&hash(name))
    }

    pub fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Serialize for Seen {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut numbers: Vec<u64> = self.0.iter().copied().collect();
        numbers.sort_unstable();
        let bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        serializer.serialize_str(&STANDARD_NO_PAD.encode(bytes))
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Seen, D::Error> {
        let text = String::deserialize(deserializer)?;
        let bytes = STANDARD_NO_PAD.decode(text).map_err(de::Error::custom)?;
        let (numbers, rest) = bytes.as_chunks::<8>();
        if !rest.is_empty() {
            return Err(de::Error::custom("half an id at the end"));
        }
        Ok(Seen(numbers.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect()))
    }
}
