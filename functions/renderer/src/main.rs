//! Starts the renderer on Lambda.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use shared::room::sqs_event_once;

#[tokio::main]
async fn main() -> Result<(), Error> {
    let room = &renderer::of_lambda().await?;
    lambda_runtime::run(service_fn(|event: LambdaEvent<_>| async move {
        sqs_event_once(event.payload, &room.render, &room.clock, |job| renderer::render(room, job))
            .await
            .map_err(Error::from)
    }))
    .await
}
