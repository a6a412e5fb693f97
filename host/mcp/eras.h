/*
 * eras.h - remembers the protocol era of each server in a small file. Without it, a server that
 * does not answer before initialize costs ten seconds at each start.
 *
 * The remembered era is only the first guess; a wrong one is deleted.
 */
#ifndef CR_ERAS_H
#define CR_ERAS_H

#include "base/loop.h"
#include "mcp/rpc.h"

/*
 * |key| is the endpoint's (mcp/transport.h). Returns UNKNOWN if |dir| is NULL or has no such file.
 */
enum cr_era cr_eras_recall(const char *dir, const char *const *key);

/* Writes the file; UNKNOWN deletes it. Errors are ignored. Blocks on the disk. */
void cr_eras_remember(const char *dir, const char *const *key, enum cr_era era);

/* The same in the helper thread of |loop|; |dir| and |key| are not needed afterwards. */
void cr_eras_remember_later(struct cr_loop *loop, const char *dir, const char *const *key,
                            enum cr_era era);

#endif
