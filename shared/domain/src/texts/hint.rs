//! What is known of a page beside the text that is read: enough to settle what `$` or `02/11/2026` means there.

/// All parts may be unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hint<'a> {
    /// BCP 47: `de`, `en-US`.
    pub language: Option<&'a str>,
    /// ISO 3166, two letters.
    pub country: Option<&'a str>,
}

impl<'a> Hint<'a> {
    pub fn of_country(country: &'a str) -> Hint<'a> {
        Hint { country: Some(country), ..Hint::default() }
    }

    pub fn of_language(language: &'a str) -> Hint<'a> {
        Hint { language: Some(language), ..Hint::default() }
    }

    /// In small letters, without its region.
    pub fn language(&self) -> Option<String> {
        let language = self.language?.split(['-', '_']).next().unwrap_or_default();
        (2..=3).contains(&language.len()).then(|| language.to_ascii_lowercase())
    }

    /// In capitals: the country itself, else the region of the language.
    pub fn country(&self) -> Option<String> {
        let region = || self.language?.split(['-', '_']).skip(1).find(|part| part.len() == 2);
        let country = self.country.map(str::trim).or_else(region)?;
        let letters = country.len() == 2 && country.bytes().all(|b| b.is_ascii_alphabetic());
        let country = country.to_ascii_uppercase();
        letters.then(|| if country == "UK" { "GB".to_owned() } else { country })
    }
}
