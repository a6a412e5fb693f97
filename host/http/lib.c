/* http_lib.c - dlopen, and a pointer for each function. */
#include "http/lib.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static int refuse(struct cr_problem *why, const char *reason)
{
    return cr_problem_set(why, CAPRUN_OUTCOME_INTERNAL,
                          "install libcurl4, or use a registry that is a directory",
                          "cannot open libcurl, which URLs need: %s", reason);
}

/* Puts the function |name| into |to|, which is a pointer to it. */
static bool find(void *handle, const char *name, void *to)
{
    void *symbol = dlsym(handle, name);

    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool find_all(void *handle, struct cr_http_lib *lib)
{
#define XX(name) &&find(handle, "curl_" #name, &lib->name)
    return true CR_HTTP_LIB_MAP(XX);
#undef XX
}

int cr_http_lib_new(struct cr_http_lib **ret, struct cr_problem *why)
{
    struct cr_http_lib *lib;
    void *handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);

    if (!handle)
        handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return refuse(why, dlerror());
    lib = calloc(1, sizeof(*lib));
    if (!lib)
        return cr_problem_memory(why);
    if (!find_all(handle, lib)) {
        free(lib);
        return refuse(why, dlerror());
    }
    if (lib->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(lib);
        return refuse(why, "it cannot be started");
    }
    lib->multi = lib->multi_init();
    if (!lib->multi) {
        cr_http_lib_free(lib);
        return cr_problem_memory(why);
    }
    *ret = lib;
    return 0;
}

/* The library stays loaded: what it loads itself has threads, and functions to be called at exit.
 */
void cr_http_lib_free(struct cr_http_lib *lib)
{
    if (!lib)
        return;
    if (lib->multi)
        (void)lib->multi_cleanup(lib->multi);
    lib->global_cleanup();
    free(lib);
}
