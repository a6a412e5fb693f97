/*
 * web_host.h - finds the host of a URL, and compares it with the host in a rule. The predicate
 * "host" of rules.
 *
 * The host is what the URL standard of the web (WHATWG) finds, for URLs that every parser reads in
 * the same way. All other texts are UNCLEAR: backslashes, spaces, letters outside of ASCII,
 * percent signs in the host, two "@", and all schemes except http, https, ws, wss and ftp.
 */
#ifndef CR_WEB_HOST_H
#define CR_WEB_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/truth.h"

#define CR_WEB_HOST_WHAT "a host like \"api.example.com\", \"*.example.com\" or \"[::1]:8080\""

struct cr_web_host {
    char name[256];    /* lower case; an address in its usual form, IPv6 in brackets */
    unsigned port;     /* 0: any */
    bool is_subdomain; /* "*." before it: any name that ends in "." and |name| */
};

/* Reads the host of a rule. Returns false if |text| is not CR_WEB_HOST_WHAT. */
bool cr_web_host_parse(const char *text, struct cr_web_host *ret);

/* Does |url|, of |len| bytes, lead to |host|? */
enum cr_truth cr_web_host_holds(const struct cr_web_host *host, const char *url, size_t len);

#endif
