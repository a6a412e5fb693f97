/*
 * url.h - URLs that can be fetched: http and https, with a host, without a user or a password, in
 * printable ASCII.
 */
#ifndef CR_URL_H
#define CR_URL_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

struct cr_http_lib;

#define CR_URL_MAX 2048 /* bytes */

/* Is |text| a URL that can be fetched? */
bool cr_url_is_http(const char *text);

/* Does |url|, which is one, need TLS? */
bool cr_url_is_https(const char *url);

/* Says that |url| is not a URL. Returns CAPRUN_E_INVAL, with METADATA_INVALID. */
int cr_url_refuse(const char *url, struct cr_err *why);

/*
 * Appends what |reference|, found at |base|, leads to, less its fragment. Returns false if it is
 * nowhere to go, or its scheme is less safe.
 */
bool cr_url_join(const struct cr_http_lib *lib, const char *base, const char *reference,
                 struct cr_buf *ret);

/*
 * Appends what |reference| means, found in |base|, which is read as if it ended in "/". Returns 0,
 * or METADATA_INVALID if either is no URL, or the scheme would be a less safe one; INTERNAL. Opens
 * libcurl, which takes milliseconds: not for the loop's thread.
 */
int cr_url_resolve(const char *base, const char *reference, struct cr_buf *ret, struct cr_err *why);

#endif
