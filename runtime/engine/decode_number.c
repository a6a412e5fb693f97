/*
 * decode_number.c - parses the numbers of JSON exactly; included by engine.c.
 *
 * Nearly all numbers have at most 19 digits, which fit a 64-bit integer, times a power of ten: a
 * power of five that fits 64 bits, and a shift. One 128-bit multiplication or division then gives
 * all that exact rounding needs: the first 64 bits of the result, and whether more bits follow.
 * Numbers with more digits or a larger power go to strtod(), which is slow.
 */
#define DIGITS 19      /* any number of so many digits fits 64 bits */
#define MOST_POWER 27  /* largest power of five that fits 64 bits */
#define EXACT_POWER 22 /* largest power of ten that a double holds exactly */
#define EXACT_WHOLE ((uint64_t)1 << 53)
#define FAR_EXPONENT 9999 /* so large that any number of usual length is 0 or infinite */

__extension__ typedef unsigned __int128 uint128;

static inline bool is_eight_digits(uint64_t t)
{
    return ((t & 0xf0f0f0f0f0f0f0f0) | ((t + 0x0606060606060606) & 0xf0f0f0f0f0f0f0f0) >> 4) ==
           0x3333333333333333;
}

/* Combines digits to pairs, then pairs, then halves; each step is one multiplication. */
static inline uint64_t eight_digits(uint64_t t)
{
    t = (t & 0x0f0f0f0f0f0f0f0f) * (10 << 8 | 1) >> 8;
    t = (t & 0x00ff00ff00ff00ff) * (100 << 16 | 1) >> 16;
    return (t & 0x0000ffff0000ffff) * ((uint64_t)10000 << 32 | 1) >> 32;
}

/* Appends the digits at |at| to |*whole|, which is correct for up to DIGITS digits. */
static inline const uint8_t *read_digits(const uint8_t *at, const uint8_t *end, uint64_t *whole)
{
    uint64_t n = *whole;

    while (!is_be() && end - at >= 8 && is_eight_digits(get_u64(at))) {
        n = n * 100000000 + eight_digits(get_u64(at));
        at += 8;
    }
    for (; (uint8_t)(*at - '0') < 10; at++)
        n = n * 10 + (uint8_t)(*at - '0');
    *whole = n;
    return at;
}

/* Returns |top| * 2^|power| as a double; |more|: the exact number is slightly larger. */
static double rounded(uint64_t top, bool more, int power)
{
    int shift = clz64(top);
    uint64_t significand, rest;

    top <<= shift;
    significand = top >> 11;
    rest = top & 0x7ff;
    if (rest > 0x400 || (rest == 0x400 && (more || (significand & 1))))
        significand++;
    /* the top bit of the significand adds the missing 1 to the exponent, or 2 after a carry */
    return uint64_as_float64(((uint64_t)(1023 + 63 + power - shift - 1) << 52) + significand);
}

/* Returns |whole| * 10^|power|; |whole| is not 0, and |power| from -MOST_POWER to MOST_POWER. */
static double scaled(uint64_t whole, int power)
{
    static const uint64_t fives[MOST_POWER + 1] = {
        1u,
        5u,
        25u,
        125u,
        625u,
        3125u,
        15625u,
        78125u,
        390625u,
        1953125u,
        9765625u,
        48828125u,
        244140625u,
        1220703125u,
        6103515625u,
        30517578125u,
        152587890625u,
        762939453125u,
        3814697265625u,
        19073486328125u,
        95367431640625u,
        476837158203125u,
        2384185791015625u,
        11920928955078125u,
        59604644775390625u,
        298023223876953125u,
        1490116119384765625u,
        7450580596923828125u,
    };
    int shift, divisor_shift;
    uint64_t divisor, quotient;
    uint128 product;

    if (power >= 0) {
        product = (uint128)whole * fives[power];
        if (!(product >> 64))
            return rounded((uint64_t)product, false, power);
        shift = clz64((uint64_t)(product >> 64));
        product <<= shift;
        return rounded((uint64_t)(product >> 64), (uint64_t)product != 0, power + 64 - shift);
    }
    shift = clz64(whole);
    divisor_shift = clz64(fives[-power]);
    divisor = fives[-power] << divisor_shift;
    product = (uint128)(whole << shift) << 63; /* less than the divisor times 2^64 */
    quotient = (uint64_t)(product / divisor);
    return rounded(quotient, product != (uint128)quotient * divisor,
                   power - 63 - shift + divisor_shift);
}

static double to_double(uint64_t whole, int power)
{
    static const double tens[EXACT_POWER + 1] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
    };

    /* both operands are exact, so there is only one rounding */
    if (whole <= EXACT_WHOLE && power >= -EXACT_POWER && power <= EXACT_POWER)
        return power < 0 ? (double)whole / tens[-power] : (double)whole * tens[power];
    return scaled(whole, power);
}

static const uint8_t *read_exponent(const uint8_t *at, int *power)
{
    bool negative = *at == '-';
    int n = 0;

    at += *at == '-' || *at == '+';
    if ((uint8_t)(*at - '0') >= 10)
        return NULL;
    for (; (uint8_t)(*at - '0') < 10; at++) {
        if (n < FAR_EXPONENT)
            n = n * 10 + (*at - '0');
    }
    *power += negative ? -n : n;
    return at;
}

/* Reads the rest of a number with a point, an exponent or many digits. */
static no_inline const uint8_t *read_fraction(const uint8_t *start, const uint8_t *at,
                                              const uint8_t *end, uint64_t whole, JSValue *ret)
{
    const uint8_t *first = start + (*start == '-');
    size_t digits = (size_t)(at - first);
    int power = 0;
    double number;

    if (*at == '.') {
        const uint8_t *fraction = ++at;

        at = read_digits(at, end, &whole);
        if (at == fraction)
            return NULL;
        digits += (size_t)(at - fraction);
        power = -(int)min_int64(at - fraction, FAR_EXPONENT);
    }
    if (*at == 'e' || *at == 'E') {
        at = read_exponent(at + 1, &power);
        if (!at)
            return NULL;
    }
    if (digits > DIGITS || power < -MOST_POWER || power > MOST_POWER)
        number = strtod((const char *)first, NULL);
    else
        number = whole ? to_double(whole, power) : 0;
    *ret = js_float64(first > start ? -number : number);
    return at;
}

/*
 * Reads the number at |at|, which begins with a digit or a minus. Returns the text after it, or
 * NULL if it is invalid. The byte at |end| must not be part of a number.
 */
static inline const uint8_t *read_number(const uint8_t *at, const uint8_t *end, JSValue *ret)
{
    const uint8_t *start = at, *first = at + (*at == '-');
    uint64_t whole = 0;
    size_t digits;

    at = read_digits(first, end, &whole);
    digits = (size_t)(at - first);
    if (digits == 0 || (*first == '0' && digits > 1))
        return NULL;
    if (*at == '.' || *at == 'e' || *at == 'E' || digits > DIGITS)
        return read_fraction(start, at, end, whole, ret);
    if (first == start)
        *ret = whole <= INT32_MAX ? js_int32((int32_t)whole) : js_float64((double)whole);
    else if (whole == 0 || whole > INT32_MAX)
        *ret = js_float64(-(double)whole);
    else
        *ret = js_int32(-(int32_t)whole);
    return at;
}
