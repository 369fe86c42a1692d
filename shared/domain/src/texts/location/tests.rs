use proptest::prelude::*;

use super::*;

fn shown(place: &Location) -> String {
    let part = |part: &Option<String>| part.clone().unwrap_or_else(|| "-".to_owned());
    format!("{}/{}/{}", part(&place.city), part(&place.state_region), part(&place.country))
}

fn at(text: &str, hint: Hint<'_>) -> String {
    let read = read(text, hint);
    read.places.iter().map(shown).collect::<Vec<_>>().join(" + ")
}

#[test]
fn a_place_is_told_from_its_namesakes() {
    for (text, expected) in [
        ("Paris, TX", "Paris/TX/US"),
        ("Paris", "Paris/-/FR"),
        ("Cambridge", "Cambridge/-/-"),
        ("Cambridge, MA", "Cambridge/MA/US"),
        ("Cambridge, UK", "Cambridge/-/GB"),
        ("Berlin, DE", "Berlin/Berlin/DE"),
        ("Wilmington, DE", "Wilmington/DE/US"),
        ("Plumville, DE", "Plumville/-/-"),
        ("Toronto, CA", "Toronto/ON/CA"),
        ("San Jose, CA", "San Jose/CA/US"),
        ("San Jose", "San Jose/-/-"),
        ("Georgia", "-/-/-"),
        ("Atlanta, Georgia", "Atlanta/GA/US"),
        ("Tbilisi, Georgia", "Tbilisi/-/GE"),
        ("Plumville, Georgia", "Plumville/-/-"),
        ("Bogotá, CO", "Bogotá/-/CO"),
        ("Bangalore, In", "Bangalore/Karnataka/IN"),
        ("Birmingham, AL", "Birmingham/AL/US"),
        ("Birmingham", "Birmingham/England/GB"),
        ("Washington", "-/-/US"),
        ("Washington, DC", "Washington/DC/US"),
        ("New York", "-/NY/US"),
        ("New York, NY", "New York/NY/US"),
        ("Kreuzberg, Berlin", "Berlin/Berlin/DE"),
    ] {
        assert_eq!(at(text, Hint::default()), expected, "{text}");
    }
    assert_eq!(at("Plumville, Georgia", Hint::of_country("US")), "Plumville/GA/US");
    assert_eq!(at("Cambridge", Hint::of_country("GB")), "Cambridge/England/GB");
    assert_eq!(at("London", Hint::of_country("CA")), "London/ON/CA");
}

#[test]
fn orders_and_dresses_of_addresses() {
    for (text, expected) in [
        ("Munich, Bavaria, Germany", "Munich/Bavaria/DE"),
        ("München", "München/Bavaria/DE"),
        ("Graz, AT", "Graz/Styria/AT"),
        ("Praha 8 – Karlín, Česká republika", "Praha/-/CZ"),
        ("10115 Berlin", "Berlin/Berlin/DE"),
        ("US-IL-Vernon Hills", "Vernon Hills/IL/US"),
        ("US, WA, Seattle", "Seattle/WA/US"),
        ("US-California-Palo Alto", "Palo Alto/CA/US"),
        ("United States, Michigan, Detroit", "Detroit/MI/US"),
        ("CT - Hartford", "Hartford/CT/US"),
        ("Westport CT", "Westport/CT/US"),
        ("101 Chestnut Street, Sharon, PA 16146", "Sharon/PA/US"),
        ("Chicago (Green St), IL", "Chicago/IL/US"),
        ("Stockholm, Stockholm, Sweden", "Stockholm/Stockholm/SE"),
        ("Copenhagen, Capital Region, Denmark", "Copenhagen/Capital Region/DK"),
        (", Connecticut, United States", "-/CT/US"),
        ("Stevenage, Hertfordshire, SG1 2EW, United Kingdom", "Stevenage/Hertfordshire/GB"),
        ("Deutschland", "-/-/DE"),
        ("USA Wilmington, MA - HQ", "Wilmington/MA/US"),
        ("Sydney NSW", "-/-/-"),
        ("Sydney, NSW", "Sydney/NSW/AU"),
        ("São Paulo, SP, Brazil", "São Paulo/São Paulo/BR"),
        ("Hyderabad, Telangana, India", "Hyderabad/Telangana/IN"),
        ("Greater Boston Area", "Boston/MA/US"),
        ("Toronto, ON", "Toronto/ON/CA"),
        ("Tokyo, JP", "Tokyo/-/JP"),
        ("Plumville, IN 47374", "Plumville/IN/US"),
        ("Remote Oregon", "-/OR/US"),
        ("TX - Work from home", "-/TX/US"),
        ("Kitchen team | Sunnyvale, CA", "Sunnyvale/CA/US"),
        ("Singapore", "-/-/SG"),
    ] {
        assert_eq!(at(text, Hint::default()), expected, "{text}");
    }
}

#[test]
fn several_places_and_none() {
    assert_eq!(at("London or Berlin", Hint::default()), "London/England/GB + Berlin/Berlin/DE");
    assert_eq!(at("Edison, NJ • Elizabeth, NJ", Hint::default()), "Edison/NJ/US + Elizabeth/NJ/US");
    assert_eq!(at("Berlin/Munich", Hint::default()), "Berlin/Berlin/DE + Munich/Bavaria/DE");
    for (text, remote) in [
        ("Remote - US", Some(RemoteKind::Remote)),
        ("Remote, United States", Some(RemoteKind::Remote)),
        ("US (Hybrid)", Some(RemoteKind::Hybrid)),
        ("United States", None),
    ] {
        let read = read(text, Hint::default());
        assert_eq!(read.remote, remote, "{text}");
        assert_eq!(read.places.iter().map(shown).collect::<String>(), "-/-/US", "{text}");
    }
    for text in [
        "Multiple locations",
        "2 Locations",
        "Remote",
        "Anywhere",
        "Greater Harbour Area",
        "Head office",
        ", ,",
    ] {
        assert!(
            matches!(at(text, Hint::default()).as_str(), "-/-/-" | ""),
            "{text}: {}",
            at(text, Hint::default())
        );
    }
    assert_eq!(at("Multiple Locations, Multiple Locations, Germany", Hint::default()), "-/-/DE");
    assert_eq!(read("", Hint::default()), Places::default());
    let several = one("London or Berlin", Hint::default()).unwrap();
    assert_eq!((several.city, several.raw.as_deref()), (None, Some("London or Berlin")));
    assert_eq!(one("Graz, AT", Hint::default()).unwrap().country.as_deref(), Some("AT"));
}

proptest! {
    #[test]
    fn any_text_can_be_read_as_a_place(
        text in ".{0,120}",
        near in "[A-Za-zéü]{0,12}[ ,/;(-]{0,3}(US|DE|CA|Berlin|Georgia|or|[0-9]{2,5})?[ ,)-]{0,3}[A-Z]{0,3}",
    ) {
        for text in [&text, &near] {
            for place in read(text, Hint::of_country("US")).places {
                prop_assert!(place.raw.is_some());
                for part in [place.city, place.state_region].into_iter().flatten() {
                    prop_assert!(!part.trim().is_empty());
                }
                if let Some(code) = place.country {
                    prop_assert!(gazetteer::of_code(&code).is_some());
                }
            }
            let _ = one(text, Hint::default());
        }
    }
}
