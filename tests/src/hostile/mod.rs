//! The hostile web: servers that misbehave in one way each, and pages that are hard on parsers. Every case
//! names the code its task must end with; `ok` means that the task completes.

mod contents;
mod encodings;
mod framing;
mod moments;
mod redirects;
pub mod server;
pub mod shapes;

use std::time::Duration;

pub use server::Server;

/// One way to misbehave.
pub struct Case {
    pub name: &'static str,
    /// What the task ends with.
    pub code: &'static str,
    pub scheme: &'static str,
    pub when: When,
    pub act: fn() -> Act,
}

/// The moment at which a server begins to misbehave.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// As soon as somebody connects. It then never reads a request.
    Connected,
    /// When the head of a request has been read.
    Asked,
}

/// What it does.
pub struct Act {
    pub say: Vec<u8>,
    pub then: Then,
}

/// What comes after the first words.
pub enum Then {
    /// An ordinary end.
    Close,
    /// A reset instead of an end.
    Reset,
    /// No end: the connection stays open and silent for as long as the other side wants it.
    Hold,
    /// Our half is closed; the other half is read on.
    HalfClose,
    /// These bytes again and again, for as long as anybody takes them.
    Repeat(Vec<u8>, Duration),
}

impl Act {
    pub fn close(say: impl Into<Vec<u8>>) -> Act {
        Act { say: say.into(), then: Then::Close }
    }

    pub fn reset(say: impl Into<Vec<u8>>) -> Act {
        Act { say: say.into(), then: Then::Reset }
    }

    pub fn hold(say: impl Into<Vec<u8>>) -> Act {
        Act { say: say.into(), then: Then::Hold }
    }

    pub fn half_close(say: impl Into<Vec<u8>>) -> Act {
        Act { say: say.into(), then: Then::HalfClose }
    }

    pub fn flood(say: impl Into<Vec<u8>>, again: impl Into<Vec<u8>>) -> Act {
        Act { say: say.into(), then: Then::Repeat(again.into(), Duration::ZERO) }
    }

    pub fn drip(say: impl Into<Vec<u8>>, again: impl Into<Vec<u8>>) -> Act {
        Act { say: say.into(), then: Then::Repeat(again.into(), Duration::from_millis(50)) }
    }
}

/// A table of cases that begin when they are asked, over plain HTTP.
macro_rules! table {
    ($($name:ident => $code:literal, $act:expr;)+) => {
        pub static CASES: &[$crate::hostile::Case] = &[
            $($crate::hostile::Case {
                name: stringify!($name),
                code: $code,
                scheme: "http",
                when: $crate::hostile::When::Asked,
                act: || $act,
            },)+
        ];
    };
}
pub(crate) use table;

/// Every case there is.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    encodings::CASES
        .iter()
        .chain(framing::CASES)
        .chain(moments::CASES)
        .chain(redirects::CASES)
        .chain(contents::CASES)
}

/// A page that reads well.
pub fn good_page() -> String {
    fixture::posting_page("Sluice Keeper")
}

/// An answer with these header lines, framed as it should be.
pub fn answer(headers: &[&str], body: &[u8]) -> Vec<u8> {
    let length = format!("content-length: {}", body.len());
    head("200 OK", &[headers, &[&length]].concat(), body)
}

/// An answer whose framing is the caller's business.
pub fn head(status: &str, headers: &[&str], body: &[u8]) -> Vec<u8> {
    let lines: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
    [format!("HTTP/1.1 {status}\r\n{lines}\r\n").as_bytes(), body].concat()
}
