/*
 * deps.h - checks that the MCP servers which a capability needs are configured. Metadata is
 * untrusted and never starts a server: a name means the configured server. If it is missing, a
 * person has to configure it.
 */
#ifndef CR_DEPS_H
#define CR_DEPS_H

#include "base/err.h"
#include "config/config.h"
#include "registry/metadata.h"

/*
 * Are all servers configured that |meta| depends on, and the server that it describes, if it does?
 * Returns 0; or PERMISSION_DENIED, with the command line or URL and the names of the variables of
 * the missing one, and in the hint the configuration to paste.
 */
int cr_deps_check(const struct cr_config *config, const struct cr_metadata *meta,
                  struct cr_err *why);

#endif
