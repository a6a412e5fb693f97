/*
 * http_lib.h - libcurl, opened at run time: a program that needs no URL does not load it.
 *
 * The functions are called as in libcurl's manual, through the struct: lib->easy_init() is
 * curl_easy_init().
 */
#ifndef CR_HTTP_LIB_H
#define CR_HTTP_LIB_H

#define CURL_DISABLE_TYPECHECK
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "base/problem.h"

#define CR_HTTP_LIB_MAP(XX) \
    XX(global_init)         \
    XX(global_cleanup)      \
    XX(easy_init)           \
    XX(easy_setopt)         \
    XX(easy_getinfo)        \
    XX(easy_strerror)       \
    XX(easy_cleanup)        \
    XX(multi_init)          \
    XX(multi_add_handle)    \
    XX(multi_remove_handle) \
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
    CURLM *multi; /* keeps connections from one transfer to the next */
};

/*
 * Opens libcurl. Returns 0, and the caller ends *|ret| with cr_http_lib_free(); or an error, of
 * the outcome INTERNAL, that says what to install.
 */
int cr_http_lib_new(struct cr_http_lib **ret, struct cr_problem *why);
void cr_http_lib_free(struct cr_http_lib *lib);

#endif
