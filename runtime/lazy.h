/*
 * lazy.h - code of ours that is loaded when a capability first uses it.
 *
 * A module is a script of js/web, made into bytecode at build time: a function that is given the
 * object `native`, with the module's C functions and `load`, and returns its exports. A global is a
 * name and the module that exports it. Until its first use a global is an accessor; then the module
 * is loaded, and all of its globals become what they would be elsewhere: plain properties.
 *
 * To add a module: a name in the enum, a row in `modules`, rows in `globals`, all in lazy.c.
 */
#ifndef CRW_LAZY_H
#define CRW_LAZY_H

#include "quickjs.h"

/* Defines the globals, before any code of a stranger runs. Returns 0, or -1 with an exception. */
int crw_lazy_install(JSContext *ctx);

#endif
