/*
 * lockfile_parse.c - checks the complete structure of a lockfile before it is used, so that other
 * code can rely on that structure.
 */
#include "registry/lockfile_parts.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/escape.h"
#include "base/scan.h"

/* --- what is wrong -------------------------------------------------------------------------- */

static int refuse_at(const struct cr_lockfile *lock, size_t line, size_t column, const char *words,
                     struct cr_err *why)
{
    return cr_err_end(why, CAPRUN_OUTCOME_CONFIG_ERROR, CR_LOCKFILE_REPAIR, "%s:%zu:%zu: %s",
                      lock->path, line, column, words);
}

/* The message may quote the file, so it is escaped to one line: a second line could be forged. */
static int __attribute__((format(printf, 4, 5)))
refuse_place(const struct cr_lockfile *lock, size_t at, struct cr_err *why, const char *fmt, ...)
{
    struct cr_buf shown;
    size_t line, column;
    const char *text;
    char words[512];
    va_list ap;
    int r;

    va_start(ap, fmt);
    (void)vsnprintf(words, sizeof(words), fmt, ap);
    va_end(ap);
    cr_buf_init(&shown, 8 * sizeof(words));
    cr_escape_terminal(&shown, words, strlen(words));
    text = cr_buf_text(&shown);
    cr_json_line_of(&lock->doc, at, &line, &column);
    r = text ? refuse_at(lock, line, column, text, why) : cr_err_memory(why);
    cr_buf_clear(&shown);
    return r;
}

#define refuse(lock, value, why, ...) \
    refuse_place(lock, cr_json_place_of(&(lock)->doc, value).at, why, __VA_ARGS__)
#define refuse_key(lock, value, why, ...) \
    refuse_place(lock, cr_json_place_of(&(lock)->doc, value).key_at, why, __VA_ARGS__)

static int refuse_json(const struct cr_lockfile *lock, const struct cr_err *err, struct cr_err *why)
{
    size_t line, column;
    const char *words = cr_scan_place(err, &line, &column);

    return err->code == CAPRUN_E_NOMEM ? cr_err_memory(why)
                                       : refuse_at(lock, line, column, words, why);
}

/* --- pins of capabilities ------------------------------------------------------------------- */

static int check_object(const struct cr_lockfile *lock, const struct cJSON *value,
                        struct cr_err *why)
{
    if (cr_json_type(value) == CR_JSON_OBJECT)
        return 0;
    return refuse(lock, value, why, "'%.64s' is %s, not an object", cr_json_key(value),
                  cr_json_type_name(cr_json_type(value)));
}

static bool is_one_of(const char *const names[], const char *key)
{
    while (*names && strcmp(*names, key) != 0)
        names++;
    return *names != NULL;
}

/* Only keys in |names| are allowed, and the first |needed| of them are required. */
static int check_keys(const struct cr_lockfile *lock, const struct cJSON *object, const char *what,
                      const char *const names[], int needed, struct cr_err *why)
{
    if (cr_json_type(object) != CR_JSON_OBJECT)
        return refuse(lock, object, why, "%s is %s, not an object", what,
                      cr_json_type_name(cr_json_type(object)));
    for (const struct cJSON *value = cr_json_first(object); value; value = cr_json_next(value))
        if (!is_one_of(names, cr_json_key(value)))
            return refuse_key(lock, value, why, "unknown key '%.64s'", cr_json_key(value));
    for (int i = 0; i < needed; i++)
        if (!cr_json_get(object, names[i]))
            return refuse(lock, object, why, "%s has no '%s'", what, names[i]);
    return 0;
}

static bool is_hash(const char *text)
{
    size_t start = strlen(CR_LOCKFILE_HASH_START);

    return strlen(text) == CR_LOCKFILE_HASH && strncmp(text, CR_LOCKFILE_HASH_START, start) == 0 &&
           strspn(text + start, "0123456789abcdef") == CR_LOCKFILE_HASH - start;
}

static int check_hash(const struct cr_lockfile *lock, const struct cJSON *value, struct cr_err *why)
{
    if (cr_json_type(value) == CR_JSON_STRING && is_hash(cr_json_text(value)))
        return 0;
    return refuse(lock, value, why,
                  "'%s' is not \"" CR_LOCKFILE_HASH_START "\" and 64 lower-case hexadecimal digits",
                  cr_json_key(value));
}

static int check_fqdn(const struct cr_lockfile *lock, const struct cJSON *pin,
                      const struct cJSON *value, struct cr_err *why)
{
    struct cr_fqdn fqdn;
    struct cr_err err = {0};

    if (cr_json_type(value) != CR_JSON_STRING)
        return refuse(lock, value, why, "'fqdn' is %s, not a string",
                      cr_json_type_name(cr_json_type(value)));
    if (cr_fqdn_parse(cr_json_text(value), &fqdn, &err) < 0)
        return refuse(lock, value, why, "'%.64s' is not the name of a capability: %s",
                      cr_json_text(value), err.text);
    if (strcmp(fqdn.name, cr_json_key(pin)) != 0)
        return refuse(lock, value, why, "'%s' is not a version of '%s'", fqdn.full,
                      cr_json_key(pin));
    return 0;
}

static int check_pin(const struct cr_lockfile *lock, const struct cJSON *pin, struct cr_err *why)
{
    static const char *const names[] = {"fqdn", "code", "metadata", NULL};
    struct cr_fqdn key;
    struct cr_err err = {0};
    int r;

    if (cr_fqdn_parse(cr_json_key(pin), &key, &err) < 0)
        return refuse_key(lock, pin, why, "'%.64s' is not the name of a capability: %s",
                          cr_json_key(pin), err.text);
    if (key.hash[0])
        return refuse_key(lock, pin, why, "'%s' has a hash, which belongs in 'fqdn'", key.full);
    r = check_keys(lock, pin, "a pin", names, 3, why);
    if (r == 0)
        r = check_fqdn(lock, pin, cr_json_get(pin, "fqdn"), why);
    if (r == 0)
        r = check_hash(lock, cr_json_get(pin, "code"), why);
    return r < 0 ? r : check_hash(lock, cr_json_get(pin, "metadata"), why);
}

static int check_pins(const struct cr_lockfile *lock, const struct cJSON *pins, struct cr_err *why)
{
    int r = check_object(lock, pins, why);

    for (const struct cJSON *pin = cr_json_first(pins); pin && r == 0; pin = cr_json_next(pin))
        r = check_pin(lock, pin, why);
    return r;
}

/* --- pins of tools -------------------------------------------------------------------------- */

/* Does the hash fit the definition? |scratch| is a buffer for the canonical form. */
static int check_fit(const struct cr_lockfile *lock, const struct cJSON *hash,
                     const struct cJSON *definition, struct cr_buf *scratch, struct cr_err *why)
{
    char now[CR_LOCKFILE_HASH + 1];

    scratch->len = 0;
    cr_json_canonical(scratch, definition);
    if (cr_buf_err(scratch))
        return cr_err_memory(why);
    cr_lockfile_hash(scratch->data, scratch->len, now);
    if (strcmp(now, cr_json_text(hash)) == 0)
        return 0;
    return refuse(lock, hash, why,
                  "'sha256' is not that of the 'definition' beside it: one of them was changed by "
                  "hand");
}

static int check_tool(const struct cr_lockfile *lock, const struct cJSON *tool,
                      struct cr_buf *scratch, struct cr_err *why)
{
    static const char *const names[] = {"sha256", "definition", NULL};
    const struct cJSON *hash, *definition;
    int r = check_keys(lock, tool, "the pin of a tool", names, 2, why);

    if (r < 0)
        return r;
    hash = cr_json_get(tool, "sha256");
    definition = cr_json_get(tool, "definition");
    r = check_hash(lock, hash, why);
    if (r == 0)
        r = check_object(lock, definition, why);
    return r < 0 ? r : check_fit(lock, hash, definition, scratch, why);
}

static int check_servers(const struct cr_lockfile *lock, const struct cJSON *servers,
                         struct cr_err *why)
{
    int r = check_object(lock, servers, why);
    struct cr_buf scratch;

    cr_buf_init(&scratch, lock->text.len); /* no value is longer in the canonical form */
    for (const struct cJSON *server = cr_json_first(servers); server && r == 0;
         server = cr_json_next(server)) {
        r = check_object(lock, server, why);
        for (const struct cJSON *tool = cr_json_first(server); tool && r == 0;
             tool = cr_json_next(tool))
            r = check_tool(lock, tool, &scratch, why);
    }
    cr_buf_clear(&scratch);
    return r;
}

/* --- the whole file ------------------------------------------------------------------------- */

/* Must come first: the structure of a newer version is not known. */
static int check_version(const struct cr_lockfile *lock, struct cr_err *why)
{
    const struct cJSON *value = cr_json_get(lock->doc.root, "version");
    uint64_t version = 0;
    int r;

    if (!value)
        return 0;
    r = cr_json_number(value, CR_LOCKFILE_VERSION, &version);
    if (r == CAPRUN_E_TOOBIG) {
        (void)refuse(lock, value, why, "this lockfile was written by a newer caprun");
        return cr_err_hint(why, "use a newer caprun here, too");
    }
    if (r < 0 || version != CR_LOCKFILE_VERSION)
        return refuse(lock, value, why, "'version' is not %d", CR_LOCKFILE_VERSION);
    return 0;
}

static int check_text(struct cr_lockfile *lock, struct cr_err *why)
{
    static const char *const names[] = {"version", "capabilities", "servers", NULL};
    const struct cJSON *servers;
    struct cr_err err = {0};
    int r;

    if (lock->text.len == 0)
        return refuse_at(lock, 1, 1, "the lockfile is empty", why);
    if (cr_json_parse(lock->text.data, lock->text.len, &lock->doc, &err) < 0)
        return refuse_json(lock, &err, why);
    r = check_version(lock, why);
    if (r == 0)
        r = check_keys(lock, lock->doc.root, "the lockfile", names, 2, why);
    if (r == 0)
        r = check_pins(lock, cr_json_get(lock->doc.root, "capabilities"), why);
    servers = cr_json_get(lock->doc.root, "servers");
    return r < 0 || !servers ? r : check_servers(lock, servers, why);
}

int cr_lockfile_parse(struct cr_lockfile *lock, struct cr_err *why)
{
    int r = check_text(lock, why);

    if (r < 0)
        cr_json_clear(&lock->doc);
    return r;
}
