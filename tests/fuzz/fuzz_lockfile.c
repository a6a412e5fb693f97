/*
 * fuzz_lockfile.c - fuzzes the reader of caprun.lock.
 *
 * What must hold: a refusal has the path, a place, a message of one line, and a hint. In an
 * accepted file every pin is found by its name, matches itself, and does not match another; the
 * same holds for every tool, whose definition fits its hash. An explanation has no line that comes
 * from the file. An accepted file that is written is accepted again, and written the same once
 * more.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "look.h"
#include "tool_state.h"
#include "registry/lockfile_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_LOCK_MAX (1u << 20)

static void look_at_pin(void *data, const char *name, const struct cr_pin *pin)
{
    const struct cr_lockfile *lock = data;
    struct cr_pin found, other = *pin;
    struct cr_err why;
    struct cr_fqdn fqdn;

    insist(cr_fqdn_parse(pin->fqdn, &fqdn, NULL) == 0 && strcmp(fqdn.name, name) == 0);
    insist(strlen(pin->code) == CR_LOCKFILE_HASH && strlen(pin->metadata) == CR_LOCKFILE_HASH);
    insist(cr_lockfile_find(lock, name, &found));
    insist(strcmp(found.fqdn, pin->fqdn) == 0 && strcmp(found.code, pin->code) == 0);
    insist(cr_lockfile_check(lock, name, pin, &why) == 0);
    other.code[CR_LOCKFILE_HASH - 1] ^= 1;
    insist(cr_lockfile_check(lock, name, &other, &why) < 0);
    insist(why.outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH);
    insist(strstr(why.text, pin->code) && strstr(why.text, other.code) && strstr(why.hint, name));
}

/* Every line of an explanation must begin as caprun's lines do, and hide nothing. */
static void look_at_lines(const char *text)
{
    static const char *const starts[] = {
        "  pinned: sha256-", "  now:    sha256-", "    was:    ",    "    is now: ",
        "  name\n",          "  title\n",         "  description\n", "  inputSchema\n",
        "  outputSchema\n",  "  annotations\n",   "  definition\n",
    };
    bool known = true;

    for (text = strchr(text, '\n'); text && known; text = strchr(text + 1, '\n')) {
        known = false;
        for (size_t i = 0; i < sizeof(starts) / sizeof(starts[0]); i++)
            known = known || strncmp(text + 1, starts[i], strlen(starts[i])) == 0;
    }
    insist(known);
}

static void look_at_explained(const struct cr_lockfile *lock, const char *server, const char *tool,
                              const char *hash)
{
    static const char other[] = "{\"description\":\"another\",\"fuzz\":1}";
    struct cr_tool_now now = {tool, other, sizeof(other) - 1};
    struct cr_err why;

    if (tool_state(lock, server, &now) != CR_TOOL_CHANGED)
        return;
    insist(cr_tool_pins_explain(lock, server, &now, &why) == CAPRUN_E_INVAL && why.hint[0]);
    insist(why.outcome == CAPRUN_OUTCOME_INTEGRITY_MISMATCH);
    if (strlen(server) > 512 || strchr(server, '\n')) /* the config refuses such a name */
        return;
    insist(strstr(why.text, hash) && strlen(why.text) + 1 < sizeof(why.text));
    insist(cr_utf8_valid_prefix((const uint8_t *)why.text, strlen(why.text)) == strlen(why.text));
    look_at_lines(why.text);
}

static void look_at_tool(void *data, const char *server, const char *tool, const char *hash)
{
    const struct cr_lockfile *lock = data;
    const struct cJSON *pin =
        cr_json_get(cr_json_get(cr_json_get(lock->doc.root, "servers"), server), tool);
    struct cr_tool_now now = {.name = tool};
    char own[CR_LOCKFILE_HASH + 1];
    struct cr_buf text;

    cr_buf_init(&text, FUZZ_LOCK_MAX);
    cr_json_canonical(&text, cr_json_get(pin, "definition"));
    insist(text.len && !cr_buf_err(&text));
    cr_lockfile_hash(text.data, text.len, own);
    insist(strcmp(own, hash) == 0);
    now.definition = (const char *)text.data;
    now.len = text.len;
    insist(tool_state(lock, server, &now) == CR_TOOL_PINNED);
    look_at_explained(lock, server, tool, hash);
    cr_buf_clear(&text);
}

/* Writes |lock| with one more capability, reads it, and writes it again: both must be equal. */
static void look_at_written(const struct cr_lockfile *lock)
{
    struct cr_lockfile again = {.path = lock->path};
    struct cr_pin pin = {.fqdn = "f.u.z.z"};
    struct cr_lockfile_news news = {.name = "f.u.z.z", .pin = &pin};
    struct cr_err why;
    struct cr_buf twice;

    cr_lockfile_hash("", 0, pin.code);
    cr_lockfile_hash("", 0, pin.metadata);
    cr_buf_init(&again.text, FUZZ_LOCK_MAX);
    cr_buf_init(&twice, FUZZ_LOCK_MAX);
    insist(cr_lockfile_compose(&again.text, lock, &news) == 1);
    /* indentation makes deep values grow, and one more key may exceed the limit */
    if (!cr_buf_err(&again.text) && lock->text.len < FUZZ_LOCK_MAX / 1024) {
        insist(cr_lockfile_parse(&again, &why) == 0);
        insist(cr_lockfile_compose(&twice, &again, &news) == 1);
        insist(twice.len == again.text.len && memcmp(twice.data, again.text.data, twice.len) == 0);
    }
    cr_buf_clear(&twice);
    cr_json_clear(&again.doc);
    cr_buf_clear(&again.text);
}

/* Uses the bytes as a tool's definition, with the right hash: a fuzzer cannot guess one. */
static void look_at_definition(char *path, const uint8_t *data, size_t size)
{
    struct cr_lockfile none = {.path = path}, lock = {.path = path};
    struct cr_tool_now now = {.name = "t"};
    struct cr_lockfile_news news = {.server = "s", .tools = &now, .count = 1};
    struct cr_json_doc doc = {0};
    struct cr_err why;
    struct cr_buf text;

    if (cr_json_parse(data, size, &doc, NULL) < 0)
        return;
    cr_buf_init(&text, FUZZ_LOCK_MAX);
    cr_buf_init(&lock.text, FUZZ_LOCK_MAX);
    cr_json_canonical(&text, doc.root);
    now.definition = (const char *)text.data;
    now.len = text.len;
    insist(text.len <= size && cr_lockfile_compose(&lock.text, &none, &news) == 1);
    if (!cr_buf_err(&lock.text) && cr_lockfile_parse(&lock, &why) == 0) {
        insist(cr_json_type(doc.root) == CR_JSON_OBJECT);
        insist(tool_state(&lock, "s", &now) == CR_TOOL_PINNED);
        cr_tool_pins_each(&lock, look_at_tool, &lock);
    } else {
        insist(cr_json_type(doc.root) != CR_JSON_OBJECT || size > 900); /* too deep, or too large */
    }
    cr_json_clear(&lock.doc);
    cr_buf_clear(&lock.text);
    cr_buf_clear(&text);
    cr_json_clear(&doc);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[] = "p/caprun.lock";
    struct cr_lockfile lock = {.path = path};
    struct cr_err why = {0};

    cr_buf_init(&lock.text, FUZZ_LOCK_MAX);
    cr_buf_add(&lock.text, data, size);
    if (cr_lockfile_parse(&lock, &why) == 0) {
        (void)look_whole(data, size);
        cr_lockfile_each(&lock, look_at_pin, &lock);
        cr_tool_pins_each(&lock, look_at_tool, &lock);
        look_at_written(&lock);
    } else {
        insist(why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR && why.hint[0]);
        insist(strncmp(why.text, "p/caprun.lock:", 14) == 0 && !strchr(why.text, '\n'));
        insist(why.text[14] >= '1' && why.text[14] <= '9');
        insist(!lock.doc.root);
    }
    cr_json_clear(&lock.doc);
    cr_buf_clear(&lock.text);
    look_at_definition(path, data, size);
    return 0;
}
