/*
 * link.h - the worker's end of its one socket.
 *
 * A worker that cannot read its socket, or reads an invalid frame, exits at once with a numbered
 * status, which the host turns into a message. If the host is gone, a write ends the worker by
 * SIGPIPE. So nothing here returns an error.
 *
 * Frames that are not urgent (a call, an idle notice) are buffered and sent in one write by
 * crw_link_flush(). The worker flushes before it reads, before it exits, and when the engine's
 * interrupt handler finds frames in the buffer, so that a call is not delayed by code that keeps
 * computing.
 */
#ifndef CRW_LINK_H
#define CRW_LINK_H

#include <stdbool.h>
#include <stdint.h>

#include "wire.h"

/* Exits the process. No exit handler runs, and the buffer is not flushed. */
_Noreturn void crw_link_leave(enum wire_exit status);

/*
 * Reads the next frame from the host. Returns its payload and a NUL after it, which the length does
 * not count; the caller frees it with crw_arena_free. Exits if the host has closed the socket.
 */
uint8_t *crw_link_read(struct wire_header *ret_header);

/* Appends a frame with a payload of |count| parts. A large frame is written at once. */
void crw_link_put(enum wire_type type, uint32_t id, const struct wire_part *parts, size_t count);

void crw_link_flush(void);
bool crw_link_waiting(void);

/*
 * Flushes, then waits until the host closes the socket, and exits. Until then the host can measure
 * the resources that the run has used.
 */
_Noreturn void crw_link_wait_for_close(void);

/* Tells the host that memory has run out, then waits for the close. Allocates nothing. */
_Noreturn void crw_link_full(void);

/* Returns how many frames have been read. */
uint32_t crw_link_frames_read(void);

#endif
