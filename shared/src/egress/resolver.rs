//! From a name to the addresses we dial. Asked once per connection; what it answers is what is dialled, so
//! there is no second lookup that could say something else. One bad answer refuses them all.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::error::EgressError;
use super::permission::Permission;
use super::rules::Rules;
use super::{address, target};

/// Where answers come from.
#[doc(hidden)]
#[derive(Debug, Clone)]
pub enum Lookup {
    /// The system's resolver.
    System,
    /// A written table, so that a test can make a public name lead anywhere. A port other than 0 is dialled
    /// when the URL names none.
    Table(HashMap<String, Vec<SocketAddr>>),
}

/// Which names a resolver is for. The client asks it without the port, so names on the private list, which
/// are bound to a port, have a client and a resolver of their own.
#[derive(Debug, Clone, Copy)]
pub(super) enum Trust {
    Public,
    Private,
}

#[derive(Debug, Clone)]
pub(super) struct Resolver {
    pub lookup: Arc<Lookup>,
    pub permission: Arc<Permission>,
    pub trust: Trust,
}

impl Resolve for Resolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let answers = resolver.answers(name.as_str()).await?;
            Ok(Box::new(answers.into_iter()) as Addrs)
        })
    }
}

impl Resolver {
    pub(super) async fn answers(&self, name: &str) -> Result<Vec<SocketAddr>, EgressError> {
        match self.trust {
            Trust::Private if self.permission.names(name) => self.look_up(name, name).await,
            Trust::Private => Err(EgressError::NameRefused { name: name.to_owned(), rule: "not_listed" }),
            Trust::Public => {
                target::check_name(name, Rules::all())?;
                // The dot makes it absolute: no search list turns a public name into one of our network.
                let answers = self.look_up(name, &format!("{name}.")).await?;
                answers.into_iter().map(|answer| self.checked(answer)).collect()
            }
        }
    }

    fn checked(&self, answer: SocketAddr) -> Result<SocketAddr, EgressError> {
        if self.permission.covers_answer(answer.ip()) {
            return Ok(answer);
        }
        Ok(SocketAddr::new(address::check(answer.ip(), Rules::all())?, answer.port()))
    }

    async fn look_up(&self, name: &str, asked: &str) -> Result<Vec<SocketAddr>, EgressError> {
        let failed = |reason: String| EgressError::DnsFailed { name: name.to_owned(), reason };
        let answers = match &*self.lookup {
            Lookup::System => system(asked).await.map_err(|error| failed(error.to_string()))?,
            Lookup::Table(table) => table.get(name).cloned().unwrap_or_default(),
        };
        if answers.is_empty() {
            return Err(failed("no address".to_owned()));
        }
        Ok(answers)
    }
}

/// Port 0 stands for the URL's own.
async fn system(name: &str) -> std::io::Result<Vec<SocketAddr>> {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that resolves, and it checks")]
    let answers = tokio::net::lookup_host((name, 0)).await?;
    Ok(answers.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(trust: Trust, name: &str) -> Result<usize, &'static str> {
        let addresses = vec!["8.8.8.8:0".parse().unwrap()];
        let names = ["shop.example.com", "demo.local"].map(|name| (name.to_owned(), addresses.clone()));
        let permission = Permission::with_private_hosts(vec!["demo.local".parse().unwrap()]);
        let lookup = Arc::new(Lookup::Table(names.into()));
        let resolver = Resolver { lookup, permission: Arc::new(permission), trust };
        resolver.answers(name).await.map(|answers| answers.len()).map_err(|error| error.code())
    }

    /// The URL was judged before; the resolver does not count on it.
    #[tokio::test]
    async fn each_resolver_answers_for_its_own_names_only() {
        assert_eq!(answer(Trust::Public, "shop.example.com").await, Ok(1));
        assert_eq!(answer(Trust::Public, "demo.local").await, Err("name_refused"));
        assert_eq!(answer(Trust::Private, "demo.local").await, Ok(1));
        assert_eq!(answer(Trust::Private, "shop.example.com").await, Err("name_refused"));
        assert_eq!(answer(Trust::Public, "nowhere.example.com").await, Err("dns_failed"));
    }
}
