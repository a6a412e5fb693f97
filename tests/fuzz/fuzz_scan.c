/*
 * fuzz_scan.c - fuzzes the JSON scanner with both its rules, and the pretty-printer.
 *
 * What must hold: a text that strict accepts is accepted by pass; pretty-printed text is accepted
 * by the same rules, and does not change when printed again; a text in pieces gives the same result
 * as the whole text; and a refusal has a message that is safe to show.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/escape.h"
#include "base/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert() that -DNDEBUG does not remove. */
static void must(int condition)
{
    if (!condition)
        abort();
}

static int scan(const uint8_t *data, size_t size, enum cr_scan_rules rules)
{
    struct cr_err err = {0};
    int r = cr_scan_json(data, size, rules, &err);

    must(r == 0 || r == CAPRUN_E_INVAL || r == CAPRUN_E_TOOBIG);
    must(r == err.code);
    must(r == 0 || strncmp(err.text, "line ", 5) == 0);
    for (const char *c = err.text; *c; c++)
        must(*c >= 0x20 && *c < 0x7f);
    return r;
}

/* Scans the text in two pieces; the first byte says where it is cut. */
static void check_pieces(const uint8_t *data, size_t size, enum cr_scan_rules rules, int whole)
{
    struct cr_scan s;
    int r;

    cr_scan_begin(&s, rules);
    r = cr_scan_feed(&s, data, size ? data[0] % (size + 1) : 0, NULL);
    must(r == 0 || r == whole);
    must(cr_scan_finish(&s, data, size, NULL) == whole);
}

static void check_pretty(const uint8_t *data, size_t size, enum cr_scan_rules rules)
{
    struct cr_buf once, twice;

    cr_buf_init(&once, 1 << 24);
    cr_buf_init(&twice, 1 << 24);
    cr_escape_pretty(&once, data, size);
    if (!cr_buf_err(&once)) {
        must(scan(once.data, once.len, rules) == 0);
        cr_escape_pretty(&twice, once.data, once.len);
        must(once.len == twice.len && memcmp(once.data, twice.data, once.len) == 0);
    }
    cr_buf_clear(&once);
    cr_buf_clear(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int strict = scan(data, size, CR_SCAN_STRICT);
    int pass = scan(data, size, CR_SCAN_PASS);

    must(strict != 0 || pass == 0);
    check_pieces(data, size, CR_SCAN_STRICT, strict);
    check_pieces(data, size, CR_SCAN_PASS, pass);
    if (strict == 0)
        check_pretty(data, size, CR_SCAN_STRICT);
    if (pass == 0)
        check_pretty(data, size, CR_SCAN_PASS);
    return 0;
}
