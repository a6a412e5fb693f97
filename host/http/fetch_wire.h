/*
 * fetch_wire.h - the messages between the host and caprun-fetch.
 *
 * caprun-fetch does one GET with its tries and redirects. Its descriptor 0 is a socket, and 1 a
 * pipe of which the host holds the other end: when the host dies, the kernel ends caprun-fetch. The
 * host sends one struct fetch_ask, followed by its texts. caprun-fetch sends any number of struct
 * fetch_message, each followed by its texts, and exits after an ANSWER or a FAILURE. Both programs
 * are from one build, on one machine: numbers are sent as they are in memory.
 */
#ifndef CR_FETCH_WIRE_H
#define CR_FETCH_WIRE_H

#include <stdint.h>

#include "http/http.h"

#define FETCH_SOCKET 0
#define FETCH_ALIVE 1

/* Followed by: the URL, the header Accept, and the ETag, without NULs. */
struct fetch_ask {
    struct cr_http_limits limits;
    uint64_t max; /* bytes of the body */
    uint32_t url_len, accept_len, etag_len;
    uint32_t wants_progress;
};

enum fetch_what { FETCH_PROGRESS = 1, FETCH_ANSWER, FETCH_FAILURE };

/* Followed by: |text|, the URL or the message; |extra|, the ETag or the hint; and the body. */
struct fetch_message {
    uint32_t what;
    uint32_t outcome;          /* of a FAILURE */
    int64_t status, max_age_s; /* of an ANSWER */
    uint32_t no_store;
    uint32_t text_len, extra_len;
    uint64_t got, total; /* of PROGRESS */
    uint64_t body_len;
};

#endif
