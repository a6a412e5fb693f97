/*
 * place.h - where caprun-worker is, without having been told at build time.
 */
#ifndef CR_PLACE_H
#define CR_PLACE_H

#include <stddef.h>

/*
 * Writes the path of the worker program to |path|: beside the file that this code was loaded from
 * (the shared library, or the program that has it linked in), as after `make`; or else where `make
 * install` puts it from there, in ../libexec/caprun. The latter also if there is none at all, so
 * that starting it says what is missing. Returns 0, or CAPRUN_E_SYS if the path cannot be known.
 */
int cr_place_worker(char *path, size_t size);

#endif
