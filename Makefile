# Two commands do everything on a fresh Debian machine with a Rust toolchain and a C compiler:
#   make run    the main job: a baseline of this machine on the embedded engine
#   make test   everything that CI checks
# and `make test-all` runs the tests that take long as well, for an hour: before a release.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
CARGO ?= cargo
TARGET ?= sqlite:dbdyno-quick.sqlite
# Tests of one program that are run at a time, and programs: tests wait for servers and clocks more than they work.
SIDE_BY_SIDE := --test-threads=4
PROGRAMS_SIDE_BY_SIDE := 3

.PHONY: run test test-all ready provoke robust servers lint tests programs oracle-sql versions bench dist check-dist clean

run:
	$(CARGO) build --locked --profile fast-build
	target/fast-build/dbdyno run quick --target $(TARGET)

test: ready
	$(MAKE) tests
	@echo "all checks passed; make test-all runs those that take long as well"

test-all: ready
	bash tests/servers versions
	$(MAKE) tests LONG=run
	@echo "all checks passed"

# Servers are fetched while code is looked at.
ready:
	$(MAKE) --jobs=2 --output-sync=line servers lint

# Installs what the tests start: see the script.
servers:
	bash tests/servers

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --quiet
	bash tests/packages

# What takes long is left out, or run as well: the tests of tests/long, and further versions of servers.
LONG := skip
LEFT_OUT := $(if $(filter run,$(LONG)),/dev/null,tests/long)
# What leaves out tests of programs.
without_long = $(addprefix --skip ,$(shell sed --quiet $(foreach program,$1,--expression 's/^$(program) //p') $(LEFT_OUT)))

# Every room, the engines on each version of their servers, the binary as a user runs it, with real files and faults, and what
# Oracle would be asked. The longest check begins first; those whose figures others would change come last, one by one. What a
# check says is printed when it ends, and its failure stops no other. At the end tests that failed are run once more, by
# themselves, and it is said what came of all: tests/outcome.
BESIDE_OTHERS := stories-servers stories short $(if $(filter run,$(LONG)),versions-postgres versions-mariadb) docs units stories-watching \
    provoked postgres mariadb tls pipeline oracle-sql robust documents oracle_portable hostile allocations
ALONE := latency measure storage provoked-alone stories-alone
SAID := $(or $(CARGO_TARGET_DIR),target)/said

tests: programs
	@$(MAKE) --keep-going --jobs=$(PROGRAMS_SIDE_BY_SIDE) --output-sync=target $(BESIDE_OTHERS:%=check-%) || true; \
	$(MAKE) --keep-going $(ALONE:%=check-%) || true; \
	MAKE="$(MAKE)" bash tests/outcome $(SAID) $(LEFT_OUT)

# All at once, and always of the whole workspace: a part of it would have its dependencies built anew, with other features.
programs: servers
	@rm -rf $(SAID) && mkdir -p $(SAID)
	$(CARGO) test --locked --workspace --no-run 2>&1 | tee $(SAID)/programs

# A check by its name, which is that of a program of tests where nothing else is said below. AGAIN names single tests.
TESTS := $(CARGO) test --locked --workspace --no-fail-fast
check-%:
	@mkdir -p $(SAID)
	@from=$$SECONDS; code=0; \
	$(or $(CHECK),$(TESTS) --test $* -- $(SIDE_BY_SIDE) $(call without_long,$*)) $(AGAIN) 2>&1 | tee $(SAID)/$* || code=$$?; \
	echo "$* $$((SECONDS - from))" >> $(SAID)/seconds; \
	if ((code > 0)); then touch $(SAID)/$*.failed; fi; exit $$code

PROVOKED = $(TESTS) --test provoked -- $(SIDE_BY_SIDE) $(call without_long,provoked)
check-provoked: CHECK = $(PROVOKED) --skip alone::
check-provoked-alone: CHECK = $(PROVOKED) alone::
# The longest program by far: in three parts, so that all processors are at work to its end.
STORIES = $(TESTS) --test stories -- $(SIDE_BY_SIDE) $(call without_long,stories)
WATCHING := watching:: fleet gallery:: page::
check-stories-servers: CHECK = $(STORIES) --skip alone:: on_servers:: $(WATCHING:%=--skip %)
check-stories-watching: CHECK = $(STORIES) --skip alone:: $(WATCHING)
check-stories: CHECK = $(STORIES) --skip alone:: --skip on_servers:: $(WATCHING:%=--skip %)
check-stories-alone: SIDE_BY_SIDE = --test-threads=1
check-stories-alone: CHECK = $(STORIES) alone::
check-units: CHECK = $(TESTS) --lib --bins --example judge -- $(SIDE_BY_SIDE) --skip measure::tests $(call without_long,dbdyno_[a-z]*)
# Windows of a fraction of a second, in which something must be done.
check-storage: CHECK = $(TESTS) --lib -- $(SIDE_BY_SIDE) measure::tests
check-documents: CHECK = $(TESTS) --doc
# The programs that no other check is about.
PROGRAMS := $(basename $(notdir $(wildcard tests/*.rs crates/*/tests/*.rs crates/engines/*/tests/*.rs))) \
    $(notdir $(patsubst %/main.rs,%,$(wildcard tests/*/main.rs crates/*/tests/*/main.rs)))
SHORT := $(filter-out $(BESIDE_OTHERS) $(ALONE),$(sort $(PROGRAMS)))
check-short: CHECK = $(TESTS) $(SHORT:%=--test %) -- $(SIDE_BY_SIDE) $(call without_long,$(SHORT))
# The SQL for Oracle, judged by two grammars of PL/SQL, as no Oracle can be had: see the script.
check-oracle-sql: CHECK = bash tests/oracle_sql/check
# The engines again on further versions of their servers, where these can be had: all but what no version can change.
SAME := chunks_may several_jobs holds_what procedures_do points_leave a_second_dbdyno a_load_goes_on a_load_stops one_dbdyno what_is_not_ours a_changed_row \
    client::faults client::two_hundred client::sessions a_client_in what_a_client clients_can clients_are clients_take hosts_that
check-versions-%: CHECK = bash tests/servers each $(@:check-versions-%=%) $(TESTS) --test $(@:check-versions-%=%) -- $(SIDE_BY_SIDE) $(SAME:%=--skip %)

oracle-sql: programs check-oracle-sql
# Old versions wait for statistics more than they work, so the engines go side by side.
versions: programs
	bash tests/servers versions
	$(MAKE) --jobs=2 --output-sync=target check-versions-postgres check-versions-mariadb

# Every provocation of tests/provoked, those that take minutes too.
provoke: servers
	$(CARGO) test --locked --workspace --test provoked -- --include-ignored --test-threads=1

# Hundreds of kills of dbdyno and of servers under it, of which the tests do a few: about twenty minutes.
robust: servers
	$(CARGO) test --locked --workspace --test robust -- --ignored --nocapture --test-threads=5

# dbdyno beside its peers and its own cost; never part of the tests. One alone: make bench-NAME
bench: $(patsubst benches/%,bench-%,$(filter-out benches/lib,$(wildcard benches/*)))

bench-%:
	bash benches/$*

bench-package_vs_build: dist
	bash benches/package_vs_build

# What users install: see docs/install.md.
dist:
	bash packaging/tools
	bash packaging/build

# Each package on a system that has nothing of Rust, with the main job.
check-dist: dist
	bash tests/dist/check

clean:
	$(CARGO) clean
