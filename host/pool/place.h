/*
 * place.h - finds caprun-worker without a path that was set at build time.
 */
#ifndef CR_PLACE_H
#define CR_PLACE_H

#include <stddef.h>

/*
 * Writes the path of the worker program: caprun-worker beside the file that this code was loaded
 * from (the shared library, or the program that has it linked in), as after `make`; or else
 * ../libexec/caprun/caprun-worker from there, where `make install` puts it. The second path also if
 * neither file exists, so that the error of starting it names the missing file. If the file that
 * this code was loaded from is unknown, the default PREFIX is used instead.
 */
void cr_place_worker(char *ret_path, size_t size);

#endif
