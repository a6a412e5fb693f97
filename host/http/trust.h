/*
 * trust.h - the authorities that certificates are checked against, read beside the loop.
 *
 * At its first connection by TLS libcurl reads the system's authorities, which takes tens of
 * milliseconds. Where libcurl has OpenSSL, a helper reads the same files before, and each
 * connection gets what was read. With another library libcurl reads them by itself.
 */
#ifndef CR_HTTP_TRUST_H
#define CR_HTTP_TRUST_H

#include <stdbool.h>

#include "http/lib.h"

struct cr_http_trust;

/*
 * Reads |file|, or if that is NULL the file that libcurl would read, and the directory that it
 * would look into. Not for the loop's thread. Returns NULL if libcurl has to do it, which then also
 * says what is wrong. Ends with cr_http_trust_free(), which takes NULL.
 */
struct cr_http_trust *cr_http_trust_read(const struct cr_http_lib *lib, const char *file);
void cr_http_trust_free(struct cr_http_trust *trust);

/* Has |easy| trust these, and no others. |trust| has to outlive it. Returns false if it cannot. */
bool cr_http_trust_use(struct cr_http_trust *trust, const struct cr_http_lib *lib, CURL *easy);

#endif
