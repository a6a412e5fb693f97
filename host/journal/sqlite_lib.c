/* sqlite_lib.c - dlopen, and a pointer for each function. */
#include "journal/sqlite_lib.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static int refuse(struct cr_err *err)
{
    const char *reason = dlerror();

    return cr_err_set(err, CAPRUN_E_SYS, "cannot open libsqlite3: %s; install libsqlite3-0",
                      reason ? reason : "no memory");
}

/* Puts the function |name| into |to|, which is a pointer to it. */
static bool find_symbol(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);

    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool find_all(void *handle, struct cr_sqlite_lib *lib)
{
#define XX(name) &&find_symbol(handle, "sqlite3_" #name, &lib->name)
    return true CR_SQLITE_LIB_MAP(XX);
#undef XX
}

int cr_sqlite_lib_init(struct cr_sqlite_lib *ret, struct cr_err *err)
{
    void *handle = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
    struct cr_sqlite_lib lib;

    if (!handle)
        return refuse(err);
    if (!find_all(handle, &lib)) {
        (void)refuse(err);
        (void)dlclose(handle);
        return CAPRUN_E_SYS;
    }
    *ret = lib;
    return 0;
}
