//! What of a page has changed, decided by what matters: a notice that closes the posting, then the fingerprint of its
//! fields. SimHash only tells how large a change is. Together with the fingerprint of the posting's own block it
//! spares dear work: a browser or a model is asked again only when the block has changed. Decision 30 has the
//! figures.

pub mod block;
pub mod reread;

use super::fingerprint::distance;

/// What is kept of a look at a page, to compare the next one with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Look {
    /// The posting's own block says that it is closed.
    pub closed: bool,
    /// Of the fields, when a posting was read.
    pub fields: Option<String>,
    /// Of the posting's own block (`block::fingerprint`).
    pub block: Option<String>,
    /// Of all that a reader sees of the page.
    pub simhash: Option<u64>,
}

/// What has happened to the posting between two looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum What {
    /// A notice has come that closes it.
    Closed,
    /// The notice has gone.
    Reopened,
    /// A field says something else.
    Fields,
    /// It can no longer be read, or for the first time.
    Unreadable,
    Nothing,
}

/// From how many of 64 bits on a change is more than what moves on any page by itself.
pub const SLIGHT: u32 = 3;
/// From how many on the page is another text altogether.
pub const WHOLE: u32 = 20;

/// How much of a page's text has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Size {
    None,
    Slight,
    Marked,
    Whole,
}

/// The decision. Nothing but the notice and the fields has a say in it.
pub fn compare(before: &Look, now: &Look) -> What {
    match (before.closed, now.closed) {
        (false, true) => What::Closed,
        (true, false) => What::Reopened,
        _ => match (&before.fields, &now.fields) {
            (Some(old), Some(new)) if old == new => What::Nothing,
            (Some(_), Some(_)) => What::Fields,
            (None, None) => What::Nothing,
            _ => What::Unreadable,
        },
    }
}

impl Size {
    /// By how many of 64 bits the SimHashes differ.
    pub fn of(bits: u32) -> Size {
        match bits {
            0 => Size::None,
            1..=SLIGHT => Size::Slight,
            _ if bits < WHOLE => Size::Marked,
            _ => Size::Whole,
        }
    }

    /// As evidence has it.
    pub fn word(self) -> &'static str {
        match self {
            Size::None => "none",
            Size::Slight => "slight",
            Size::Marked => "marked",
            Size::Whole => "whole",
        }
    }
}

/// The size of the change, for people and for the order of work; none when a page has too few words.
pub fn size(before: &Look, now: &Look) -> Option<Size> {
    Some(Size::of(distance(before.simhash?, now.simhash?)))
}

/// Whether a browser or a model need not be asked again. Ask it before either: `before` is what was kept of the last
/// look (`store::pages::look`), `now` what the plain page says (`Reading::look`). When it answers true, what the dear work
/// gave last time still holds. It holds when the posting's own block and its fields say what they said (some
/// sites show a title or a salary only in their data), and the page around them is not another one.
pub fn spares_dear_work(before: &Look, now: &Look) -> bool {
    let same_block = before.block.is_some() && before.block == now.block;
    let same_fields = before.fields == now.fields;
    same_block
        && same_fields
        && before.closed == now.closed
        && size(before, now).is_none_or(|size| size < Size::Whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn any_look() -> impl Strategy<Value = Look> {
        (any::<bool>(), prop::option::of("[ab]"), prop::option::of("[ab]"), prop::option::of(0_u64..4))
            .prop_map(|(closed, fields, block, simhash)| Look { closed, fields, block, simhash })
    }

    proptest! {
        #[test]
        fn nothing_but_notice_and_fields_decides(before in any_look(), now in any_look(), block in prop::option::of("[ab]"), simhash: Option<u64>) {
            let noisy = Look { block, simhash, ..now.clone() };
            prop_assert_eq!(compare(&before, &now), compare(&before, &noisy));
            prop_assert_eq!(compare(&before, &before), What::Nothing);
        }

        #[test]
        fn dear_work_is_never_spared_when_the_block_or_the_notice_changed(before in any_look(), now in any_look()) {
            if spares_dear_work(&before, &now) {
                prop_assert!(before.block.is_some() && before.block == now.block);
                prop_assert!(before.closed == now.closed && before.fields == now.fields);
            }
        }
    }

    #[test]
    fn a_notice_is_believed_before_the_fields() {
        let open = Look { fields: Some("a".into()), ..Look::default() };
        let shut = Look { closed: true, ..open.clone() };
        assert_eq!(compare(&open, &shut), What::Closed);
        assert_eq!(compare(&shut, &open), What::Reopened);
        assert_eq!(compare(&shut, &shut), What::Nothing);
    }
}
