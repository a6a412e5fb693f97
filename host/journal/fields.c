/* fields.c - checks the names of the members of an object. */
#include "journal/fields.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/locate.h"
#include "caprun.h"

#define SHOWN 40 /* bytes of an unknown name */
#define NOT_KNOWN 64u

/* Returns the place of |name| in the list |known|, or NOT_KNOWN. */
static unsigned find_name(const char *known, const char *name, size_t len)
{
    for (unsigned i = 0; *known && i < NOT_KNOWN; i++) {
        size_t word = strcspn(known, " ");

        if (word == len && memcmp(known, name, len) == 0)
            return i;
        known += word;
        known += strspn(known, " ");
    }
    return NOT_KNOWN;
}

static int reject_name(struct cr_err *err, const char *name, size_t len, const char *what)
{
    return cr_err_set(err, CAPRUN_E_INVAL, "\"%.*s\" %s", (int)(len < SHOWN ? len : SHOWN), name,
                      what);
}

int cr_fields_check(const char *line, size_t len, const char *known, size_t *ret_critical,
                    struct cr_err *err)
{
    const char *end = line + len, *at = line + 1, *before = at;
    const char *optional = NULL;
    struct cr_locate_child field;
    uint64_t seen = 0;

    for (; cr_locate_next(&at, end, true, &field); before = at = cr_locate_end(at, end)) {
        const char *name = field.key + 1;
        size_t name_len = (size_t)(field.key_end - field.key) - 2;
        unsigned place;

        if (name_len && name[0] == '_') {
            optional = optional ? optional : before;
            continue;
        }
        place = find_name(known, name, name_len);
        if (place == NOT_KNOWN)
            return reject_name(err, name, name_len,
                               "is not known to this version of caprun (" CAPRUN_VERSION
                               "); a newer one may read this journal");
        if (optional)
            return reject_name(err, name, name_len, "stands after an optional field");
        if (seen >> place & 1)
            return reject_name(err, name, name_len, "is there twice");
        seen |= (uint64_t)1 << place;
    }
    *ret_critical = optional ? (size_t)(optional - line) : len;
    return 0;
}
