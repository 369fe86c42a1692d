//! Rows of identities and links, as the domain knows them.

use tokio_postgres::Row;

use crate::domain::cluster::Identity;
use crate::domain::cluster::key::Place;
use crate::domain::cluster::same::{Link, Rule};
use crate::domain::cluster::standing::Standing;
use crate::domain::identity::requisition::Requisition;
use crate::domain::ids::ListingId;

/// A listing's identity, and the cluster it is in.
pub fn identity(row: &Row) -> (Identity, ListingId) {
    let identity = Identity {
        id: row.get("listing_id"),
        company: row.get("company"),
        role: row.get("role"),
        place: Place {
            city: row.get("city"),
            region: row.get("region"),
            country: row.get("country"),
            raw: row.get("raw_place"),
            remote: row.get("remote"),
        },
        requisition: row.get::<_, Option<String>>("requisition").map(Requisition::stored),
        board: row.get("board"),
        standing: Standing::stored(row.get("standing")),
    };
    (identity, row.get("cluster_id"))
}

/// None for a rule that is not ours.
pub fn link(row: &Row) -> Option<Link> {
    Some(Link {
        a: row.get("a"),
        b: row.get("b"),
        rule: Rule::stored(row.get("rule"))?,
        score: row.get("score"),
    })
}
