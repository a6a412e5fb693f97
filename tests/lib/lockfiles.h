/* lockfiles.h - makes pins and lockfiles for tests, in the directory of scratch.h. */
#ifndef LOCKFILES_H
#define LOCKFILES_H

#include "registry/lockfile.h"
#include "scratch.h"

#define HEX "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde"
#define HASH(digit) "sha256-" HEX #digit
#define PIN(fqdn, code, metadata)                               \
    "{\n      \"fqdn\": \"" fqdn "\",\n      \"code\": \"" code \
    "\",\n      \"metadata\": \"" metadata "\"\n    }"
#define LOCKFILE(pins, servers) \
    "{\n  \"version\": 1,\n  \"capabilities\": {\n" pins "\n  },\n  \"servers\": " servers "\n}\n"

/* The text of a tool pin in a lockfile; |definition| is formatted as in the file. */
#define TOOL(hash, definition) \
    "{\n        \"sha256\": \"" hash "\",\n        \"definition\": " definition "\n      }"
/* The hash of the definition {}. */
#define HASH_OF_NOTHING "sha256-44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"

static struct cr_err why;

static inline bool says(enum caprun_outcome outcome, const char *text, const char *hint)
{
    if (why.outcome == outcome && strcmp(why.text, text) == 0 && strcmp(why.hint, hint) == 0)
        return true;
    printf("# outcome %d: %s\n# hint: %s\n", (int)why.outcome, why.text, why.hint);
    return false;
}

/* Is the lockfile missing, or readable? */
static inline bool is_valid(void)
{
    struct cr_lockfile lock;

    if (cr_lockfile_read(scratch, &lock, &why) < 0) {
        printf("# %s\n", why.text);
        return false;
    }
    cr_lockfile_clear(&lock);
    return true;
}

/* Pins |name|; |three| has one digit each for its version, code and metadata. */
static inline int pin(const char *name, const char *three, bool accept)
{
    struct cr_pin now;

    (void)snprintf(now.fqdn, sizeof(now.fqdn), "%s.aaaa%c", name, three[0]);
    (void)snprintf(now.code, sizeof(now.code), "sha256-" HEX "%c", three[1]);
    (void)snprintf(now.metadata, sizeof(now.metadata), "sha256-" HEX "%c", three[2]);
    return cr_lockfile_pin(scratch, name, &now, accept, &why);
}

#endif
