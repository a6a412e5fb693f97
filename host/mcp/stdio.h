/*
 * stdio.h - a server that is a process (mcp/child.h), spoken to through its standard input and
 * output.
 */
#ifndef CR_STDIO_H
#define CR_STDIO_H

#include "mcp/child.h"
#include "mcp/transport.h"

/*
 * Returns what starts the command of |spec|, which is copied; its key is argv.
 * NULL if there is no memory. The caller, or the server that takes it, ends it with free().
 */
struct cr_endpoint *cr_stdio_new(const struct cr_child_spec *spec);

#endif
