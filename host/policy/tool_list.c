/*
 * tool_list.c - one sorted index for exact names and for aliases.
 *
 * The index is sorted by alias first, so that all names with the same alias stand together. Among
 * them it is sorted by name, so that a look-up need not walk over all names of one alias.
 */
#include "policy/tool_list.h"

#include <stdlib.h>
#include <string.h>

#include "caprun.h"
#include "run_limits.h"

void cr_tool_list_init(struct cr_tool_list *list)
{
    *list = (struct cr_tool_list){.is_set = false};
    cr_buf_init(&list->names, LIMIT_TOOLS * (LIMIT_TOOL_CHARS + 1));
}

void cr_tool_list_clear(struct cr_tool_list *list)
{
    cr_buf_clear(&list->names);
    free(list->aliases);
    free(list->index);
    cr_tool_list_init(list);
}

void cr_tool_list_add(struct cr_tool_list *list, const char *name)
{
    size_t len = strlen(name);

    if (list->count == LIMIT_TOOLS || len > LIMIT_TOOL_CHARS)
        list->names.err = CAPRUN_E_TOOBIG;
    cr_buf_add(&list->names, name, len + 1);
    list->count += !list->names.err;
}

/* Turns the |len| bytes of names, NULs included, at |names| into aliases. */
static void fold(const char *names, size_t len, char *ret)
{
    for (size_t i = 0; i < len; i++)
        ret[i] = names[i] == '-' || names[i] == '.' || names[i] == '/' ? '_' : names[i];
}

static int compare_aliases(const void *a, const void *b)
{
    const struct cr_tool_entry *x = a, *y = b;

    return strcmp(x->alias, y->alias);
}

static int compare_entries(const void *a, const void *b)
{
    const struct cr_tool_entry *x = a, *y = b;
    int order = compare_aliases(a, b);

    return order ? order : strcmp(x->name, y->name);
}

int cr_tool_list_set(struct cr_tool_list *list)
{
    const char *names = (const char *)list->names.data, *name = names;

    list->is_set = true; /* also after an error: then no tool may be called */
    if (cr_buf_err(&list->names))
        return cr_buf_err(&list->names);
    if (!list->count)
        return 0;
    list->aliases = malloc(list->names.len);
    list->index = list->aliases ? calloc(list->count, sizeof(*list->index)) : NULL;
    if (!list->index)
        return CAPRUN_E_NOMEM;
    fold(names, list->names.len, list->aliases);
    for (size_t i = 0; i < list->count; i++, name += strlen(name) + 1)
        list->index[i] = (struct cr_tool_entry){list->aliases + (name - names), name};
    qsort(list->index, list->count, sizeof(*list->index), compare_entries);
    return 0;
}

const char *cr_tool_list_next(const struct cr_tool_list *list, const char *name)
{
    const char *first = (const char *)list->names.data;
    const char *next = name ? name + strlen(name) + 1 : first;

    return list->count && (size_t)(next - first) < list->names.len ? next : NULL;
}

static bool is_found(const struct cr_tool_list *list, const char *method,
                     int (*compare)(const void *, const void *))
{
    size_t len = strlen(method);
    char alias[LIMIT_TOOL_CHARS + 1];
    const struct cr_tool_entry wanted = {alias, method};

    if (!list->index || len > LIMIT_TOOL_CHARS)
        return false;
    fold(method, len + 1, alias);
    return bsearch(&wanted, list->index, list->count, sizeof(wanted), compare) != NULL;
}

bool cr_tool_list_has(const struct cr_tool_list *list, const char *method)
{
    return is_found(list, method, compare_entries);
}

bool cr_tool_list_has_alias(const struct cr_tool_list *list, const char *method)
{
    return is_found(list, method, compare_aliases);
}
