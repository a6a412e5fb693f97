/* units.c - reads and shows durations and sizes, by a table of units for each. */
#include "base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Largest first. |written| is the unit in input, or NULL; |shown| is the unit in output. */
struct unit {
    const char *written;
    const char *shown;
    uint64_t factor;
};

struct kind {
    const char *name;
    const char *examples;
    const char *longest;
    uint64_t max;
    struct unit units[4];
};

static const struct kind duration = {
    "duration",
    "250ms, 30s, 5m or 1h",
    "24 days",
    CR_UNITS_MAX_MS,
    {{"h", "h", 3600000}, {"m", "min", 60000}, {"s", "s", 1000}, {"ms", "ms", 1}},
};

static const struct kind size = {
    "size",
    "64k, 512m or 1g",
    "1024g",
    CR_UNITS_MAX_BYTES,
    {{"g", "GiB", 1 << 30}, {"m", "MiB", 1 << 20}, {"k", "KiB", 1 << 10}, {NULL, "bytes", 1}},
};

static const struct unit *find_unit(const struct kind *kind, const char *written)
{
    for (size_t i = 0; i < 4; i++) {
        if (kind->units[i].written && strcmp(kind->units[i].written, written) == 0)
            return &kind->units[i];
    }
    return NULL;
}

static int read_value(const struct kind *kind, const char *text, uint64_t *ret, struct cr_err *err)
{
    size_t digits = strspn(text, "0123456789");
    const struct unit *unit = find_unit(kind, text + digits);
    uint64_t value = 0;

    if (strcmp(text, "0") == 0) {
        *ret = 0;
        return 0;
    }
    if (digits == 0 || !unit)
        return cr_err_set(err, CAPRUN_E_INVAL, "'%.60s' is not a %s; write it like %s", text,
                          kind->name, kind->examples);
    for (size_t i = 0; i < digits; i++) {
        value = value * 10 + (uint64_t)(text[i] - '0');
        if (value > kind->max / unit->factor)
            return cr_err_set(err, CAPRUN_E_TOOBIG,
                              "'%.60s' is over %s, the most a %s can be; write it like %s", text,
                              kind->longest, kind->name, kind->examples);
    }
    *ret = value * unit->factor;
    return 0;
}

static void show_value(const struct kind *kind, uint64_t value, char out[32])
{
    const struct unit *unit = kind->units;

    while (unit->factor > 1 && (value == 0 || value % unit->factor != 0))
        unit++;
    (void)snprintf(out, 32, "%" PRIu64 " %s", value / unit->factor, unit->shown);
}

int cr_units_duration(const char *text, uint64_t *ret_ms, struct cr_err *err)
{
    return read_value(&duration, text, ret_ms, err);
}

int cr_units_size(const char *text, uint64_t *ret_bytes, struct cr_err *err)
{
    return read_value(&size, text, ret_bytes, err);
}

void cr_units_show_duration(uint64_t ms, char out[32])
{
    show_value(&duration, ms, out);
}

void cr_units_show_size(uint64_t bytes, char out[32])
{
    show_value(&size, bytes, out);
}
