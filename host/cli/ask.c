/* ask.c - asks on the controlling terminal: standard input may be the input of a run. */
#include "cli/ask.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <termios.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define MAX_ANSWER 64

/* Returns the terminal, which the caller closes; or -1. */
static int open_terminal(void)
{
    cr_autoclose int fd = -1;

    if (!isatty(STDERR_FILENO))
        return -1;
    fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0 || tcgetpgrp(fd) != getpgrp())
        return -1; /* in the background, reading would stop this process */
    return cr_steal_fd(&fd);
}

bool cr_ask_is_possible(void)
{
    cr_autoclose int fd = open_terminal();

    return fd >= 0;
}

/* Reads a line of any length, and its beginning into |ret|. Returns false at the end of input. */
static bool read_line(int fd, char ret[MAX_ANSWER])
{
    size_t len = 0;
    char c = 0;

    while (c != '\n') {
        ssize_t n = read(fd, &c, 1);

        if (n < 0 && errno == EINTR)
            continue;
        if (n != 1)
            return false;
        if (c != '\n' && len < MAX_ANSWER - 1)
            ret[len++] = c;
    }
    ret[len] = '\0';
    return true;
}

bool cr_ask_yes(const char *question)
{
    cr_autoclose int fd = open_terminal();
    char answer[MAX_ANSWER];

    if (fd < 0 || tcflush(fd, TCIFLUSH) < 0 ||
        cr_file_write_all(fd, question, strlen(question)) < 0)
        return false;
    if (!read_line(fd, answer)) {
        (void)cr_file_write_all(fd, "\n", 1);
        return false;
    }
    return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}
