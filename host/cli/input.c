/* input.c - reads to the end, or to one byte more than is wanted. */
#include "cli/input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

#define CHUNK 8192

static int read_all(int fd, const char *name, struct cr_buf *out, struct cr_err *err)
{
    for (;;) {
        size_t room = out->max - out->len < CHUNK ? out->max - out->len : CHUNK;
        uint8_t more = 0;
        uint8_t *to = room ? cr_buf_room(out, room) : &more;
        ssize_t n;

        if (!to)
            return cr_err_set(err, CAPRUN_E_NOMEM, "no memory for %s", name);
        n = read(fd, to, room ? room : 1);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cr_err_sys(err, "cannot read %s", name);
        if (n == 0)
            return 0;
        if (!room)
            return cr_err_set(err, CAPRUN_E_TOOBIG, "%s is over %zu bytes", name, out->max);
        out->len += (size_t)n;
    }
}

int cr_input_read(const char *path, struct cr_buf *out, struct cr_err *err)
{
    cr_autoclose int fd = -1;
    char name[256];

    if (strcmp(path, "-") == 0)
        return read_all(STDIN_FILENO, "standard input", out, err);
    (void)snprintf(name, sizeof(name), "'%s'", path);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cr_err_sys(err, "cannot open %s", name);
    return read_all(fd, name, out, err);
}
