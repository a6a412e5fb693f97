/* peek.c - reads the engine's internal data of values; included at the end of engine.c. */
#include "engine/peek.h"

/* Is the first property a private field `#impl`? js/web/url.js gives each of its objects one. */
static bool has_impl(JSContext *ctx, const JSObject *p)
{
    static const char name[] = "#impl";
    const JSShapeProperty *first = get_shape_prop(p->shape);
    const JSAtomStruct *atom;

    if (p->shape->prop_count == 0 || first->atom == JS_ATOM_NULL ||
        __JS_AtomIsTaggedInt(first->atom))
        return false;
    atom = ctx->rt->atom_array[first->atom];
    return JS_AtomGetKind(ctx, first->atom) == JS_ATOM_KIND_PRIVATE && !atom->is_wide_char &&
           atom->len == sizeof(name) - 1 &&
           memcmp(str8((JSString *)atom), name, sizeof(name) - 1) == 0 &&
           (first->flags & JS_PROP_TMASK) == JS_PROP_NORMAL;
}

enum crw_peek_kind crw_peek_kind(JSContext *ctx, JSValueConst value)
{
    JSClassID id = JS_VALUE_GET_OBJ(value)->class_id;

    switch (id) {
    case JS_CLASS_OBJECT:
        return has_impl(ctx, JS_VALUE_GET_OBJ(value)) ? CRW_PEEK_URL : CRW_PEEK_OBJECT;
    case JS_CLASS_ARRAY:
        return CRW_PEEK_ARRAY;
    case JS_CLASS_ARGUMENTS:
    case JS_CLASS_MAPPED_ARGUMENTS:
        return CRW_PEEK_ARGUMENTS;
    case JS_CLASS_ERROR:
    case JS_CLASS_DOM_EXCEPTION:
        return CRW_PEEK_ERROR;
    case JS_CLASS_NUMBER:
    case JS_CLASS_STRING:
    case JS_CLASS_BOOLEAN:
    case JS_CLASS_SYMBOL:
    case JS_CLASS_BIG_INT:
        return CRW_PEEK_BOXED;
    case JS_CLASS_DATE:
        return CRW_PEEK_DATE;
    case JS_CLASS_MODULE_NS:
        return CRW_PEEK_MODULE;
    case JS_CLASS_REGEXP:
        return CRW_PEEK_REGEXP;
    case JS_CLASS_ARRAY_BUFFER:
        return CRW_PEEK_BUFFER;
    case JS_CLASS_DATAVIEW:
        return CRW_PEEK_DATAVIEW;
    case JS_CLASS_MAP:
        return CRW_PEEK_MAP;
    case JS_CLASS_SET:
        return CRW_PEEK_SET;
    case JS_CLASS_WEAKMAP:
    case JS_CLASS_WEAKSET:
        return CRW_PEEK_WEAK;
    case JS_CLASS_MAP_ITERATOR:
        return CRW_PEEK_MAP_ITERATOR;
    case JS_CLASS_SET_ITERATOR:
        return CRW_PEEK_SET_ITERATOR;
    case JS_CLASS_PROMISE:
        return CRW_PEEK_PROMISE;
    case JS_CLASS_PROXY:
        return CRW_PEEK_PROXY;
    default:
        if (is_typed_array(id))
            return CRW_PEEK_TYPED_ARRAY;
        return JS_IsFunction(ctx, value) ? CRW_PEEK_FUNCTION : CRW_PEEK_OBJECT;
    }
}

JSValueConst crw_peek_target(JSValueConst proxy)
{
    const JSProxyData *data = JS_VALUE_GET_OBJ(proxy)->u.proxy_data;

    return data->is_revoked ? JS_UNDEFINED : data->target;
}

JSValueConst crw_peek_prototype(JSValueConst object)
{
    JSObject *proto = JS_VALUE_GET_OBJ(object)->shape->proto;

    return proto ? JS_MKPTR(JS_TAG_OBJECT, proto) : JS_NULL;
}

JSValueConst crw_peek_boxed(JSValueConst object)
{
    return JS_VALUE_GET_OBJ(object)->u.object_data;
}

bool crw_peek_dom_exception(JSValueConst error, JSValueConst *ret_name, JSValueConst *ret_message)
{
    const JSDOMExceptionData *data = JS_GetOpaque(error, JS_CLASS_DOM_EXCEPTION);

    if (!data)
        return false;
    if (ret_name)
        *ret_name = data->name;
    if (ret_message)
        *ret_message = data->message;
    return true;
}

JSValueConst crw_peek_impl(JSValueConst url)
{
    return JS_VALUE_GET_OBJ(url)->prop[0].u.value;
}

JSValue crw_peek_date(JSContext *ctx, JSValueConst date)
{
    double time;

    if (JS_ThisTimeValue(ctx, &time, date))
        return JS_EXCEPTION;
    return get_date_string(ctx, date, 0, NULL, isnan(time) ? 0x13 : 0x23);
}

JSValue crw_peek_regexp(JSContext *ctx, JSValueConst regexp)
{
    static const struct {
        int flag;
        char letter;
    } letters[] = {
        {LRE_FLAG_INDICES, 'd'},      {LRE_FLAG_GLOBAL, 'g'}, {LRE_FLAG_IGNORECASE, 'i'},
        {LRE_FLAG_MULTILINE, 'm'},    {LRE_FLAG_DOTALL, 's'}, {LRE_FLAG_UNICODE, 'u'},
        {LRE_FLAG_UNICODE_SETS, 'v'}, {LRE_FLAG_STICKY, 'y'},
    };
    int flags = lre_get_flags(str8(JS_VALUE_GET_OBJ(regexp)->u.regexp.bytecode));
    char tail[16] = "/";
    size_t len = 1;

    for (size_t i = 0; i < countof(letters); i++)
        if (flags & letters[i].flag)
            tail[len++] = letters[i].letter;
    return JS_ConcatString3(ctx, "/", js_regexp_get_source(ctx, regexp), tail);
}

unsigned crw_peek_function(JSValueConst function)
{
    const JSObject *p = JS_VALUE_GET_OBJ(function);
    const JSFunctionBytecode *b;

    if (!js_class_has_bytecode(p->class_id))
        return 0;
    b = p->u.func.function_bytecode;
    /* an ordinary function that is a constructor has the flag has_prototype, a class has not */
    return (p->is_constructor && !b->has_prototype ? CRW_PEEK_IS_CLASS : 0) |
           (b->func_kind & JS_FUNC_GENERATOR ? CRW_PEEK_IS_GENERATOR : 0) |
           (b->func_kind & JS_FUNC_ASYNC ? CRW_PEEK_IS_ASYNC : 0);
}

uint32_t crw_peek_elements(JSValueConst object)
{
    const JSObject *p = JS_VALUE_GET_OBJ(object);

    return p->fast_array ? p->u.array.count : 0;
}

size_t crw_peek_effort(JSValueConst object)
{
    return (size_t)JS_VALUE_GET_OBJ(object)->shape->prop_count;
}

int crw_peek_names(JSContext *ctx, JSValueConst object, JSPropertyEnum **ret, uint32_t *ret_count)
{
    JSObject *p = JS_VALUE_GET_OBJ(object);
    unsigned exotic = p->is_exotic;
    int r;

    /* then the engine lists only the properties in the shape, and not a billion elements */
    p->is_exotic = 0;
    r = JS_GetOwnPropertyNamesInternal(ctx, ret, ret_count, p,
                                       JS_GPN_ENUM_ONLY | JS_GPN_STRING_MASK | JS_GPN_SYMBOL_MASK);
    p->is_exotic = exotic;
    return r;
}

bool crw_peek_index(JSContext *ctx, JSAtom name, uint32_t *ret)
{
    return JS_AtomIsArrayIndex(ctx, ret, name);
}

bool crw_peek_is_symbol(JSContext *ctx, JSAtom name)
{
    return JS_AtomGetKind(ctx, name) == JS_ATOM_KIND_SYMBOL;
}

JSAtom crw_peek_tag_name(void)
{
    return JS_ATOM_Symbol_toStringTag;
}

static uint32_t walk_iterator(const JSMapIteratorData *it, struct crw_peek_walk *ret)
{
    const JSMapState *s;

    if (JS_IsUndefined(it->obj))
        return 0;
    s = JS_VALUE_GET_OBJ(it->obj)->u.map_state;
    ret->end = &s->records;
    ret->at = it->cur_record ? it->cur_record->link.next : s->records.next;
    ret->pairs = it->kind == JS_ITERATOR_KIND_KEY_AND_VALUE;
    ret->values = it->kind == JS_ITERATOR_KIND_VALUE;
    return 0;
}

uint32_t crw_peek_walk(JSValueConst object, struct crw_peek_walk *ret)
{
    const JSObject *p = JS_VALUE_GET_OBJ(object);
    const JSMapState *s;

    *ret = (struct crw_peek_walk){0};
    if (p->class_id == JS_CLASS_MAP_ITERATOR || p->class_id == JS_CLASS_SET_ITERATOR)
        return walk_iterator(p->u.map_iterator_data, ret);
    s = p->u.map_state;
    ret->end = &s->records;
    ret->at = s->records.next;
    return s->record_count;
}

bool crw_peek_next(struct crw_peek_walk *walk, JSValueConst *ret_key, JSValueConst *ret_value)
{
    while (walk->at != walk->end) {
        const JSMapRecord *mr = list_entry((struct list_head *)walk->at, JSMapRecord, link);

        walk->at = mr->link.next;
        if (mr->empty)
            continue;
        *ret_key = mr->key;
        *ret_value = mr->value;
        return true;
    }
    return false;
}

JSValue crw_peek_head(JSContext *ctx, JSValueConst string, uint32_t max, uint32_t *ret_length)
{
    JSValue whole = JS_VALUE_GET_TAG(string) == JS_TAG_STRING_ROPE
                        ? js_linearize_string_rope(ctx, string)
                        : js_dup(string);
    JSString *p = JS_VALUE_GET_STRING(whole);
    JSValue head;

    *ret_length = p->len;
    if (p->len <= max)
        return whole;
    head = js_sub_string(ctx, p, 0, (int)max);
    JS_FreeValue(ctx, whole);
    return head;
}

size_t crw_peek_bits(JSValueConst bigint)
{
    if (JS_VALUE_GET_TAG(bigint) == JS_TAG_SHORT_BIG_INT)
        return 64;
    return (size_t)((const JSBigInt *)JS_VALUE_GET_PTR(bigint))->len * JS_LIMB_BITS;
}

JSValue crw_peek_parse(JSContext *ctx, JSValueConst value, bool as_integer)
{
    JSValueConst argv[] = {value, JS_UNDEFINED};

    return as_integer ? js_parseInt(ctx, JS_UNDEFINED, 2, argv)
                      : js_parseFloat(ctx, JS_UNDEFINED, 1, argv);
}

JSValueConst crw_peek_dataview(JSValueConst view, uint32_t *ret_offset, uint32_t *ret_length)
{
    const JSTypedArray *data = JS_VALUE_GET_OBJ(view)->u.typed_array;

    *ret_offset = data->offset;
    *ret_length = data->length;
    return JS_MKPTR(JS_TAG_OBJECT, data->buffer);
}
