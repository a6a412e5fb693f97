/* expand.c - replaces ${NAME} by variables of the environment. */
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/text.h"

#define NAME_MAX_LEN 255
#define MAX_TEXT (1u << 20)

/* *|reference| begins with "${". Appends the value, and moves *|reference| past the "}". */
static int expand_one(const char **reference, struct cr_buf *out, struct cr_err *err)
{
    const char *name = *reference + 2, *end = strchr(name, '}'), *value;
    char copy[NAME_MAX_LEN + 1];
    size_t len = end ? (size_t)(end - name) : 0;

    if (!end)
        return cr_err_set(err, CAPRUN_E_INVAL, "\"%.60s\": a \"${\" without a \"}\"", *reference);
    if (len <= NAME_MAX_LEN) {
        memcpy(copy, name, len);
        copy[len] = '\0';
    }
    if (len > NAME_MAX_LEN || !cr_text_variable.is(copy))
        return cr_err_set(err, CAPRUN_E_INVAL, "\"${%.*s}\": this is not the name of a variable",
                          (int)(len < 60 ? len : 60), name);
    value = getenv(copy);
    if (!value)
        return cr_err_set(err, CAPRUN_E_INVAL, "\"${%s}\": the environment has no variable \"%s\"",
                          copy, copy);
    cr_buf_str(out, value);
    *reference = end + 1;
    return 0;
}

int cr_config_expand(const char *text, struct cr_buf *out, struct cr_err *err)
{
    while (*text) {
        const char *reference = strstr(text, "${");
        size_t plain = reference ? (size_t)(reference - text) : strlen(text);

        cr_buf_add(out, text, plain);
        text += plain;
        if (reference) {
            int r = expand_one(&text, out, err);

            if (r < 0)
                return r;
        }
    }
    if (!cr_buf_text(out))
        return cr_err_set(err, cr_buf_err(out), "the text is too long with its variables replaced");
    return 0;
}

char *cr_config_expanded(const struct cr_config *config, const char *text)
{
    struct cr_buf out;

    if (config->is_plain)
        return strdup(text);
    cr_buf_init(&out, MAX_TEXT);
    if (cr_config_expand(text, &out, NULL) == 0)
        return (char *)out.data;
    cr_buf_clear(&out);
    return NULL;
}
