/*
 * fuzz_lockfile.c - any bytes at all, as a caprun.lock.
 *
 * What must hold: a refusal has the path, a place and words on one line, and something to do; in
 * what is accepted, every pin is found by its name, is a version of it, is itself when it is
 * checked, and shows when it is another.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "look.h"
#include "registry/lockfile.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_LOCK_MAX (1u << 20)

static void look_at_pin(void *data, const char *name, const struct cr_pin *pin)
{
    const struct cr_lockfile *lock = data;
    struct cr_pin found, other = *pin;
    struct cr_problem why;
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char path[] = "p/caprun.lock";
    struct cr_lockfile lock = {.path = path};
    struct cr_problem why = {0};

    cr_buf_init(&lock.text, FUZZ_LOCK_MAX);
    cr_buf_add(&lock.text, data, size);
    if (cr_lockfile_parse(&lock, &why) == 0) {
        (void)look_whole(data, size);
        cr_lockfile_each(&lock, look_at_pin, &lock);
    } else {
        insist(why.outcome == CAPRUN_OUTCOME_CONFIG_ERROR && why.hint[0]);
        insist(strncmp(why.text, "p/caprun.lock:", 14) == 0 && !strchr(why.text, '\n'));
        insist(why.text[14] >= '1' && why.text[14] <= '9');
        insist(!lock.doc.root);
    }
    cr_json_clear(&lock.doc);
    cr_buf_clear(&lock.text);
    return 0;
}
