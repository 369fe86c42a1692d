//! Whether the page we ended on is still the posting we asked for. An expired job is often redirected
//! to a list, a home page, or a similar live job; none of these may speak for it.

pub mod requisition;

use super::posting::Posting;
use super::url::normalise_url;
use ::url::Url;

/// Query parameters that name a posting, compared without case.
const ID_PARAMETERS: &[&str] = &[
    "gh_jid",
    "jk",
    "vjk",
    "jobid",
    "job_id",
    "job",
    "jid",
    "currentjobid",
    "positionid",
    "position_id",
    "postingid",
    "vacancyid",
    "vacancy_id",
    "vacancy",
    "offerid",
    "reqid",
    "req_id",
    "requisitionid",
    "adid",
    "ashby_jid",
    "id",
];

/// Whether the final URL, or the posting found there, is the one that was requested.
pub fn is_kept(requested: &str, last: &str, posting: Option<&Posting>) -> bool {
    let (Ok(requested), Ok(last)) = (normalise_url(requested), normalise_url(last)) else {
        return requested == last;
    };
    if without_slash(&requested) == without_slash(&last) {
        return true;
    }
    let stated = posting.and_then(|posting| posting.stated_url.as_deref());
    if stated
        .and_then(|url| normalise_url(url).ok())
        .is_some_and(|url| without_slash(&url) == without_slash(&requested))
    {
        return true;
    }
    match id_of(&requested) {
        Some(id) => {
            id_of(&last).as_deref() == Some(id.as_str())
                || path_id(&last).as_deref() == Some(id.as_str())
                || posting
                    .and_then(|posting| posting.external_id.as_deref())
                    .is_some_and(|own| own.eq_ignore_ascii_case(&id))
        }
        None => {
            let slug = last_segment(&requested);
            slug.is_some() && slug == last_segment(&last)
        }
    }
}

/// The posting's id in a URL: a parameter that names one, or else the last part of the path with a
/// digit in it.
pub fn id_of(url: &Url) -> Option<String> {
    ID_PARAMETERS
        .iter()
        .find_map(|wanted| {
            let mut pairs = url.query_pairs();
            pairs.find(|(name, value)| name.eq_ignore_ascii_case(wanted) && !value.is_empty())
        })
        .map(|(_, value)| value.to_ascii_lowercase())
        .or_else(|| path_id(url))
}

/// A UUID counts as one id; otherwise the last word with a digit (`cook-in-graz-4711` is 4711).
fn path_id(url: &Url) -> Option<String> {
    let route = url.fragment().unwrap_or_default();
    let path = format!("{}/{route}", url.path()).to_ascii_lowercase();
    path.split('/').rev().find_map(|segment| {
        if let Some(uuid) = uuid_in(segment) {
            return Some(uuid.to_owned());
        }
        let mut words = segment.split(|c: char| !c.is_ascii_alphanumeric());
        words.rfind(|word| word.bytes().any(|b| b.is_ascii_digit())).map(str::to_owned)
    })
}

fn uuid_in(segment: &str) -> Option<&str> {
    const SHAPE: &[u8] = b"xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
    let at = segment.as_bytes().windows(SHAPE.len()).position(|window| {
        window.iter().zip(SHAPE).all(|(b, s)| if *s == b'-' { *b == b'-' } else { b.is_ascii_hexdigit() })
    })?;
    segment.get(at..at + SHAPE.len())
}

fn last_segment(url: &Url) -> Option<String> {
    url.path().rsplit('/').find(|segment| !segment.is_empty()).map(str::to_ascii_lowercase)
}

fn without_slash(url: &Url) -> String {
    let text = url.as_str().trim_end_matches('/');
    text.replacen("https://www.", "https://", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(requested: &str, last: &str) -> bool {
        is_kept(&format!("https://jobs.example{requested}"), &format!("https://jobs.example{last}"), None)
    }

    #[test]
    fn the_same_posting_under_another_spelling_is_kept() {
        assert!(kept("/jobs/4711", "/jobs/4711/?utm_source=x"));
        assert!(kept("/jobs/4711", "/en/jobs/cook-in-graz-4711"));
        assert!(kept("/jobs/4711", "/apply?jobId=4711"));
        assert!(kept("/viewjob?jk=abc", "/viewjob?from=serp&jk=abc"));
        assert!(kept("/jobs/cook-in-graz", "/de/jobs/cook-in-graz"));
        assert!(is_kept("http://example.com/jobs/7", "https://www.example.com/jobs/7", None));
        let uuid = "/acme/8c1f0c3e-2f5d-4a55-9a2b-1d2c3b4a5f6e";
        assert!(kept(uuid, &format!("{uuid}/apply")));
    }

    #[test]
    fn a_list_a_home_page_or_another_job_is_not() {
        assert!(!kept("/jobs/4711", "/jobs"));
        assert!(!kept("/jobs/4711", "/"));
        assert!(!kept("/acme/jobs/4711", "/acme?error=true"));
        assert!(!kept("/jobs/4711", "/jobs/4712"));
        assert!(!kept("/viewjob?jk=abc", "/viewjob?jk=abd"));
        assert!(!kept("/jobs/cook-in-graz", "/jobs"));
        assert!(!kept("/jobs/4711", "/jobs/9000?from=4711"), "our id as a mere referrer");
    }

    #[test]
    fn the_posting_itself_may_say_who_it_is() {
        let posting = Posting { external_id: Some("4711".into()), ..Posting::default() };
        let moved = ("https://a.example/jobs/4711", "https://b.example/cook");
        assert!(is_kept(moved.0, moved.1, Some(&posting)));
        let posting =
            Posting { stated_url: Some("https://a.example/jobs/4711/".into()), ..Posting::default() };
        assert!(is_kept(moved.0, moved.1, Some(&posting)));
        assert!(!is_kept(moved.0, moved.1, Some(&Posting::default())));
    }
}
