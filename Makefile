# make run      build cblite, make a sample database once, and open it: at a terminal interactively, otherwise a tour of it is printed
# make test     build and run every test
# make dependency-check   see that another package can depend on this one by URL and version
# make examples-check     see that the programs in Examples build likewise, and work
# make fuzz MINUTES=60    try inputs on every reader of outside bytes, guided by coverage
# make soak HOURS=3    four replicas and a gateway for hours, with cuts, kills and conflicts: does anything grow? (GATEWAY=ws://127.0.0.1:4984/db)
# make bench    measure against the table in Benchmarks/README.md (see there)
# make bench-sizes SIZES=documents-10m    databases that are large in one way: import, queries, indexes, sync, check, archives, compaction
# make bench-library       measure what an app does in its own process (see there)
# make install  PREFIX=/usr/local DESTDIR=    with SHARED=1, as with all that build it, SQLite and Nettle are the system's own
# make deb      a Debian package, in .build/packages
# make dist     a tarball for machines without a toolchain, likewise
# make start-order         write anew which functions a start needs, by which they are linked side by side: after much has changed
# make package-check      see that both work, the package in a small Debian of its own
# make format   format every source file
# make docs     write what is generated anew (man page, completions, docs/sqlpp-functions.md, tests of the guides), and build the
#               library's documentation into .build/docs

PREFIX  ?= /usr/local
DESTDIR ?=
SWIFT   ?= swift

PACKAGES = libsqlite3-dev libicu-dev libstemmer-dev nettle-dev libedit-dev zlib1g-dev libcurl4-gnutls-dev libgnutls28-dev duktape-dev
# A target that imports what it does not declare builds by accident, if something else had it built before. SwiftPM finds what is not below a
# target at all; the rest is for imports-check.
STRICT   = -Xswiftc -warnings-as-errors --explicit-target-dependency-import-check error
# What every start would load is linked statically: to look up the symbols of the C++ library that the Swift runtime needs takes as long as to list
# a document, and those of SQLite, Nettle and the compiler's own library half as long. zlib is small. The linker takes the archives because it finds them
# in a directory of their own. SHARED=1 leaves SQLite and Nettle where Debian's updates reach them, for 0.3 ms of each start.
STATIC   = $(CURDIR)/.build/static$(if $(SHARED),-shared)
ARCHIVES = libstdc++.a libz.a $(if $(SHARED),,libsqlite3.a libnettle.a)
# Relative relocations are packed: there are forty thousand of them. Nobody asks the program for its symbols, among which the loader would look for
# each of a library's, nor are libraries looked for beside it.
# What runs in a short command lies together (Packaging/start-order.txt; `make start-order` writes it anew): its pages are few.
# Types are found through functions and not through their names, which the runtime would take apart, and then search all types for what they conform to:
# that was a quarter of a start.
# The same sources give the same program in whatever folder they lie, when its symbols are stripped: without the compiler's notes on what it was called
# with, and without the linker's digest, which is also of the symbols.
RELEASE  = -c release --static-swift-stdlib --disable-local-rpath -Xlinker -L$(STATIC) \
           -Xswiftc -use-ld=lld -Xswiftc -Xclang-linker -Xswiftc -static-libgcc -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic \
           -Xswiftc -Xfrontend -Xswiftc -disable-concrete-type-metadata-mangled-name-accessors \
           -Xswiftc -Xfrontend -Xswiftc -function-sections \
           -Xlinker --symbol-ordering-file=$(CURDIR)/Packaging/start-order.txt -Xlinker --no-warn-symbol-ordering \
           -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen -Xlinker --build-id=none
BINARY   = .build/release/cblite
SAMPLE   = .build/samples/travel.cblite2
SOURCES  = Package.swift Sources Tests Benchmarks Examples Extras

.PHONY: run build test fuzz soak imports-check files-check dependency-check examples-check bench bench-sizes bench-library install deb dist start-order package-check format format-check docs generated documentation docs-check packages clean

run: build $(SAMPLE)
	@if [ -t 0 ] && [ -t 1 ]; then exec $(BINARY) --writeable $(SAMPLE); else \
	    $(BINARY) tour $(SAMPLE) && printf '\nThe database is $(SAMPLE). Next: cblite help, or man cblite.\n'; fi

# The package manager does not see that an archive was updated.
build: packages $(STATIC)
	@[ -z "$$(find -L $(STATIC)/ -name '*.a' -cnewer $(BINARY) 2>/dev/null)" ] || rm -f $(BINARY)
	@$(SWIFT) build $(STRICT) $(RELEASE) --product cblite

$(STATIC): Makefile
	@mkdir -p $@
	@for name in $(ARCHIVES); do \
	    archive=$$(find -L /usr/lib/gcc/$$(uname -m)-linux-gnu /usr/lib/$$(uname -m)-linux-gnu -maxdepth 2 -name $$name | sort -V | tail -1); \
	    [ -z "$$archive" ] || ln -sf "$$archive" $@/; \
	done
	@touch $@

# The sample is made by the program itself, once; remove .build/samples to have it made again.
$(SAMPLE): | build
	@mkdir -p $(dir $@)
	@$(BINARY) generate sample $@

# So many tests run at a time: of all at once each would wait for all others whenever it waits for anything.
# The first makes the encrypted databases of 1.x that are read; the others are the network on which peers are found.
test: PACKAGES += sqlcipher libavahi-client3 avahi-daemon avahi-utils dbus iproute2 libdbus-1-3 gnome-keyring libsecret-tools
test: packages
	$(SWIFT) build $(STRICT) --build-tests
	SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 $(SWIFT) test $(STRICT) --skip-build

fuzz: packages
	@SWIFT="$(SWIFT)" MINUTES="$(MINUTES)" READERS="$(READERS)" Tests/fuzz.sh

soak: build
	@$(SWIFT) build $(STRICT) $(RELEASE) --product cblite-soak
	.build/release/cblite-soak $(CURDIR)/$(BINARY) $(CURDIR)/.build/soak $(or $(HOURS),3) $(or $(SEED),1) $(GATEWAY)

imports-check:
	Tests/imports.sh

files-check:
	Tests/files.sh

dependency-check:
	Tests/dependency.sh

examples-check:
	Tests/examples.sh

# The data set of ../shared/bench; BENCH='--vendor PATH' compares with the vendor's program, BENCH='--runs 3 import' does less.
bench: build
	@$(SWIFT) build $(STRICT) $(RELEASE) --product cblite-bench
	@mkdir -p .build/bench
	@[ -f .build/bench/users.json ] || python3 ../shared/bench/make-users.py 100000 > .build/bench/users.json
	@.build/release/cblite-bench --program $(BINARY) $(BENCH)

# SIZES says which; without it, which there are.
bench-sizes: build
	@$(SWIFT) build $(STRICT) $(RELEASE) --product cblite-bench-sizes
	@.build/release/cblite-bench-sizes --program $(BINARY) $(SIZES)

# BENCH='--vendor PROGRAM --runs 3 1a 3a' compares with another program that does the same.
bench-library: packages $(STATIC)
	@$(SWIFT) build $(STRICT) $(RELEASE) --product cblite-bench-library
	@.build/release/cblite-bench-library $(BENCH)

install: build
	install -s -Dm755 $(BINARY) $(DESTDIR)$(PREFIX)/bin/cblite
	install -Dm644 man/cblite.1 $(DESTDIR)$(PREFIX)/share/man/man1/cblite.1
	install -Dm644 completions/cblite.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/cblite
	install -Dm644 completions/cblite.zsh $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_cblite
	install -Dm644 completions/cblite.fish $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d/cblite.fish

# The libraries are needed to say from which packages they are.
deb dist: PACKAGES += dpkg-dev libavahi-client3 libdbus-1-3
deb: build
	@Packaging/deb.sh

dist: build
	@Packaging/dist.sh

start-order: PACKAGES += valgrind
start-order: build
	@Packaging/start-order.sh

package-check: PACKAGES += mmdebstrap
package-check: deb dist
	@Tests/packages.sh

format:
	$(SWIFT) format --in-place --recursive $(SOURCES)

format-check:
	$(SWIFT) format lint --strict --recursive $(SOURCES)

docs: generated documentation

# The generated files come from the declarations of the commands, and from the guides of the library.
generated: packages
	@$(SWIFT) build $(STRICT) --product cblite
	@mkdir -p man completions
	.build/debug/cblite generate man > man/cblite.1
	.build/debug/cblite generate bash > completions/cblite.bash
	.build/debug/cblite generate zsh > completions/cblite.zsh
	.build/debug/cblite generate fish > completions/cblite.fish
	.build/debug/cblite generate functions > docs/sqlpp-functions.md
	Tests/guides.sh

# Of a file that is new there is no difference: it must not be there.
docs-check: generated
	git diff --exit-code -- man completions docs/sqlpp-functions.md 'Tests/*Tests/Guides/*Guide.swift'
	@new=$$(git ls-files --others -- 'Tests/*Tests/Guides/*Guide.swift'); [ -z "$$new" ] || { echo "$$new is not in the repository" >&2; exit 1; }

# The pages of the library's modules, from what was built of them.
documentation: packages
	@$(SWIFT) build $(STRICT) --target CouchbaseLiteClassic
	Tests/documentation.sh

# Installs the Debian packages that are not there yet; says what it would need where it may not.
packages:
	@command -v $(SWIFT) >/dev/null || { echo "cblite needs a Swift 6 toolchain on the PATH (https://swift.org/install)" >&2; exit 1; }
	@missing=$$(for package in $(PACKAGES); do dpkg -s $$package >/dev/null 2>&1 || echo $$package; done | xargs); \
	[ -z "$$missing" ] && exit 0; \
	as_root=; [ "$$(id -u)" = 0 ] || as_root=sudo; \
	echo "installing $$missing" >&2; \
	{ $$as_root apt-get install -y --no-install-recommends $$missing >/dev/null 2>&1 \
	  || { $$as_root apt-get update -q >&2 && $$as_root apt-get install -y --no-install-recommends $$missing >&2; }; }

clean:
	rm -rf .build
