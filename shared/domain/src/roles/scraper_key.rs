//! The key of an external scraper: `fr_<id>_<secret><checksum>`. The checksum finds a mistyped key before anybody asks
//! the database; only the hash of the whole is kept.

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const PREFIX: &str = "fr_";
pub const ID: usize = 10;
const SECRET: usize = 40;
const CHECKSUM: usize = 6;
const LETTERS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// A key that was just made. It is shown once.
#[derive(Clone)]
pub struct NewKey {
    pub text: String,
    pub public_id: String,
    pub sha256: [u8; 32],
}

/// A key that has the form of one and whose checksum fits.
pub struct Presented<'a> {
    pub public_id: &'a str,
    sha256: [u8; 32],
}

impl NewKey {
    /// `random` has 50 numbers of any size; their remainders are the letters.
    pub fn new(random: &[u8; 2 * (ID + SECRET)]) -> NewKey {
        // Two bytes a letter: the remainder of 65,536 by 36 is even to a two-thousandth.
        let letters: String = random
            .chunks_exact(2)
            .map(|pair| {
                char::from(LETTERS[usize::from(u16::from_be_bytes([pair[0], pair[1]])) % LETTERS.len()])
            })
            .collect();
        let (public_id, secret) = letters.split_at(ID);
        let body = format!("{PREFIX}{public_id}_{secret}");
        let text = format!("{body}{}", checksum(&body));
        NewKey { public_id: public_id.to_owned(), sha256: Sha256::digest(text.as_bytes()).into(), text }
    }
}

impl<'a> Presented<'a> {
    pub fn parse(text: &'a str) -> Option<Presented<'a>> {
        let rest = text.strip_prefix(PREFIX)?;
        let known = |byte: u8| byte.is_ascii_digit() || byte.is_ascii_lowercase();
        let fits = rest.len() == ID + 1 + SECRET + CHECKSUM
            && rest.bytes().enumerate().all(|(at, byte)| if at == ID { byte == b'_' } else { known(byte) });
        if !fits {
            return None;
        }
        let (body, sum) = text.split_at(text.len() - CHECKSUM);
        (checksum(body) == sum)
            .then(|| Presented { public_id: &rest[..ID], sha256: Sha256::digest(text.as_bytes()).into() })
    }

    /// Whether this is the key whose hash was kept, in a time that says nothing.
    pub fn is(&self, sha256: &[u8]) -> bool {
        self.sha256.ct_eq(sha256).into()
    }
}

fn checksum(body: &str) -> String {
    hex::encode(Sha256::digest(body.as_bytes()))[..CHECKSUM].to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_is_known_again_and_no_other_is(random in prop::array::uniform32(any::<u8>()), at in 0usize..60, other in "[0-9a-z]") {
            let mut bytes = [0; 100];
            bytes[..32].copy_from_slice(&random);
            bytes[68..].copy_from_slice(&random);
            let key = NewKey::new(&bytes);
            let presented = Presented::parse(&key.text).expect("it has the form");
            prop_assert_eq!(presented.public_id, &key.public_id);
            prop_assert!(presented.is(&key.sha256));
            let mut changed = key.text.clone();
            changed.replace_range(at..=at, &other);
            if changed != key.text {
                // The checksum finds it, or else the hash does.
                prop_assert!(!Presented::parse(&changed).is_some_and(|key2| key2.is(&key.sha256)));
            }
        }

        #[test]
        fn any_text_is_taken(text in "\\PC{0,80}") {
            prop_assert!(Presented::parse(&text).is_none());
            let longer = format!("fr_{text}");
            prop_assert!(Presented::parse(&longer).is_none());
        }
    }
}
