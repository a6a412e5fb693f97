/*
 * layout.c - checks at build time that the engine's structs have the layout that decode.c, encode.c
 * and peek.c assume. Part of engine.c, like these files.
 *
 * They make and read objects without the engine's own functions. With other structs they could
 * leave a new field unset, or misread a changed one. So the build stops here: read what has changed
 * and what uses it, then change this list.
 */
#include <stddef.h>

#define IS_AT(type, member, at, size)                                                       \
    _Static_assert(offsetof(type, member) == (at) && sizeof(((type *)0)->member) == (size), \
                   "engine: " #type "." #member " is not where runtime/engine/layout.c has it")
#define HAS_SIZE(type, size)               \
    _Static_assert(sizeof(type) == (size), \
                   "engine: " #type " has another size than in runtime/engine/layout.c")

#if UINTPTR_MAX == UINT64_MAX
HAS_SIZE(JSValue, 16);

/* new_object() in decode.c sets all of an object. */
HAS_SIZE(JSObject, 72);
IS_AT(JSObject, header, 0, 16);
IS_AT(JSObject, class_id, 18, 2);
IS_AT(JSObject, shape, 24, 8);
IS_AT(JSObject, prop, 32, 8);
IS_AT(JSObject, first_weak_ref, 40, 8);
IS_AT(JSObject, u, 48, 24);
IS_AT(JSObject, u.array.u1.size, 48, 4);
IS_AT(JSObject, u.array.u.values, 56, 8);
IS_AT(JSObject, u.array.count, 64, 4);
HAS_SIZE(JSProperty, 16);

/* find_shape() and new_shape() in decode.c look up and make shapes. */
HAS_SIZE(JSShape, 56);
IS_AT(JSShape, is_hashed, 16, 1);
IS_AT(JSShape, hash, 20, 4);
IS_AT(JSShape, prop_hash_mask, 24, 4);
IS_AT(JSShape, prop_size, 28, 4);
IS_AT(JSShape, prop_count, 32, 4);
IS_AT(JSShape, deleted_prop_count, 36, 4);
IS_AT(JSShape, shape_hash_next, 40, 8);
IS_AT(JSShape, proto, 48, 8);
HAS_SIZE(JSShapeProperty, 8);
IS_AT(JSShapeProperty, atom, 4, 4);

/* decode_string.c makes strings, encode_text.c and peek.c read them. */
HAS_SIZE(JSString, 24);
IS_AT(JSString, hash_next, 8, 4);
IS_AT(JSString, first_weak_ref, 16, 8);

/* peek.c reads these. */
HAS_SIZE(JSProxyData, 40);
IS_AT(JSProxyData, target, 0, 16);
IS_AT(JSProxyData, is_revoked, 33, 1);
HAS_SIZE(JSMapState, 48);
IS_AT(JSMapState, records, 8, 16);
IS_AT(JSMapState, record_count, 24, 4);
HAS_SIZE(JSMapRecord, 80);
IS_AT(JSMapRecord, empty, 4, 1);
IS_AT(JSMapRecord, link, 16, 16);
IS_AT(JSMapRecord, key, 48, 16);
IS_AT(JSMapRecord, value, 64, 16);
HAS_SIZE(JSMapIteratorData, 32);
IS_AT(JSMapIteratorData, kind, 16, 4);
IS_AT(JSMapIteratorData, cur_record, 24, 8);
HAS_SIZE(JSTypedArray, 48);
IS_AT(JSTypedArray, offset, 32, 4);
IS_AT(JSTypedArray, length, 36, 4);
HAS_SIZE(JSDOMExceptionData, 40);
IS_AT(JSDOMExceptionData, name, 0, 16);
IS_AT(JSDOMExceptionData, message, 16, 16);
IS_AT(JSBigInt, len, 0, 4);
#endif
