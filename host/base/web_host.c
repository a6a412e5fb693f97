/* web_host.c - reads the host and the port of URLs. */
#include "base/web_host.h"

#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_URL 8192
#define MAX_LABEL 63
#define DIGITS "0123456789"
#define NAME "abcdefghijklmnopqrstuvwxyz" DIGITS "-_."

static const struct {
    const char *name;
    unsigned port;
} schemes[] = {{"http", 80}, {"https", 443}, {"ws", 80}, {"wss", 443}, {"ftp", 21}};

/* --- addresses ------------------------------------------------------------------------------ */

/* Reads one part of an address: decimal, 0x and hexadecimal, or 0 and octal. */
static bool read_part(const char *text, uint64_t *ret)
{
    int base = text[0] != '0' || !text[1] ? 10 : text[1] == 'x' ? 16 : 8;
    const char *digits = base == 16 ? text + 2 : text;
    const char *allowed = base == 16 ? DIGITS "abcdef" : base == 8 ? "01234567" : DIGITS;

    if (strspn(digits, allowed) != strlen(digits))
        return false;
    digits += strspn(digits, "0");
    *ret = strlen(digits) > 12 ? UINT64_MAX : strtoull(digits, NULL, base);
    return true;
}

/* Is the last label of |name| a number? Then the whole must be an address. */
static bool ends_in_number(const char *name)
{
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name;
    uint64_t unused;

    return last[strspn(last, DIGITS)] == '\0' || (last[0] == '0' && read_part(last, &unused));
}

/* Rewrites |name| as four decimal numbers. Returns false if it is no address. */
static bool make_address(char name[256])
{
    char copy[256], *at = copy, *part;
    uint64_t value = 0, number;
    int parts = 0;

    memcpy(copy, name, sizeof(copy));
    while ((part = strsep(&at, ".")) != NULL) {
        if (!*part || parts > 3 || !read_part(part, &number) ||
            number > (at ? 255 : UINT32_MAX >> 8 * parts)) /* the last one fills what is left */
            return false;
        value += at ? number << (24 - 8 * parts) : number;
        parts++;
    }
    (void)snprintf(name, 256, "%u.%u.%u.%u", (unsigned)(value >> 24), (unsigned)(value >> 16 & 255),
                   (unsigned)(value >> 8 & 255), (unsigned)(value & 255));
    return true;
}

/* Does the address contain an older one, in one of the ways that there have been? */
static bool contains_address_4(const struct in6_addr *a)
{
    static const uint8_t zeros[8], nat64[12] = {0, 0x64, 0xff, 0x9b};
    const uint8_t *b = a->s6_addr;

    if (memcmp(b, nat64, sizeof(nat64)) == 0)
        return true;
    if (memcmp(b, zeros, sizeof(zeros)) != 0)
        return false;
    return IN6_IS_ADDR_V4MAPPED(a) || (b[8] == 0xff && b[9] == 0xff) ||
           (memcmp(b + 8, zeros, 4) == 0 && (b[12] || b[13]));
}

/* Rewrites "[address]". Refuses ::ffff:1.2.3.4, which is also the host 1.2.3.4. */
static bool make_address_6(char name[256])
{
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t len = strlen(name);

    if (len < 4 || name[len - 1] != ']')
        return false;
    name[len - 1] = '\0';
    if (inet_pton(AF_INET6, name + 1, &address) != 1 || contains_address_4(&address))
        return false;
    if (!inet_ntop(AF_INET6, &address, text, sizeof(text)))
        return false;
    (void)snprintf(name, 256, "[%s]", text);
    return true;
}

/* --- names ---------------------------------------------------------------------------------- */

static bool has_good_labels(const char *name)
{
    for (;;) {
        size_t len = strcspn(name, ".");

        if (len == 0 || len > MAX_LABEL)
            return false;
        if (!name[len])
            return true;
        name += len + 1;
    }
}

/* Reads ":8080", of |len| bytes; "" and ":" mean no port. */
static bool read_port(const char *text, size_t len, unsigned *ret)
{
    char port[6] = "";

    if (len > 0 && (text[0] != ':' || len > sizeof(port)))
        return false;
    if (len > 1)
        memcpy(port, text + 1, len - 1);
    *ret = (unsigned)strtoul(port, NULL, 10);
    return !port[strspn(port, DIGITS)] && *ret <= UINT16_MAX && (*ret || !port[0]);
}

static size_t length_of_name(const char *text, size_t len)
{
    const char *end = text[0] == '[' ? memchr(text, ']', len) : NULL;
    const char *colon = memchr(text, ':', len);

    if (end)
        return (size_t)(end - text) + 1;
    return colon ? (size_t)(colon - text) : len;
}

/* Reads "host" or "host:port", of |len| bytes, into |ret|. */
static bool read_host(const char *text, size_t len, struct cr_web_host *ret)
{
    size_t name_len = length_of_name(text, len);

    if (!read_port(text + name_len, len - name_len, &ret->port) || name_len == 0 || name_len > 253)
        return false;
    for (size_t i = 0; i < name_len; i++)
        ret->name[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 'a' - 'A' : text[i]);
    ret->name[name_len] = '\0';
    if (text[0] == '[')
        return make_address_6(ret->name);
    if (strspn(ret->name, NAME) != name_len || !has_good_labels(ret->name))
        return false;
    return !ends_in_number(ret->name) || make_address(ret->name);
}

bool cr_web_host_parse(const char *text, struct cr_web_host *ret)
{
    *ret = (struct cr_web_host){.is_subdomain = strncmp(text, "*.", 2) == 0};
    if (ret->is_subdomain)
        text += 2;
    return *text && read_host(text, strlen(text), ret) &&
           (!ret->is_subdomain || (strchr(ret->name, '.') && !ends_in_number(ret->name)));
}

/* --- URLs ----------------------------------------------------------------------------------- */

/* Reads the host and port of |url|. Returns false if it is unclear which they are. */
static bool read_url(const char *url, size_t len, struct cr_web_host *ret)
{
    const char *colon = memchr(url, ':', len), *host, *end, *at;
    size_t scheme = 0;

    for (size_t i = 0; i < len; i++)
        if (url[i] <= ' ' || url[i] > '~' || url[i] == '\\')
            return false;
    while (scheme < sizeof(schemes) / sizeof(schemes[0]) &&
           (!colon || strlen(schemes[scheme].name) != (size_t)(colon - url) ||
            strncasecmp(schemes[scheme].name, url, (size_t)(colon - url)) != 0))
        scheme++;
    if (scheme == sizeof(schemes) / sizeof(schemes[0]) || len - (size_t)(colon - url) < 4 ||
        memcmp(colon, "://", 3) != 0)
        return false;
    host = colon + 3;
    for (end = host; end < url + len && !strchr("/?#", *end); end++)
        ;
    at = memchr(host, '@', (size_t)(end - host));
    if (at)
        host = at + 1;
    if (host == end || memchr(host, '@', (size_t)(end - host)) ||
        !read_host(host, (size_t)(end - host), ret))
        return false;
    if (!ret->port)
        ret->port = schemes[scheme].port;
    return true;
}

enum cr_truth cr_web_host_holds(const struct cr_web_host *host, const char *url, size_t len)
{
    struct cr_web_host found = {0};
    size_t more;

    if (len == 0 || len > MAX_URL || !read_url(url, len, &found))
        return CR_TRUTH_UNCLEAR;
    if (host->port && host->port != found.port)
        return CR_TRUTH_NO;
    if (!host->is_subdomain)
        return strcmp(host->name, found.name) == 0 ? CR_TRUTH_YES : CR_TRUTH_NO;
    if (strlen(found.name) < strlen(host->name) + 2)
        return CR_TRUTH_NO;
    more = strlen(found.name) - strlen(host->name);
    return found.name[more - 1] == '.' && strcmp(found.name + more, host->name) == 0 ? CR_TRUTH_YES
                                                                                     : CR_TRUTH_NO;
}
