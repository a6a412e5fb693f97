/*
 * fetch_wire.h - what the host and caprun-fetch say to each other.
 *
 * caprun-fetch does one GET with its tries and redirects. It gets a socket as descriptor 0, and as
 * descriptor 1 a pipe whose other end is the host's: when the host is gone, the kernel ends it. The
 * host sends one struct fetch_ask with its texts behind it; caprun-fetch sends any number of struct
 * fetch_told, each with its texts, and leaves after an ANSWER or a FAILURE. Both are of one build,
 * on one machine: numbers are as they are in memory.
 */
#ifndef CR_FETCH_WIRE_H
#define CR_FETCH_WIRE_H

#include <stdint.h>

#include "http/http.h"

#define FETCH_SOCKET 0
#define FETCH_ALIVE 1

/* Behind it: the URL, the header Accept, and the ETag, without NULs. */
struct fetch_ask {
    struct cr_http_limits limits;
    uint64_t max; /* bytes of the body */
    uint32_t url_len, accept_len, etag_len;
    uint32_t tells_progress;
};

enum fetch_what { FETCH_PROGRESS = 1, FETCH_ANSWER, FETCH_FAILURE };

/* Behind it: |text|, the URL or the words; |extra|, the ETag or the hint; and the body. */
struct fetch_told {
    uint32_t what;
    uint32_t outcome;          /* of a FAILURE */
    int64_t status, max_age_s; /* of an ANSWER */
    uint32_t no_store;
    uint32_t text_len, extra_len;
    uint64_t got, total; /* of PROGRESS */
    uint64_t body_len;
};

#endif
