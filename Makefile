# What a person does with Freshet. `make` alone prints this list.
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

FRESHET := target/machine/freshet

FUZZ_SECONDS ?= 120
API_FUZZ_EXAMPLES ?= 60

.PHONY: help run demo test lint bench eval fuzz api-fuzz setup fmt build build-lambda build-layer clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# Each recipe ends in exec, so that Ctrl-C and SIGTERM reach freshet itself.
run: ## build and start everything on this machine (your DATABASE_URL, or a private Postgres)
	@if [ -z "$${DATABASE_URL:-}" ]; then scripts/setup postgres; fi
	@scripts/setup browser
	@scripts/setup web
	@cargo build --profile machine -p local
	@exec $(FRESHET) serve

demo: ## the same, with a few invented job boards to crawl, offline
	@if [ -z "$${DATABASE_URL:-}" ]; then scripts/setup postgres; fi
	@scripts/setup browser
	@scripts/setup web
	@cargo build --profile machine -p local
	@exec $(FRESHET) demo

test: ## install what is missing and run every test
	@scripts/test

lint: ## formatting, clippy, the web app, the template, the scripts
	@cargo fmt --all --check
	@scripts/setup web-tools
	@cd web && npm run --silent check
	@cargo clippy --workspace --all-targets -- -D warnings
	@if [ -e template.yaml ]; then scripts/setup python; .venv/bin/cfn-lint template.yaml; fi
	@if command -v shellcheck >/dev/null; then shellcheck scripts/{setup,test,test-emulator,test-packages,test-postgres} layers/chromium/build .ci/run; fi

bench: ## the benchmarks, as ratios against a floor measured in the same run
	@scripts/setup postgres
	@scripts/setup bench
	@scripts/setup browser
	@cargo build --profile machine --workspace --bins --examples --bench bench
	@cargo bench --profile machine --workspace --bench bench

# DATA is a folder of pages whose truth is known (tests/eval says what it looks for); ARGS may be --verbose, --site <name>, or
# --at-least title=0.95 (as often as wanted): below that share it ends with an error.
eval: ## measure what is read: make eval DATA=<folder>
	@cargo run --quiet -p eval -- "$(DATA)" $(ARGS)

# Built as the tests are: a panic must be caught, so that the input that caused it can be kept.
fuzz: ## broken text for every reader of foreign text, FUZZ_SECONDS=120 for each
	@cargo run -p fuzz -- --seconds $(FUZZ_SECONDS)

# Some six thousand requests with new random values each time; API_FUZZ_SEED repeats a run.
api-fuzz: ## call every route as the API's description says and does not say, API_FUZZ_EXAMPLES=60 times each
	@scripts/setup python
	@TEST_DATABASE_URL=$$(scripts/test-postgres) API_FUZZ_EXAMPLES=$(API_FUZZ_EXAMPLES) API_FUZZ_SEED=$${API_FUZZ_SEED:-$$RANDOM} \
		cargo test -p local --test it -- --nocapture every_answer_is_one_that_the_description_promises

setup: ## install Postgres, the Python tools, pgbouncer, the browsers and the web tools where they are missing
	@scripts/setup all

fmt: ## format the code
	@cargo fmt --all
	@if [ -d web/node_modules ]; then cd web && npm run --silent format; fi

build: ## build every crate for release
	@cargo build --release --workspace

# zig links for the glibc of Lambda's Linux, whatever this machine has. `sam build` does the same for each function.
build-lambda: ## build the functions for AWS (arm64, the renderer x86_64): target/lambda/<room>/bootstrap.zip
	@scripts/setup python
	@PATH="$$PWD/.venv/bin:$$PATH" cargo lambda build --release --arm64 --workspace --exclude local --exclude renderer --output-format zip
	@PATH="$$PWD/.venv/bin:$$PATH" cargo lambda build --release --x86-64 --package renderer --output-format zip

build-layer: ## make the layer with the renderer's Chromium: layers/chromium/layer (sam build packs it)
	@layers/chromium/build

clean: ## stop the test database and remove what was built (data/ stays)
	@scripts/test-emulator stop
	@scripts/test-postgres stop
	@cargo clean
	@rm -rf web/node_modules web/test-results web/dist/assets web/dist/*.* web/dist/.built
