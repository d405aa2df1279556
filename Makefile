# Needs Rust (see rust-version in Cargo.toml), a C compiler and, to download dependencies once, the network; for the page Node.

CARGO ?= cargo
DENY_VERSION := 0.20.2
FUZZ_VERSION := 0.13.2
UV_VERSION := 0.13.8
# Real corpora for the benchmarks; tests look for the same folder and skip what needs it when it is not there.
DATA ?= ../shared/data
PYTHON := $(abspath $(or $(CARGO_TARGET_DIR),target)/python)
REQUIREMENTS := crates/llamafur-eval/tests/requirements.txt crates/llamafur-serve/tests/requirements.txt
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
PAGE := crates/llamafur-serve/dist/index.html

.PHONY: demo web reproduce test test-page test-scripts test-python test-spark test-wheel wheel check fmt lint doc deny shared lines fuzz miri tsan requirements bench fit-worth bench-quality bench-cleanse bench-english bench-serve bench-large-page bench-serve-large bench-mcp bench-large bench-neighbours bench-predict bench-predict-speed bench-mend bench-truth bench-python bench-spark bench-wiki bench-wiki-large compare-mediawiki install

# Without Parquet, TLS and the server, which take a minute to build; with the features of the core that `make test` turns on.
DEMO_FEATURES := --package llamafur-cli --no-default-features --features llamafur/oracle,llamafur/openapi,llamafur-eval/openapi

demo: ## Surprising links of a small encyclopedia, each with its reason.
	$(CARGO) run $(DEMO_FEATURES) -- demo --format table

web: $(PAGE) ## The page that `llamafur serve` shows; it is embedded when the program is built next. Needs Node.

$(PAGE): web/package-lock.json web/index.html web/openapi.json $(shell find web/src -type f ! -name schema.d.ts) $(wildcard web/*.ts web/*.js web/*.json)
	@if command -v npm >/dev/null; then cd web && npm ci --no-audit --no-fund --loglevel=error && npm run build; \
	else echo "no Node: the page is not built, and llamafur serve has only its API"; fi

test: $(PYTHON)/ready $(PAGE) ## All tests.
	LLAMAFUR_FUZZ_SEED="$$(git rev-parse HEAD 2>/dev/null)" LLAMAFUR_PYTHON="$$(ls $(PYTHON)/bin/python 2>/dev/null)" $(CARGO) test --workspace
	$(PAGE_TESTS)
	$(MAKE) test-python test-scripts

test-scripts: ## The tests of the scripts only.
	@if command -v python3 >/dev/null; then python3 -m unittest discover scripts; else echo "no Python: the tests of the scripts are skipped"; fi

test-page: $(PAGE) ## The tests of the page only.
	$(CARGO) build --package llamafur-cli
	$(PAGE_TESTS)

# In a real browser, which is installed where that is allowed. Without Node these are skipped.
define PAGE_TESTS
@if ! command -v npm >/dev/null; then echo "no Node: the tests of the page are skipped"; exit 0; fi; \
command -v chromium >/dev/null || apt-get install --yes chromium || { apt-get update && apt-get install --yes chromium; } || exit 1; \
cd web && npm run check && LLAMAFUR="$(TARGET)/debug/llamafur" CHROMIUM="$$(command -v chromium)" npm test
endef

# A Python of our own with trec_eval, NetworKit, Schemathesis and the client of the Model Context Protocol, which we are held to: an environment, or, where Debian has split that
# off, a folder of modules with a script that knows it. Without either those tests are skipped.
PIP_INSTALL := -m pip install --quiet --disable-pip-version-check --no-input --require-hashes $(REQUIREMENTS:%=--requirement %)
$(PYTHON)/ready: $(REQUIREMENTS)
	@rm -rf $(PYTHON); \
	if python3 -m venv $(PYTHON) && $(PYTHON)/bin/python $(PIP_INSTALL); then touch $@; \
	elif rm -rf $(PYTHON) && python3 $(PIP_INSTALL) --target $(PYTHON)/modules && mkdir $(PYTHON)/bin \
	    && printf '#!/bin/sh\nPYTHONPATH="%s" exec python3 "$$@"\n' "$(PYTHON)/modules" >$(PYTHON)/bin/python \
	    && chmod +x $(PYTHON)/bin/python; then touch $@; \
	else rm -rf $(PYTHON); false; fi >/dev/null 2>&1 || \
	echo "no Python 3 with pip and the network once: the comparisons with trec_eval and NetworKit, the requests of Schemathesis, and the calls of tools will be skipped"

# The wheel of the tests shares its dependencies with `make test`: the same profile, and features that the other crates turn on.
PACKAGE := crates/llamafur-py
PACKAGE_TESTS := $(TARGET)/python-tests
SPARK_TESTS := $(TARGET)/spark-tests
TEST_WHEELS := $(TARGET)/test-wheels
JAVA := openjdk-17-jre-headless
SHARED_FEATURES := llamafur/oracle,llamafur/openapi,llamafur-eval/openapi
PIP := -m pip install --quiet --disable-pip-version-check --no-input

test-wheel: $(PACKAGE_TESTS)/ready
	@rm -rf $(TEST_WHEELS) && cd $(PACKAGE) && \
	PATH="$(PACKAGE_TESTS)/bin:$$PATH" CARGO_TARGET_DIR=$(TARGET) $(PACKAGE_TESTS)/bin/maturin build --quiet --profile dev \
	    --interpreter $(PACKAGE_TESTS)/bin/python --features $(SHARED_FEATURES) --out $(TEST_WHEELS)

# In an empty environment of its own: what the wheel says it needs, and then what the tests compare it with.
# $(1) is that environment's folder, $(2) says what is tested, $(3) are the arguments of the program that runs the tests.
define PACKAGE_TEST
@python3 -m venv --help >/dev/null 2>&1 || { echo "no Python 3 with venv: the tests of $(2) are skipped"; exit 0; }; \
$(MAKE) $(PACKAGE_TESTS)/ready $(1)/ready || { echo "no network: the tests of $(2) are skipped"; exit 0; }; \
$(if $(TESTED),,$(MAKE) test-wheel &&) $(1)/bin/python $(PIP) --force-reinstall --no-deps $(TEST_WHEELS)/*.whl && cd $(PACKAGE) && \
WHEELS=$(TEST_WHEELS) LLAMAFUR="$(TARGET)/debug/llamafur" DATA="$(abspath $(DATA))" $(1)/bin/python tests/run.py $(3)
endef

test-python: ## The tests of the Python package, on the wheel as it would be installed.
	$(call PACKAGE_TEST,$(PACKAGE_TESTS),the Python package)

test-spark: ## The tests of `llamafur.spark` on a Spark cluster that they start. Needs Java 17, which is installed where that is allowed.
	@command -v java >/dev/null || apt-get install --yes $(JAVA) || { apt-get update && apt-get install --yes $(JAVA); }
	$(call PACKAGE_TEST,$(SPARK_TESTS),the package on Spark,spark)

$(PACKAGE_TESTS)/ready: $(PACKAGE)/tests/requirements.txt
$(SPARK_TESTS)/ready: $(PACKAGE)/tests/spark/requirements.txt
$(PACKAGE_TESTS)/ready $(SPARK_TESTS)/ready:
	@rm -rf $(@D); python3 -m venv $(@D) && $(@D)/bin/python $(PIP) --require-hashes --requirement $< && touch $@

# Every package that the tests install, with its version and the checksums of its files, from the few that `requirements.in` names.
LOCKED := $(REQUIREMENTS) $(PACKAGE)/tests/requirements.txt $(PACKAGE)/tests/spark/requirements.txt

requirements: ## Pin the Python packages of the tests anew, after a change of a requirements.in. UPGRADE=--upgrade takes the latest.
	@tool=$$(mktemp -d) && trap 'rm -rf $$tool' EXIT && python3 -m venv $$tool && $$tool/bin/python $(PIP) uv==$(UV_VERSION) && \
	for file in $(LOCKED:.txt=); do UV_CUSTOM_COMPILE_COMMAND="make requirements" $$tool/bin/uv pip compile --quiet --universal \
	    --python-version 3.11 --generate-hashes --no-annotate $(UPGRADE) $$file.in --output-file $$file.txt || exit 1; done

wheel: $(PACKAGE_TESTS)/ready ## The Python package, optimised, for every Python from 3.10 on; into target/wheels.
	cd $(PACKAGE) && PATH="$(PACKAGE_TESTS)/bin:$$PATH" CARGO_TARGET_DIR=$(TARGET) $(PACKAGE_TESTS)/bin/maturin build --release \
	    --interpreter $(PACKAGE_TESTS)/bin/python --out $(TARGET)/wheels

check: fmt lint doc deny shared $(if $(TESTED),,test) ## Everything that must be right before a commit. TESTED=1 where `make test` has just passed.

fmt:
	$(CARGO) fmt --all --check

lint: # With all features and with none.
	$(CARGO) clippy --workspace --all-targets --all-features -- -D warnings
	$(CARGO) clippy --package llamafur-cli --no-default-features -- -D warnings

doc: ## The library's documentation.
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps

# `cargo deny fetch` downloads the database of advisories, where GitHub can be reached.
ADVISORIES := $(or $(CARGO_HOME),$(HOME)/.cargo)/advisory-dbs

deny: # Licences, sources, doubled crates, and, where there is a database of them, advisories.
	$(CARGO) deny --version >/dev/null 2>&1 || $(CARGO) install cargo-deny --locked --version $(DENY_VERSION)
	$(CARGO) deny --log-level error check bans licenses sources
	@if ls $(ADVISORIES)/*/ >/dev/null 2>&1; then $(CARGO) deny --log-level error --offline check advisories; \
	else echo "no database in $(ADVISORIES): advisories are not checked; cargo deny fetch downloads one"; fi

TREE := $(CARGO) tree --prefix none --format '{p} {f}'

shared: # What `make demo` builds, `make test` builds with the same features, or it would build everything again.
	@demo=$$(mktemp) && trap 'rm -f $$demo' EXIT && \
	$(TREE) $(DEMO_FEATURES) --edges normal | sed 's/ (\*)//' | sort -u >$$demo && \
	if $(TREE) --workspace --edges normal,dev | sed 's/ (\*)//' | sort -u | comm -23 $$demo - \
	    | grep -v '^llamafur-cli \|^llamafur-import \|^lz4_flex \|^smallvec '; \
	then echo "the demo and the tests build these with different features" >&2; exit 1; fi

lines: ## Lines of the product, by crate.
	python3 scripts/count_lines.py

# A unit may take so many seconds, the process so many megabytes, and one allocation too.
FUZZ_LIMITS := -timeout=10 -rss_limit_mb=2048 -malloc_limit_mb=1024
# Functions that are new are not named: to look that up takes a tenth of the first seconds.
FUZZ_OUTPUT := -print_funcs=0 -print_final_stats=1
# What the fuzzer finds interesting stays there; of it, few small inputs are worth a place in fuzz/corpus.
FUZZED := $(TARGET)/fuzzed

fuzz: ## Fuzz every reader of foreign bytes for SECONDS (60) each, or only TARGETS="http mcp"; what fails is left in fuzz/artifacts.
	$(CARGO) fuzz --version >/dev/null 2>&1 || $(CARGO) install cargo-fuzz --locked --version $(FUZZ_VERSION)
	export RUSTC_BOOTSTRAP=1 RAYON_NUM_THREADS=1; $(CARGO) fuzz build && \
	for target in $(or $(TARGETS),$$($(CARGO) fuzz list)); do mkdir -p $(FUZZED)/$$target && \
	    $(CARGO) fuzz run $$target $(FUZZED)/$$target fuzz/corpus/$$target -- \
	    -max_total_time=$(or $(SECONDS),60) $(FUZZ_LIMITS) $(FUZZ_OUTPUT) || exit 1; done

# Crossbeam's queues keep to the rules of tree borrows only.
miri: ## What Miri can run of the unsafe code: the kernels, and lists and sums of the storage. Needs a nightly toolchain with miri and rust-src.
	PROPTEST_CASES=4 CARGO_TARGET_DIR=$(TARGET)/miri \
	    MIRIFLAGS="-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-tree-borrows -Zmiri-ignore-leaks" \
	    $(CARGO) +nightly miri test --package llamafur --lib -- kernels storage::csr storage::checksum

# There the cells of the dense learners are plain memory (`--cfg tsan`): the sanitizer sees whether the turns keep threads apart. Two of the
# tests that are skipped wait at barriers for minutes, the third has one thread.
TSAN_TESTS := kernels::tests learn::dense learn::tally learn::factored::tests::threads --skip batched --skip rank --skip column_too_many

tsan: ## The learners on several threads under ThreadSanitizer. Needs a nightly toolchain with rust-src.
	PROPTEST_CASES=4 CARGO_TARGET_DIR=$(TARGET)/tsan RUSTFLAGS="-Zsanitizer=thread" \
	    $(CARGO) +nightly --config 'profile.dev.package.llamafur.rustflags=["--cfg=tsan"]' \
	    test -Zbuild-std -Zprofile-rustflags --target $$($(CARGO) +nightly -vV | sed -n 's/^host: //p') --package llamafur --lib -- \
	    $(TSAN_TESTS)

# Percent of English Wikipedia's size that speed is measured at, and where the figures go.
SCALES ?= 1 10 100
RUN ?= benchmarks/runs/$(shell date +%F)-$(shell getconf _NPROCESSORS_ONLN)-cores

bench: ## Speed and memory of learning and scoring beside plain programs, and how cost grows. SCALES=1 for a quick look.
	$(CARGO) build --release --package llamafur-bench --bin speed
	$(or $(CARGO_TARGET_DIR),target)/release/speed --scales "$(SCALES)" --times $(or $(TIMES),3) \
	    --commit "$$(git rev-parse --short HEAD)" --out $(RUN)
	$(or $(CARGO_TARGET_DIR),target)/release/speed --growth --times $(or $(TIMES),3) --out $(RUN)
	mkdir -p benchmarks/figures && cp $(RUN)/growth.svg benchmarks/figures/

bench-quality: ## Quality of every learner on held-out and judged links. SEEDS=4 for a quick look.
	$(CARGO) run --release --package llamafur-bench --bin held_out -- $(DATA) $(or $(SEEDS),24)

fit-worth: ## The weights of what makes a row worth reading, fitted to judged rows: CORPORA="FOLDER=LABELS[,LABELS] …", each with a model.
	@test -n "$(CORPORA)" || { echo "which corpora and labels? make fit-worth CORPORA=FOLDER=LABELS" >&2; exit 2; }
	$(CARGO) run --release --package llamafur-bench --bin fit_worth -- $(CORPORA)

reproduce: ## The paper's experiments on Wikispeedia, from the dump to the report; what is made goes to reproduced/.
	$(CARGO) build --release --package llamafur-cli
	sh scripts/reproduce.sh $(or $(CARGO_TARGET_DIR),target)/release/llamafur $(DATA)/wikispeedia reproduced

bench-cleanse: ## Centrality, a whole cleansing, and held-out links by the number of milestones.
	$(CARGO) run --release --package llamafur-bench --bin centrality
	$(CARGO) build --release --bin llamafur --bin milestones
	for wiki in pam mhr; do \
	    $(or $(CARGO_TARGET_DIR),target)/release/llamafur import wiki $(DATA)/wiki-$$wiki/*.bz2 --out $$wiki.corpus --overwrite && \
	    $(or $(CARGO_TARGET_DIR),target)/release/milestones $$wiki.corpus $(or $(SEEDS),6) 0 none 100 500 2000 4000 all all/2 && \
	    $(or $(CARGO_TARGET_DIR),target)/release/milestones $$wiki.corpus $(or $(SEEDS),6) 1 all || exit 1; \
	    rm -r $$wiki.corpus; done

bench-truth: ## How well every learner finds a matrix that is known, the more links it sees: table and figure.
	$(CARGO) run --release --package llamafur-bench --bin recovery -- --seeds $(or $(SEEDS),3) --out $(RUN)
	mkdir -p benchmarks/figures && cp $(RUN)/known-truth.svg benchmarks/figures/

bench-neighbours: $(PYTHON)/ready ## Adamic–Adar of every link beside NetworKit's, and one page ranked by all signals.
	$(CARGO) build --release --package llamafur-bench --bin neighbours
	$(or $(CARGO_TARGET_DIR),target)/release/neighbours --python "$$(ls $(PYTHON)/bin/python 2>/dev/null)"

bench-predict: ## How well held-out links are predicted, beside Adamic–Adar: CORPORA="FOLDER…", each with a model. FIT=--fit fits the weights.
	@test -n "$(CORPORA)" || { echo "which corpora? make bench-predict CORPORA=FOLDER" >&2; exit 2; }
	$(CARGO) run --release --package llamafur-bench --bin predictions -- $(FIT) --seeds $(or $(SEEDS),3) --pages $(or $(PAGES),300) \
	    $(if $(LATER),--later $(LATER)) $(CORPORA)

bench-predict-speed: ## Predictions for a page and for all pages of a wiki of a million: time. PAGES=100000 LINKS=2400000 for a quick look, KEEP=FOLDER to use it again.
	$(CARGO) run --release --package llamafur-bench --bin prediction_speed -- --pages $(or $(PAGES),1000000) --links $(or $(LINKS),24000000) \
	    --sample $(or $(SAMPLE),0) $(if $(KEEP),--folder $(KEEP))

bench-mend: ## How many links moved to a page of a similar title are found: CORPORA="FOLDER…", each with a model.
	@test -n "$(CORPORA)" || { echo "which corpora? make bench-mend CORPORA=FOLDER" >&2; exit 2; }
	$(CARGO) run --release --package llamafur-bench --bin mending -- $(or $(LINKS),200) $(or $(SEEDS),3) $(CORPORA)

bench-large: ## Memory and time of a large import, and of opening it. LINKS=300000000 for the full size.
	$(CARGO) run --release --package llamafur-bench --bin large_import -- $(or $(LINKS),30000000)

bench-wiki: ## Import of large dumps beside lbzip2, which is installed if need be. MEGABYTES=1000 of XML by default.
	command -v lbzip2 >/dev/null || apt-get install --yes lbzip2
	$(CARGO) build --release --package llamafur-cli
	$(CARGO) run --release --package llamafur-bench --bin wiki_speed -- --decoders $(DATA)
	$(CARGO) run --release --package llamafur-bench --bin wiki_speed -- $(DATA) $(MEGABYTES)

bench-wiki-large: ## Memory for a wiki of English Wikipedia's size: titles, redirects and links, without text.
	$(CARGO) build --release --bin llamafur --bin wiki_speed
	$(or $(CARGO_TARGET_DIR),target)/release/wiki_speed --write 7000000 10000000 200000000 | \
	    $(or $(CARGO_TARGET_DIR),target)/release/llamafur import wiki - --no-text --out large-wiki.corpus --overwrite --format table
	rm -r large-wiki.corpus

bench-english: ## From a dump of a tenth of English Wikipedia's size to every answer: time and memory. SCALE=0.01 for a quick look, KEEP=FOLDER to use it again.
	$(CARGO) build --release --bin llamafur --bin english
	$(or $(CARGO_TARGET_DIR),target)/release/english --scales "$(or $(SCALE),0.1)" $(if $(KEEP),--keep $(KEEP)) \
	    $(if $(PARTS),--parts $(PARTS)) $(if $(TRAIN),--train "$(TRAIN)") --commit "$$(git rev-parse --short HEAD)" --out $(RUN)

bench-serve: $(PAGE) ## `llamafur serve` under load on a prepared corpus: CORPUS=FOLDER, such as `make bench-english KEEP=FOLDER` leaves.
	@test -n "$(CORPUS)" || { echo "which corpus? make bench-serve CORPUS=FOLDER" >&2; exit 2; }
	command -v wrk >/dev/null || apt-get install --yes wrk
	$(CARGO) build --release --bin llamafur --bin serve_load
	ulimit -n "$$(ulimit -Hn)" && $(TARGET)/release/serve_load $(TARGET)/release/llamafur $(CORPUS) \
	    --commit "$$(git rev-parse --short HEAD)" --out $(RUN)

bench-large-page: ## Time and memory of ranking a page with LINKS (200000) links in one paragraph, with their sentences.
	$(CARGO) build --release --package llamafur-cli
	python3 scripts/bench_large_page.py $(TARGET)/release/llamafur $(or $(LINKS),200000)

bench-serve-large: ## What other clients of `llamafur serve` notice while some ask for a page with 200,000 links.
	$(CARGO) build --release --bin llamafur --bin serve_large_page
	timeout 600 $(TARGET)/release/serve_large_page $(TARGET)/release/llamafur

bench-mcp: ## How long the tools of `llamafur mcp` take on a prepared corpus: CORPUS=FOLDER.
	@test -n "$(CORPUS)" || { echo "which corpus? make bench-mcp CORPUS=FOLDER" >&2; exit 2; }
	$(CARGO) build --release --package llamafur-cli
	python3 scripts/bench_mcp.py $(TARGET)/release/llamafur $(CORPUS) --out $(RUN)/mcp.json

bench-python: $(PACKAGE_TESTS)/ready wheel ## What the Python package adds to the engine: time, memory, Ctrl-C. LINKS=1000000 for a quick look.
	$(CARGO) build --release --package llamafur-cli
	$(PACKAGE_TESTS)/bin/python $(PIP) --force-reinstall --no-deps $(TARGET)/wheels/*.whl
	$(PACKAGE_TESTS)/bin/python scripts/bench_python.py $(TARGET)/release/llamafur $(or $(LINKS),10000000) --out $(RUN)/python.json

bench-spark: $(SPARK_TESTS)/ready wheel ## `llamafur.spark` on a cluster of two workers beside one machine: PART=equal, rates, quality, memory or wiki; LINKS=1000000,10000000.
	$(CARGO) build --release --package llamafur-cli
	$(SPARK_TESTS)/bin/python $(PIP) --force-reinstall --no-deps $(TARGET)/wheels/*.whl
	$(SPARK_TESTS)/bin/python scripts/bench_spark.py $(TARGET)/release/llamafur $(DATA) $(or $(PART),rates) \
	    --links $(or $(LINKS),1000000) --seeds $(or $(SEEDS),1) --out $(RUN)/spark-$(or $(PART),rates).json

compare-mediawiki: ## What MediaWiki itself finds in two wikis and in hard wikitext, beside what we find. PAGES=1000 of each wiki.
	$(CARGO) build --release --package llamafur-cli --no-default-features
	python3 scripts/compare_mediawiki.py $(or $(CARGO_TARGET_DIR),target)/release/llamafur $(DATA) \
	    $(or $(CARGO_TARGET_DIR),target)/mediawiki --pages $(or $(PAGES),1000)
	python3 scripts/mediawiki_words.py $(or $(CARGO_TARGET_DIR),target)/mediawiki/site | \
	    cmp - crates/llamafur/src/text/wikitext/words.tsv

install: $(PAGE) ## Install the command `llamafur`.
	$(CARGO) install --path crates/llamafur-cli
