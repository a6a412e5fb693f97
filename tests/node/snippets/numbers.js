// numbers.js - numbers, how they are written and read, and Math.

// --- fixed
// with (1.005).toFixed(2)
// with (1.45).toFixed(1)
// with (8.345).toFixed(2)
// with (0.5).toFixed(0)
// with (1.5).toFixed(0)
// with (2.5).toFixed(0)
// with (-1.5).toFixed(0)
// with (-0.0000001).toFixed(2)
// with (1e21).toFixed(2)
// with (123.456).toFixed(10)
// with (0).toFixed(2)
// with NaN.toFixed(2)
// with (1000000000000000128).toFixed(0)
// with (0.1).toFixed(20)
// with (1.23e-10).toFixed(2)
// with (5e-324).toFixed(100).length
// with (1).toFixed(101)
// with (10.235).toFixed(2)
return $CASE

// --- precision
// with (123.456).toPrecision(4)
// with (0.000123).toPrecision(2)
// with (1e21).toPrecision(3)
// with (123456).toPrecision(2)
// with (1.25).toPrecision(2)
// with (1.35).toPrecision(2)
// with (0).toPrecision(5)
// with (99.99).toPrecision(3)
// with (0.00000012345).toPrecision(3)
// with (1).toPrecision(0)
// with (5).toPrecision()
// with (3.14159).toPrecision(21)
return $CASE

// --- exponential
// with (123456).toExponential(2)
// with (123456).toExponential()
// with (0.00015).toExponential(0)
// with (0).toExponential(3)
// with (-1.5e-9).toExponential(1)
// with Infinity.toExponential()
// with (2.5).toExponential(0)
// with (1).toExponential(-1)
return $CASE

// --- in another base
// with (255).toString(16)
// with (255).toString(2)
// with (-255).toString(36)
// with (0.5).toString(2)
// with (0.1).toString(3)
// with (1/3).toString(3)
// with (123.456).toString(16)
// with (2**53).toString(36)
// with (1e21).toString(7)
// with (1e-7).toString(2)
// with (255).toString(1)
// with NaN.toString(2)
// with Number.MAX_VALUE.toString(2).length
// with (0.1).toString(16)
// with (35.99).toString(36)
return $CASE

// --- as text
// with 0.1 + 0.2
// with 1e21
// with 1e20 + 1
// with 123456789012345680000
// with 1e-6
// with 1e-7
// with 5e-324
// with 1.7976931348623157e308
// with 4.35 * 100
// with 1.1 + 2.2
// with 9007199254740993
// with 2 ** 53 + 2
// with 1 / 3
// with 100 / 3
// with 1e300 * 1e10
// with -1e-320
// with 0xff + 0b101 + 0o17
// with 1_000_000.5
// with 123e-20
// with 2 ** -1074
// with 4.9406564584124654e-324 / 2
// with 0.000001234
// with 67108864.000000015
return [String($CASE), show($CASE), JSON.stringify($CASE)]

// --- made from text
// with Number("")
// with Number("  12  ")
// with Number("12px")
// with Number("0x1F")
// with Number("0b11")
// with Number("0o17")
// with Number("-0x1")
// with Number("1e3")
// with Number(".5")
// with Number("5.")
// with Number("-Infinity")
// with Number("1_000")
// with Number(null)
// with Number(undefined)
// with Number([5])
// with Number([1, 2])
// with Number({})
// with Number(true)
// with Number("\n")
// with Number(new Date(5))
// with Number(10n ** 20n)
// with Number("12345678901234567890123")
// with +"-0"
// with parseInt("42px")
// with parseInt("0x1F")
// with parseInt("101", 2)
// with parseInt("z", 36)
// with parseInt("9", 8)
// with parseInt("  -12.9")
// with parseInt("")
// with parseInt(0.0000005)
// with parseInt("1e3")
// with parseInt("12", 37)
// with parseInt(null, 36)
// with parseInt("9007199254740993")
// with parseFloat("3.14.15")
// with parseFloat("-.5e-3x")
// with parseFloat("Infinityx")
// with parseFloat("e5")
// with parseFloat("0x10")
// with ["1", "2", "3"].map(parseInt)
// with ["1", "2", "3"].map(Number)
return show($CASE)

// --- asking about numbers
// with Number.isInteger(5.0)
// with Number.isInteger("5")
// with Number.isSafeInteger(2 ** 53)
// with Number.isSafeInteger(-(2 ** 53 - 1))
// with Number.isNaN("x")
// with isNaN("x")
// with isFinite("12")
// with Number.isFinite("12")
// with Object.is(NaN, NaN)
// with Object.is(0, -0)
// with NaN === NaN
// with [NaN].includes(NaN)
// with [NaN].indexOf(NaN)
// with Number.EPSILON
// with Number.MIN_SAFE_INTEGER
// with 0.1 + 0.2 === 0.3
// with Math.abs(0.1 + 0.2 - 0.3) < Number.EPSILON
return $CASE

// --- bits
// with 5 & 3
// with 5 | 3
// with 5 ^ 3
// with ~5
// with 1 << 31
// with 1 << 32
// with -1 >>> 0
// with -1 >>> 28
// with -16 >> 2
// with 2 ** 32 | 0
// with 2 ** 31 | 0
// with 1e100 | 0
// with ~~-7.9
// with "7" ^ 2
// with Math.clz32(255)
// with Math.imul(0xffffffff, 5)
// with 0xffffffff & 0xff00ff00
return $CASE

// --- arithmetic
// with 7 % -3
// with -7 % 3
// with 5.5 % 2
// with -4 % 2
// with 0 / 0
// with 1 / -0
// with 2 ** 10
// with 2 ** -1
// with (-8) ** (1 / 3)
// with "3" * "4"
// with "3" + 4
// with "3" - 4
// with [] + {}
// with [] * 2
// with null + 1
// with undefined + 1
// with true + true
// with 10 / 4 | 0
// with Infinity - Infinity
// with 1 ** NaN
// with NaN ** 0
// with -(2 ** 2)
// with 5e-324 / 2
// with 1e16 + 1
return show($CASE)

// --- rounding
// with Math.round
// with Math.floor
// with Math.ceil
// with Math.trunc
// with Math.sign
// with Math.fround
// with Math.f16round
return show([2.5, -2.5, 0.49999999999999994, -0.2, 1e20, NaN, -0, 4503599627370495.5, 5.05, 65519.9].map((n) => $CASE(n)))

// --- functions of Math
// with Math.sqrt(2)
// with Math.cbrt(-27)
// with Math.hypot(3, 4)
// with Math.hypot()
// with Math.hypot(3, 2)
// with Math.hypot(1, 2, 3)
// with Math.hypot(NaN, Infinity)
// with Math.max()
// with Math.min(1, "0", [-1])
// with Math.max(1, NaN)
// with Math.max(-0, 0)
// with Math.min(0, -0)
// with Math.log2(8)
// with Math.log10(1000)
// with Math.log(Math.E)
// with Math.log1p(0)
// with Math.expm1(0)
// with Math.exp(1) === Math.E
// with Math.atan2(1, 1)
// with Math.atan2(-0, -1) === -Math.PI
// with Math.sin(0)
// with Math.cos(Math.PI)
// with Math.pow(2, 0.5)
// with Math.sign(-3)
// with Math.abs("-5")
// with Math.tanh(Infinity)
// with Math.asinh(-0)
// with Math.acosh(0.5)
return show($CASE)

// --- functions that may differ in the last digit agree to twelve
// with Math.sin
// with Math.cos
// with Math.tan
// with Math.asin
// with Math.atan
// with Math.sinh
// with Math.cosh
// with Math.tanh
// with Math.exp
// with Math.log
// with Math.log2
// with Math.log10
// with Math.cbrt
// with Math.expm1
return [0.001, 0.1, 0.5, 0.9].map((x) => $CASE(x).toPrecision(12))

// --- a number's own form in English
// with (1234567.891).toLocaleString()
// with (0).toLocaleString()
// with (-1234.5).toLocaleString()
return $CASE

// --- clamping
const clamp = (n, low, high) => Math.min(Math.max(n, low), high);
return [clamp(5, 0, 3), clamp(-1, 0, 3), clamp(2, 0, 3)]

// --- gcd and lcm
const gcd = (a, b) => b ? gcd(b, a % b) : a;
return [gcd(1071, 462), gcd(17, 5), 21 * 6 / gcd(21, 6)]

// --- primes
const sieve = (n) => { const is = new Uint8Array(n + 1).fill(1, 2); for (let i = 2; i * i <= n; i++) if (is[i]) for (let j = i * i; j <= n; j += i) is[j] = 0; return [...is.keys()].filter((i) => is[i]) };
return sieve(100)

// --- bytes for people
const human = (n) => { const units = ["B", "kB", "MB", "GB"]; let i = 0; while (n >= 1024 && i < 3) { n /= 1024; i++ } return `${n.toFixed(i ? 1 : 0)} ${units[i]}` };
return [0, 1023, 1024, 1536, 1048576, 5e9, 5e13].map(human)

// --- thousands
return [0, 12, 1234, 1234567, -9876543].map((n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, ","))

// --- roman numerals
const roman = (n) => [[1000, "M"], [900, "CM"], [500, "D"], [400, "CD"], [100, "C"], [90, "XC"], [50, "L"], [40, "XL"], [10, "X"], [9, "IX"], [5, "V"], [4, "IV"], [1, "I"]].reduce((s, [v, r]) => { while (n >= v) { s += r; n -= v } return s }, "");
return [1994, 2024, 49, 3999].map(roman)

// --- mean, median and deviation
const xs = [3, 1, 4, 1, 5, 9, 2, 6];
const mean = xs.reduce((a, b) => a + b) / xs.length;
const sorted = xs.toSorted((a, b) => a - b);
return [mean, (sorted[3] + sorted[4]) / 2, Math.sqrt(xs.reduce((s, x) => s + (x - mean) ** 2, 0) / xs.length).toFixed(6)]

// --- a seeded generator
let state = 42;
const random = () => { state |= 0; state = state + 0x6d2b79f5 | 0; let t = Math.imul(state ^ state >>> 15, 1 | state); t = t + Math.imul(t ^ t >>> 7, 61 | t) ^ t; return ((t ^ t >>> 14) >>> 0) / 4294967296 };
return Array.from({ length: 8 }, random)

// --- crc32
const table = Array.from({ length: 256 }, (_, n) => { for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ n >>> 1 : n >>> 1; return n >>> 0 });
const crc = (s) => { let c = -1; for (const b of s) c = table[(c ^ b.charCodeAt()) & 255] ^ c >>> 8; return (c ^ -1) >>> 0 };
return [crc("123456789").toString(16), crc("")]

// --- fnv hash
const hash = (s) => { let h = 0x811c9dc5; for (let i = 0; i < s.length; i++) h = Math.imul(h ^ s.charCodeAt(i), 0x01000193); return h >>> 0 };
return ["", "a", "foobar"].map(hash)

// --- increments
let i = 5, s = "7", u;
return show([i++, i, ++i, i--, s++, s, -s, +true, u++, u])

// --- number objects
return show([typeof new Number(5), new Number(5) + 1, new Number(0) ? "true" : "false", Object(1) === Object(1)])

// --- precision lost in a sum
let sum = 0; for (let i = 0; i < 10; i++) sum += 0.1;
return [sum, sum === 1, sum.toFixed(10)]
