//! Whole pages of invented boards and employers, one for each family of markup: chips of a React board, tables, definition
//! lists, labels in bold, a column of facts at the side, headings in parts, and a dozen languages. None of them has data
//! for machines. An empty text is a field that the page does not give away; it must stay unknown.

use jiff::Timestamp;

use crate::extract::read_job_posting;

struct Family {
    name: &'static str,
    html: &'static str,
    url: &'static str,
    /// Title, company, place, day.
    says: [&'static str; 4],
}

macro_rules! page {
    ($name:literal, $url:literal, $says:expr) => {
        Family {
            name: $name,
            html: include_str!(concat!("families/", $name, ".html")),
            url: $url,
            says: $says,
        }
    };
}

#[rustfmt::skip]
const FAMILIES: &[Family] = &[
    page!("react_chips", "https://harbourboards.net/jobs/48213-x", ["Senior Net Mender", "Seine & Co", "Galway, Ireland", "2026-11-13"]),
    page!("own_career", "https://www.seine-co.ie/careers/net-mender", ["Net Mender", "Seine & Co", "Cork, Ireland", ""]),
    page!("bold_labels", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co", "Aberdeen, Scotland", "2026-10-12"]),
    page!("dl_divs", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co, Inc.", "Portland, ME 04101", "2026-10-12"]),
    page!("table_th", "https://harbourboards.net/jobs/48213-x", ["NET MENDER", "Seine & Co", "Halifax, Nova Scotia, Canada", "2026-10-12"]),
    page!("german", "https://www.hafenjobs.de/stelle/48213", ["Netzflicker (m/w/d)", "Seine GmbH", "Hamburg", "2026-11-11"]),
    page!("french", "https://www.emploisduport.fr/offre/48213", ["Ramendeur H/F", "Seine SARL", "Brest - 29", "2026-10-12"]),
    page!("polish", "https://portowa.pl/oferta/48213", ["Naprawiacz sieci", "Seine Sp. z o.o.", "Gdańsk, pomorskie", "2026-10-12"]),
    page!("spanish", "https://www.empleopuerto.es/oferta/48213", ["Reparador de redes", "Seine S.L.", "Vigo, Pontevedra", "2026-10-12"]),
    page!("one_line", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co", "Bristol, United Kingdom", "2026-10-12"]),
    page!("pipes", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co", "Boston, MA", "2026-10-12"]),
    page!("h1_at", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co", "Galway, Ireland", "2026-10-12"]),
    page!("dutch", "https://www.havenwerk.nl/vacature/48213", ["Nettenboeter", "Seine B.V.", "IJmuiden", "2026-10-12"]),
    page!("government", "https://jobs.harbourcounty.gov/announcement/26-114", ["Net Mender II", "Department of Fisheries", "Juneau, Alaska", "2026-10-12"]),
    page!("sidebar", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co", "Leith, United Kingdom", "2026-10-12"]),
    page!("italian", "https://www.lavoroporto.it/annuncio/48213", ["Riparatore di reti", "Seine S.r.l.", "Genova, Liguria", "2026-10-12"]),
    page!("swedish", "https://www.hamnjobb.se/annons/48213", ["Nätlagare", "Seine AB", "Göteborg", "2026-10-12"]),
    page!("dash_labels", "https://www.harbourstaffing.com/job/net-mender-48213", ["Net Mender", "", "Tacoma, WA", "2026-10-12"]),
    page!("card_header", "https://harbourboards.net/jobs/48213-x", ["Net Mender", "Seine & Co", "San Diego, California, United States", ""]),
    page!("portuguese", "https://www.vagasporto.com.br/vaga/48213", ["Remendador de redes", "Seine Ltda", "Santos, SP", "2026-10-12"]),
    page!("lever_like", "https://jobs.weirs.io/seine/2f1b-44aa", ["Rigging Lead", "Seine & Co", "Oslo, Norway", ""]),
    page!("wp_jobmanager", "https://piercareers.co.uk/job/dock-porter/", ["Dock Porter", "", "Leith, Edinburgh", "2026-10-12"]),
    page!("heading_spans", "https://wharf.example/jobs/crane-operator", ["Crane Operator", "Wharf Ltd", "Rotterdam, Netherlands", "2026-10-12"]),
    page!("austrian", "https://www.karriere-sud.at/jobs/99812", ["Buchhalter:in", "Lampen & Söhne KG", "Graz", "2026-10-12"]),
    page!("belgian", "https://www.ecluse.be/emplois/comptable", ["Comptable", "Écluse SA", "Bruxelles", "2026-10-12"]),
    page!("polish2", "https://praca-port.pl/oferta/771", ["Magazynier", "Śluza S.A.", "Szczecin", "2026-10-12"]),
    page!("emoji", "https://techfinns.io/jobs/backend-engineer-771", ["Backend Engineer", "Weir Labs", "Tallinn, Estonia", "2026-10-12"]),
    page!("card_grid", "https://careers.mercylocks.org/job/R-22917", ["Nurse Practitioner (Night)", "Mercy Locks Hospital", "Toledo, OH", "2026-10-12"]),
    page!("university", "https://www.academicposts.ac.uk/job/DAB221", ["Lecturer in Hydrology", "University of Weirmouth", "Weirmouth", "2026-10-12"]),
    page!("react_detail", "https://weir.io/careers/product-designer", ["Product Designer", "Weir", "Berlin, Germany", ""]),
    page!("hosted_board", "https://boards.tides.example/tideworks/jobs/40112", ["Harbour Pilot", "Tideworks", "Antwerp, Belgium", ""]),
    page!("breaks", "https://reliefposts.example/job/1881", ["Program Officer, Rivers", "River Trust", "Nairobi, Kenya", "2026-10-12"]),
    page!("swiss", "https://www.jobkanal.ch/stelle/9912", ["Polymechaniker/in EFZ 80-100%", "Schleusen AG", "Winterthur", "2026-10-12"]),
    page!("norwegian", "https://www.havnejobb.no/stilling/771", ["Nettbøter", "Seine AS", "Bergen", "2026-10-12"]),
    page!("company_link", "https://www.drydock.com/viewjob?jk=9912af", ["Weld Inspector", "Gulf Yards LLC", "Mobile, AL 36602", ""]),
    page!("small_print", "https://www.aegeanlines.example/careers/do-77", ["Deck Officer", "", "Piraeus, Greece", ""]),
    page!("indian", "https://www.naukaboat.in/job-listings-net-mender-771", ["Net Mender", "Seine Pvt Ltd", "Kochi", "2026-11-13"]),
    page!("finnish", "https://www.satamatyot.fi/tyopaikka/771", ["Verkonpaikkaaja", "Seine Oy", "Turku", "2026-10-12"]),
];

#[test]
fn every_family_of_markup_is_read() {
    let now: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
    let mut wrong = Vec::new();
    for Family { name, html, url, says } in FAMILIES {
        let reading = read_job_posting(html.as_bytes(), Some("text/html; charset=utf-8"), url, url, now);
        let posting = reading.posting.unwrap_or_default();
        let read = [
            posting.job_title,
            posting.company_name,
            posting.location.and_then(|place| place.raw),
            posting.date_posted.map(|day| day.to_string()),
        ]
        .map(Option::unwrap_or_default);
        if read != *says || reading.verdict.code != "live" {
            wrong.push(format!("{name}: {} {read:?}, the page says {says:?}", reading.verdict.code));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
