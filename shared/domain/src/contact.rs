//! Ways to reach a company, and how large it is: one form each, or a reason why it is none. Found in text
//! by scanning, never by guessing.

type Checked = Result<Option<String>, &'static str>;

/// `info@example.com` from `mailto:Info@Example.com?subject=…`, `<info@example.com>` or the bare address.
pub fn email(raw: &str) -> Checked {
    let text = super::plain_text::line(raw);
    let text = text.strip_prefix("mailto:").or_else(|| text.strip_prefix("MAILTO:")).unwrap_or(&text);
    let text = text.split(['?', ',', ';']).next().unwrap_or_default().replace("%40", "@").replace("%20", " ");
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | '"' | '\'' | '.'));
    if text.is_empty() {
        return Ok(None);
    }
    let (local, domain) = text.rsplit_once('@').ok_or("not an e-mail address")?;
    let domain = domain.to_ascii_lowercase();
    if is_mailbox(local) && is_domain(&domain) && text.len() <= 254 {
        Ok(Some(format!("{local}@{domain}")))
    } else {
        Err("not an e-mail address")
    }
}

fn is_mailbox(local: &str) -> bool {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"!#$&'*+/=?^_`{|}~.-".contains(&b);
    (1..=64).contains(&local.len())
        && local.bytes().all(plain)
        && !local.starts_with('.')
        && !local.contains("..")
}

fn is_domain(domain: &str) -> bool {
    /// Names of pictures and scripts look like addresses (`logo@2x.png`).
    const FILES: &[&str] = &["png", "jpg", "jpeg", "gif", "svg", "webp", "css", "js", "html"];
    let label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    let last = domain.rsplit('.').next().unwrap_or_default();
    domain.contains('.')
        && domain.split('.').all(label)
        && last.len() >= 2
        && last.bytes().all(|b| b.is_ascii_alphabetic())
        && !FILES.contains(&last)
}

/// Seven to fifteen digits in the grouping they were written in; an extension is left out.
pub fn phone(raw: &str) -> Checked {
    let text = super::plain_text::line(raw);
    let text = text.strip_prefix("tel:").unwrap_or(&text).trim_start_matches("//").replace("%20", " ");
    let lower = text.to_ascii_lowercase();
    let end = ["ext", " x", ";", ","].iter().filter_map(|mark| lower.find(mark)).min().unwrap_or(text.len());
    let text = text.get(..end).unwrap_or_default().replace(['\u{2010}', '\u{2011}', '–'], "-");
    let text = text.trim_matches(|c: char| c.is_whitespace() || matches!(c, '.' | '-' | '/' | ':'));
    if text.is_empty() {
        return Ok(None);
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let plus = text.rfind('+').is_none_or(|at| at <= 1);
    let written = text.chars().all(|c| c.is_ascii_digit() || is_grouping(c));
    if (7..=15).contains(&digits) && written && plus && text.len() <= 40 {
        Ok(Some(text.to_owned()))
    } else {
        Err("not a telephone number")
    }
}

fn is_grouping(c: char) -> bool {
    matches!(c, ' ' | '+' | '(' | ')' | '-' | '.' | '/')
}

/// `51-200`, `10001+` or `250`, from `51–200 employees`, `10,001+`, `about 250`.
pub fn headcount(raw: &str) -> Checked {
    const UNREADABLE: &str = "not a number of people";
    let text = super::plain_text::line(raw);
    if super::shape::says_nothing(&text) {
        return Ok(None);
    }
    let mut numbers: Vec<u32> = Vec::new();
    let (mut digits, mut more) = (String::new(), false);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let grouping = matches!(c, ',' | '.' | '\'' | '\u{a0}' | ' ') && !digits.is_empty();
        let inside = grouping && chars.peek().is_some_and(char::is_ascii_digit);
        if c.is_ascii_digit() {
            digits.push(c);
        }
        if !c.is_ascii_digit() && !inside || chars.peek().is_none() {
            if !digits.is_empty() {
                numbers.push(digits.parse().map_err(|_| UNREADABLE)?);
                digits.clear();
                more = c == '+';
            }
            if numbers.len() > 2 {
                return Err(UNREADABLE);
            }
        }
    }
    match numbers[..] {
        [one] if one > 0 && one <= 10_000_000 => {
            Ok(Some(if more { format!("{one}+") } else { one.to_string() }))
        }
        [low, high] if low < high && high <= 10_000_000 => Ok(Some(format!("{low}-{high}"))),
        _ => Err(UNREADABLE),
    }
}

/// The first e-mail address in a line.
pub fn email_in(line: &str) -> Option<&str> {
    let inside = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+');
    line.match_indices('@').take(20).find_map(|(at, _)| {
        let from = line[..at]
            .rfind(|c| !inside(c))
            .map_or(0, |before| before + line[before..].chars().next().map_or(1, char::len_utf8));
        let to = line[at + 1..].find(|c| !inside(c)).map_or(line.len(), |after| at + 1 + after);
        let candidate = line[from..to].trim_matches('.');
        matches!(email(candidate), Ok(Some(_))).then_some(candidate)
    })
}

/// The first telephone number in a line that is not said to be a fax: ten digits or more, grouped or
/// after a plus, so that an order number is none.
pub fn phone_in(line: &str) -> Option<&str> {
    let bytes = line.as_bytes();
    let mut at = 0;
    for _ in 0..50 {
        at += bytes[at..].iter().position(|b| b.is_ascii_digit() || matches!(b, b'+' | b'('))?;
        let run =
            bytes[at..].iter().take_while(|b| b.is_ascii_digit() || is_grouping(char::from(**b))).count();
        let text = line[at..at + run].trim_matches([' ', '.', '-', '/']);
        // `1.800.523.9466 (24/7)`: what stands in brackets behind a number is not part of it
        let text = text.rfind('(').filter(|open| *open > 6).map_or(text, |open| text[..open].trim_end());
        let digits = text.bytes().filter(u8::is_ascii_digit).count();
        let groups = text.split(|c: char| !c.is_ascii_digit()).filter(|group| !group.is_empty());
        let (mut count, mut longest) = (0, 0);
        for group in groups {
            count += 1;
            longest = longest.max(group.len());
        }
        let joined =
            at > 0 && (bytes[at - 1].is_ascii_alphanumeric() || matches!(bytes[at - 1], b'-' | b'_' | b'$'));
        let shaped = text.starts_with('+') && count <= 6 || (2..=6).contains(&count) && longest <= 7;
        let before = line[..at].to_ascii_lowercase();
        let fax = before.rfind("fax").is_some_and(|said| at - said <= 12);
        // a postcode of nine digits is none
        let enough = if text.starts_with(['+', '0']) { 9 } else { 10 };
        if (enough..=15).contains(&digits) && shaped && !joined && !fax && matches!(phone(text), Ok(Some(_)))
        {
            return Some(text);
        }
        at += run.max(1);
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[expect(clippy::needless_pass_by_value, reason = "it reads as a table")]
    fn same(read: Checked, expected: &str) {
        assert_eq!(read, Ok(Some(expected.to_owned())));
    }

    #[test]
    fn an_address_takes_one_form() {
        same(email("mailto:Hello@Lantern.EXAMPLE?subject=Hi"), "Hello@lantern.example");
        same(email(" <a.b+c@d-e.co.uk> "), "a.b+c@d-e.co.uk");
        for bad in ["hello", "a@b", "logo@2x.png", "a b@c.de", "a@-b.de", "@c.de", "a..b@c.de"] {
            assert!(email(bad).is_err(), "{bad}");
        }
        assert_eq!(email("mailto:"), Ok(None));
    }

    #[test]
    fn a_number_keeps_its_grouping() {
        same(phone("tel:+44-20-7946-0000"), "+44-20-7946-0000");
        same(phone("(979) 696-0524 ext. 12"), "(979) 696-0524");
        same(phone("+420 222 333 444"), "+420 222 333 444");
        for bad in ["12345", "1-800-FLOWERS", "12345678901234567890", "call us", "12+34567890"] {
            assert!(phone(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_size_is_a_number_or_a_range() {
        same(headcount("51–200 employees"), "51-200");
        same(headcount("10,001+ employees"), "10001+");
        same(headcount("about 1 250 people"), "1250");
        same(headcount("7"), "7");
        for bad in ["many", "0", "200-51", "1, 2 and 3 of 4", "99999999999"] {
            assert!(headcount(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn they_are_found_in_a_line_of_text() {
        assert_eq!(email_in("Write to éva.m@lantern.example. Thanks"), None, "half a name is another name");
        assert_eq!(email_in("Write to: info@lantern.example."), Some("info@lantern.example"));
        assert_eq!(email_in("@ at @@ a@b"), None);
        assert_eq!(phone_in("Fax: 724-981-5946, phone 724-981-3123"), Some("724-981-3123"));
        assert_eq!(phone_in("Call (979) 696-0524 now"), Some("(979) 696-0524"));
        assert_eq!(phone_in("Order 123456789012 of 2026-11-02"), None);
        assert_eq!(phone_in("IČO 12345678"), None);
        assert_eq!(phone_in("Santa Clara, CA 95050-2624"), None);
        assert_eq!(phone_in("1.800.555.0166 (24/7)"), Some("1.800.555.0166"));
    }

    proptest! {
        #[test]
        fn any_line_can_be_scanned(line in ".{0,200}") {
            let _ = (email_in(&line), phone_in(&line), email(&line), phone(&line), headcount(&line));
        }
    }
}
