//! Jobs: whole or not at all, watched, cancelled, and never more than may wait.

use std::time::Duration;

use axum::http::StatusCode;
use jiff::SignedDuration;
use serde_json::{Value, json};
use shared::domain::ids::{BatchId, TaskId};
use shared::domain::job::JobStatus;
use shared::domain::task::TaskStatus;
use shared::store::jobs::{self, JobId};
use uuid::Uuid;

use crate::bench::Bench;
use crate::work::{Reach, target};

async fn with_room_for(most: i64) -> Bench {
    let bench = Bench::new().await;
    let api = api::Api { max_pending: most, ..bench.api.clone() };
    Bench { router: api::router(api.clone()), api, ..bench }
}

#[tokio::test]
async fn a_batch_that_does_not_fit_is_refused_whole() {
    let bench = with_room_for(5).await;
    bench.job(&(0..3).map(target).collect::<Vec<_>>()).await;
    let before = bench.rows().await;
    let body = json!({ "targets": (0..3).map(target).collect::<Vec<_>>() }).to_string();
    let full = bench.post("/api/v1/scrape/batch", body).await;
    assert_eq!(full.status, StatusCode::SERVICE_UNAVAILABLE);
    let json = full.json();
    assert_eq!(
        (&json["error"], &json["meta"]["type"]),
        (&json!("Task queue is full"), &json!("QueueFullError"))
    );
    assert!(full.headers.contains_key("retry-after"));
    assert_eq!(bench.rows().await, before, "not even one of them");
    bench.job(&(0..2).map(target).collect::<Vec<_>>()).await;
    assert_eq!(bench.submit("https://example.com/").await.status, StatusCode::SERVICE_UNAVAILABLE);
}

/// Exactly as many as may wait, however many ask at once: single ones and batches, near the limit and far
/// from it.
#[tokio::test]
async fn a_crowd_never_overfills_the_queue() {
    for most in [7, 130] {
        let bench = std::sync::Arc::new(with_room_for(most).await);
        let mut crowd = tokio::task::JoinSet::new();
        for number in 0..160 {
            let bench = bench.clone();
            crowd.spawn(async move {
                if number % 8 == 0 {
                    let targets: Vec<Value> = (0..3).map(target).collect();
                    bench.post("/api/v1/scrape/batch", json!({ "targets": targets }).to_string()).await.status
                } else {
                    bench.post("/api/v1/scrape", target(number).to_string()).await.status
                }
            });
        }
        let answers = crowd.join_all().await;
        assert!(answers.iter().all(|status| [202, 503].contains(&status.as_u16())), "{answers:?}");
        assert!(answers.contains(&StatusCode::SERVICE_UNAVAILABLE));
        let conn = bench.db.pool.conn().await.unwrap();
        let waiting: i64 =
            conn.query_one("select count(*) from tasks where status = 'pending'", &[]).await.unwrap().get(0);
        assert!(waiting <= most, "{waiting} wait where {most} may");
        assert!(waiting > most - 3, "{waiting}: a place is left only where a batch did not fit");
    }
}

#[tokio::test]
async fn a_job_is_watched_from_queued_to_its_end() {
    let bench = Bench::new().await;
    let (id, tasks) = bench.job(&(0..3).map(target).collect::<Vec<_>>()).await;
    let look = async || bench.get(&format!("/api/v1/scrape/jobs/{id}")).await.json()["data"].clone();
    assert_eq!(look().await["status"], "queued");
    bench.clock.advance(SignedDuration::from_secs(5));
    bench.bring(tasks[0], Reach::Completed).await;
    let visit = bench.claim(tasks[1]).await;
    let job = look().await;
    assert_eq!(
        (
            &job["status"],
            &job["queued_tasks"],
            &job["running_tasks"],
            &job["completed_tasks"],
            &job["failed_tasks"]
        ),
        (&json!("running"), &json!(1), &json!(1), &json!(1), &json!(0))
    );
    assert!(job["updated_at"].as_str() > job["created_at"].as_str());
    assert!(bench.finish(&visit, TaskStatus::Failed).await);
    bench.bring(tasks[2], Reach::Completed).await;
    let job = look().await;
    assert_eq!((&job["status"], &job["total_tasks"]), (&json!("partially_completed"), &json!(3)));
    let failed = &job["tasks"][1];
    assert_eq!(
        (&failed["task_id"], &failed["status"], &failed["error"], &failed["code"]),
        (&json!(tasks[1]), &json!("failed"), &json!("the site answered 500"), &json!("http_500"))
    );
}

#[tokio::test]
async fn a_job_is_summed_up_once_all_its_tasks_have_ended() {
    let bench = Bench::new().await;
    let conn = bench.db.pool.conn().await.unwrap();
    let (id, tasks) = bench.job(&(0..2).map(target).collect::<Vec<_>>()).await;
    let job = JobId::from(BatchId(id));
    assert_eq!(jobs::of_task(&*conn, tasks[1]).await.unwrap(), Some(job));
    bench.bring(tasks[0], Reach::Failed).await;
    let visit = bench.claim(tasks[1]).await;
    assert_eq!(jobs::ended(&*conn, job).await.unwrap(), None);
    // Cancelled while one is under way: it is over when that one has ended.
    bench.post(&format!("/api/v1/scrape/jobs/{id}/cancel"), "").await;
    assert_eq!(jobs::ended(&*conn, job).await.unwrap(), None);
    assert!(bench.finish(&visit, TaskStatus::Success).await);
    let sum = jobs::ended(&*conn, job).await.unwrap().unwrap();
    assert_eq!((sum.status, sum.total, sum.completed, sum.failed), (JobStatus::Cancelled, 2, 1, 1));
    // A task that stands alone is a job of one.
    let made = bench.submit("https://example.com/").await.json();
    let alone: TaskId = made["data"]["task_id"].as_str().unwrap().parse().unwrap();
    assert_eq!(jobs::of_task(&*conn, alone).await.unwrap(), Some(alone.into()));
    bench.bring(alone, Reach::Completed).await;
    let sum = jobs::ended(&*conn, alone.into()).await.unwrap().unwrap();
    assert_eq!((sum.status, sum.total), (JobStatus::Completed, 1));
    assert_eq!(jobs::ended(&*conn, JobId(Uuid::new_v4())).await.unwrap(), None);
}

#[tokio::test]
async fn a_cancelled_task_frees_its_place_and_its_message_is_dropped() {
    let bench = Bench::new().await;
    let one_site = |number: usize| json!({ "target_type": "job_posting", "workspace_id": "w", "target_url": format!("https://one.example.com/{number}") });
    let (id, _) = bench.job(&(0..2).map(one_site).collect::<Vec<_>>()).await;
    let later = bench.post("/api/v1/scrape", one_site(9).to_string()).await.json();
    bench.post(&format!("/api/v1/scrape/jobs/{id}/cancel"), "").await;
    let mut delivered = Vec::new();
    while let Some(message) = bench.api.crawl.receive(1, Duration::ZERO).await.unwrap().pop() {
        bench.api.crawl.ack(&message).await.unwrap();
        let job: shared::messages::CrawlJob = serde_json::from_str(&message.body).unwrap();
        delivered.push((json!(job.task_id), bench.try_claim(job.task_id).await.is_some()));
    }
    assert_eq!(delivered.iter().filter(|(_, wanted)| *wanted).count(), 1, "{delivered:?}");
    assert_eq!(
        delivered.last().unwrap().0,
        later["data"]["task_id"],
        "the window of the site was free again"
    );
}

#[tokio::test]
async fn a_job_that_is_over_cannot_be_cancelled() {
    let bench = Bench::new().await;
    let (id, tasks) = bench.job(&[target(0)]).await;
    bench.bring(tasks[0], Reach::Completed).await;
    let answer = bench.post(&format!("/api/v1/scrape/jobs/{id}/cancel"), "").await;
    assert_eq!((answer.status, &answer.json()["data"]["status"]), (StatusCode::OK, &json!("completed")));
    let nobody = Uuid::new_v4();
    for path in [format!("jobs/{nobody}"), format!("jobs/{nobody}/results"), "jobs/x".to_owned()] {
        let answer = bench.get(&format!("/api/v1/scrape/{path}")).await;
        assert_eq!(
            (answer.status, &answer.json()["error"]),
            (StatusCode::NOT_FOUND, &json!("Job not found"))
        );
        assert_eq!(answer.json()["meta"]["type"], "JobNotFoundError");
    }
    let answer = bench.post(&format!("/api/v1/scrape/jobs/{nobody}/cancel"), "").await;
    assert_eq!(answer.status, StatusCode::NOT_FOUND);
    let answer = bench.get(&format!("/api/v1/scrape/jobs/{id}/results?limit=101")).await;
    assert_eq!(answer.json()["meta"]["errors"][0]["field"], "limit");
}

#[tokio::test]
async fn callbacks_are_kept_with_the_task_and_with_the_job() {
    let bench = Bench::new().await;
    let mut own = target(0);
    own["callback_url"] = json!("https://hooks.example.com/own");
    let body = json!({ "targets": [own, target(1)], "callback_url": "https://hooks.example.com/all" });
    let made = bench.post("/api/v1/scrape/batch", body.to_string()).await.json();
    let id: Uuid = made["data"]["job_id"].as_str().unwrap().parse().unwrap();
    let conn = bench.db.pool.conn().await.unwrap();
    let rows =
        conn.query("select callback_url from tasks where batch_id = $1 order by id", &[&id]).await.unwrap();
    let kept: Vec<Option<&str>> = rows.iter().map(|row| row.get(0)).collect();
    assert_eq!(kept, [Some("https://hooks.example.com/own"), None]);
    let row = conn
        .query_one("select callback_url, workspace_id, size from batches where id = $1", &[&id])
        .await
        .unwrap();
    assert_eq!(
        (row.get::<_, &str>(0), row.get::<_, &str>(1), row.get::<_, i32>(2)),
        ("https://hooks.example.com/all", "w", 2)
    );
}
