/*
 * stdio.h - the transport to a server that is a process (mcp/child.h), over its standard input and
 * output.
 */
#ifndef CR_STDIO_H
#define CR_STDIO_H

#include "mcp/child.h"
#include "mcp/transport.h"

/*
 * Returns an endpoint that starts the command of |spec|, which is copied; its key is argv. NULL if
 * there is no memory. The caller, or the server that takes it over, calls its free().
 */
struct cr_endpoint *cr_stdio_new(const struct cr_child_spec *spec);

#endif
