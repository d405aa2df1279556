# Needs Rust (see rust-version in Cargo.toml), a C compiler and, for nothing else, the network once.

CARGO ?= cargo
DENY_VERSION := 0.20.2
# Real corpora for the benchmarks; tests look for the same folder and skip what needs it when it is not there.
DATA ?= ../shared/data

.PHONY: demo test check fmt lint doc deny bench bench-large bench-wiki install

demo: ## Surprising links of a small encyclopedia, each with its reason.
	$(CARGO) run --package llamafur-cli -- demo --format table

test: ## All tests.
	$(CARGO) test --workspace

check: fmt lint doc deny test ## Everything that must be right before a commit.

fmt:
	$(CARGO) fmt --all --check

lint: # No crate has optional features yet: all of them and none are the same.
	$(CARGO) clippy --workspace --all-targets -- -D warnings

doc: ## The library's documentation.
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

deny: # Licences, sources and doubled crates; advisories need a database from elsewhere.
	$(CARGO) deny --version >/dev/null 2>&1 || $(CARGO) install cargo-deny --locked --version $(DENY_VERSION)
	$(CARGO) deny --log-level error check bans licenses sources

bench: ## Quality of every learner on held-out and judged links. SEEDS=4 for a quick look.
	$(CARGO) run --release --package llamafur-eval --example held_out -- $(DATA) $(or $(SEEDS),24)

bench-large: ## Memory and time of a large import, and of opening it. LINKS=300000000 for the full size.
	$(CARGO) run --release --package llamafur-cli --example large_import -- $(or $(LINKS),30000000)

bench-wiki: ## Import of large dumps beside lbzip2, which is installed if need be. MEGABYTES=1000 of XML by default.
	command -v lbzip2 >/dev/null || apt-get install --yes lbzip2
	$(CARGO) build --release --package llamafur-cli
	$(CARGO) run --release --package llamafur-cli --example wiki_speed -- $(DATA) $(MEGABYTES)

install: ## Install the command `llamafur`.
	$(CARGO) install --path crates/llamafur-cli
