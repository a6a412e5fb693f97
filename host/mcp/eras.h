/*
 * eras.h - which era a server spoke last time, as a small file for each endpoint: a server that is
 * silent before initialize costs ten seconds to find out.
 *
 * What is remembered is a guess to begin with, and wrong ones are forgotten.
 */
#ifndef CR_ERAS_H
#define CR_ERAS_H

#include "base/loop.h"
#include "mcp/rpc.h"

/* |key| is that of the endpoint (mcp/transport.h). UNKNOWN if |dir| is NULL, or has none. */
enum cr_era cr_eras_recall(const char *dir, const char *const *key);

/* UNKNOWN forgets. What cannot be written is not remembered. Waits for the disk. */
void cr_eras_remember(const char *dir, const char *const *key, enum cr_era era);

/* The same by the helper of |loop|, which needs neither |dir| nor |key| afterwards. */
void cr_eras_remember_later(struct cr_loop *loop, const char *dir, const char *const *key,
                            enum cr_era era);

#endif
