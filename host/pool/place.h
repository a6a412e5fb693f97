/*
 * place.h - where caprun-worker is, without having been told at build time.
 */
#ifndef CR_PLACE_H
#define CR_PLACE_H

#include <stddef.h>

/*
 * Writes the path of the worker program: beside the file that this code was loaded from (the shared
 * library, or the program that has it linked in), as after `make`; or else where `make install`
 * puts it from there, in ../libexec/caprun. The latter also if there is none at all, so that
 * starting it says what is missing; and if our own place cannot be known, in the default PREFIX.
 * Our own place is what it was when we were loaded, wherever the application has gone since.
 */
void cr_place_worker(char *ret_path, size_t size);

#endif
