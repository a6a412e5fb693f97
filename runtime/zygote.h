/*
 * zygote.h - forks workers when the host asks, and tells the host how they ended.
 */
#ifndef CRW_ZYGOTE_H
#define CRW_ZYGOTE_H

#include <sys/types.h>

/*
 * Serves the control socket until the host closes it. |own| is this process's pid; the filter no
 * longer allows getpid(). Never returns in the zygote; returns in each forked worker, locked down.
 */
void crw_zygote_serve(pid_t own);

#endif
