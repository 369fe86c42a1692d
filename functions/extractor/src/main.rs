//! Starts the extractor on Lambda.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use shared::room::sqs_event;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let room = &extractor::of_lambda().await?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| async move {
        sqs_event(event.payload, &room.extract, &room.clock, |job| Box::pin(extractor::extract(room, job)))
            .await
            .map_err(Error::from)
    }))
    .await
}
