//! Inputs out of other inputs.

/// SplitMix64: small, and the same everywhere.
pub struct Chance(u64);

impl Chance {
    pub fn below(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        if most == 0 { 0 } else { (mixed % most as u64) as usize }
    }
}

pub struct Mutator {
    chance: Chance,
    words: &'static [&'static str],
    most: usize,
}

/// Bytes and characters that readers stumble over.
const HARD: &[&str] = &[
    "\0",
    "\u{FEFF}",
    "\u{200B}",
    "\u{a0}",
    "\u{202f}",
    "é",
    "ß",
    "İ",
    "ﬁ",
    "½",
    "²",
    "９",
    "٣",
    "😀",
    "e\u{301}",
    "\u{10FFFF}",
    "–",
    "'",
    "\"",
    "\\",
    "<",
    ">",
    "&",
    "&amp;",
    "&#0;",
    "&#x110000;",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ",",
    ".",
    "-",
    "/",
    ":",
    ";",
    "+",
    "#",
    "%",
    "$",
    "€",
    "£",
    "\n",
    "\r\n",
    "\t",
    " ",
    "0",
    "9",
    "99999999999999999999",
    "-1",
    "1e309",
    "00",
    "0.0",
    "1.2.3",
    "2026",
    "K",
    "k",
];

impl Mutator {
    pub fn new(seed: u64, words: &'static [&'static str], most: usize) -> Mutator {
        Mutator { chance: Chance(seed), words, most }
    }

    /// A new input; the newest members of the corpus are asked more often.
    pub fn next(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let mut input = self.pick(corpus);
        for _ in 0..=self.chance.below(6) {
            self.change(&mut input, corpus);
        }
        input.truncate(self.most);
        input
    }

    fn pick(&mut self, corpus: &[Vec<u8>]) -> Vec<u8> {
        let from = if self.chance.below(2) == 0 { corpus.len() / 2 } else { 0 };
        corpus.get(from + self.chance.below(corpus.len().saturating_sub(from))).cloned().unwrap_or_default()
    }

    fn change(&mut self, input: &mut Vec<u8>, corpus: &[Vec<u8>]) {
        let at = self.chance.below(input.len() + 1);
        match self.chance.below(10) {
            0 if !input.is_empty() => {
                let at = at.min(input.len() - 1);
                input[at] ^= 1 << self.chance.below(8);
            }
            1 if !input.is_empty() => {
                let at = at.min(input.len() - 1);
                input[at] = self.chance.below(256) as u8;
            }
            2 => {
                let end = (at + 1 + self.chance.below(16)).min(input.len());
                input.drain(at.min(end)..end);
            }
            3 => {
                let end = (at + 1 + self.chance.below(40)).min(input.len());
                let piece = input[at.min(end)..end].to_vec();
                let often = if self.chance.below(20) == 0 { 200 } else { 3 };
                let times = 1 + self.chance.below(often);
                self.insert(input, at, &piece.repeat(times));
            }
            4 => {
                let other = self.pick(corpus);
                let from = self.chance.below(other.len() + 1);
                let end = (from + self.chance.below(80)).min(other.len());
                self.insert(input, at, &other[from..end]);
            }
            5 => {
                let other = self.pick(corpus);
                let from = self.chance.below(other.len() + 1);
                input.truncate(at);
                input.extend_from_slice(&other[from..]);
            }
            6 | 7 if !self.words.is_empty() => {
                let word = self.words[self.chance.below(self.words.len())];
                self.insert(input, at, word.as_bytes());
            }
            8 => {
                input.truncate(at);
            }
            _ => {
                let hard = HARD[self.chance.below(HARD.len())];
                self.insert(input, at, hard.as_bytes());
            }
        }
    }

    fn insert(&self, input: &mut Vec<u8>, at: usize, piece: &[u8]) {
        let room = self.most.saturating_sub(input.len());
        let piece = &piece[..piece.len().min(room)];
        let at = at.min(input.len());
        input.splice(at..at, piece.iter().copied());
    }
}
