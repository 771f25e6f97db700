# Two commands do everything on a fresh Debian machine with a Rust toolchain and a C compiler:
#   make run    the main job: a baseline of this machine on the embedded engine
#   make test   everything that CI checks
SHELL := /bin/bash
CARGO ?= cargo
TARGET ?= sqlite:dbdyno-quick.sqlite

.PHONY: run test lint unit stories bench clean

run:
	$(CARGO) build --release
	target/release/dbdyno run quick --target $(TARGET)

test: lint unit stories
	@echo "all checks passed"

lint:
	$(CARGO) fmt --all --check
	$(CARGO) clippy --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --quiet

unit:
	$(CARGO) test --workspace --exclude dbdyno

# The binary as a user runs it, with real files and faults.
stories:
	$(CARGO) test -p dbdyno

# dbdyno beside its peers and its own cost; never part of the tests. One alone: make bench-NAME
bench: $(patsubst benches/%,bench-%,$(wildcard benches/*))

bench-%:
	bash benches/$*

clean:
	$(CARGO) clean
