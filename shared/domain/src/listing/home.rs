//! A home as it is written: what a listing carries of it, and what apartments add.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::job::JobFields;
use crate::normal::Normal;
use crate::schema::ApartmentResult;

/// What a home adds to its listing. Unknown fields are none.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct HomeFields {
    pub rent: Option<Value>,
    pub bedrooms: Option<Value>,
    pub bathrooms: Option<Value>,
    pub area: Option<Value>,
    pub street: Option<String>,
    pub postal_code: Option<String>,
    /// A day, or `now`.
    pub available_from: Option<Value>,
    pub amenities: Vec<String>,
    pub pet_policy: Option<Value>,
    pub phone: Option<String>,
}

/// The fields of a home's page. A listing needs a name or a street to be shown by, and a sign that it is a home at all:
/// what it costs, or how large it is.
pub fn of(home: &Normal<ApartmentResult>, version: &str) -> Option<JobFields> {
    let fields = &home.fields;
    let is_home = fields.rent.is_some() || fields.bedrooms.is_some() || fields.area.is_some();
    let title = fields.name.clone().or_else(|| fields.street.clone()).filter(|_| is_home)?;
    Some(JobFields {
        url: fields.listing_url.clone()?,
        title,
        place: fields.address.as_ref().map(|place| json!(place)),
        description: fields.description.clone(),
        provenance: json!(home.provenance),
        extractor_version: version.to_owned(),
        fingerprint: fingerprint(fields),
        home: Some(Box::new(HomeFields {
            rent: fields.rent.as_ref().map(|rent| json!(rent)),
            bedrooms: fields.bedrooms.map(|rooms| json!(rooms)),
            bathrooms: fields.bathrooms.map(|rooms| json!(rooms)),
            area: fields.area.map(|area| json!(area)),
            street: fields.street.clone(),
            postal_code: fields.postal_code.clone(),
            available_from: fields.available_from.map(|day| json!(day)),
            amenities: fields.amenities.clone().unwrap_or_default(),
            pet_policy: fields.pet_policy.as_ref().map(|pets| json!(pets)),
            phone: fields.phone.clone(),
        })),
        ..JobFields::default()
    })
}

/// Of what the home says, without its address on the web, which may carry sessions.
fn fingerprint(fields: &ApartmentResult) -> String {
    let said = json!(ApartmentResult { listing_url: None, ..fields.clone() });
    let mut sum = Sha256::new();
    sum.update(b"apartment/1");
    sum.update(said.to_string().as_bytes());
    hex::encode(sum.finalize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn loft() -> Normal<ApartmentResult> {
        let fields = ApartmentResult {
            name: Some("Net Loft".into()),
            phone: Some("+353 91 555 0100".into()),
            listing_url: Some("https://loft.example/1".into()),
            ..ApartmentResult::default()
        };
        Normal { fields, ..Normal::default() }
    }

    #[test]
    fn a_name_alone_is_no_home() {
        assert_eq!(of(&loft(), "apartment/2"), None);
        let mut home = loft();
        home.fields.bedrooms = Some(crate::apartment::values::Extent { min: 2.0, max: 2.0 });
        let listing = of(&home, "apartment/2").unwrap();
        assert_eq!(listing.title, "Net Loft");
        assert!(listing.home.is_some_and(|home| home.bedrooms.is_some()));
    }

    #[test]
    fn another_rent_is_another_home_and_another_address_of_the_page_is_not() {
        let mut one = loft();
        one.fields.rent = Some(crate::salary::Salary { min: Some(900.0), ..Default::default() });
        let print = |home: &Normal<ApartmentResult>| of(home, "x").unwrap().fingerprint;
        let mut moved = one.clone();
        moved.fields.listing_url = Some("https://loft.example/1?session=2".into());
        assert_eq!(print(&one), print(&moved));
        moved.fields.rent = Some(crate::salary::Salary { min: Some(950.0), ..Default::default() });
        assert_ne!(print(&one), print(&moved));
    }
}
