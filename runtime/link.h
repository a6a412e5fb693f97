/*
 * link.h - the worker's end of its one socket.
 *
 * A worker that cannot read its socket, or is told nonsense, leaves at once with a numbered status:
 * the host turns that into words. If the host is gone, writing ends it by SIGPIPE. So nothing here
 * returns an error.
 *
 * Frames that may wait for company (a call, an idle notice) are gathered and leave in one write;
 * crw_link_flush() sends them. The worker flushes before it reads, before it leaves, and when the
 * engine's interrupt handler finds something waiting, so that a call is not held up by code that
 * computes on.
 */
#ifndef CRW_LINK_H
#define CRW_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

/* Leaves the process. No handler runs and nothing is flushed. */
_Noreturn void crw_link_leave(enum wire_exit status);

/*
 * Reads the next frame from the host. Returns its payload, with a NUL behind it that the length
 * does not count; the caller frees it with crw_arena_free. Leaves when the host has closed.
 */
uint8_t *crw_link_read(struct wire_header *ret_header);

/* Appends a frame; the payload is |count| parts. Large ones are written through at once. */
void crw_link_put(enum wire_type type, uint32_t id, const struct wire_part *parts, size_t count);

void crw_link_flush(void);
bool crw_link_waiting(void);

/*
 * Sends what is waiting, and leaves when the host closes the socket: until then it can measure what
 * the run has used.
 */
_Noreturn void crw_link_wait_for_close(void);

/* Says that memory has run out, and lingers. Allocates nothing. */
_Noreturn void crw_link_full(void);

/* How many frames have been read. */
uint32_t crw_link_frames_read(void);

#endif
