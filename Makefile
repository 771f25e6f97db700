# Two commands do everything on a fresh Debian machine with a Rust toolchain and a C compiler:
#   make run    the main job: a baseline of this machine on the embedded engine
#   make test   everything that CI checks
SHELL := /bin/bash
CARGO ?= cargo
TARGET ?= sqlite:dbdyno-quick.sqlite
# Tests wait for servers and clocks more than they work.
SIDE_BY_SIDE := --test-threads=6

.PHONY: run test provoke robust servers lint tests oracle-sql versions bench clean

run:
	$(CARGO) build --locked --release
	target/release/dbdyno run quick --target $(TARGET)

# The last three wait for servers more than they work, so they go side by side.
test: servers lint tests
	$(MAKE) --jobs=3 --output-sync=target oracle-sql versions-postgres versions-mariadb
	@echo "all checks passed"

# Installs what the tests start: see the script.
servers:
	bash tests/servers

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --locked --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --locked --workspace --no-deps --quiet
	bash tests/packages

# Every room, the engines on the distribution's servers, and the binary as a user runs it, with real files and faults.
# Always the whole workspace: a part of it would have its dependencies built anew, with other features.
tests: servers
	$(CARGO) test --locked --workspace --no-fail-fast -- $(SIDE_BY_SIDE)

# What Oracle would be asked, judged by two grammars of PL/SQL, as no Oracle can be had: see the script.
oracle-sql:
	$(CARGO) test --locked --workspace --no-run --quiet
	bash tests/oracle_sql/check

# The engines again on further versions of their servers, where these can be had: all but what no version can change.
SAME := chunks_may several_jobs holds_what procedures_do points_leave a_second_dbdyno a_load_goes_on a_load_stops one_dbdyno what_is_not_ours a_changed_row \
    client::faults client::two_hundred client::sessions a_client_in what_a_client clients_can clients_are clients_take hosts_that
# Old versions wait for statistics more than they work, so the engines go side by side.
versions: servers
	$(CARGO) test --locked --workspace --no-run --quiet
	$(MAKE) --jobs=2 --output-sync=target versions-postgres versions-mariadb

versions-%:
	bash tests/servers each $* $(CARGO) test --locked --workspace --test $* -- $(SIDE_BY_SIDE) $(SAME:%=--skip %)

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

clean:
	$(CARGO) clean
