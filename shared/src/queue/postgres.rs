//! The queue on one machine: a table with the semantics and the limits of SQS FIFO.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, bail};
use jiff::{SignedDuration, Timestamp};
use secrecy::SecretString;
use tokio::sync::Notify;
use uuid::Uuid;

use super::inbox::Inbox;
use super::{DEDUP_WINDOW, Delivery, Held, Outgoing};
use crate::clock::Clock;
use crate::gather::Gather;
use crate::store::Pool;
use crate::store::args::{Db, args, micros, row, rows, run, statements};

statements! {
    SEND = include_str!("../store/sql/send_messages.sql");
    SEND_NEW = include_str!("../store/sql/send_new_messages.sql");
    RECEIVE = include_str!("../store/sql/receive_messages.sql");
    RECEIVE_HEADS = include_str!("../store/sql/receive_heads.sql");
    NEXT_VISIBLE = "select min(visible_at) from queue_messages where queue = $1 and visible_at > $2";
    ACK = "delete from queue_messages m using unnest($2::int8[], $3::uuid[]) as q (id, receipt)
        where m.id = q.id and m.queue = $1 and m.receipt = q.receipt and m.visible_at > $4";
    ACK_BODIES = "delete from queue_messages m using unnest($2::text[], $3::text[]) as q (group_id, body)
        where m.queue = $1 and m.group_id = q.group_id and m.body = q.body and m.owner = $4";
    HIDE = "update queue_messages set visible_at = $4
        where id = $2 and queue = $1 and receipt = $3 and visible_at > $5";
    HOLDS = "select q.place from unnest($2::text[], $3::text[]) with ordinality as q (group_id, body, place)
        where exists (select 1 from queue_messages m
            where m.queue = $1 and m.group_id = q.group_id and m.body = q.body)";
    DEPTH = "select count(*) from queue_messages where queue = $1";
    OWNERS = "select distinct owner from queue_messages where owner is not null and visible_at > $1
        union select distinct lease_owner from tasks where lease_until > $1 and lease_owner is not null";
    ADOPT = "update queue_messages set visible_at = $2, receipt = null, owner = null
        where owner = $1 and receipt is not null and visible_at > $2";
    FORGET = "delete from queue_dedup where expires_at <= $1";
    TRY_LIFE = "select pg_try_advisory_xact_lock(hashtextextended($1, 13))";
    LIVE = "select pg_advisory_lock(hashtextextended($1, 13))";
}

/// How long an idle receiver sleeps before it looks again for messages of other processes.
const LOOK_AGAIN: Duration = Duration::from_millis(200);

/// One running process. Its sign of life is a lock that Postgres lets go of when the process dies,
/// however it dies; others then adopt at once what it held.
#[derive(Clone)]
pub struct Instance {
    pub id: Uuid,
    _session: Arc<tokio_postgres::Client>,
}

impl Instance {
    pub async fn start(url: &SecretString) -> anyhow::Result<Instance> {
        let id = Uuid::new_v4();
        let session = crate::store::pool::lone(url).await?;
        session
            .query_typed(LIVE, &args![id.to_string()])
            .await
            .context("taking the lock that is the sign of life")?;
        Ok(Instance { id, _session: Arc::new(session) })
    }
}

#[derive(Clone)]
pub struct PgQueue {
    db: Pool,
    clock: Clock,
    name: String,
    dead: String,
    visibility: Duration,
    max_receives: i32,
    owner: Option<Uuid>,
    stir: Arc<Notify>,
    sends: Gather<Vec<Outgoing>, ()>,
    acks: Gather<Receipt, ()>,
    inbox: Arc<Inbox>,
}

/// The proof of a delivery: which message, and the secret of this very delivery.
#[derive(Debug, Clone, Copy)]
struct Receipt {
    id: i64,
    secret: Uuid,
}

impl Receipt {
    fn parse(text: &str) -> anyhow::Result<Receipt> {
        let (id, secret) = text.split_once('.').context("a receipt of another queue")?;
        Ok(Receipt {
            id: id.parse().context("a receipt of another queue")?,
            secret: secret.parse().context("a receipt of another queue")?,
        })
    }
}

/// As many sends or acknowledgements as one statement carries.
const MOST: usize = 64;

/// What gathered sends and acknowledgements need.
#[derive(Clone)]
struct Table {
    db: Pool,
    clock: Clock,
    name: String,
    stir: Arc<Notify>,
}

impl Table {
    async fn send(&self, messages: &[Outgoing]) -> anyhow::Result<()> {
        self.insert(&*self.db.conn().await?, messages).await?;
        self.stir.notify_waiters();
        Ok(())
    }

    async fn insert(&self, db: &impl Db, messages: &[Outgoing]) -> anyhow::Result<()> {
        let mut seen = std::collections::HashSet::new();
        let fresh: Vec<&Outgoing> =
            messages.iter().filter(|m| seen.insert((&m.group, &m.dedup_id))).collect();
        let column = |pick: fn(&Outgoing) -> &str| fresh.iter().map(|m| pick(m)).collect::<Vec<_>>();
        let now = micros(self.clock.now());
        let expires = now + SignedDuration::try_from(DEDUP_WINDOW)?;
        let (groups, ids, bodies) = (column(|m| &m.group), column(|m| &m.dedup_id), column(|m| &m.body));
        run(db, SEND, &args![self.name, groups, ids, bodies, now, expires]).await.map(drop)
    }

    async fn ack(&self, receipts: &[Receipt]) -> anyhow::Result<()> {
        let ids: Vec<i64> = receipts.iter().map(|receipt| receipt.id).collect();
        let secrets: Vec<Uuid> = receipts.iter().map(|receipt| receipt.secret).collect();
        let conn = self.db.conn().await?;
        run(&*conn, ACK, &args![self.name, ids, secrets, micros(self.clock.now())]).await?;
        // The next of their groups may go.
        self.stir.notify_waiters();
        Ok(())
    }
}

impl PgQueue {
    /// A queue whose spent messages go to the queue `<name>-dead`.
    pub fn new(db: Pool, clock: Clock, name: &str, visibility: Duration, max_receives: i32) -> PgQueue {
        let stir = Arc::new(Notify::new());
        let table = Table { db: db.clone(), clock: clock.clone(), name: name.to_owned(), stir: stir.clone() };
        let sends = Gather::new(MOST, {
            let table = table.clone();
            move |batches: Vec<Vec<Outgoing>>| {
                let table = table.clone();
                async move {
                    table.send(&batches.concat()).await?;
                    Ok(vec![(); batches.len()])
                }
            }
        });
        let copy = table.clone();
        let acks = Gather::new(MOST, move |receipts: Vec<Receipt>| {
            let table = copy.clone();
            async move {
                table.ack(&receipts).await?;
                Ok(vec![(); receipts.len()])
            }
        });
        PgQueue {
            db,
            clock,
            name: name.to_owned(),
            dead: format!("{name}-dead"),
            visibility,
            max_receives,
            owner: None,
            stir,
            sends,
            acks,
            inbox: Arc::default(),
        }
    }

    /// The same queue, receiving in the name of this process.
    pub fn owned_by(mut self, instance: &Instance) -> PgQueue {
        self.owner = Some(instance.id);
        self
    }

    /// Sends, as part of a transaction, messages of things that this transaction made. Call `stirred` after the
    /// commit.
    pub(crate) async fn send_in(&self, db: &impl Db, messages: &[Outgoing]) -> anyhow::Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        let groups: Vec<&str> = messages.iter().map(|message| message.group.as_str()).collect();
        let bodies: Vec<&str> = messages.iter().map(|message| message.body.as_str()).collect();
        run(db, SEND_NEW, &args![self.name, groups, bodies, micros(self.clock.now())]).await.map(drop)
    }

    /// Takes, as part of a transaction, the next message of each of these groups whose turn it is. Call `taken`
    /// after the commit.
    pub(crate) async fn take_next_in<'a>(
        &self,
        db: &impl Db,
        groups: &[&'a str],
    ) -> anyhow::Result<(Vec<&'a str>, Vec<Delivery>)> {
        let asked = self.inbox.whose_turn(groups);
        if asked.is_empty() {
            return Ok((asked, Vec::new()));
        }
        let now = micros(self.clock.now());
        let hidden_until = now + SignedDuration::try_from(self.visibility)?;
        let found = rows(
            db,
            RECEIVE_HEADS,
            &args![self.name, asked, now, hidden_until, self.owner, self.max_receives],
        )
        .await?;
        Ok((asked, found.iter().map(delivery).collect()))
    }

    /// What `take_next_in` took is ours: a receiver gets it next.
    pub(crate) fn taken(&self, asked: &[&str], found: Vec<Delivery>) {
        self.inbox.put(asked, found);
    }

    /// Acknowledges, as part of a transaction, messages that this process holds. Call `stirred` after the commit.
    pub(crate) async fn ack_in(&self, db: &impl Db, messages: &[Outgoing]) -> anyhow::Result<()> {
        let Some(owner) = self.owner else { bail!("nobody holds a message in this process's name") };
        let groups: Vec<&str> = messages.iter().map(|message| message.group.as_str()).collect();
        let bodies: Vec<&str> = messages.iter().map(|message| message.body.as_str()).collect();
        run(db, ACK_BODIES, &args![self.name, groups, bodies, owner]).await.map(drop)
    }

    /// Does this queue receive in the name of a process?
    pub(crate) fn is_owned(&self) -> bool {
        self.owner.is_some()
    }

    /// Wakes the receivers of this process.
    pub(crate) fn stirred(&self) {
        self.stir.notify_waiters();
    }

    pub fn visibility(&self) -> Duration {
        self.visibility
    }

    pub(super) async fn send(&self, messages: &[Outgoing]) -> anyhow::Result<()> {
        if messages.is_empty() {
            return Ok(());
        }
        self.sends.ask(messages.to_vec()).await
    }

    pub(super) async fn receive(&self, most: usize, wait: Duration) -> anyhow::Result<Vec<Delivery>> {
        let give_up = tokio::time::Instant::now() + wait;
        loop {
            let stirred = self.stir.notified();
            tokio::pin!(stirred);
            // Counted from here on, so that a message sent while we look is not missed.
            stirred.as_mut().enable();
            let at_hand = self.inbox.get(most, self.visibility / 3);
            if !at_hand.is_empty() {
                return Ok(at_hand);
            }
            let now = micros(self.clock.now());
            let found = self.take(most, now).await?;
            if !found.is_empty() {
                return Ok(found);
            }
            let left = give_up.saturating_duration_since(tokio::time::Instant::now());
            if left.is_zero() {
                return Ok(Vec::new());
            }
            let nap = self.until_next(now).await?.unwrap_or(LOOK_AGAIN).min(LOOK_AGAIN).min(left);
            tokio::select! {
                () = &mut stirred => {}
                () = tokio::time::sleep(nap) => {}
            }
        }
    }

    async fn take(&self, most: usize, now: Timestamp) -> anyhow::Result<Vec<Delivery>> {
        let hidden_until = now + SignedDuration::try_from(self.visibility)?;
        let conn = self.db.conn().await?;
        let mut taken = rows(
            &*conn,
            RECEIVE,
            &args![
                self.name,
                now,
                i64::try_from(most)?,
                hidden_until,
                self.owner,
                self.max_receives,
                self.dead,
            ],
        )
        .await?;
        taken.sort_by_key(|row| row.get::<_, i64>("id"));
        // Rows that moved to the dead-letter queue in the same breath are not deliveries.
        Ok(taken.iter().filter(|row| row.get::<_, &str>("queue") == self.name).map(delivery).collect())
    }

    async fn until_next(&self, now: Timestamp) -> anyhow::Result<Option<Duration>> {
        let conn = self.db.conn().await?;
        let next: Option<Timestamp> =
            row(&*conn, NEXT_VISIBLE, &args![self.name, now]).await?.and_then(|row| row.get(0));
        Ok(next.map(|at| Duration::try_from(at.duration_since(now)).unwrap_or_default()))
    }

    pub(super) async fn ack(&self, receipt: &str) -> anyhow::Result<()> {
        self.acks.ask(Receipt::parse(receipt)?).await
    }

    pub(super) async fn hide(&self, receipt: &str, how_long: Duration) -> anyhow::Result<()> {
        let receipt = Receipt::parse(receipt)?;
        let now = micros(self.clock.now());
        let until = now + SignedDuration::try_from(how_long)?;
        let conn = self.db.conn().await?;
        if run(&*conn, HIDE, &args![self.name, receipt.id, receipt.secret, until, now]).await? == 0 {
            bail!("the receipt is void: the message is done or was delivered again");
        }
        self.stir.notify_waiters();
        Ok(())
    }

    pub(super) async fn holds(&self, messages: &[Outgoing]) -> anyhow::Result<Vec<Held>> {
        let groups: Vec<&str> = messages.iter().map(|message| message.group.as_str()).collect();
        let bodies: Vec<&str> = messages.iter().map(|message| message.body.as_str()).collect();
        let conn = self.db.conn().await?;
        let mut held = vec![Held::No; messages.len()];
        for row in rows(&*conn, HOLDS, &args![self.name, groups, bodies]).await? {
            held[usize::try_from(row.get::<_, i64>(0))? - 1] = Held::Yes;
        }
        Ok(held)
    }

    pub(super) async fn depth(&self) -> anyhow::Result<i64> {
        let conn = self.db.conn().await?;
        Ok(row(&*conn, DEPTH, &args![self.name]).await?.map(|row| row.get(0)).unwrap_or_default())
    }

    /// Makes visible again what dead processes held, in every queue, and lets their leases go.
    /// Returns how many messages were adopted.
    pub async fn adopt(&self) -> anyhow::Result<u64> {
        let now = micros(self.clock.now());
        let mut conn = self.db.conn().await?;
        let owners: Vec<Uuid> =
            rows(&*conn, OWNERS, &args![now]).await?.iter().map(|row| row.get(0)).collect();
        let mut adopted = 0;
        for owner in owners.into_iter().filter(|owner| Some(*owner) != self.owner) {
            let transaction = conn.transaction().await?;
            let dead = row(&transaction, TRY_LIFE, &args![owner.to_string()]).await?;
            if dead.is_some_and(|row| row.get(0)) {
                adopted += run(&transaction, ADOPT, &args![owner, now]).await?;
                crate::store::sweep::drop_leases(&transaction, owner, now).await?;
            }
            transaction.commit().await?;
        }
        if adopted > 0 {
            self.stir.notify_waiters();
        }
        Ok(adopted)
    }

    /// Drops deduplication ids that are past their time. Cleaning only: they are compared by time anyway.
    pub async fn forget_old(&self) -> anyhow::Result<u64> {
        let conn = self.db.conn().await?;
        run(&*conn, FORGET, &args![micros(self.clock.now())]).await
    }
}

fn delivery(row: &tokio_postgres::Row) -> Delivery {
    let id: i64 = row.get("id");
    let secret = row.get::<_, Option<Uuid>>("receipt");
    Delivery {
        message_id: id.to_string(),
        receipt: secret.map(|secret| format!("{id}.{secret}")).unwrap_or_default(),
        group: row.get("group_id"),
        body: row.get("body"),
        receive_count: row.get("receive_count"),
    }
}
