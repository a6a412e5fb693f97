/* lib.c - opens libcurl with dlopen, and looks up a pointer for each function. */
#include "http/lib.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

static struct cr_http_lib functions;
static void *handle;
static _Atomic bool is_open; /* |functions| is complete, and does not change any longer */

static const struct cr_http_lib *refuse(struct cr_err *why, const char *reason)
{
    (void)cr_err_end(why, CAPRUN_OUTCOME_INTERNAL,
                     "install libcurl4, or use a registry that is a directory",
                     "cannot open libcurl, which URLs need: %s", reason);
    return NULL;
}

static bool find_function(const char *name, void *to)
{
    void *symbol = dlsym(handle, name);

    memcpy(to, &symbol, sizeof(symbol));
    return symbol != NULL;
}

static bool find_all(void)
{
#define XX(name) &&find_function("curl_" #name, &functions.name)
    return true CR_HTTP_LIB_MAP(XX);
#undef XX
}

/* Without a resolver thread, a look-up would block for as long as the name server takes. */
static bool resolves_in_thread(void)
{
    const curl_version_info_data *info = functions.version_info(CURLVERSION_NOW);

    return info && info->features & CURL_VERSION_ASYNCHDNS;
}

static const struct cr_http_lib *load(struct cr_err *why)
{
    handle = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        handle = dlopen("libcurl-gnutls.so.4", RTLD_NOW | RTLD_LOCAL);
    if (!handle || !find_all())
        return refuse(why, dlerror());
    if (functions.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return refuse(why, "it cannot be started");
    if (!resolves_in_thread())
        return refuse(why, "it was built without an asynchronous resolver (AsynchDNS)");
    is_open = true;
    return &functions;
}

/*
 * libcurl is never closed, because libraries that it loads have threads, and functions that are
 * called at exit. Runtimes in other threads may call this function at the same time.
 */
const struct cr_http_lib *cr_http_lib_open(struct cr_err *why)
{
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    const struct cr_http_lib *lib;

    (void)pthread_mutex_lock(&one_at_a_time);
    lib = is_open ? &functions : load(why);
    (void)pthread_mutex_unlock(&one_at_a_time);
    return lib;
}

const struct cr_http_lib *cr_http_lib_get(void)
{
    return is_open ? &functions : NULL;
}

/* An older libcurl that lacks an option does not need it. */
bool cr_http_lib_set_rules(const struct cr_http_lib *lib, CURL *easy)
{
    static const struct {
        CURLoption option;
        long value;
    } rules[] = {
        {CURLOPT_NOSIGNAL, 1},
        {CURLOPT_QUICK_EXIT, 1}, /* does not wait for a resolver that hangs */
        {CURLOPT_FOLLOWLOCATION, 0},
        {CURLOPT_HTTP09_ALLOWED, 0},
        {CURLOPT_DISALLOW_USERNAME_IN_URL, 1},
        {CURLOPT_NETRC, CURL_NETRC_IGNORED},
        {CURLOPT_SUPPRESS_CONNECT_HEADERS, 1},
        {CURLOPT_SSL_VERIFYPEER, 1},
        {CURLOPT_SSL_VERIFYHOST, 2},
    };

    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
        (void)lib->easy_setopt(easy, rules[i].option, rules[i].value);
    return !lib->easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") ||
           !lib->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
}
