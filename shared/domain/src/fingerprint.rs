//! Fingerprints of pages and postings. SimHash shows how much of a page's text changed and decides
//! nothing; the fingerprint of a posting's own fields decides whether the posting changed.

use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use siphasher::sip::SipHasher;

use super::charset;
use super::page::MAX_BYTES;
use super::plain_text::squeeze;
use super::posting::Posting;
use super::visible::visible_text;

/// Words of a page that are hashed; a posting has a few thousand.
const MAX_WORDS: usize = 100_000;
/// How much text is looked at for them; a page of one endless word has no more to say.
const MAX_TEXT: usize = 2 * 1024 * 1024;

/// SimHash over the three-word shingles of a text; none for fewer than three words.
pub fn simhash(text: &str) -> Option<u64> {
    let text = &text[..text.floor_char_boundary(MAX_TEXT)];
    let mut words = String::with_capacity(text.len());
    let mut bounds = Vec::with_capacity(text.len() / 4);
    for word in text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).take(MAX_WORDS) {
        if !words.is_empty() {
            words.push(' ');
        }
        let start = words.len();
        if word.is_ascii() {
            words.push_str(word);
            words[start..].make_ascii_lowercase();
        } else {
            words.extend(word.chars().flat_map(char::to_lowercase));
        }
        bounds.push((start, words.len()));
    }
    if bounds.len() < 3 {
        return None;
    }
    let mut votes = Votes::default();
    for three in bounds.windows(3) {
        votes.cast(&words[three[0].0..three[2].1]);
    }
    Some(votes.majority())
}

/// The sum of the `simhash` crate, bit for bit, with the 64 counters kept eight to a word: a page's shingles cost
/// a sixth of what they do one bit after another.
struct Votes {
    ones: [u32; 64],
    /// Counters of up to 255 votes each: the eight bits of byte `i` of a hash are the bytes of `lanes[i]`.
    lanes: [u64; 8],
    waiting: u8,
    cast: u32,
}

impl Default for Votes {
    fn default() -> Votes {
        Votes { ones: [0; 64], lanes: [0; 8], waiting: 0, cast: 0 }
    }
}

/// The bits of a byte, each in a byte of its own.
const SPREAD: [u64; 256] = {
    let mut table = [0_u64; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte as u64 >> bit) & 1) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

impl Votes {
    fn cast(&mut self, feature: &str) {
        let mut hasher = SipHasher::default();
        feature.hash(&mut hasher);
        for (lane, byte) in self.lanes.iter_mut().zip(hasher.finish().to_le_bytes()) {
            *lane += SPREAD[usize::from(byte)];
        }
        self.cast += 1;
        self.waiting += 1;
        if self.waiting == u8::MAX {
            self.count();
        }
    }

    fn count(&mut self) {
        for (ones, lane) in self.ones.chunks_exact_mut(8).zip(&mut self.lanes) {
            for (one, votes) in ones.iter_mut().zip(lane.to_le_bytes()) {
                *one += u32::from(votes);
            }
            *lane = 0;
        }
        self.waiting = 0;
    }

    /// A bit is set when more hashes have it than have not.
    fn majority(mut self) -> u64 {
        self.count();
        let cast = self.cast;
        let bit = |(at, ones): (usize, &u32)| u64::from(2 * ones > cast) << at;
        self.ones.iter().enumerate().map(bit).sum()
    }
}

/// SimHash of what a reader sees of a page; none for a page over our limits.
pub fn page_simhash(bytes: &[u8], content_type: Option<&str>) -> Option<u64> {
    if bytes.len() > MAX_BYTES {
        return None;
    }
    simhash(&visible_text(&charset::decode(bytes, content_type), MAX_TEXT))
}

/// In how many of 64 bits two SimHashes differ.
pub fn distance(a: u64, b: u64) -> u32 {
    simhash::hamming_distance(a, b)
}

/// SHA-256 in hex over what a posting says, in a form that does not depend on white space or on the
/// order of lists. Left out, because they move while the posting stays the same: the dates (boards
/// renew them daily), the URLs (sessions, tracking), and the provenance.
pub fn field_fingerprint(posting: &Posting) -> String {
    let mut record = Record(Sha256::new());
    record.text(Some("job_posting/1"));
    record.text(posting.job_title.as_deref());
    record.text(posting.company_name.as_deref());
    record.list(posting.locations.iter().chain(&posting.location).map(|place| {
        Record::own(
            &[&place.city, &place.state_region, &place.country, &place.raw].map(|part| part.as_deref()),
        )
    }));
    record.text(posting.remote.map(|remote| remote.as_str()));
    record.list(posting.applicant_locations.iter().map(|text| squeeze(text).into_bytes()));
    record.text(posting.salary_range.as_deref());
    let salary = posting.salary.as_ref();
    record.text(salary.and_then(|salary| salary.min).map(|amount| amount.to_string()).as_deref());
    record.text(salary.and_then(|salary| salary.max).map(|amount| amount.to_string()).as_deref());
    record.text(salary.and_then(|salary| salary.currency.as_deref()));
    record.text(salary.and_then(|salary| salary.period).map(|period| period.as_str()));
    record.text(posting.description.as_deref());
    record.list(posting.employment_type.iter().map(|text| squeeze(text).into_bytes()));
    record.text(posting.external_id.as_deref());
    record.text(posting.direct_apply.map(|direct| if direct { "true" } else { "false" }));
    hex::encode(record.0.finalize())
}

/// Every part is a presence byte, a length and the bytes, so that no two records read alike.
struct Record(Sha256);

impl Record {
    fn text(&mut self, text: Option<&str>) {
        match text.map(squeeze) {
            Some(text) => self.bytes(text.as_bytes()),
            None => self.0.update([0]),
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update([1]);
        self.0.update((bytes.len() as u64).to_be_bytes());
        self.0.update(bytes);
    }

    fn list(&mut self, items: impl Iterator<Item = Vec<u8>>) {
        let mut items: Vec<Vec<u8>> = items.collect();
        items.sort_unstable();
        items.dedup();
        self.0.update((items.len() as u64).to_be_bytes());
        for item in items {
            self.bytes(&item);
        }
    }

    /// A small record of its own, to be sorted among its like.
    fn own(parts: &[Option<&str>]) -> Vec<u8> {
        let mut record = Record(Sha256::new());
        for part in parts {
            record.text(*part);
        }
        record.0.finalize().to_vec()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::location::Location;
    use proptest::prelude::*;

    fn potter() -> Posting {
        Posting {
            job_title: Some("Potter".into()),
            company_name: Some("Kiln & Co".into()),
            description: Some("Make bowls.\n\nFire them.".into()),
            ..Posting::default()
        }
    }

    /// A change of these values makes every stored SimHash worthless.
    #[test]
    fn golden_values() {
        assert_eq!(simhash("The quick brown fox jumps over the lazy dog"), Some(881_305_297_294_711_436));
        assert_eq!(simhash("Příliš žluťoučký kůň úpěl ďábelské ódy"), Some(20_396_694_546_096_136));
        let golden = "596c475cc9fdeffccd7de089954fd4c172cac41efac7c8b7b43be1c9b1e26cda";
        assert_eq!(field_fingerprint(&potter()), golden);
    }

    #[test]
    fn fewer_than_three_words_have_no_simhash() {
        assert_eq!(simhash(""), None);
        assert_eq!(simhash("two, words!"), None);
        assert!(simhash("now three words").is_some());
    }

    #[test]
    fn the_simhash_sees_the_text_and_not_the_markup() {
        let of = |html: &str| page_simhash(html.as_bytes(), None);
        let plain = of("<p>Make bowls and fire them in the kiln</p>");
        assert!(plain.is_some());
        let dressed = of(
            "<div class=x><b>Make</b> bowls\n and <i>fire</i> them<br>in the KILN<script>now()</script></div>",
        );
        assert_eq!(dressed, plain);
        assert_ne!(of("<p>Make plates and fire them in the kiln</p>"), plain);
    }

    #[test]
    fn the_field_fingerprint_ignores_what_moves_by_itself() {
        let mut moved = potter();
        moved.description = Some(" Make  bowls. Fire\tthem.".into());
        moved.date_posted = Some(jiff::civil::date(2026, 11, 1));
        moved.posting_url = Some("https://kiln.example/7".into());
        moved.provenance.insert("job_title".into(), "json_ld".into());
        assert_eq!(field_fingerprint(&moved), field_fingerprint(&potter()));
        let place = |city: &str| Location { city: Some(city.into()), ..Location::default() };
        let both = |a, b| Posting { locations: vec![place(a), place(b)], ..potter() };
        assert_eq!(field_fingerprint(&both("Graz", "Brno")), field_fingerprint(&both("Brno", "Graz")));
    }

    #[test]
    fn the_field_fingerprint_sees_every_field_that_speaks() {
        let changes: [fn(&mut Posting); 9] = [
            |p| p.job_title = Some("Head potter".into()),
            |p| p.company_name = None,
            |p| p.company_name = Some(String::new()),
            |p| p.salary_range = Some(String::new()),
            |p| p.description = Some("Make bowls.".into()),
            |p| p.remote = Some(crate::location::RemoteKind::Remote),
            |p| p.locations = vec![Location::default()],
            |p| p.employment_type = vec!["FULL_TIME".into()],
            |p| p.external_id = Some("7".into()),
        ];
        let mut seen = std::collections::BTreeSet::from([field_fingerprint(&potter())]);
        for change in changes {
            let mut posting = potter();
            change(&mut posting);
            assert!(seen.insert(field_fingerprint(&posting)), "{posting:?}");
        }
    }

    proptest! {
        #[test]
        fn a_field_cannot_pass_for_its_neighbour(a in "[a-z]{0,6}", b in "[a-z]{1,6}") {
            let split = |title: String, company: String| {
                field_fingerprint(&Posting { job_title: Some(title), company_name: Some(company), ..Posting::default() })
            };
            prop_assert_ne!(split(format!("{a}{b}"), String::new()), split(a.clone(), b.clone()));
        }

        #[test]
        fn the_votes_are_counted_as_the_crate_counts_them(words in prop::collection::vec("[a-zé]{1,6}", 1..700)) {
            let mut votes = Votes::default();
            words.iter().for_each(|word| votes.cast(word));
            prop_assert_eq!(votes.majority(), simhash::simhash_stream(words.iter().map(String::as_str)));
        }

        #[test]
        fn distance_is_symmetric_and_zero_only_for_equals(a: u64, b: u64) {
            prop_assert_eq!(distance(a, b), distance(b, a));
            prop_assert_eq!(distance(a, b) == 0, a == b);
        }
    }
}
