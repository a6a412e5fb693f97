/* test_corpus.c - runs each fuzzer once on every input of its corpus, in every test run. */
#include "tap.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define LLVMFuzzerTestOneInput fuzz_scan
#include "../fuzz/fuzz_scan.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_frames
#include "../fuzz/fuzz_frames.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_envelope
#include "../fuzz/fuzz_envelope.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_command
#include "../fuzz/fuzz_command.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_protocol
#include "../fuzz/fuzz_protocol.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_lockfile
#include "../fuzz/fuzz_lockfile.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_config
#include "../fuzz/fuzz_config.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_cache
#include "../fuzz/fuzz_cache.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_message
#include "../fuzz/fuzz_message.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_sse
#include "../fuzz/fuzz_sse.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_server_input
#include "../fuzz/fuzz_server.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_journal
#include "../fuzz/fuzz_journal.c"
#undef LLVMFuzzerTestOneInput

#define LLVMFuzzerTestOneInput fuzz_metadata
#include "../fuzz/fuzz_metadata.c"
#undef LLVMFuzzerTestOneInput

#define INPUT_MAX (1u << 20)

static const char *corpus_folder(void)
{
    static const char here[] = "unit/test_corpus.c", file[] = __FILE__;
    static char path[4096];
    const char *root = getenv("CAPRUN_SRC");

    if (root)
        (void)snprintf(path, sizeof(path), "%s/tests/fuzz/corpus", root);
    else
        (void)snprintf(path, sizeof(path), "%.*sfuzz/corpus", (int)(sizeof(file) - sizeof(here)),
                       file);
    return path;
}

static int replay_file(const char *path, int (*one)(const uint8_t *data, size_t size))
{
    static uint8_t bytes[INPUT_MAX];
    FILE *file = fopen(path, "rb");
    uint8_t *input;
    size_t len;

    if (!file)
        return 0;
    len = fread(bytes, 1, sizeof(bytes), file);
    (void)fclose(file);
    /* a copy of exact size, so that a sanitizer notices a read past the end */
    input = malloc(len ? len : 1);
    if (!input)
        return 0;
    memcpy(input, bytes, len);
    /* printed before the run: a fuzzer that finds a bug aborts */
    printf("# %s\n", path);
    (void)one(input, len);
    free(input);
    return 1;
}

/* Returns how many inputs there were. */
static int replay(const char *name, int (*one)(const uint8_t *data, size_t size))
{
    const struct dirent *entry;
    char path[8192];
    int count = 0;
    DIR *dir;

    (void)snprintf(path, sizeof(path), "%s/%s", corpus_folder(), name);
    dir = opendir(path);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        (void)snprintf(path, sizeof(path), "%s/%s/%s", corpus_folder(), name, entry->d_name);
        count += replay_file(path, one);
    }
    if (dir)
        (void)closedir(dir);
    return count;
}

TEST(the_scanner_bears_every_input_of_its_corpus)
{
    CHECK(replay("fuzz_scan", fuzz_scan) >= 9);
}

TEST(the_host_bears_every_stream_of_frames_of_its_corpus)
{
    CHECK(replay("fuzz_frames", fuzz_frames) >= 15);
}

TEST(every_run_of_the_corpus_has_an_envelope_with_what_happened)
{
    CHECK(replay("fuzz_envelope", fuzz_envelope) >= 20);
}

TEST(every_stream_of_events_of_the_corpus_is_read_alike_wherever_it_is_cut)
{
    CHECK(replay("fuzz_sse", fuzz_sse) >= 8);
}

TEST(the_command_bears_every_line_of_its_corpus)
{
    CHECK(replay("fuzz_command", fuzz_command) >= 20);
}

TEST(the_host_bears_every_zygote_and_worker_of_its_corpus)
{
    CHECK(replay("fuzz_protocol", fuzz_protocol) >= 20);
}

TEST(a_lockfile_of_any_bytes_is_refused_in_words_or_read)
{
    CHECK(replay("fuzz_lockfile", fuzz_lockfile) >= 14);
}

TEST(metadata_of_any_bytes_is_refused_in_words_or_parsed)
{
    CHECK(replay("fuzz_metadata", fuzz_metadata) >= 8);
}

TEST(every_text_of_the_corpus_is_a_configuration_or_not)
{
    CHECK(replay("fuzz_config", fuzz_config) >= 12);
}

TEST(the_cache_and_the_heads_of_answers_bear_every_input_of_their_corpus)
{
    CHECK(replay("fuzz_cache", fuzz_cache) >= 15);
}

TEST(the_reader_of_messages_bears_every_stream_of_its_corpus)
{
    CHECK(replay("fuzz_message", fuzz_message) >= 23);
}

TEST(calls_to_every_server_of_the_corpus_end_once)
{
    CHECK(replay("fuzz_server", fuzz_server_input) >= 12);
}

TEST(a_journal_of_any_bytes_is_refused_in_words_or_replayed)
{
    CHECK(replay("fuzz_journal", fuzz_journal) >= 22);
}

int main(int argc, char **argv)
{
    return tap_main(argc, argv);
}
