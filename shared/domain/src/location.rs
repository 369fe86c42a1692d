//! Where a job is, as its JSON-LD says it. Free text is taken apart only where it leaves no doubt (`place`).

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::json_ld::property;
use super::place;
use super::shape::{each, known_text};

/// A place with the parts that were stated apart, and the text it was stated as.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Location {
    pub city: Option<String>,
    pub state_region: Option<String>,
    pub country: Option<String>,
    pub raw: Option<String>,
}

/// Where the work may be done; absent unless it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RemoteKind {
    Remote,
    Hybrid,
    OnSite,
}

impl RemoteKind {
    pub fn as_str(self) -> &'static str {
        match self {
            RemoteKind::Remote => "remote",
            RemoteKind::Hybrid => "hybrid",
            RemoteKind::OnSite => "on_site",
        }
    }

    /// From `jobLocationType`.
    pub fn from_json(value: &Value) -> Option<RemoteKind> {
        each(value).find_map(|value| {
            let text = known_text(value)?.to_ascii_uppercase().replace(['-', '_', ' '], "");
            match text.as_str() {
                "TELECOMMUTE" | "REMOTE" | "FULLYREMOTE" => Some(RemoteKind::Remote),
                "HYBRID" => Some(RemoteKind::Hybrid),
                "ONSITE" | "INOFFICE" => Some(RemoteKind::OnSite),
                _ => None,
            }
        })
    }
}

/// A posting in more places than this is a list of cities.
const MAX_PLACES: usize = 500;

/// All places in a `jobLocation`: one or many, a Place, a PostalAddress or plain text.
pub fn locations(value: &Value) -> Vec<Location> {
    let mut found = Vec::new();
    for place in each(value).take(MAX_PLACES) {
        let Value::Object(object) = place else {
            found.extend(from_text(place));
            continue;
        };
        let before = found.len();
        match property(object, "address") {
            Some(addresses) => found.extend(each(addresses).filter_map(from_address)),
            None => found.extend(from_address(place)),
        }
        if found.len() == before {
            found.extend(property(object, "name").and_then(from_text));
        }
    }
    let mut distinct: Vec<Location> = Vec::new();
    for location in found.into_iter().take(MAX_PLACES) {
        if !distinct.contains(&location) {
            distinct.push(location);
        }
    }
    distinct
}

fn from_text(value: &Value) -> Option<Location> {
    Some(place::known(&known_text(value)?))
}

fn from_address(value: &Value) -> Option<Location> {
    let Value::Object(object) = value else { return from_text(value) };
    let part = |name| property(object, name).and_then(known_text);
    let (city, state_region, country) =
        (part("addressLocality"), part("addressRegion"), part("addressCountry"));
    let parts: Vec<&str> =
        [&city, &state_region, &country].into_iter().flatten().map(String::as_str).collect();
    if parts.is_empty() {
        return part("streetAddress")
            .or_else(|| part("name"))
            .map(|raw| Location { raw: Some(raw), ..Location::default() });
    }
    let raw = Some(parts.join(", "));
    Some(Location { city: city.filter(|city| !says_remote(city)), state_region, country, raw })
}

/// Boards without a field for it write the word where the city belongs.
pub fn says_remote(text: &str) -> bool {
    matches!(
        super::plain_text::fold(text).as_str(),
        "remote" | "fully remote" | "100 remote" | "home office" | "homeoffice"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_place_is_read_in_every_shape() {
        let graz = Location {
            city: Some("Graz".into()),
            state_region: Some("Styria".into()),
            country: Some("AT".into()),
            raw: Some("Graz, Styria, AT".into()),
        };
        let address = json!({"@type":"PostalAddress","addressLocality":" Graz ","addressRegion":"Styria",
            "addressCountry":{"@type":"Country","name":"AT"}});
        for value in [
            json!({"@type":"Place","address":address}),
            json!([{"@type":"Place","address":[address]}, {"@type":"Place","address":address}]),
            address.clone(),
        ] {
            assert_eq!(locations(&value), std::slice::from_ref(&graz), "{value}");
        }
    }

    #[test]
    fn text_stays_text_and_nothing_is_made_up() {
        let raw = |text: &str| vec![Location { raw: Some(text.into()), ..Location::default() }];
        assert_eq!(locations(&json!("Lower Harbour")), raw("Lower Harbour"));
        assert_eq!(locations(&json!("Newcastle"))[0].country, None, "there are many");
        assert_eq!(locations(&json!({"address":"Upper Meadow"})), raw("Upper Meadow"));
        assert_eq!(locations(&json!({"@type":"Place","name":"Head office"})), raw("Head office"));
        for nothing in
            [json!({}), json!(""), json!("N/A"), json!(null), json!({"address":{"addressCountry":""}})]
        {
            assert_eq!(locations(&nothing), [], "{nothing}");
        }
    }

    #[test]
    fn remote_is_only_what_was_said() {
        assert_eq!(RemoteKind::from_json(&json!("TELECOMMUTE")), Some(RemoteKind::Remote));
        assert_eq!(RemoteKind::from_json(&json!(["telecommute"])), Some(RemoteKind::Remote));
        assert_eq!(RemoteKind::from_json(&json!("")), None);
        assert_eq!(RemoteKind::from_json(&json!("flexible")), None);
        let found = locations(&json!({"address":{"addressLocality":"Remote","addressCountry":"PL"}}));
        assert_eq!(found[0].city, None);
        assert_eq!(found[0].raw.as_deref(), Some("Remote, PL"));
    }
}
