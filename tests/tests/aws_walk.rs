//! The whole house on an emulated AWS: the real template, the real `bootstrap` binaries, their own roles.

use emulator::Emulator;
use std::time::Duration;

#[tokio::test]
async fn the_emulator_keeps_the_promises_of_fifo() {
    let emulator = Emulator::ready().await.unwrap();
    let queue = emulator.create_fifo_queue("walk", Duration::from_secs(1), 100).await.unwrap();
    let send = |group: &str, id: &str| {
        emulator
            .sqs()
            .send_message()
            .queue_url(&queue.url)
            .message_group_id(group)
            .message_deduplication_id(id)
            .message_body(id)
            .send()
    };
    for (group, id) in [("a", "a1"), ("a", "a2"), ("b", "b1"), ("a", "a1")] {
        send(group, id).await.unwrap();
    }
    let receive = || async {
        let got = emulator.sqs().receive_message().queue_url(&queue.url).send().await.unwrap();
        got.messages().iter().map(|message| message.body().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(receive().await, ["a1"]);
    assert_eq!(receive().await, ["b1"], "group a is locked while a1 is out");
    assert!(receive().await.is_empty(), "and a1 was sent once");
}
