/* sqlite_lib.c - loads libsqlite3 with dlopen(), and finds its functions. */
#include "journal/sqlite_lib.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <string.h>

static int set_error(struct cr_err *err)
{
    const char *reason = dlerror();

    return cr_err_set(err, CAPRUN_E_SYS, "cannot open libsqlite3: %s; install libsqlite3-0",
                      reason ? reason : "no memory");
}

/* Sets |to|, a pointer to a function pointer, to the function |name|. */
static bool find_symbol(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);

    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool find_symbols(void *handle, struct cr_sqlite_lib *lib)
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
        return set_error(err);
    if (!find_symbols(handle, &lib)) {
        (void)set_error(err);
        (void)dlclose(handle);
        return CAPRUN_E_SYS;
    }
    *ret = lib;
    return 0;
}
