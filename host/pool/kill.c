/* kill.c - signals a process by its pidfd, since its pid may belong to another process by now. */
#include "pool/kill.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int send_signal(int pidfd, int number)
{
    return syscall(SYS_pidfd_send_signal, pidfd, number, NULL, 0) == 0 || errno == ESRCH ? 0 : -1;
}

int cr_kill_process(int pidfd)
{
    return send_signal(pidfd, SIGKILL);
}

int cr_kill_check(int pidfd, struct cr_err *err)
{
    if (send_signal(pidfd, 0) == 0)
        return 0;
    if (errno == ENOSYS)
        return cr_err_set(err, CAPRUN_E_SANDBOX,
                          "workers cannot be killed from here: there is no pidfd_send_signal; "
                          "valgrind does not know it (docs/embedding.md, \"Under valgrind\")");
    return cr_err_set(err, CAPRUN_E_SANDBOX, "workers cannot be killed from here: %s",
                      strerror(errno));
}
