/*
 * lazy.h - loads our JavaScript modules when a capability first uses one of their globals.
 *
 * A module is a script of js/web, compiled to bytecode at build time. It is a function that gets
 * the object `native`, with the module's C functions and `load`, and returns its exports. A global
 * is a name and the module that exports it. Until its first use a global is an accessor. The first
 * use loads the module and turns all of its globals into plain properties, as in other runtimes.
 *
 * To add a module: a name in the enum, a row in `modules`, rows in `globals`, all in lazy.c.
 */
#ifndef CRW_LAZY_H
#define CRW_LAZY_H

#include "quickjs.h"

/* Defines the globals. Call before any untrusted code runs. Returns 0, or -1 with an exception. */
int crw_lazy_install(JSContext *ctx);

#endif
