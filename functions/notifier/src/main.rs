//! Starts the notifier on Lambda.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use shared::room::sqs_event;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let room = &notifier::of_lambda().await?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| async move {
        sqs_event(event.payload, &room.notify, &room.clock, |job| notifier::notify(room, job))
            .await
            .map_err(Error::from)
    }))
    .await
}
