/*
 * lib.h - opens libcurl at run time, so that a program that needs no URL does not load it.
 *
 * The functions are called as in libcurl's manual, through the struct: lib->easy_init() is
 * curl_easy_init(). Once opened, libcurl stays for the life of the process, so that the struct may
 * be used in any thread.
 */
#ifndef CR_HTTP_LIB_H
#define CR_HTTP_LIB_H

#include <stdbool.h>

#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "base/err.h"

#define CR_HTTP_LIB_MAP(XX) \
    XX(global_init)         \
    XX(version_info)        \
    XX(easy_init)           \
    XX(easy_setopt)         \
    XX(easy_getinfo)        \
    XX(easy_pause)          \
    XX(easy_strerror)       \
    XX(easy_cleanup)        \
    XX(multi_init)          \
    XX(multi_add_handle)    \
    XX(multi_remove_handle) \
    XX(multi_setopt)        \
    XX(multi_assign)        \
    XX(multi_socket_action) \
    XX(multi_perform)       \
    XX(multi_poll)          \
    XX(multi_info_read)     \
    XX(multi_cleanup)       \
    XX(slist_append)        \
    XX(slist_free_all)      \
    XX(url)                 \
    XX(url_set)             \
    XX(url_get)             \
    XX(url_cleanup)         \
    XX(free)

struct cr_http_lib {
#define XX(name) __typeof__(&curl_##name) name;
    CR_HTTP_LIB_MAP(XX)
#undef XX
};

/*
 * Opens libcurl, if it is not open yet. Reads files for some milliseconds: not for the loop's
 * thread. Returns libcurl; or NULL, with an INTERNAL error that says what to install. Rejects a
 * libcurl that looks up names in the calling thread.
 */
const struct cr_http_lib *cr_http_lib_open(struct cr_err *why);

/*
 * Sets the options of every transfer: TLS is verified, no redirect is followed, no other file and
 * no other protocol is used. Returns false if there is no memory.
 */
bool cr_http_lib_set_rules(const struct cr_http_lib *lib, CURL *easy);

/* Returns libcurl if it is open, or NULL. Does not wait. */
const struct cr_http_lib *cr_http_lib_get(void);

#endif
