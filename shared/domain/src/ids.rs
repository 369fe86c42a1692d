//! Ids that cannot be mixed up: a `TaskId` is never taken for a `BatchId`.

use std::fmt;
use std::str::FromStr;

use postgres_types::{FromSql, ToSql};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, ToSql, FromSql)]
        #[serde(transparent)]
        #[postgres(transparent)]
        pub struct $name(pub Uuid);

        impl $name {
            /// A new id that sorts by the moment it was made, which keeps indexes compact.
            pub fn fresh() -> Self {
                Self(Uuid::now_v7())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl FromStr for $name {
            type Err = uuid::Error;
            fn from_str(text: &str) -> Result<Self, Self::Err> {
                text.parse().map(Self)
            }
        }
    };
}

id!(
    /// One piece of work that needs a page.
    TaskId
);
id!(
    /// Tasks that belong together.
    BatchId
);
id!(
    /// One listing, whatever its kind.
    ListingId
);
id!(
    /// The lineage a task belongs to: made at the root, inherited by every spawned child.
    TrackingId
);
id!(
    /// One HTTP request to us; every room logs it.
    RequestId
);
id!(
    /// One webhook to one address; the receiver sees it as `webhook-id`.
    DeliveryId
);
