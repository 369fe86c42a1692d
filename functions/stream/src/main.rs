//! Starts the stream on Lambda.

#[tokio::main]
async fn main() -> Result<(), lambda_http::Error> {
    lambda_http::run_with_streaming_response(stream::of_lambda().await?).await
}
