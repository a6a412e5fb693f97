/*
 * hook.c - gives test code the powers of an attacker with an exploit of the engine: the object
 * `native`, in the JavaScript of a worker with the normal lock-down. The test-only worker consists
 * of the release worker's objects and this file; it is never installed.
 *
 *     native.syscall(number, ...args)  any system call; returns the kernel's result
 *     native.int80(number, ...args)    the same by int 0x80, as 32-bit programs (x86 only)
 *     native.address(bytes)            the address of a Uint8Array
 *     native.peek(address, length)     reads memory, as a Uint8Array
 *     native.poke(address, byte)       writes memory
 *     native.jump(address)             runs the machine code at the address
 *     native.flush()                   sends the waiting frames; raw bytes can then follow
 *
 * Args are numbers, BigInts, or a Uint8Array, which is passed as its address.
 *
 * Code that begins with "//fail-allocation N" runs out of memory at its Nth allocation, counted
 * from reading the job, wherever the engine is then.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "arena.h"
#include "bridge.h"
#include "link.h"

#define ARGS 6

/* The linker replaces every use of NAME in the worker's objects by __wrap_NAME (-Wl,--wrap). */
JSValue __real_crw_bridge_install(JSContext *ctx);
JSValue __wrap_crw_bridge_install(JSContext *ctx);
uint8_t *__real_crw_link_read(struct wire_header *ret_header);
uint8_t *__wrap_crw_link_read(struct wire_header *ret_header);
void *__real_crw_arena_malloc(void *opaque, size_t size);
void *__wrap_crw_arena_malloc(void *opaque, size_t size);
void *__real_crw_arena_calloc(void *opaque, size_t count, size_t size);
void *__wrap_crw_arena_calloc(void *opaque, size_t count, size_t size);
void *__real_crw_arena_realloc(void *opaque, void *ptr, size_t size);
void *__wrap_crw_arena_realloc(void *opaque, void *ptr, size_t size);

/* --- the machine -------------------------------------------------------------------------- */

static long enter_kernel(long number, const long args[ARGS])
{
#if defined(__x86_64__)
    long result;

    __asm__ volatile("mov %5, %%r10; mov %6, %%r8; mov %7, %%r9; syscall"
                     : "=a"(result)
                     : "a"(number), "D"(args[0]), "S"(args[1]), "d"(args[2]), "m"(args[3]),
                       "m"(args[4]), "m"(args[5])
                     : "rcx", "r8", "r9", "r10", "r11", "memory");
    return result;
#else
    register long x8 __asm__("x8") = number;
    register long x0 __asm__("x0") = args[0];
    register long x1 __asm__("x1") = args[1];
    register long x2 __asm__("x2") = args[2];
    register long x3 __asm__("x3") = args[3];
    register long x4 __asm__("x4") = args[4];
    register long x5 __asm__("x5") = args[5];

    __asm__ volatile("svc 0"
                     : "+r"(x0)
                     : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
                     : "memory");
    return x0;
#endif
}

/* Five arguments: the sixth would need the frame pointer. */
static long enter_kernel_as_32_bits(long number, const long args[ARGS])
{
#if defined(__x86_64__)
    long result;

    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(number), "b"(args[0]), "c"(args[1]), "d"(args[2]), "S"(args[3]),
                       "D"(args[4])
                     : "r8", "r9", "r10", "r11", "memory");
    return result;
#else
    (void)number;
    (void)args;
    return -38; /* ENOSYS: not on this architecture */
#endif
}

/* --- native ------------------------------------------------------------------------------- */

static int to_word(JSContext *ctx, JSValueConst value, long *ret)
{
    size_t size;
    int64_t number;

    if (JS_GetTypedArrayType(value) == JS_TYPED_ARRAY_UINT8) {
        *ret = (long)(uintptr_t)JS_GetUint8Array(ctx, &size, value);
        return 0;
    }
    if (JS_ToInt64Ext(ctx, &number, value) < 0)
        return -1;
    *ret = number;
    return 0;
}

static JSValue from_word(JSContext *ctx, long word)
{
    return word > -(1L << 53) && word < 1L << 53 ? JS_NewInt64(ctx, word)
                                                 : JS_NewBigInt64(ctx, word);
}

/* |door| is 0 for the normal system call instruction, 1 for int 0x80. */
static JSValue call(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv, int door)
{
    long number, args[ARGS] = {0};

    (void)this_val;
    if (argc < 1 || to_word(ctx, argv[0], &number) < 0)
        return JS_EXCEPTION;
    for (int i = 1; i < argc && i <= ARGS; i++)
        if (to_word(ctx, argv[i], &args[i - 1]) < 0)
            return JS_EXCEPTION;
    return from_word(ctx,
                     door ? enter_kernel_as_32_bits(number, args) : enter_kernel(number, args));
}

static JSValue address(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    long word;

    (void)this_val;
    (void)argc;
    return to_word(ctx, argv[0], &word) < 0 ? JS_EXCEPTION : JS_NewBigInt64(ctx, word);
}

static JSValue peek(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    long at, length;

    (void)this_val;
    (void)argc;
    if (to_word(ctx, argv[0], &at) < 0 || to_word(ctx, argv[1], &length) < 0)
        return JS_EXCEPTION;
    return JS_NewUint8ArrayCopy(ctx, (const uint8_t *)(uintptr_t)at, (size_t)length);
}

static JSValue poke(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    long at, byte;

    (void)this_val;
    (void)argc;
    if (to_word(ctx, argv[0], &at) < 0 || to_word(ctx, argv[1], &byte) < 0)
        return JS_EXCEPTION;
    *(volatile uint8_t *)(uintptr_t)at = (uint8_t)byte;
    return JS_UNDEFINED;
}

static JSValue jump(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    long at;

    (void)this_val;
    (void)argc;
    if (to_word(ctx, argv[0], &at) < 0)
        return JS_EXCEPTION;
    ((void (*)(void))(uintptr_t)at)();
    return JS_UNDEFINED;
}

static JSValue flush(JSContext *ctx, JSValueConst this_val, int argc, JSValueConst *argv)
{
    (void)ctx;
    (void)this_val;
    (void)argc;
    (void)argv;
    crw_link_flush();
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry members[] = {
    JS_CFUNC_MAGIC_DEF("syscall", 7, call, 0),
    JS_CFUNC_MAGIC_DEF("int80", 7, call, 1),
    JS_CFUNC_DEF("address", 1, address),
    JS_CFUNC_DEF("peek", 2, peek),
    JS_CFUNC_DEF("poke", 2, poke),
    JS_CFUNC_DEF("jump", 1, jump),
    JS_CFUNC_DEF("flush", 0, flush),
};

JSValue __wrap_crw_bridge_install(JSContext *ctx)
{
    JSValue mcp = __real_crw_bridge_install(ctx), global = JS_GetGlobalObject(ctx);
    JSValue native = JS_NewObject(ctx);

    (void)JS_SetPropertyFunctionList(ctx, native, members, sizeof(members) / sizeof(members[0]));
    (void)JS_SetPropertyStr(ctx, global, "native", native);
    JS_FreeValue(ctx, global);
    return mcp;
}

/* --- memory that runs out ----------------------------------------------------------------- */

static unsigned long left; /* allocations until memory runs out; 0: no limit */

static void count_down(void)
{
    if (left && --left == 0)
        crw_link_full();
}

void *__wrap_crw_arena_malloc(void *opaque, size_t size)
{
    count_down();
    return __real_crw_arena_malloc(opaque, size);
}

void *__wrap_crw_arena_calloc(void *opaque, size_t count, size_t size)
{
    count_down();
    return __real_crw_arena_calloc(opaque, count, size);
}

void *__wrap_crw_arena_realloc(void *opaque, void *ptr, size_t size)
{
    count_down();
    return __real_crw_arena_realloc(opaque, ptr, size);
}

uint8_t *__wrap_crw_link_read(struct wire_header *ret_header)
{
    uint8_t *payload = __real_crw_link_read(ret_header);
    struct wire_job job;

    if (ret_header->type == WIRE_JOB) {
        memcpy(&job, payload, sizeof(job));
        (void)sscanf((const char *)payload + sizeof(job) + job.name_len + job.schema_len,
                     "//fail-allocation %lu", &left);
    }
    return payload;
}
