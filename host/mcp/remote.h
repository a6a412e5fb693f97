/*
 * remote.h - the connection to a server behind HTTP ("Streamable HTTP" of MCP), as an endpoint of a
 * URL (transport.h). Each message is posted separately (exchange.h).
 *
 * Modern servers have no session: closing the stream of a request cancels it. A legacy server may
 * begin a session with its answer to initialize. The session's id is sent from then on, and the
 * session is deleted at the end. If the server has forgotten the session, the transport ends, and
 * requests that the server did not carry out can be sent in the next session.
 */
#ifndef CR_REMOTE_H
#define CR_REMOTE_H

#include "mcp/transport.h"

#define CR_REMOTE_PATIENCE_MS 1000 /* for the last messages, when the transport is stopped */

struct cr_remote_spec {
    const char *url;
    char *const *headers; /* "Name: value", then NULL */
    const char *ca_file;  /* NULL: the system's authorities */
    const char *proxy;    /* NULL: none */
};

/* |spec| is copied. Connects to nothing, and does not open libcurl. NULL: no memory. */
struct cr_endpoint *cr_remote_new(const struct cr_remote_spec *spec);

#endif
