# Commands for developers. `make` alone lists them.
.DEFAULT_GOAL := help
SWIFT ?= swift
CONFIG ?= assayd.yaml
BUILD = SWIFT="$(SWIFT)" dev/build.sh

# Exclusivity is checked at compile time and by the tests; the checks at run time cost the hot path a fifth.
RELEASE = -c release -Xswiftc -enforce-exclusivity=unchecked --static-swift-stdlib
# Every Swift file that a person wrote.
WRITTEN = find $(wildcard Package.swift Sources Tests Benchmarks Fuzz plugins clients) -name '*.swift' -not -path '*/Generated/*' -not -path '*/.build*' -print0

.PHONY: help
help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{ printf "  make %-17s %s\n", $$1, $$2 }'

# What a first look, plugins and the tests need of the system, each by its own target: SETUP=no installs nothing.
.PHONY: setup setup-plugins setup-tests
setup:
	@dev/setup.sh build
setup-plugins:
	@dev/setup.sh plugins
setup-tests:
	@dev/setup.sh build plugins tests

# Both programs without optimisation: they are there sooner.
.PHONY: debug-programs
debug-programs: setup
	@$(BUILD) --product assayd
	@$(BUILD) --product assay

.PHONY: dev
dev: debug-programs ## a daemon to try out, with virtual devices, from these sources
	@.build/debug/assayd dev

.PHONY: demo
demo: debug-programs ## virtual devices register and prove themselves against a daemon on this machine
	@dev/demo.sh .build/debug

.PHONY: test
test: setup-tests proto-check plugins ## all tests, in debug, with all run-time checks on
	@dev/test.py --build '$(BUILD) --build-tests' --early dev/test-setup.py \
	    $(foreach part,$(EARLY_CHECKS),--early '$(MAKE) --no-print-directory $(part)') \
	    $(foreach part,$(BUILT_CHECKS) clients-check,--beside '$(MAKE) --no-print-directory $(part)')

# The revision from which the change is counted.
BASE = HEAD
.PHONY: test-touched
test-touched: setup-tests ## the tests that a change since BASE (default HEAD: what is not committed) can break, for the loop of a developer
	@names=$$(dev/touched.py $(BASE)) || exit 1; \
	[ -n "$$names" ] || { echo "no test can break by what differs from $(BASE)"; exit 0; }; \
	$(BUILD) --build-tests && dev/test.py $$names

PLUGINS = template-c payload-envelope camera-token payload-box scene-depth template-python liveness-broker video-chain capture-session anomaly
.PHONY: plugins
plugins: setup-plugins ## build the launcher of plugins, the SDK for C, and the plugins
	@$(MAKE) --no-print-directory -j 2 -C plugins/launcher
	@$(MAKE) --no-print-directory -j 2 -C plugins/sdk/c all hostile faulty
	@$(MAKE) --no-print-directory -j 2 $(PLUGINS:%=plugins/%)

.PHONY: $(PLUGINS:%=plugins/%)
$(PLUGINS:%=plugins/%):
	@$(MAKE) --no-print-directory -C $@

.PHONY: plugins-test
plugins-test: setup-tests plugins ## test the launcher, the SDKs, and the plugins
	@$(BUILD)
	@$(MAKE) --no-print-directory plugins-check

# The same with what is built already, in parts that may run at once: they write no file in common. The early ones need nothing that
# dev/build.sh makes.
EARLY_CHECKS = plugins-check-c plugins-check-python
BUILT_CHECKS = plugins-examine plugins-check-swift
.PHONY: plugins-check $(EARLY_CHECKS) $(BUILT_CHECKS)
plugins-check: $(EARLY_CHECKS) $(BUILT_CHECKS)

plugins-check-c:
	@$(MAKE) --no-print-directory -C plugins/launcher test
	@/usr/bin/python3 -B plugins/sdk/tests/test_contract.py
	@plugins/sdk/c/check.sh

plugins-check-python:
	@plugins/sdk/python/check.sh

plugins-examine:
	@plugins/examine.sh

plugins-check-swift:
	@plugins/sdk/swift/check.sh
	@dev/run-page.sh docs/extend/write-in-swift.md || [ $$? -eq 77 ]

.PHONY: build
build: setup ## release build of assayd and assay
	$(SWIFT) build $(RELEASE) --product assayd
	$(SWIFT) build $(RELEASE) --product assay

.PHONY: run
run: build ## run the daemon in the foreground (CONFIG=assayd.yaml)
	.build/release/assayd --config $(CONFIG)

.PHONY: format
format: ## format every Swift file in place
	@$(WRITTEN) | xargs -0 $(SWIFT) format --in-place --parallel

.PHONY: lint
lint: ## formatting, imports, places of platforms, text comparisons, words, links, pages of methods and of performance, a release's texts
	@$(WRITTEN) | xargs -0 $(SWIFT) format lint --strict --parallel
	@echo "format: every file is as the formatter would write it"
	@dev/check-modules.sh
	@dev/check-platforms.sh
	@dev/check-text.sh
	@dev/check-words.sh
	@dev/check-links.sh
	@dev/write-rpc-pages.py --check
	@dev/write-performance-page.py --check
	@dev/package/check-texts.sh

.PHONY: proto
proto: ## generate Swift and Python from proto/
	@dev/generate-protos.sh

.PHONY: openapi
openapi: setup ## write docs/openapi.yaml, the interface over HTTP, from the declared methods and proto/, and its pages
	@$(BUILD) --product assay
	@.build/debug/assay openapi > docs/openapi.yaml.new && mv docs/openapi.yaml.new docs/openapi.yaml
	@dev/write-rpc-pages.py

.PHONY: proto-check
proto-check: ## is the generated code fresh? needs no tools
	@dev/check-protos.sh

TIME = 60
.PHONY: fuzz
fuzz: setup setup-plugins ## drive each decoder with made-up input for TIME seconds each (default 60)
	dev/fuzz.sh $(TIME)

# Repeats the choices of an earlier run.
SEED =
.PHONY: crash-test
crash-test: setup ## kill, starve and restore the daemon under load for TIME seconds, and compare (SEED=n repeats)
	@SWIFT="$(SWIFT)" dev/crash-test.sh $(TIME) $(SEED)

# The number of rounds; empty: each fault once.
ROUNDS =
.PHONY: failover-test
failover-test: setup-tests ## let daemons, servers and network of a shared ledger fail under load in ROUNDS rounds, and compare (SEED=n repeats)
	@SWIFT="$(SWIFT)" dev/failover-test.sh "$(ROUNDS)" "$(SEED)"

# An assayd, or a revision, which is built first. Default: the last tag.
FROM =
.PHONY: upgrade-test
upgrade-test: setup-tests ## exchange daemons of an earlier version (FROM=revision or assayd) for this one's under load, and compare (SEED=n repeats)
	@SWIFT="$(SWIFT)" dev/upgrade-test.sh "$(FROM)" "$(SEED)"

.PHONY: http-clients
http-clients: setup-tests ## run real clients and proxies (gRPC, Connect, curl, nginx, Envoy, Caddy, Traefik) against a daemon that listens over HTTP
	@$(BUILD) --product assayd
	@$(BUILD) --product assay
	@dev/http-clients.sh

# Languages of clients/, and curl for rpc-pages; empty: all. One whose tool chain is not here is named, and not run.
LANGUAGES =
.PHONY: clients
clients: setup ## run the conformance suite and the tests of each client in clients/ (LANGUAGES="python go")
	@$(BUILD) --product assayd
	@$(BUILD) --product assay
	@$(BUILD) --product client-conformance-driver
	@clients/conformance/run.py $(LANGUAGES)

.PHONY: clients-phone
clients-phone: setup ## test what runs in apps on phones (clients/ios, clients/android), with a daemon where they can
	@$(BUILD) --product assayd
	@$(BUILD) --product assay
	@for part in clients/ios clients/android; do \
	    [ ! -x $$part/check.sh ] || PATH="$(CURDIR)/.build/debug:$$PATH" SWIFT="$(SWIFT)" $$part/check.sh || [ $$? -eq 77 ] || exit 1; \
	done

# The client that needs no tool chain, with what is built already, and the requests of the pages that need none. 77: PyYAML is missing, which is said.
.PHONY: clients-check
clients-check:
	@clients/conformance/run.py python
	@dev/write-rpc-pages.py --run curl python || [ $$? -eq 77 ]

.PHONY: rpc-pages
rpc-pages: ## compile and run every request in docs/reference/rpc, in each language whose tool chain is here (LANGUAGES="python go")
	@dev/write-rpc-pages.py --run $(LANGUAGES)

.PHONY: result-verifiers
result-verifiers: setup-tests ## verify signed results of every shape, and status lists, with joserfc, PyJWT, cwt, pycose, Node.js and OpenSSL
	@$(BUILD) --product assayd
	@$(BUILD) --product assay
	@dev/result-verifiers.sh

# The number of requests.
CASES = 10000
.PHONY: http-schema
http-schema: setup-tests ## compare a daemon's answers with the OpenAPI document by at least CASES made-up requests (default 10000)
	@$(BUILD) --product assayd
	@$(BUILD) --product assay
	@dev/http-schema.sh --cases $(CASES)

.PHONY: http-hostile
http-hostile: setup-tests build ## attack a daemon that listens over HTTP: floods, bombs, smuggling, slow and silent peers; measure memory, processor, honest calls
	@dev/http-hostile.sh --assayd .build/release/assayd --slow

# How many requests are sent to each daemon.
REQUESTS = 10000
.PHONY: compare-fronts
compare-fronts: build ## send REQUESTS made-up requests (default 10000) over frames, gRPC and JSON to three daemons, and compare (SEED=n repeats)
	$(SWIFT) build --package-path Benchmarks $(RELEASE) --product front-comparison
	Benchmarks/.build/release/front-comparison --daemon .build/release/assayd --requests $(REQUESTS) $(if $(SEED),--seed $(SEED))

BENCHMARK = Benchmarks/.build/release/daemon-benchmark
BUILD_BENCHMARK = $(SWIFT) build --package-path Benchmarks $(RELEASE) --product daemon-benchmark

# QUICK=1: fewer rounds. JSON=file keeps the figures. CHECK=1 fails unless every bar is held.
QUICK =
JSON =
CHECK =
.PHONY: bench
bench: setup-tests build ## every hot operation of the daemon against its raw operations, in one table (QUICK=1: in two minutes)
	$(BUILD_BENCHMARK)
	$(BENCHMARK) table --daemon .build/release/assayd $(if $(QUICK),--quick) $(if $(JSON),--json $(JSON)) $(if $(CHECK),--check)

# Counts are kept for each toolchain and architecture, such as swift-6.3.1-RELEASE-x86_64.
TOOLCHAIN = $(shell $(SWIFT) --version 2>/dev/null | awk -F'[()]' '/Swift version/ { print $$2; exit }')-$(shell uname -m)
UPDATE =
.PHONY: bench-check
bench-check: build ## instructions and allocations of each hot operation, within 2 % of those kept for this toolchain (UPDATE=1 keeps these)
	@command -v valgrind >/dev/null || { echo "valgrind is missing: apt install valgrind" >&2; exit 1; }
	@command -v strip >/dev/null || { echo "strip is missing: apt install binutils" >&2; exit 1; }
	$(BUILD_BENCHMARK)
	$(BENCHMARK) counts --daemon .build/release/assayd --counts Benchmarks/counts/$(TOOLCHAIN).json $(if $(UPDATE),--update)

.PHONY: bench-profile
bench-profile: build ## where the daemon's CPU goes while it accepts assertions, by perf, in Benchmarks/results/profile.json
	@command -v perf >/dev/null || { echo "perf is missing: apt install linux-perf" >&2; exit 1; }
	$(BUILD_BENCHMARK)
	$(BENCHMARK) profile --daemon .build/release/assayd --output Benchmarks/.build/assertion.perf
	@dev/write-performance-page.py --profile Benchmarks/.build/assertion.perf

.PHONY: bench-latency
bench-latency: build ## how long verdicts take at half of the highest rate, also through reloads, new lists and a standby's death (JSON, CHECK)
	@dev/bench-latency.py $(if $(JSON),--json $(JSON)) $(if $(CHECK),--check)

.PHONY: bench-file-growth
bench-file-growth: build ## the cost of an assertion while a ledger in a file grows to ten million devices (DEVICES=n), memory, and start
	$(BUILD_BENCHMARK)
	$(BENCHMARK) file-growth --daemon .build/release/assayd $(if $(filter command line environment,$(origin DEVICES)),--devices $(DEVICES)) --rounds 5 $(if $(JSON),--json $(JSON))

.PHONY: bench-page
bench-page: ## write the figures and plots of docs/reference/performance.md and README.md from Benchmarks/results
	@dev/write-performance-page.py

.PHONY: bench-assertions
bench-assertions: build ## the daemon's CPU per accepted assertion, in raw P-256 verifications of the same run
	$(BUILD_BENCHMARK)
	$(BENCHMARK) --daemon .build/release/assayd

.PHONY: bench-certificates
bench-certificates: build ## the daemon's CPU per certificate bundle and per issued certificate, in raw P-256 operations of the same run
	$(BUILD_BENCHMARK)
	$(BENCHMARK) bundle --daemon .build/release/assayd
	$(BENCHMARK) certificate --daemon .build/release/assayd
	$(BENCHMARK) certificate --fleet --daemon .build/release/assayd

.PHONY: bench-fronts
bench-fronts: build ## the daemon's CPU per accepted assertion over gRPC and JSON, against the framed protocol in the same run
	$(BUILD_BENCHMARK)
	$(BENCHMARK) fronts --daemon .build/release/assayd --in-flight 32
	$(BENCHMARK) fronts --daemon .build/release/assayd --in-flight 128

.PHONY: bench-results
bench-results: build ## what a signed Entity Attestation Result adds to the daemon's CPU per accepted assertion, in raw P-256 verifications
	$(BUILD_BENCHMARK)
	$(BENCHMARK) results --daemon .build/release/assayd

.PHONY: bench-captures
bench-captures: build plugins ## CPU of an upload of 800 chunks, of a depth map and of a chain of 450 frame hashes, against their bounds
	$(BUILD_BENCHMARK)
	@$(MAKE) --no-print-directory -s -C plugins/video-chain vendor
	@mkdir -p .build/bench-captures
	@/usr/bin/python3 -B plugins/scene-depth/tests/vectors.py . >.build/bench-captures/scene-depth.json
	@/usr/bin/python3 -B plugins/video-chain/tests/vectors.py . >.build/bench-captures/video-chain.json
	$(BENCHMARK) captures --daemon .build/release/assayd \
	    --depth-plugin plugins/scene-depth/.build/scene-depth --depth-cases .build/bench-captures/scene-depth.json \
	    --chain-plugin plugins/video-chain/main.py --chain-cases .build/bench-captures/video-chain.json

.PHONY: bench-shared
bench-shared: setup-tests build ## CPU of daemons and database per accepted assertion, with 1 to 3 daemons on PostgreSQL and one on SQLite
	$(BUILD_BENCHMARK)
	$(BENCHMARK) shared --daemon .build/release/assayd
	$(BENCHMARK) shared --daemon .build/release/assayd --standby

# The number of devices at the end.
DEVICES = 1000000
.PHONY: bench-growth
bench-growth: setup-tests build ## the same while a ledger on PostgreSQL grows to DEVICES devices (default a million), and its sizes
	$(BUILD_BENCHMARK)
	$(BENCHMARK) growth --daemon .build/release/assayd --devices $(DEVICES) --rounds 5

# What a call to a plugin costs, for each language.
.PHONY: bench-plugins
bench-plugins: plugins ## a call to a plugin in C, Python and Swift, in raw P-256 verifications of the same run
	$(BUILD_BENCHMARK)
	@$(MAKE) --no-print-directory -s -C plugins/template-swift
	@for plugin in plugins/template-c/.build/example-hmac plugins/template-swift/.build/release/example-hmac "/usr/bin/python3 -I -B $(CURDIR)/plugins/template-python/main.py"; do \
	    echo "$$plugin"; $(BENCHMARK) plugin -- $$plugin || exit 1; done

# Builds take a folder of their own, since their flags differ (dev/package/build.sh). REVISION=n is the package's.
.PHONY: package-programs
package-programs: setup setup-plugins
	@SWIFT="$(SWIFT)" dev/package/build.sh

.PHONY: deb
deb: package-programs ## a Debian package of daemon, command line and launcher, in .build/packages
	@dev/package/deb.sh

.PHONY: tarball
tarball: package-programs ## a static, reproducible tarball with SBOM, in .build/packages
	@dev/package/tarball.sh

.PHONY: package-test
package-test: deb tarball ## what a release consists of: install, upgrade and purge the package; tarball, image, signature, first verdict, manifests
	@dev/package/test-tarball.sh
	@for part in first-verdict release deb container manifests; do dev/package/test-$$part.sh || [ $$? -eq 77 ] || exit 1; done

# The releaser's OpenPGP key, as gpg names it; without it the release is not signed. ADDRESS is where the sources of this revision can be read.
KEY =
ADDRESS =
.PHONY: release
release: ## a release in .build/packages/release, from a clean tree: packages, image, SBOM, notes, checksums, signature (KEY=fingerprint)
	@KEY="$(KEY)" ADDRESS="$(ADDRESS)" dev/package/release.sh --check
	@$(MAKE) --no-print-directory setup
	@SWIFT="$(SWIFT)" KEY="$(KEY)" ADDRESS="$(ADDRESS)" dev/package/release.sh

# Two builds from clean folders at different paths. Takes half an hour.
.PHONY: reproduce
reproduce: tarball ## build the tarball a second time elsewhere, and compare the digests
	@SWIFT="$(SWIFT)" dev/package/reproduce.sh

# Comes with every Swift toolchain.
CLANG ?= clang
COUNTER = Benchmarks/.build/allocation-counter.so
.PHONY: bench-allocations
bench-allocations: build ## the daemon's heap allocations per accepted assertion
	@mkdir -p $(dir $(COUNTER))
	$(CLANG) -O2 -Wall -Wextra -Werror -shared -fPIC -o $(COUNTER) Benchmarks/allocation-counter.c
	$(BUILD_BENCHMARK)
	$(BENCHMARK) --daemon .build/release/assayd --count-allocations $(COUNTER)

.PHONY: clean
clean: ## remove what was built
	rm -rf .build .build-package .build-protoc Benchmarks/.build
