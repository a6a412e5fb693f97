/*
 * trust.c - an X509_STORE of OpenSSL, made as libcurl makes its own.
 *
 * The functions are those of the OpenSSL that libcurl is linked with: found through its handle, and
 * declared here, because no other part of the program needs OpenSSL.
 */
#include "http/trust.h"

#include <stdlib.h>
#include <string.h>

#define TRUSTED_FIRST 0x8000ul  /* X509_V_FLAG_TRUSTED_FIRST, as libcurl sets it */
#define PARTIAL_CHAIN 0x80000ul /* X509_V_FLAG_PARTIAL_CHAIN: the same */

struct cr_http_trust {
    void *store;
    void *(*make)(void);
    void (*free)(void *store);
    int (*load)(void *store, const char *file, const char *dir);
    int (*set_flags)(void *store, unsigned long flags);
    void (*give)(void *ssl_ctx, void *store); /* which counts one owner more */
};

static bool find_functions(struct cr_http_trust *t)
{
    return cr_http_lib_find("X509_STORE_new", &t->make) &&
           cr_http_lib_find("X509_STORE_free", &t->free) &&
           cr_http_lib_find("X509_STORE_load_locations", &t->load) &&
           cr_http_lib_find("X509_STORE_set_flags", &t->set_flags) &&
           cr_http_lib_find("SSL_CTX_set1_cert_store", &t->give);
}

static bool has_openssl(const struct cr_http_lib *lib)
{
    const curl_version_info_data *info = lib->version_info(CURLVERSION_NOW);

    return info && info->ssl_version && strncmp(info->ssl_version, "OpenSSL/", 8) == 0;
}

/* Returns false where this libcurl does not say which files it reads. */
static bool read_files(struct cr_http_trust *t, const struct cr_http_lib *lib, const char *file)
{
    CURL *easy = lib->easy_init();
    const char *usual = NULL, *dir = NULL;
    bool good;

    good = easy && !lib->easy_getinfo(easy, CURLINFO_CAINFO, &usual) &&
           !lib->easy_getinfo(easy, CURLINFO_CAPATH, &dir) && (file || usual || dir) &&
           t->load(t->store, file ? file : usual, dir) == 1 &&
           t->set_flags(t->store, TRUSTED_FIRST | PARTIAL_CHAIN) == 1;
    if (easy)
        lib->easy_cleanup(easy);
    return good;
}

struct cr_http_trust *cr_http_trust_read(const struct cr_http_lib *lib, const char *file)
{
    struct cr_http_trust *t = has_openssl(lib) ? calloc(1, sizeof(*t)) : NULL;

    if (!t)
        return NULL;
    if (find_functions(t))
        t->store = t->make();
    if (t->store && read_files(t, lib, file))
        return t;
    cr_http_trust_free(t);
    return NULL;
}

void cr_http_trust_free(struct cr_http_trust *t)
{
    if (t && t->store)
        t->free(t->store);
    free(t);
}

static CURLcode give_store(CURL *easy, void *ssl_ctx, void *data)
{
    struct cr_http_trust *t = data;

    (void)easy;
    t->give(ssl_ctx, t->store);
    return CURLE_OK;
}

bool cr_http_trust_use(struct cr_http_trust *t, const struct cr_http_lib *lib, CURL *easy)
{
    return !lib->easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, give_store) &&
           !lib->easy_setopt(easy, CURLOPT_SSL_CTX_DATA, t) &&
           !lib->easy_setopt(easy, CURLOPT_CAINFO, NULL) &&
           !lib->easy_setopt(easy, CURLOPT_CAPATH, NULL);
}
