//! A place as people write it, read once: a person's is compared with those of many jobs.

use crate::location::Location;
use crate::place;

/// Somewhere to work.
#[derive(Debug, Clone, PartialEq)]
pub struct Spot {
    /// As it was written.
    pub name: String,
    plain: String,
    city: Option<String>,
    region: Option<String>,
    country: Option<String>,
}

fn plain(text: &str) -> String {
    text.trim().to_lowercase()
}

impl From<&str> for Spot {
    fn from(name: &str) -> Spot {
        let Location { city, state_region, country, .. } = place::read(name);
        let part = |part: Option<String>| part.as_deref().map(plain);
        Spot {
            plain: plain(name),
            name: name.to_owned(),
            city: part(city),
            region: part(state_region),
            country: part(country),
        }
    }
}

impl Spot {
    /// How near a job's place is to the one that is wanted: 1 there, one half in its region, 0 elsewhere.
    pub fn near(&self, at: &Spot) -> f32 {
        if self.plain == at.plain {
            return 1.0;
        }
        let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
        let differ = |a: &Option<String>, b: &Option<String>| a.is_some() && b.is_some() && a != b;
        if differ(&self.country, &at.country) || differ(&self.region, &at.region) {
            return 0.0;
        }
        // A place that was named without its town means all of it.
        let wide =
            self.city.is_none() && (same(&self.region, &at.region) || same(&self.country, &at.country));
        let town_alone = at.city.as_ref() == Some(&self.plain) || self.city.as_ref() == Some(&at.plain);
        if wide || town_alone || same(&self.city, &at.city) {
            1.0
        } else if same(&self.region, &at.region) {
            0.5
        } else {
            0.0
        }
    }
}
