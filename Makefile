# caprun. `make help` lists the targets; CONTRIBUTING.md says how the pieces fit.

VERSION := $(shell sed -n 's/^.define CAPRUN_VERSION "\(.*\)"/\1/p' host/caprun.h)
PREFIX ?= /usr/local
DESTDIR ?=
WERROR ?= 1

# Each variant has a separate folder, so that switching needs no clean.
VARIANT ?=
B := build$(if $(VARIANT),/$(VARIANT))
G := $(B)/gen
ENGINE := build/engine
CJSON := build/cjson
NPM := build/npm

CC ?= gcc
ifeq ($(origin CC),default)
CC := gcc
endif

warnings := -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wformat=2 -Wwrite-strings \
	-Wpointer-arith -Wcast-qual -Wconversion -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wredundant-decls -Wswitch-enum -Wimplicit-fallthrough \
	$(if $(filter 1,$(WERROR)),-Werror)
hardening := -fstack-protector-strong -fno-common -fvisibility=hidden -D_FORTIFY_SOURCE=2 \
	$(if $(filter x86_64,$(shell uname -m)),-fcf-protection)
common := -std=gnu11 -D_GNU_SOURCE -O2 -g $(hardening) -MMD -MP
link_hardening := -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack

# Flags of the variants. ASan needs system calls that the worker's filter forbids; so the worker is
# built with UBSan in trap mode, under its real filter. Coverage is measured for our code, not for the
# engine; a locked worker counts in a file that was mapped before: tests/cover/shared.c.
ifeq ($(VARIANT),asan)
host_variant := -O1 -U_FORTIFY_SOURCE -fsanitize=address,undefined -fno-sanitize-recover=all \
	-fno-omit-frame-pointer
worker_variant := -fsanitize=undefined -fsanitize-undefined-trap-on-error
guard_variant := $(worker_variant)
endif
# Measures the turns of the loop, and replaces calls that can block: host/base/watchdog.h.
ifeq ($(VARIANT),watchdog)
host_variant := -U_FORTIFY_SOURCE -DCR_WATCHDOG
host_extra := $(B)/tests/watchdog.o
watch_calls = $(Q)objcopy --redefine-syms=tests/watchdog/calls $@
endif
ifeq ($(VARIANT),cover)
host_variant := -O0 -U_FORTIFY_SOURCE --coverage
worker_variant := --coverage -fdata-sections -fprofile-filter-files='^runtime/.*'
worker_extra := $(B)/tests/shared.o
worker_link := -Wl,-T,tests/cover/counters.ld
worker_libs := $(shell $(CC) -print-file-name=libgcov.a)
endif

# V=1 shows the commands.
Q := $(if $(V),,@)
say = $(if $(V),,@echo '  $(1)' $@)

lto := $(if $(VARIANT),,-flto=auto -ffat-lto-objects)

# The rooms of the host, one line each: the other rooms that a room may include. "wire" is the headers
# that the host shares with the worker. Each room is compiled with a folder of links to its rooms. All
# rooms except guard, fetch and cli form the library. "api" is the files in host/ itself; "tests" may
# include everything.
room_base :=
room_config := base
room_policy := base wire
room_http := base
room_registry := base http wire
room_guard :=
room_fetch := base http
room_mcp := base guard http wire
room_pool := base wire
room_doctor := base pool wire
room_run := base policy pool wire
room_route := base config registry policy mcp pool run wire
room_people := base policy run wire
room_journal := base policy pool run wire
room_audit := base policy pool run wire
room_capability := base config http registry policy pool run journal wire
room_types := base
room_cli := types base config http mcp people policy registry run journal audit capability

rooms := $(sort $(patsubst room_%,%,$(filter room_%,$(.VARIABLES))))
room_api := $(filter-out guard fetch cli,$(rooms)) wire
room_tests := $(rooms) wire
wire_headers := $(addprefix $(G)/shared/,wire.h run_limits.h probe_map.h versions.h)
room_flags = -I$(G)/rooms/$(1)

# The worker is a static program on musl: third_party/README.md says why. Kernel headers come last,
# after the C library's own.
arch := $(shell uname -m)
MUSL ?= /usr/lib/$(arch)-linux-musl
MUSL_INCLUDE ?= /usr/include/$(arch)-linux-musl
musl_flags = -nostdinc -isystem $(MUSL_INCLUDE) -isystem $(shell $(CC) -print-file-name=include) \
	-idirafter /usr/include -idirafter /usr/include/$(arch)-linux-gnu
musl_link = -nostdlib -static-pie $(link_hardening) $(MUSL)/rcrt1.o $(MUSL)/crti.o \
	$(shell $(CC) -print-file-name=crtbeginS.o)
musl_libs = $(worker_libs) $(MUSL)/libc.a $(shell $(CC) -print-file-name=libgcc.a) \
	$(shell $(CC) -print-file-name=crtendS.o) $(MUSL)/crtn.o

runtime_flags = $(common) $(worker_variant) -fPIE $(lto) $(musl_flags) -Iruntime -I$(G) -isystem $(ENGINE)
# For the engine, only the warnings that can show a wrong edit; none in variants with sanitizers.
engine_warnings := $(if $(VARIANT),-w,-Wuninitialized -Wmaybe-uninitialized $(if $(filter 1,$(WERROR)),-Werror))
engine_flags = $(common) $(worker_variant) -fPIE $(lto) $(musl_flags) $(engine_warnings) -fwrapv -Iruntime -I$(G)/engine -I$(ENGINE)

# The files of runtime/engine are included by engine.c.
runtime_src := $(filter-out runtime/engine.c runtime/filter_gen.c runtime/main.c,$(wildcard runtime/*.c runtime/console/*.c))
runtime_obj := $(runtime_src:%.c=$(B)/%.o)
web_headers := $(patsubst js/%.js,$(G)/%.h,$(wildcard js/web/*.js))
lib_src := $(wildcard host/*.c $(patsubst %,host/%/*.c,$(filter-out guard fetch cli,$(rooms))))
lib_obj := $(lib_src:%.c=$(B)/%.o) $(B)/host/wire.o $(host_extra)
cli_obj := $(patsubst %.c,$(B)/%.o,$(wildcard host/cli/*.c))
unit_tests := $(patsubst tests/unit/%.c,$(B)/tests/%,$(wildcard tests/unit/test_*.c))
bench_programs := $(addprefix $(B)/bench/,server_calls http_calls echo_server engine_alone engine_work)
gate_programs := $(B)/bench/worker_unlocked $(B)/bench/host_work
samples := $(patsubst samples/%.c,$(B)/samples/%,$(wildcard samples/*.c))

.DEFAULT_GOAL := all
.SECONDARY:
.DELETE_ON_ERROR:
.PHONY: all programs tools deps deps-check run check test test-deno hostile check-asan check-watchdog check-valgrind torture fuzz bench \
	bench-peers bench-deno bench-baseline lint format cover install uninstall dist clean help

all: deps ## build everything (the default); first installs missing packages
	@$(MAKE) --no-print-directory programs

programs: $(B)/caprun $(B)/caprun-worker $(B)/caprun-guard $(B)/caprun-fetch $(B)/libcaprun.a $(B)/libcaprun.so $(B)/THIRD_PARTY_LICENSES \
		$(B)/man/caprun.3 $(B)/man/caprun.json.5
	@:

deps: ## install missing Debian packages, and get the engine, cJSON and the npm packages
	@third_party/install-packages build
	@third_party/get-engine $(ENGINE)
	@third_party/get-cjson $(CJSON)
	@third_party/get-npm js $(NPM)

deps-check: deps
	@third_party/install-packages check

run: export CAPRUN_TRUST := 1
run: all ## build, and run two sample capabilities, one of them with the tools of a real MCP server
	@rm -f $(B)/caprun.lock
	cd $(B) && ./caprun acme.tools.text.summary $(CURDIR)/samples/args/text.summary.json --registry $(CURDIR)/samples/registry
	@third_party/get-npm samples/servers build/npm-servers
	@rm -rf build/run build/files && mkdir -p build/run build/files/texts
	@install -m 644 samples/config/tools.json build/run/.caprun.json
	@printf 'to be or\nnot to\n' >build/files/texts/one.txt
	@printf 'that is the question\n' >build/files/texts/two.txt
	cd build/run && $(CURDIR)/$(B)/caprun acme.tools.files.report $(CURDIR)/samples/args/files.report.json -v
	@cat build/files/report.md

# --- the worker ------------------------------------------------------------------------------

$(B)/caprun-worker: $(B)/runtime/main.o $(runtime_obj) $(B)/runtime/engine.o $(worker_extra) | $(B)/tools/.engine-checked
	$(call say,LINK)
	$(Q)$(CC) $(common) $(worker_variant) -fPIE $(lto) $(CFLAGS) $(musl_link) $(worker_link) $(LDFLAGS) -o $@ $(filter %.o,$^) $(musl_libs)

# If an edit cannot be made, the build stops.
engine_edits := $(wildcard third_party/edits/engine/*.edit)
$(G)/engine/quickjs.c: $(ENGINE)/.version third_party/apply-edits $(engine_edits)
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)third_party/apply-edits $(ENGINE)/quickjs.c $(engine_edits) >$@

# If the engine does not do what caprun relies on, the build stops.
$(B)/tools/.engine-checked: third_party/engine-check.c tests/fuzz/fuzz_decode.c $(B)/runtime/engine.o $(B)/runtime/arena.o \
		$(B)/runtime/mem.o
	@mkdir -p $(@D)
	$(call say,TEST)
	$(Q)$(CC) $(runtime_flags) $(warnings) -fno-lto $(CFLAGS) $(musl_link) -o $(B)/tools/engine-check \
		$(filter third_party/%.c %.o,$^) $(musl_libs)
	$(Q)$(B)/tools/engine-check || { echo "third_party/README.md says what to do with another engine." >&2; exit 1; }
	@touch $@

ifneq ($(VARIANT),watchdog)
$(B)/runtime/engine.o: runtime/engine.c $(G)/engine/quickjs.c Makefile
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(engine_flags) $(CFLAGS) -c -o $@ $<
else
# This variant changes only the host. The engine would be the same, and takes half a minute to compile.
$(B)/runtime/engine.o: build/runtime/engine.o
	@mkdir -p $(@D)
	$(call say,CP  )
	$(Q)cp $< $@

build/runtime/engine.o:
	@$(MAKE) --no-print-directory VARIANT= $@
endif

$(B)/runtime/%.o: runtime/%.c $(ENGINE)/.version Makefile | $(G)/filters.h $(G)/prelude.h $(web_headers)
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(runtime_flags) $(warnings) $(CFLAGS) -c -o $@ $<

# The tool that compiles the prelude needs these, so they must not depend on the prelude.
$(B)/runtime/arena.o: runtime/arena.c Makefile
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(runtime_flags) $(warnings) $(CFLAGS) -c -o $@ $<

$(B)/runtime/mem.o: runtime/mem.c Makefile
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(runtime_flags) $(warnings) $(CFLAGS) -fno-lto -fno-builtin -fno-tree-loop-distribute-patterns \
		-c -o $@ $<

$(G)/filters.h: $(B)/tools/filter_gen
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)$< >$@

$(B)/tools/filter_gen: runtime/filter_gen.c runtime/lockdown.h runtime/wire.h runtime/run_limits.h
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -O1 $(filter-out -Wpedantic,$(warnings)) -Iruntime -o $@ $< -lseccomp

$(G)/prelude.h: js/prelude.js $(B)/tools/compile
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)$(B)/tools/compile prelude $< >$@

# The web APIs: each entry is bundled with the npm packages it needs into one script, then compiled.
$(G)/web/%.js: js/web/%.js js/bundle.js $(wildcard js/web/shims/*.js js/web/schema/*.js) $(NPM)/.lock
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)node js/bundle.js $(NPM) $< $@

$(G)/web/%.h: $(G)/web/%.js $(B)/tools/compile
	$(call say,GEN )
	$(Q)$(B)/tools/compile $* $< >$@

$(B)/tools/compile: js/compile.c $(B)/runtime/engine.o $(B)/runtime/arena.o $(B)/runtime/mem.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(runtime_flags) $(warnings) -fno-lto $(musl_link) -o $@ $(filter %.c %.o,$^) $(musl_libs)

# The notices that third-party licences require in every copy.
$(B)/THIRD_PARTY_LICENSES: third_party/licences $(web_headers:.h=.js) $(ENGINE)/.version $(CJSON)/.version $(NPM)/.lock
	$(call say,GEN )
	$(Q)$< $(ENGINE) $(CJSON) $(NPM) $(filter %.js,$^) >$@

# The man pages whose facts are in the header, docs/config.md and docs/policy.md.
$(B)/man/caprun.3: docs/man/generate.js host/caprun.h samples/whole_program.c
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)node $< header host/caprun.h samples/whole_program.c >$@

$(B)/man/caprun.json.5: docs/man/generate.js docs/config.md docs/policy.md host/caprun.h
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)node $< config $(VERSION) $(filter %.md,$^) >$@

# The test-only worker: the same objects, with a hook for attacks by native code. Never installed.
$(B)/tests/caprun-worker-hook: tests/worker/hook.c tests/worker/steps.c $(B)/runtime/main.o $(runtime_obj) \
		$(B)/runtime/engine.o | tests/worker/wraps
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(runtime_flags) $(filter-out -Wpedantic,$(warnings)) -fno-lto $(CFLAGS) $(musl_link) \
		@tests/worker/wraps -o $@ $(filter %.c %.o,$^) $(musl_libs)

# The library looks for the guard in the folder of the worker.
$(B)/tests/caprun-guard: $(B)/caprun-guard
	@mkdir -p $(@D)
	$(call say,CP  )
	$(Q)cp $< $@

# Starts a program in an environment without some kernel feature that the sandbox uses.
$(B)/tests/restrict: tests/worker/restrict.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(common) $(warnings) $(CFLAGS) -o $@ $< -lseccomp

# --- the guard of a server ---------------------------------------------------------------------

# Static on musl as well: it is started with the server's environment, and must ignore LD_PRELOAD.
guard_flags = $(common) $(guard_variant) -fPIE $(musl_flags) $(call room_flags,guard)

$(B)/caprun-guard: $(B)/host/guard/guard.o
	$(call say,LINK)
	$(Q)$(CC) $(common) $(guard_variant) -fPIE $(CFLAGS) $(musl_link) $(LDFLAGS) -o $@ $< $(musl_libs)

$(B)/host/guard/%.o: host/guard/%.c Makefile | $(G)/rooms/.made
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(guard_flags) $(warnings) $(CFLAGS) -c -o $@ $<

# --- the host --------------------------------------------------------------------------------

$(G)/shared/%.h: runtime/%.h
	@mkdir -p $(@D)
	$(call say,CP  )
	$(Q)cp $< $@

$(G)/rooms/.made: Makefile
	@rm -rf $(G)/rooms && mkdir -p $(G)/rooms
	@$(foreach room,$(rooms) api tests,mkdir $(G)/rooms/$(room) && \
		ln -sr host/caprun.h $(G)/rooms/$(room)/caprun.h && \
		$(foreach seen,$(sort $(filter $(rooms),$(room_$(room)) $(room))),ln -sr host/$(seen) $(G)/rooms/$(room)/$(seen) &&) \
		$(if $(filter wire,$(room_$(room))),ln -sr $(wire_headers) $(G)/rooms/$(room) &&) ) true
	@touch $@

# The versions that a journal records: the engine, and a hash of our JavaScript.
$(G)/shared/versions.h: js/prelude.js $(web_headers:.h=.js) $(ENGINE)/.version
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)printf '#define CR_VERSIONS_ENGINE "quickjs-ng %s"\n#define CR_VERSIONS_PRELUDE "%s"\n' \
		"$$(cat $(ENGINE)/.version)" "$$(cat $(filter %.js,$^) | sha256sum | cut -c 1-16)" >$@

host_ready := $(G)/rooms/.made $(wire_headers)

# cJSON is compiled into json.o; no other file includes it.
$(G)/cjson/cJSON.c: third_party/edits/cjson/own-thread.edit
$(G)/cjson/cJSON.h: third_party/edits/cjson/hidden.edit
$(G)/cjson/cJSON.%: $(CJSON)/.version third_party/apply-edits
	@mkdir -p $(@D)
	$(call say,GEN )
	$(Q)third_party/apply-edits $(CJSON)/$(@F) $(filter %.edit,$^) >$@

$(B)/host/base/json.o: $(G)/cjson/cJSON.c $(G)/cjson/cJSON.h
$(B)/host/base/json.o: cjson_flags := -isystem $(G)/cjson

define host_room
$(B)/host/$(1)/%.o: host/$(1)/%.c Makefile | $(host_ready)
	@mkdir -p $$(@D)
	$$(call say,CC  )
	$$(Q)$$(CC) $$(common) $$(host_variant) -fPIC $(call room_flags,$(1)) $$(cjson_flags) $$(warnings) $$(CFLAGS) -c -o $$@ $$<
	$$(watch_calls)
endef
$(foreach room,$(filter-out guard,$(rooms)),$(eval $(call host_room,$(room))))

$(B)/host/%.o: host/%.c Makefile | $(host_ready)
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(common) $(host_variant) -fPIC $(call room_flags,api) $(warnings) $(CFLAGS) -c -o $@ $<
	$(watch_calls)

$(B)/host/wire.o: runtime/wire.c runtime/wire.h runtime/run_limits.h
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(common) $(host_variant) -fPIC -Iruntime $(warnings) $(CFLAGS) -c -o $@ $<

$(B)/tests/watchdog.o: tests/watchdog/watchdog.c Makefile | $(host_ready)
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(common) $(host_variant) -fPIC -Itests $(call room_flags,base) $(warnings) $(CFLAGS) -c -o $@ $<

$(B)/libcaprun.a: $(lib_obj)
	@rm -f $@
	$(call say,AR  )
	$(Q)ar rcs $@ $^

# Never unloaded: a thread of the application may be in caprun_wait() when dlclose() is called.
$(B)/libcaprun.so: $(lib_obj)
	$(call say,LINK)
	$(Q)$(CC) $(host_variant) $(CFLAGS) -shared -Wl,-soname,libcaprun.so.0 -Wl,--exclude-libs,ALL -Wl,-z,defs \
		-Wl,-z,nodelete \
		$(link_hardening) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) -l:libnettle.a
	@ln -sf libcaprun.so $@.0

$(B)/caprun: $(cli_obj) $(B)/libcaprun.a
	$(call say,LINK)
	$(Q)$(CC) $(host_variant) $(CFLAGS) -pie $(link_hardening) $(LDFLAGS) -o $@ $(filter %.c %.o %.a,$^) -l:libnettle.a

# The program that fetches one URL; it opens libcurl at run time.
$(B)/caprun-fetch: $(patsubst %.c,$(B)/%.o,$(wildcard host/fetch/*.c)) $(B)/libcaprun.a
	$(call say,LINK)
	$(Q)$(CC) $(host_variant) $(CFLAGS) -pie $(link_hardening) $(LDFLAGS) -o $@ $(filter %.o %.a,$^)

samples: all ## build the sample hosts of docs/embedding.md, in build/samples
	@$(MAKE) --no-print-directory sample_programs

sample_programs: $(samples)
	@:
.PHONY: samples sample_programs

$(B)/samples/%: samples/%.c host/caprun.h $(B)/libcaprun.so
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) -std=c99 -O2 -g $(host_variant) -Ihost $(warnings) $(CFLAGS) -pthread -o $@ $< \
		-L$(B) -lcaprun '-Wl,-rpath,$$ORIGIN/..'

# --- tests -----------------------------------------------------------------------------------

unit_flags = $(common) $(host_variant) -Itests/lib $(call room_flags,tests) -Iruntime -I$(G) -isystem $(ENGINE) $(warnings)

# Parts of the worker that tests can link.
worker_parts := $(B)/tests/arena.o $(B)/tests/random.o
$(worker_parts): $(B)/tests/%.o: runtime/%.c
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(common) $(host_variant) -Iruntime $(warnings) $(CFLAGS) -c -o $@ $<

$(B)/tests/%: tests/unit/%.c tests/lib/tap.h $(B)/libcaprun.a $(worker_parts) | $(host_ready) $(G)/filters.h
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(unit_flags) $(CFLAGS) -o $@ $< $(filter %.o,$^) $(B)/libcaprun.a -l:libnettle.a -lseccomp

# The program that tests of HTTP and the cache start.
$(B)/tests/fetch: tests/lib/fetch.c $(B)/libcaprun.a | $(host_ready)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(unit_flags) $(CFLAGS) -o $@ $< $(B)/libcaprun.a -l:libnettle.a

# Uses the worker's own objects and C library.
$(B)/tests/test_decode: tests/unit/test_decode.c tests/lib/tap.h tests/fuzz/fuzz_decode.c $(B)/runtime/engine.o \
		$(B)/runtime/arena.o $(B)/runtime/mem.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(runtime_flags) -Itests/lib $(warnings) -fno-lto $(CFLAGS) $(musl_link) -o $@ $< $(filter %.o,$^) $(musl_libs)

# The corpus test includes a fuzzer of the command's options and output.
$(B)/tests/test_corpus: $(addprefix $(B)/host/cli/,options.o output.o colour.o columns.o excerpt.o)
$(B)/tests/test_columns: $(B)/host/cli/columns.o
$(B)/tests/test_output: $(addprefix $(B)/host/cli/,output.o colour.o columns.o excerpt.o)
$(B)/tests/test_jsonc: $(B)/host/cli/jsonc.o
$(B)/tests/test_options: $(addprefix $(B)/host/cli/,options.o colour.o)

# Shares the counters of a locked worker; linked only in the variant cover.
$(B)/tests/shared.o: tests/cover/shared.c Makefile
	@mkdir -p $(@D)
	$(call say,CC  )
	$(Q)$(CC) $(common) -fPIE $(musl_flags) $(warnings) '-DCOUNTERS_FILE="$(CURDIR)/$(B)/counters"' $(CFLAGS) -c -o $@ $<

test_programs: programs sample_programs $(unit_tests) $(B)/tests/caprun-worker-hook \
		$(B)/tests/caprun-guard $(B)/tests/restrict $(B)/tests/fetch $(if $(VARIANT),,gate_programs)
	@:
.PHONY: test_programs

# CAPRUN_BUILD is the folder of the variant that the tests use.
run_tests = CAPRUN_BUILD=$(CURDIR)/$(B) XDG_STATE_HOME=$(CURDIR)/$(B)/state prove $(if $(VERBOSE),-v) --timer -e ''
# Many tests wait more than they compute, so the number of parallel tests is the processors plus one.
cores := $(shell nproc)
run_beside = $(run_tests) -j$(shell expr $(cores) + 1)
# Builds with all processors, unless make was called with -j.
build_tests = $(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j$(cores))

# These tests run alone. They check limits to a few milliseconds or measure how parallel runs slow each
# other down (deadline, fairness, together, bench, limits, series), or kill at times measured in an
# undisturbed run (lockdown, resume). All other tests run in parallel, the longest first.
tests_alone := $(patsubst %,tests/hostile/%.t,deadline fairness together) \
	$(patsubst %,tests/integration/%.t,bench limits lockdown resume series)
tests_long := tests/hostile/run.t $(patsubst %,tests/integration/%.t,mcp_faults bad_registry mcp_real completion journal_attacks)
tests_beside := $(tests_long) $(unit_tests) \
	$(filter-out $(tests_long) $(tests_alone),$(wildcard tests/integration/*.t tests/hostile/*.t tests/deno/*.t))
prove = $(run_beside) $(tests_beside) && $(run_tests) $(tests_alone)

# `make check`: all unit tests, and some integration tests of each room.
check_tests := tests/hostile/run.t tests/hostile/required.t tests/deno/suite.t $(unit_tests) \
	$(patsubst %,tests/integration/%.t,calls config exec golden journal journal_resume mcp mcp_pins registry samples threat_model)
check_some := CAPRUN_ATTACKS='bridge_answer frames_lengths native_leaves reach_eval values_rejected' \
	CAPRUN_DENO_TESTS=tests/deno/runtime_test.ts

# The tests that `make test` repeats with the watchdog: unit tests that step a loop, attacks that send
# something to the host, and tests with each kind of server and the largest values.
# `make check-watchdog` runs all tests with the watchdog.
watched_units := $(patsubst tests/unit/%.c,$(B)/tests/%,$(shell grep -lE \
	'cr_loop_step|caprun_step|(fake_runs|own_calls|servers)\.h|fuzz_server' tests/unit/test_*.c))
watched_tests := tests/hostile/run.t $(patsubst %,tests/integration/%.t,mcp_faults journal_attacks calls large_answers mcp_pins values) \
	$(watched_units)
watched_some := CAPRUN_ATTACKS='bridge frames native values'
watched_programs: programs $(watched_units) $(B)/tests/caprun-worker-hook $(B)/tests/caprun-guard
	@:
.PHONY: watched_programs

# Data for tests: a pinned Node, MCP servers, Deno, and public test data for URLs and encodings.
test-data:
	@third_party/get-npm tests/npm build/npm-tests || echo 'tests/integration/node.t and config_schema.t will be skipped' >&2
	@third_party/get-npm samples/servers build/npm-servers || echo 'tests of real MCP servers will be skipped' >&2
	@third_party/get-npm tests/deno build/npm-deno || echo 'tests of the binding for Deno will be skipped' >&2
	@tests/get-data build/data || :
.PHONY: test-data

check: deps test-data ## build and run all unit tests and some of the other tests (a minute, once built)
	@$(build_tests) test_programs
	$(check_some) $(run_beside) $(check_tests)

test: deps test-data ## build and run all tests
	@$(build_tests) test_programs
	$(prove)
	@$(build_tests) VARIANT=watchdog watched_programs
	@$(MAKE) --no-print-directory VARIANT=watchdog prove-watched

test-deno: all ## only the tests of the binding for Deno, with the newest and the oldest Deno from npm
	@third_party/get-npm tests/deno build/npm-deno
	$(run_tests) tests/deno/*.t tests/integration/deno.t

hostile: deps ## only the attacks on the sandbox (a minute)
	@$(build_tests) test_programs
	$(run_beside) $(filter tests/hostile/%,$(tests_beside)) && $(run_tests) $(filter tests/hostile/%,$(tests_alone))

check-asan: deps test-data ## the tests with AddressSanitizer and UBSan (the worker: UBSan in trap mode)
	@$(build_tests) VARIANT=asan test_programs
	ASAN_OPTIONS=allocator_may_return_null=1 CAPRUN_TEST_TIMEOUT_MULTIPLIER=4 \
		$(MAKE) --no-print-directory VARIANT=asan prove-variant

check-watchdog: deps test-data ## the tests with a watchdog: no turn of the loop may take over 20 ms, or block
	@$(build_tests) test_programs
	@$(build_tests) VARIANT=watchdog test_programs
	$(MAKE) --no-print-directory VARIANT=watchdog prove-variant

check-valgrind: deps-check ## unit tests and a run of the command under valgrind
	@$(build_tests) test_programs
	tests/valgrind $(B)

.PHONY: prove-variant prove-watched
prove-variant:
	$(prove)

prove-watched:
	$(watched_some) $(run_beside) $(watched_tests)

torture: deps test-data ## the tests, with the full number of repetitions
	@$(build_tests) test_programs
	CAPRUN_TORTURE=1 $(prove)

FUZZ_TIME ?= 60
fuzz: deps-check ## run each fuzzer for FUZZ_TIME seconds
	tests/fuzz/run $(FUZZ_TIME)

bench: deps-check all ## measure commands, runs, calls, answers, memory, scripts, each with its lower bound (BENCH=--json)
	@$(MAKE) --no-print-directory bench_programs
	@tests/bench/run $(B) $(BENCH)

bench-peers: deps all ## compare with others, from npm: Deno, isolated-vm, quickjs-emscripten, quickjs-wasi, Node
	@third_party/get-npm tests/npm build/npm-tests && third_party/get-npm tests/bench/peers build/npm-peers && \
		third_party/get-npm tests/deno build/npm-deno || echo 'bench-peers: some peers will not be measured' >&2
	@tests/bench/peers/run $(B) $(BENCH)

bench-deno: all ## compare the binding for Deno with a worker of Deno, in one process
	@third_party/get-npm tests/deno build/npm-deno
	@CAPRUN_LIB=$(CURDIR)/$(B)/libcaprun.so.0 tests/deno/deno run --quiet --allow-ffi --allow-read --allow-env=CAPRUN_LIB \
		--unstable-worker-options tests/bench/deno/bench.ts $(ROUNDS)

bench-baseline: all ## renew the instruction counts that tests/integration/instructions.t compares with
	@$(MAKE) --no-print-directory gate_programs
	@tests/bench/gate $(B) --renew

bench_programs: $(bench_programs)
	@:

gate_programs: $(gate_programs)
	@:
.PHONY: bench_programs gate_programs

# The lower bound: the engine as an ordinary program, with the system's C library.
$(B)/bench/engine_alone: tests/bench/engine_alone.c runtime/engine.c runtime/arena.c $(G)/engine/quickjs.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(common) -fPIE -pie -w -fwrapv -Iruntime -I$(G)/engine -I$(ENGINE) $(link_hardening) -o $@ \
		$(filter %.c,$(filter-out $(G)/%,$^)) -lm

$(B)/bench/echo_server: tests/bench/echo_server.c
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(common) $(warnings) $(CFLAGS) -o $@ $<

# Uses the worker's own objects, without a sandbox.
$(B)/bench/engine_work: tests/bench/engine_work.c host/cli/bench_scripts.c $(B)/runtime/engine.o $(B)/runtime/arena.o \
		$(B)/runtime/mem.o
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(runtime_flags) -Ihost -Ihost/cli $(warnings) -fno-lto $(CFLAGS) $(musl_link) -o $@ $(filter %.c %.o,$^) \
		$(musl_libs)

# An application: it uses only the public header.
$(B)/bench/server_calls: tests/bench/server_calls.c tests/bench/bench.h $(B)/libcaprun.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(common) $(host_variant) -Ihost $(warnings) $(CFLAGS) -o $@ $(filter %.c %.o %.a,$^) -l:libnettle.a

# The same; and it calls libcurl itself, to compare.
$(B)/bench/http_calls: tests/bench/http_calls.c tests/bench/bench.h $(B)/libcaprun.a
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(common) $(host_variant) -Ihost $(warnings) $(CFLAGS) -pthread -o $@ $(filter %.c %.o %.a,$^) \
		-l:libnettle.a -lcurl

# Parts of the host, for valgrind: it may include what unit tests include.
$(B)/bench/host_work: tests/bench/host_work.c $(B)/libcaprun.a | $(host_ready)
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(unit_flags) $(CFLAGS) -o $@ $< $(B)/libcaprun.a -l:libnettle.a

# The worker without its lock-down, for valgrind. It is never installed.
$(B)/bench/worker_unlocked: tests/bench/unlocked.c $(B)/runtime/main.o $(B)/runtime/engine.o \
		$(filter-out $(B)/runtime/lockdown.o $(B)/runtime/zygote.o,$(runtime_obj))
	@mkdir -p $(@D)
	$(call say,LINK)
	$(Q)$(CC) $(runtime_flags) $(warnings) -fno-lto $(CFLAGS) $(musl_link) -Wl,--wrap=read -Wl,--wrap=write \
		-o $@ $(filter %.c %.o,$^) $(musl_libs)

lint: deps-check ## warnings of gcc and clang, -fanalyzer, cppcheck, clang-tidy, shellcheck, headers, format, Deno's checks
	@third_party/get-npm tests/deno build/npm-deno
	@$(MAKE) --no-print-directory programs
	@LINT_WARNINGS='$(warnings)' LINT_HOST='-std=gnu11 -D_GNU_SOURCE -O2' \
		LINT_RUNTIME='-std=gnu11 -D_GNU_SOURCE -O2 $(musl_flags) -Iruntime -I$(G) -isystem $(ENGINE)' \
		tests/lint $(B)

format: deps-check ## clang-format and deno fmt everything
	@third_party/get-npm tests/deno build/npm-deno
	git ls-files '*.c' '*.h' | xargs clang-format -i
	git ls-files '*.ts' | xargs tests/deno/deno fmt --quiet --config host/bindings/deno/deno.json

cover: deps test-data ## line coverage of runtime/ and host/ by the tests (gcov), with the worker locked down
	@$(build_tests) VARIANT=cover test_programs
	@find build/cover -name '*.gcda' -delete
	@install -m 666 /dev/null build/cover/counters
	CAPRUN_TEST_TIMEOUT_MULTIPLIER=4 $(MAKE) --no-print-directory VARIANT=cover prove-variant
	tests/coverage build/cover

# --- installing ------------------------------------------------------------------------------

deno_files := $(notdir $(wildcard host/bindings/deno/*))
# The documents keep their places beside each other, so that links between them work.
doc_files := README.md SECURITY.md CHANGELOG.md $(wildcard docs/*.md)
man_files := docs/man/caprun.1 $(B)/man/caprun.3 $(B)/man/caprun.json.5
man_page = share/man/man$(subst .,,$(suffix $(1)))/$(notdir $(1))

install: all ## install below $(DESTDIR)$(PREFIX)
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec/caprun $(DESTDIR)$(PREFIX)/lib/pkgconfig \
		$(DESTDIR)$(PREFIX)/include $(addprefix $(DESTDIR)$(PREFIX)/share/man/man,1 3 5) $(DESTDIR)$(PREFIX)/share/doc/caprun/docs \
		$(DESTDIR)$(PREFIX)/share/bash-completion/completions $(DESTDIR)$(PREFIX)/share/zsh/site-functions \
		$(DESTDIR)$(PREFIX)/share/caprun/deno
	install -m 755 $(B)/caprun $(DESTDIR)$(PREFIX)/bin/caprun
	install -m 755 $(B)/caprun-worker $(B)/caprun-guard $(B)/caprun-fetch $(DESTDIR)$(PREFIX)/libexec/caprun
	install -m 644 $(B)/libcaprun.a $(DESTDIR)$(PREFIX)/lib/libcaprun.a
	install -m 755 $(B)/libcaprun.so $(DESTDIR)$(PREFIX)/lib/libcaprun.so.0
	ln -sf libcaprun.so.0 $(DESTDIR)$(PREFIX)/lib/libcaprun.so
	install -m 644 host/caprun.h $(DESTDIR)$(PREFIX)/include/caprun.h
	$(foreach page,$(man_files),install -m 644 $(page) $(DESTDIR)$(PREFIX)/$(call man_page,$(page)) &&) true
	install -m 644 host/cli/completion/caprun.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/caprun
	install -m 644 host/cli/completion/_caprun $(DESTDIR)$(PREFIX)/share/zsh/site-functions/_caprun
	install -m 644 host/config/caprun.schema.json $(DESTDIR)$(PREFIX)/share/caprun/caprun.schema.json
	install -m 644 $(addprefix host/bindings/deno/,$(deno_files)) $(DESTDIR)$(PREFIX)/share/caprun/deno
	install -m 644 LICENSE $(B)/THIRD_PARTY_LICENSES $(filter-out docs/%,$(doc_files)) $(DESTDIR)$(PREFIX)/share/doc/caprun
	install -m 644 $(filter docs/%,$(doc_files)) $(DESTDIR)$(PREFIX)/share/doc/caprun/docs
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@VERSION@|$(VERSION)|' host/caprun.pc.in | \
		install -m 644 /dev/stdin $(DESTDIR)$(PREFIX)/lib/pkgconfig/caprun.pc

uninstall: ## remove what install put there
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,bin/caprun libexec/caprun/caprun-worker libexec/caprun/caprun-guard libexec/caprun/caprun-fetch \
		lib/libcaprun.a lib/libcaprun.so.0 lib/libcaprun.so include/caprun.h $(foreach page,$(man_files),$(call man_page,$(page))) \
		lib/pkgconfig/caprun.pc share/caprun/caprun.schema.json $(addprefix share/doc/caprun/,LICENSE THIRD_PARTY_LICENSES $(doc_files)) \
		share/bash-completion/completions/caprun share/zsh/site-functions/_caprun $(addprefix share/caprun/deno/,$(deno_files)))
	rmdir $(addprefix $(DESTDIR)$(PREFIX)/,libexec/caprun share/caprun/deno share/caprun share/doc/caprun/docs share/doc/caprun) 2>/dev/null || true

dist: ## make a tar file of the last commit
	@mkdir -p build
	git archive --prefix=caprun-$(VERSION)/ -o build/caprun-$(VERSION).tar.gz HEAD

clean: ## remove build results, but keep downloaded files
	@mkdir -p build
	find build -mindepth 1 -maxdepth 1 ! -name engine ! -name cjson ! -name npm ! -name 'npm-*' ! -name data -exec rm -rf {} +

help: ## print this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' Makefile | expand -t 16

-include $(shell find $(B) -name '*.d' -type f 2>/dev/null)
