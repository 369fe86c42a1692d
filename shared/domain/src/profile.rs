//! The face a visit shows: browser, screen, clock, language and place, all of which agree. Pure: chance
//! comes in as a number. The plain client sends its headers, the renderer sets up its browser by it.

use serde::{Deserialize, Serialize};

use super::agent::{AGENTS, Agent};
use super::region::{REGIONS, Region};

pub const WIDTHS: std::ops::RangeInclusive<u16> = 1280..=1920;
pub const HEIGHTS: std::ops::RangeInclusive<u16> = 720..=1080;

/// Who we say we are. Our own name is the default: a site can look it up, write to us, and rule us out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    #[default]
    Own,
    /// A drawn profile of an ordinary browser.
    Profile,
}

impl std::str::FromStr for Identity {
    type Err = &'static str;

    fn from_str(word: &str) -> Result<Identity, Self::Err> {
        match word {
            "own" => Ok(Identity::Own),
            "profile" => Ok(Identity::Profile),
            _ => Err("it is \"own\" or \"profile\""),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Profile {
    pub user_agent: String,
    pub viewport_width: u16,
    pub viewport_height: u16,
    pub timezone: String,
    pub language: String,
    /// Only where the way out has a known place.
    pub geolocation: Option<Geolocation>,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Geolocation {
    pub latitude: f64,
    pub longitude: f64,
}

/// Which browsers a profile may pass for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Any,
    /// For the renderer: what it runs must not contradict what it says.
    Chromium,
}

impl Profile {
    /// Draws a profile. With a region, clock, language and place are of that region; without one, clock and
    /// language still agree. Never the same as `previous`.
    pub fn draw(kind: Kind, region: Option<Region>, seed: u64, previous: Option<&Profile>) -> Profile {
        let mut chance = Chance(seed);
        let agents: Vec<&Agent> =
            AGENTS.iter().filter(|agent| kind == Kind::Any || agent.is_chromium()).collect();
        let agent = agents[chance.below(agents.len())];
        let home = region.unwrap_or_else(|| REGIONS[chance.below(REGIONS.len())]);
        let place = home.places[chance.below(home.places.len())];
        let language = place.languages[chance.below(place.languages.len())];
        let mut drawn = Profile {
            user_agent: agent.user_agent(),
            viewport_width: chance.within(&WIDTHS),
            viewport_height: chance.within(&HEIGHTS),
            timezone: place.timezone.to_owned(),
            language: language.to_owned(),
            geolocation: region.map(|_| Geolocation { latitude: place.latitude, longitude: place.longitude }),
        };
        if previous.is_some_and(|previous| previous.looks_like(&drawn)) {
            // One pixel is enough to be another window.
            let width = drawn.viewport_width;
            drawn.viewport_width = if width < *WIDTHS.end() { width + 1 } else { *WIDTHS.start() };
        }
        drawn
    }

    /// The same browser, screen, clock and language: where it stands is not looked at.
    pub fn looks_like(&self, other: &Profile) -> bool {
        (&self.user_agent, self.viewport_width, self.viewport_height, &self.timezone, &self.language)
            == (
                &other.user_agent,
                other.viewport_width,
                other.viewport_height,
                &other.timezone,
                &other.language,
            )
    }

    /// What that browser sends with a page. A user agent that is not on the list goes with two headers
    /// that fit any.
    pub fn headers(&self) -> Vec<(String, String)> {
        match Agent::of(&self.user_agent) {
            Some(agent) => agent.headers(&self.language),
            None => vec![
                ("user-agent".to_owned(), self.user_agent.clone()),
                ("accept".to_owned(), "text/html,application/xhtml+xml,*/*;q=0.5".to_owned()),
                ("accept-language".to_owned(), self.language.clone()),
            ],
        }
    }
}

/// A row of numbers from one (SplitMix64), so that a seed is all the chance a profile needs.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap_or_default()
    }

    fn within(&mut self, range: &std::ops::RangeInclusive<u16>) -> u16 {
        let span = usize::from(range.end() - range.start()) + 1;
        range.start() + u16::try_from(self.below(span)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn any_region() -> impl Strategy<Value = Option<Region>> {
        prop::option::of(prop::sample::select(REGIONS))
    }

    fn any_kind() -> impl Strategy<Value = Kind> {
        prop_oneof![Just(Kind::Any), Just(Kind::Chromium)]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1_000))]

        #[test]
        fn property_14_fingerprints_stay_in_their_ranges(kind in any_kind(), region in any_region(), seed: u64) {
            let drawn = Profile::draw(kind, region, seed, None);
            let agent = Agent::of(&drawn.user_agent);
            prop_assert!(agent.is_some(), "{} is not on the list", drawn.user_agent);
            prop_assert!(kind == Kind::Any || agent.unwrap().is_chromium());
            prop_assert!((1280..=1920).contains(&drawn.viewport_width));
            prop_assert!((720..=1080).contains(&drawn.viewport_height));
            let again: Profile = serde_json::from_value(serde_json::to_value(&drawn).unwrap()).unwrap();
            prop_assert_eq!(again, drawn);
        }

        #[test]
        fn property_15_clock_language_and_place_are_of_the_region(region in prop::sample::select(REGIONS), seed: u64) {
            let drawn = Profile::draw(Kind::Any, Some(region), seed, None);
            let place = drawn.geolocation.unwrap();
            let fits = region.places.iter().any(|known| {
                known.timezone == drawn.timezone
                    && known.languages.contains(&drawn.language.as_str())
                    && (known.latitude, known.longitude) == (place.latitude, place.longitude)
            });
            prop_assert!(fits, "{drawn:?} is not from {}", region.code);
            let spoken = drawn.headers().into_iter().find(|(name, _)| name == "accept-language").unwrap().1;
            prop_assert!(spoken.starts_with(&drawn.language), "{spoken}");
        }

        /// Also when chance repeats itself.
        #[test]
        fn property_16_two_fingerprints_in_a_row_differ(
            kind in any_kind(), region in any_region(), seeds in prop::collection::vec(0..4_u64, 2..30)
        ) {
            let mut previous = Profile::draw(kind, region, seeds[0], None);
            for seed in &seeds[1..] {
                let next = Profile::draw(kind, region, *seed, Some(&previous));
                // Attribute by attribute: `looks_like` is part of what is on trial.
                let differs = next.user_agent != previous.user_agent
                    || next.viewport_width != previous.viewport_width
                    || next.viewport_height != previous.viewport_height
                    || next.timezone != previous.timezone
                    || next.language != previous.language;
                prop_assert!(differs, "{next:?}");
                prop_assert!(!next.looks_like(&previous), "{next:?}");
                prop_assert!(WIDTHS.contains(&next.viewport_width));
                previous = next;
            }
        }
    }

    #[test]
    fn chance_reaches_every_browser_and_both_ends_of_the_screen() {
        let drawn: Vec<_> = (0..20_000).map(|seed| Profile::draw(Kind::Any, None, seed, None)).collect();
        for agent in AGENTS {
            assert!(drawn.iter().any(|profile| profile.user_agent == agent.user_agent()), "{agent:?}");
        }
        for width in [1280, 1920] {
            assert!(drawn.iter().any(|profile| profile.viewport_width == width), "{width}");
        }
        assert!(drawn.iter().all(|profile| profile.geolocation.is_none()), "a direct way has no known place");
    }

    #[test]
    fn an_identity_is_one_of_two_words() {
        assert_eq!("own".parse(), Ok(Identity::Own));
        assert_eq!("profile".parse(), Ok(Identity::Profile));
        assert!("chrome".parse::<Identity>().is_err());
    }
}
