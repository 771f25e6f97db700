# Two commands do everything on a fresh Debian machine with a Rust toolchain and a C compiler:
#   make run    the main job: a baseline of this machine on the embedded engine
#   make test   everything that CI checks
SHELL := /bin/bash
CARGO ?= cargo
TARGET ?= sqlite:dbdyno-quick.sqlite

.PHONY: run test servers lint tests versions bench clean

run:
	$(CARGO) build --release
	target/release/dbdyno run quick --target $(TARGET)

test: servers lint tests versions
	@echo "all checks passed"

# Installs what the tests start: see the script.
servers:
	bash tests/servers

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

# Every room, the engines on the distribution's servers, and the binary as a user runs it, with real files and faults.
# Always the whole workspace: a part of it would have its dependencies built anew, with other features.
tests: servers
	$(CARGO) test --workspace

# The engines again on further versions of their servers, where these can be had.
versions: servers
	bash tests/servers each postgres $(CARGO) test --workspace --test postgres -- --test-threads=8
	bash tests/servers each postgres $(CARGO) test --workspace --lib -- postgres::
	bash tests/servers each mariadb $(CARGO) test --workspace --test mariadb
	bash tests/servers each mariadb $(CARGO) test --workspace --lib -- mariadb::

# dbdyno beside its peers and its own cost; never part of the tests. One alone: make bench-NAME
bench: $(patsubst benches/%,bench-%,$(filter-out benches/lib,$(wildcard benches/*)))

bench-%:
	bash benches/$*

clean:
	$(CARGO) clean
