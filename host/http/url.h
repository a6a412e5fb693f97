/*
 * url.h - checks and joins URLs. A URL can be fetched if it is http or https, with a host, without
 * a user or a password, in printable ASCII.
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

/* Is |url|, which can be fetched, an https URL? */
bool cr_url_is_https(const char *url);

/* Sets the error "not a URL" for |url|. Returns CAPRUN_E_INVAL, with METADATA_INVALID. */
int cr_url_refuse(const char *url, struct cr_err *why);

/*
 * Appends the URL that |reference|, found at |base|, leads to, without its fragment. Returns false
 * if that cannot be fetched, or its scheme is less safe than that of |base|.
 */
bool cr_url_join(const struct cr_http_lib *lib, const char *base, const char *reference,
                 struct cr_buf *ret);

/* Appends the origin of |url|, like "https://tools.example:8443". Returns false if it has none. */
bool cr_url_origin(const struct cr_http_lib *lib, const char *url, struct cr_buf *ret);

/*
 * Appends the URL that |reference| leads to from |base|, which is read as if it ended in "/".
 * Returns 0; METADATA_INVALID if one of these cannot be fetched, or the scheme would become less
 * safe; or INTERNAL. Opens libcurl, which takes milliseconds: not for the loop's thread.
 */
int cr_url_resolve(const char *base, const char *reference, struct cr_buf *ret, struct cr_err *why);

#endif
