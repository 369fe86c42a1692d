use proptest::prelude::*;
use standardwebhooks::Webhook;

use super::*;

/// The library on the other side compares with the time of the system.
#[expect(clippy::disallowed_methods, reason = "that library takes no other time")]
fn now() -> Timestamp {
    Timestamp::now()
}

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(1_800_000_000 + seconds).unwrap()
}

fn key(secret: &str) -> SigningKey {
    SigningKey::new(secret.to_owned().into()).unwrap()
}

fn header<'a>(headers: &'a [(&'static str, String)], name: &str) -> &'a str {
    &headers.iter().find(|(found, _)| *found == name).unwrap().1
}

/// HMAC by its definition, to compare with: H((key ⊕ opad) ‖ H((key ⊕ ipad) ‖ text)).
fn by_definition(key: &[u8], text: &[u8]) -> String {
    let mut block = [0_u8; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(text).finalize();
    hex::encode(Sha256::new().chain_update(block.map(|byte| byte ^ 0x5c)).chain_update(inner).finalize())
}

/// Any answer a receiver could be told, with letters of every script in it.
fn payload() -> impl Strategy<Value = Payload> {
    let result = ("\\PC{0,40}", "\\PC{0,40}", proptest::option::of("\\PC{0,20}"), any::<bool>());
    (any::<u128>(), any::<bool>(), proptest::collection::vec(result, 0..6)).prop_map(
        |(id, cancelled, results)| {
            let mut summary = Summary::default();
            let results = results
                .into_iter()
                .map(|(url, value, error, good)| {
                    let status = if good { TaskStatus::Success } else { TaskStatus::Failed };
                    summary.add(status, 1);
                    TaskResult {
                        task_id: TaskId::fresh(),
                        status: status.into(),
                        target_type: "job_posting".into(),
                        target_url: url,
                        result: good.then(|| serde_json::json!({ "job_title": value })),
                        error,
                        code: None,
                    }
                })
                .collect();
            Payload::new(Uuid::from_u128(id), cancelled, summary, results)
        },
    )
}

/// A secret as an operator may choose one: plain text, or `whsec_` and base64.
fn secret() -> impl Strategy<Value = String> {
    prop_oneof![
        "[ -~]{16,90}".prop_filter("no prefix", |text| !text.starts_with(PREFIX)),
        any::<[u8; 32]>().prop_map(SigningKey::secret),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Property 40: the header is the hex HMAC-SHA256 of the very bytes of the body under the secret, and the
    /// Standard Webhooks headers satisfy a library that is not ours. Another body or secret satisfies neither.
    #[test]
    fn property_40_a_signature_verifies_and_only_for_its_bytes(
        payload in payload(), secret in secret(), flip in any::<prop::sample::Index>(),
    ) {
        let (id, now) = (DeliveryId::fresh(), now());
        let body = payload.text().unwrap();
        let headers = key(&secret).headers(id, now, body.as_bytes());
        prop_assert_eq!(
            header(&headers, "x-webhook-signature"),
            by_definition(secret.as_bytes(), body.as_bytes())
        );

        let theirs = match secret.starts_with(PREFIX) {
            true => Webhook::new(&secret).unwrap(),
            false => Webhook::from_bytes(secret.as_bytes().to_vec()).unwrap(),
        };
        let sent: http::HeaderMap =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        prop_assert!(theirs.verify(body.as_bytes(), &sent).is_ok());

        let mut changed = body.clone().into_bytes();
        let place = flip.index(changed.len());
        changed[place] ^= 1;
        prop_assert!(theirs.verify(&changed, &sent).is_err());
        prop_assert_ne!(header(&headers, "x-webhook-signature"), by_definition(secret.as_bytes(), &changed));
        let other = key(&format!("{secret}{secret}").replace(PREFIX, ""));
        let forged = other.headers(id, now, body.as_bytes());
        prop_assert_ne!(header(&forged, "x-webhook-signature"), header(&headers, "x-webhook-signature"));
        prop_assert_ne!(header(&forged, "webhook-signature"), header(&headers, "webhook-signature"));
    }

    /// Property 41, as far as it is pure: the results are there up to a hundred tasks, and never beyond.
    #[test]
    fn property_41_results_are_told_up_to_a_hundred_tasks(
        completed in 0_u32..150, failed in 0_u32..150,
    ) {
        let mut summary = Summary::default();
        summary.add(TaskStatus::Success, completed);
        summary.add(TaskStatus::Failed, failed);
        let told = serde_json::to_value(Payload::new(Uuid::nil(), false, summary, Vec::new())).unwrap();
        prop_assert_eq!(told["results"].is_array(), completed + failed <= 100);
        prop_assert_eq!(told["results"].is_null(), completed + failed > 100);
        prop_assert_eq!(&told["summary"], &serde_json::json!({
            "total": completed + failed, "completed": completed, "failed": failed
        }));
    }

    /// Whatever is answered, there are at most four attempts, none earlier than its pause, none later than a day.
    #[test]
    fn attempts_end_and_are_never_early(
        status in 100_u16..600, retry_after in proptest::option::of("[0-9]{0,12}|\\PC{0,20}"), attempt in 1..9,
    ) {
        let answer = Answer::Status { status, retry_after };
        match next(&answer, attempt, at(0)) {
            Next::Delivered => prop_assert!((200..300).contains(&status)),
            Next::Stopped => prop_assert_eq!(status, 410),
            Next::Failed => prop_assert!(attempt >= 4),
            Next::Retry(then) => {
                prop_assert!(attempt <= 3);
                prop_assert!(then >= at(PAUSES[attempt as usize - 1]) && then <= at(24 * 3600));
            }
        }
    }

    #[test]
    fn a_lane_fits_the_queue(url in "https?://[a-z0-9.:@-]{1,300}/\\PC{0,40}|\\PC{0,80}") {
        prop_assert!((1..=128).contains(&lane(&url).len()));
    }
}

#[test]
fn the_schedule_is_at_once_then_two_four_and_eight_seconds() {
    let down = Answer::Status { status: 500, retry_after: None };
    let silent = Answer::Silence { code: "timeout", text: String::new() };
    for answer in [&down, &silent, &Answer::Status { status: 302, retry_after: None }] {
        let all: Vec<_> = (1..=4).map(|attempt| next(answer, attempt, at(0))).collect();
        assert_eq!(all, [Next::Retry(at(2)), Next::Retry(at(4)), Next::Retry(at(8)), Next::Failed]);
    }
    let refused = Answer::Refused { code: "address_refused", text: String::new() };
    assert_eq!(next(&refused, 1, at(0)), Next::Failed);
}

#[test]
fn retry_after_is_obeyed_and_clamped() {
    let asks = |text: &str| Answer::Status { status: 503, retry_after: Some(text.to_owned()) };
    assert_eq!(next(&asks("30"), 1, at(0)), Next::Retry(at(30)));
    assert_eq!(next(&asks("1"), 2, at(0)), Next::Retry(at(4)), "never earlier than our own pause");
    assert_eq!(next(&asks("0"), 1, at(0)), Next::Retry(at(2)));
    assert_eq!(next(&asks("rubbish"), 1, at(0)), Next::Retry(at(2)));
    assert_eq!(next(&asks("999999999"), 1, at(0)), Next::Retry(at(24 * 3600)));
    assert_eq!(next(&asks("30"), 4, at(0)), Next::Failed, "asking for patience makes no fifth attempt");
}

#[test]
fn the_nearest_address_wins() {
    assert_eq!(address(Some("t"), Some("b"), Some("d")), Some("t"));
    assert_eq!(address(None, Some("b"), Some("d")), Some("b"));
    assert_eq!(address(None, None, Some("d")), Some("d"));
    assert_eq!(address(None, None, None), None);
}

#[test]
fn each_host_has_a_lane() {
    assert_eq!(lane("https://hooks.example.com/a?b"), "to:hooks.example.com:443");
    assert_eq!(lane("https://hooks.example.com/c"), lane("https://hooks.example.com/a"));
    assert_ne!(lane("https://hooks.example.com:8443/c"), lane("https://hooks.example.com/c"));
}

#[test]
fn a_secret_is_refused_when_it_is_short_or_broken_and_never_shown() {
    let refused = |text: &str| SigningKey::new(text.to_owned().into()).err().unwrap();
    assert_eq!(refused("too-short"), BadSecret::Short);
    assert_eq!(refused("whsec_not*base64*at*all"), BadSecret::NotBase64);
    assert!(!refused("whsec_not*base64*at*all").to_string().contains('*'));
}

/// The form that receivers read: these names, in this order, and nothing else.
#[test]
fn a_payload_has_exactly_the_fields_receivers_know() {
    let mut summary = Summary::default();
    summary.add(TaskStatus::Success, 1);
    summary.add(TaskStatus::Cancelled, 1);
    let result = TaskResult {
        task_id: TaskId(Uuid::nil()),
        status: TaskStatus::Success.into(),
        target_type: "job_posting".into(),
        target_url: "https://jobs.example.com/1".into(),
        result: Some(serde_json::json!({ "job_title": "Lock keeper" })),
        error: None,
        code: None,
    };
    let text = Payload::new(Uuid::nil(), false, summary, vec![result]).text().unwrap();
    assert_eq!(
        text,
        "{\"job_id\":\"00000000-0000-0000-0000-000000000000\",\"status\":\"partially_completed\",\
         \"summary\":{\"total\":2,\"completed\":1,\"failed\":1},\
         \"results\":[{\"task_id\":\"00000000-0000-0000-0000-000000000000\",\"status\":\"completed\",\
         \"target_type\":\"job_posting\",\"target_url\":\"https://jobs.example.com/1\",\
         \"result\":{\"job_title\":\"Lock keeper\"},\"error\":null,\"code\":null}]}"
    );
}
