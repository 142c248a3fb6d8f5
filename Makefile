# lctools: build, check, install. `make` alone builds; `make demo` shows; `make check` tests.

PREFIX  ?= /usr/local
DESTDIR ?=
CARGO   ?= cargo

BINDIR  = $(DESTDIR)$(PREFIX)/bin
MANDIR  = $(DESTDIR)$(PREFIX)/share/man/man1
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR  = $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR = $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d

BINS  = evosci2lc lcjournal lcproject lcsnap
PAGES = $(notdir $(wildcard man/*.1))

# What the tests call beside the programs themselves.
TOOLS    = jq strace mandoc bash dash zsh fish
PACKAGES = jq strace mandoc bash dash zsh fish

STREAM = tests/fixtures/evosci/panel.jsonl
OUT    = target/release

# The campaigns: so many rounds.
ROUNDS ?= 50
CAMPAIGN = $(CARGO) test --locked --release

.PHONY: build demo check crash contention tools lint man install uninstall clean

build:
	$(CARGO) build --release --locked

# The main job on a stream that EvoScientist wrote: translate, journal, show.
demo: build
	@rm -f target/demo.jsonl*
	@$(OUT)/evosci2lc --fixed-clock 2026-08-24T09:00:00Z+250ms $(STREAM) | $(OUT)/lcjournal append target/demo.jsonl | $(OUT)/lcproject --tree

check: tools
	$(CARGO) test --locked

# Every system call of an append failed in turn, or the program killed there; a journal cut at every
# byte, a write at every length; a lock's holder killed at every step.
crash: tools
	$(CAMPAIGN) --test tests faults -- --include-ignored --nocapture
	$(CAMPAIGN) --lib cut_at_every_byte -- --ignored --nocapture
	$(CAMPAIGN) --lib journal::lock::tests::crash -- --include-ignored

# Sixteen writers, a third of them killed, one suspended; ten who want a dead owner's lock; another
# implementation. ROUNDS says how often.
contention:
	LC_ROUNDS=$(ROUNDS) $(CAMPAIGN) --test tests contention -- --include-ignored --nocapture
	$(CAMPAIGN) --lib journal::lock::tests::contention -- --include-ignored

# Installs what the tests call and is not there yet; as root, or through sudo.
tools:
	@missing=; for tool in $(TOOLS); do command -v $$tool >/dev/null || missing=1; done; \
	if [ -n "$$missing" ]; then \
	  root=; [ "$$(id -u)" = 0 ] || root=sudo; \
	  $$root apt-get update -qq && $$root apt-get install -y -qq $(PACKAGES); \
	fi

lint:
	$(CARGO) fmt --check
	$(CARGO) clippy --locked --all-targets -- -D warnings
	RUSTDOCFLAGS='-D warnings' $(CARGO) doc --locked --no-deps
	.ci/licences

man:
	$(CARGO) run --locked --example gen -- man

install: build
	install -d $(BINDIR) $(MANDIR) $(BASHDIR) $(ZSHDIR) $(FISHDIR)
	install -m 755 $(addprefix $(OUT)/,$(BINS)) $(BINDIR)
	install -m 644 $(addprefix man/,$(PAGES)) $(MANDIR)
	for bin in $(BINS); do \
	  install -m 644 man/completions/$$bin.bash $(BASHDIR)/$$bin && \
	  install -m 644 man/completions/_$$bin $(ZSHDIR)/_$$bin && \
	  install -m 644 man/completions/$$bin.fish $(FISHDIR)/$$bin.fish || exit 1; \
	done

# Removes exactly what `install` puts in place; folders stay.
uninstall:
	rm -f $(addprefix $(BINDIR)/,$(BINS)) $(addprefix $(MANDIR)/,$(PAGES))
	rm -f $(addprefix $(BASHDIR)/,$(BINS)) $(addprefix $(ZSHDIR)/_,$(BINS)) \
	  $(addsuffix .fish,$(addprefix $(FISHDIR)/,$(BINS)))

clean:
	$(CARGO) clean
