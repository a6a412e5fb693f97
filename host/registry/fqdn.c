/* fqdn.c - splits the name of a capability at its dots, and checks each part. */
#include "registry/fqdn.h"

#include <stdio.h>
#include <string.h>

#define MOST_PARTS 5

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_part(const char *text, size_t len)
{
    if (len == 0 || len > CR_FQDN_PART || !is_letter(text[0]))
        return false;
    for (size_t i = 1; i < len; i++)
        if (!is_letter(text[i]) && !is_digit(text[i]) && text[i] != '-')
            return false;
    return true;
}

static bool is_hash(const char *text, size_t len)
{
    return len >= 4 && len <= CR_FQDN_PART && strspn(text, "0123456789abcdef") >= len;
}

static int refuse_part(const char *part, size_t len, int number, struct cr_err *err)
{
    static const char *const names[] = {"organisation", "project", "namespace", "action"};

    if (number == MOST_PARTS - 1)
        return cr_err_set(err, CAPRUN_E_INVAL,
                          "the hash, '%.*s', is not 4 to 64 digits of 0-9 and a-f",
                          (int)(len < 80 ? len : 80), part);
    return cr_err_set(err, CAPRUN_E_INVAL,
                      "the %s, '%.*s', is not a letter or _, then letters, digits, _ and -, "
                      "64 in all at most",
                      names[number], (int)(len < 80 ? len : 80), part);
}

int cr_fqdn_parse(const char *text, struct cr_fqdn *ret, struct cr_err *err)
{
    size_t starts[MOST_PARTS + 1] = {0};
    int count = 0;

    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ".");

        if (count == MOST_PARTS)
            return cr_err_set(err, CAPRUN_E_INVAL, "it has more than four parts and a hash");
        if (count == MOST_PARTS - 1 ? !is_hash(at, len) : !is_part(at, len))
            return refuse_part(at, len, count, err);
        at += len;
        starts[++count] = (size_t)(at + 1 - text);
        if (!*at)
            break;
    }
    if (count < MOST_PARTS - 1)
        return cr_err_set(err, CAPRUN_E_INVAL, "it has %d part%s, and needs four", count,
                          count == 1 ? "" : "s");
    (void)snprintf(ret->full, sizeof(ret->full), "%s", text);
    (void)snprintf(ret->name, sizeof(ret->name), "%.*s", (int)starts[4] - 1, text);
    (void)snprintf(ret->hash, sizeof(ret->hash), "%s", count == MOST_PARTS ? text + starts[4] : "");
    (void)snprintf(ret->tool, sizeof(ret->tool), "%s", ret->name + starts[2]);
    ret->tool[starts[3] - 1 - starts[2]] = ':';
    return 0;
}

bool cr_fqdn_finds(const struct cr_fqdn *a, const struct cr_fqdn *b)
{
    return strcmp(a->name, b->name) == 0 && (!a->hash[0] || strcmp(a->hash, b->hash) == 0);
}
