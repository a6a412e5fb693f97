/* input.c - reads a file or standard input into a buffer with a maximum. */
#include "cli/input.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

int cr_input_read(const char *path, struct cr_buf *out, struct cr_err *err)
{
    cr_autoclose int fd = -1;
    char name[256];

    if (strcmp(path, "-") == 0)
        return cr_file_read_fd(STDIN_FILENO, "standard input", out, err);
    (void)snprintf(name, sizeof(name), "'%s'", path);
    fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0)
        return cr_err_sys(err, "cannot open %s", name);
    return cr_file_read_fd(fd, name, out, err);
}
