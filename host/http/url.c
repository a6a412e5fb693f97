/* url.c - checks URLs, and resolves references. */
#include "http/url.h"

#include <string.h>
#include <strings.h>

#include "base/escape.h"
#include "http/lib.h"

#define SHOWN_REFERENCE 1000u

bool cr_url_is_https(const char *url)
{
    return strncasecmp(url, "https://", 8) == 0;
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if (*text <= 0x20 || *text >= 0x7f)
            return false;
    return true;
}

bool cr_url_is_http(const char *text)
{
    const char *host;
    size_t len;

    if (cr_url_is_https(text))
        host = text + 8;
    else if (strncasecmp(text, "http://", 7) == 0)
        host = text + 7;
    else
        return false;
    len = strcspn(host, "/?#");
    return len > 0 && !memchr(host, '@', len) && strlen(text) <= CR_URL_MAX && is_printable(text);
}

static bool is_safe_step(const char *from, const char *to)
{
    return cr_url_is_http(to) && (cr_url_is_https(to) || !cr_url_is_https(from));
}

int cr_url_refuse(const char *url, struct cr_err *why)
{
    return cr_err_end(why, CAPRUN_OUTCOME_METADATA_INVALID,
                      "a URL is http:// or https://, then a host, without a user or a password, "
                      "in printable ASCII, of 2,048 bytes at most",
                      "\"%.*s\" is not a URL that can be fetched", CR_URL_MAX, url);
}

bool cr_url_join(const struct cr_http_lib *lib, const char *base, const char *reference,
                 struct cr_buf *ret)
{
    CURLU *url = lib->url();
    char *joined = NULL;
    bool good;

    good = url && reference[0] && is_printable(reference) &&
           !lib->url_set(url, CURLUPART_URL, base, 0) &&
           !lib->url_set(url, CURLUPART_URL, reference, 0) &&
           !lib->url_set(url, CURLUPART_FRAGMENT, NULL, 0) &&
           !lib->url_get(url, CURLUPART_URL, &joined, 0) && is_safe_step(base, joined);
    if (good)
        cr_buf_str(ret, joined);
    lib->free(joined);
    lib->url_cleanup(url);
    return good;
}

bool cr_url_origin(const struct cr_http_lib *lib, const char *url, struct cr_buf *ret)
{
    static const CURLUPart parts[] = {CURLUPART_SCHEME, CURLUPART_HOST, CURLUPART_PORT};
    char *texts[3] = {NULL};
    CURLU *parsed = lib->url();
    bool good = parsed && !lib->url_set(parsed, CURLUPART_URL, url, 0);

    for (size_t i = 0; i < 3; i++)
        good = good && !lib->url_get(parsed, parts[i], &texts[i], CURLU_DEFAULT_PORT);
    if (good)
        cr_buf_fmt(ret, "%s://%s:%s", texts[0], texts[1], texts[2]);
    for (size_t i = 0; i < 3; i++)
        lib->free(texts[i]);
    lib->url_cleanup(parsed);
    return good;
}

/* The reference is untrusted: escaped, it stays on one line. */
static int refuse_reference(const char *base, const char *reference, struct cr_err *why)
{
    size_t len = strlen(reference);
    struct cr_buf shown;

    cr_buf_init(&shown, sizeof(why->text));
    cr_escape_terminal(&shown, reference, len < SHOWN_REFERENCE ? len : SHOWN_REFERENCE);
    (void)cr_err_end(why, CAPRUN_OUTCOME_METADATA_INVALID,
                     "a registry may only name http and https URLs, and an https registry "
                     "only https URLs",
                     "\"%s\" cannot be fetched from the registry \"%s\"",
                     cr_buf_text(&shown) ? cr_buf_text(&shown) : "what it names", base);
    cr_buf_clear(&shown);
    return CAPRUN_E_INVAL;
}

int cr_url_resolve(const char *base, const char *reference, struct cr_buf *ret, struct cr_err *why)
{
    char folder[CR_URL_MAX + 2];
    size_t len = strcspn(base, "?#");
    const struct cr_http_lib *lib;

    if (!cr_url_is_http(base))
        return cr_url_refuse(base, why);
    lib = cr_http_lib_open(why);
    if (!lib)
        return CAPRUN_E_INVAL;
    memcpy(folder, base, len);
    if (folder[len - 1] != '/')
        folder[len++] = '/';
    folder[len] = '\0';
    if (!cr_url_join(lib, folder, reference, ret))
        return refuse_reference(base, reference, why);
    return cr_buf_err(ret) ? cr_err_memory(why) : 0;
}
