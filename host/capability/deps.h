/*
 * deps.h - the MCP servers that a capability's metadata names. Metadata starts nothing: a name
 * means the configured server, and where there is none a person has to configure it.
 */
#ifndef CR_DEPS_H
#define CR_DEPS_H

#include "base/err.h"
#include "config/config.h"
#include "registry/metadata.h"

/*
 * Are all servers configured that |meta| depends on, or is? Returns 0; or PERMISSION_DENIED, with
 * the command line or URL, the names of the variables, and in the hint the configuration to paste.
 */
int cr_deps_check(const struct cr_config *config, const struct cr_metadata *meta,
                  struct cr_err *why);

#endif
