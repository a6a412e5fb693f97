/*
 * zygote.h - forks workers when the host asks, and tells it how they ended.
 */
#ifndef CRW_ZYGOTE_H
#define CRW_ZYGOTE_H

#include <sys/types.h>

/*
 * Serves the control socket until the host closes it. |own| is this process's pid, which it cannot
 * ask for any more. In the zygote this never returns; it returns in each forked worker, locked
 * down.
 */
void crw_zygote_serve(pid_t own);

#endif
