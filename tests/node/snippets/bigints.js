// bigints.js - whole numbers of any size.

// --- arithmetic
// with 2n ** 100n
// with -7n / 2n
// with -7n % 3n
// with 7n % -3n
// with 10n ** 30n / 7n
// with (-5n) ** 3n
// with 0n ** 0n
// with -0n
// with 1n << 70n
// with -(1n << 70n) >> 3n
// with 1n << -1n
// with -1n >> 100n
// with 5n & -2n
// with -5n | 3n
// with 0xffffffffffffffffffn ^ 0xf0f0n
// with ~(2n ** 64n)
// with 123456789012345678901234567890n * 987654321098765432109876543210n
// with (2n ** 521n - 1n) % 1000000007n
// with 1n / 0n
// with 5n % 0n
// with 2n ** -1n
// with 1n + 1
// with 1n + "1"
// with +1n
// with -(-3n)
// with 1n >>> 0n
// with Math.max(1n, 2n)
// with 3n * true
// with 0b1010n + 0o17n + 0xFFn
// with 1_000_000n * 2n
// with (() => { let x = 5n; x++; ++x; x -= 2n; x **= 2n; return x-- })()
return show($CASE)

// --- comparing
// with 1n == 1
// with 1n === 1
// with 2n > 1
// with 1n < 1.5
// with 9007199254740993n > 9007199254740992
// with 9007199254740993n == 9007199254740993
// with 1n == "1"
// with 0n == ""
// with 10n > "9"
// with 1n < NaN
// with 10n ** 400n < Infinity
// with [3n, 1, 2n, "0"].sort((a, b) => a < b ? -1 : a > b ? 1 : 0)
// with [1n].includes(1)
// with Object.is(0n, -0n)
// with !!0n
// with 0n || "empty"
// with 1n && "full"
// with 0n ?? "x"
// with typeof Object(1n)
// with new Set([1n, 1n, 1]).size
return show($CASE)

// --- made and turned into
// with BigInt("123")
// with BigInt("  0xff ")
// with BigInt("-0b1")
// with BigInt("")
// with BigInt("1.5")
// with BigInt("1n")
// with BigInt("12x")
// with BigInt(1.5)
// with BigInt(NaN)
// with BigInt(1e25)
// with BigInt(true)
// with BigInt(null)
// with BigInt(undefined)
// with BigInt(Number.MAX_SAFE_INTEGER) + 2n
// with new BigInt(1)
// with Number(2n ** 64n)
// with Number(2n ** 1024n)
// with Number(9007199254740993n)
// with parseInt("9007199254740993n")
// with parseFloat(10n ** 25n)
// with BigInt.asIntN(8, 255n)
// with BigInt.asIntN(64, 2n ** 63n)
// with BigInt.asUintN(8, -1n)
// with BigInt.asUintN(64, -1n)
// with BigInt.asIntN(0, 5n)
// with BigInt.asUintN(-1, 5n)
// with BigInt.asUintN(8, 5)
// with (255n).toString(16)
// with (-255n).toString(2)
// with (10n ** 40n).toString(36)
// with (5n).toString(1)
// with String(10n ** 21n)
// with `${-5n}`
// with [1n, 2n].join()
// with JSON.stringify({ n: 1n })
// with JSON.stringify({ n: 5n }, (k, v) => typeof v === "bigint" ? String(v) : v)
// with isNaN(1n)
// with Number.isInteger(1n)
// with [10, 20][1n]
// with "abc".at(1n)
// with Number("1n")
return show($CASE)

// --- factorials
const f = (n) => n < 2n ? 1n : n * f(n - 1n);
return [f(20n), f(30n), f(50n)].map(String)

// --- a large factorial
let r = 1n; for (let i = 2n; i <= 300n; i++) r *= i;
const s = r.toString();
return [s.length, s.slice(0, 30), s.match(/0*$/)[0].length, [...s].reduce((a, d) => a + +d, 0)]

// --- fibonacci
let a = 0n, b = 1n; for (let i = 0; i < 300; i++) [a, b] = [b, a + b];
return String(a)

// --- power modulo
const pow = (b, e, m) => { let r = 1n; for (b %= m; e; e >>= 1n, b = b * b % m) if (e & 1n) r = r * b % m; return r };
return [pow(3n, 200n, 1000007n), pow(2n, 10n ** 18n, 10n ** 9n + 7n), pow(65n, 17n, 3233n)].map(String)

// --- rsa with small numbers
const [p, q, e] = [61n, 53n, 17n], n = p * q, phi = (p - 1n) * (q - 1n);
const inverse = (a, m) => { let [x, y, u, v] = [a, m, 1n, 0n]; while (y) { const t = x / y; [x, y, u, v] = [y, x - t * y, v, u - t * v] } return (u % m + m) % m };
const pow = (b, e, m) => e ? (e & 1n ? b : 1n) * pow(b * b % m, e >> 1n, m) % m : 1n, d = inverse(e, phi);
return [d, pow(65n, e, n), pow(pow(65n, e, n), d, n)].map(String)

// --- square roots
const sqrt = (n) => { let x = n, y = (x + 1n) / 2n; while (y < x) { x = y; y = (x + n / x) / 2n } return x };
return [sqrt(10n ** 40n), sqrt(2n * 10n ** 60n), sqrt(15n)].map(String)

// --- a hundred digits of pi
const pi = (n) => { const one = 10n ** BigInt(n + 10), atan = (x) => { let t = one / x, s = t; for (let i = 3n, sign = -1n; t; i += 2n, sign = -sign) { t /= x * x; s += sign * (t / i) } return s }; return String(4n * (4n * atan(5n) - atan(239n))).slice(0, n) };
return pi(100)

// --- miller and rabin
const pow = (b, e, m) => { let r = 1n; for (b %= m; e; e >>= 1n, b = b * b % m) if (e & 1n) r = r * b % m; return r };
const prime = (n) => { let d = n - 1n, s = 0; while (!(d & 1n)) { d >>= 1n; s++ } return [2n, 3n, 5n, 7n, 11n].every((a) => { let x = pow(a, d, n); if (x === 1n || x === n - 1n) return true; for (let i = 1; i < s; i++) if ((x = x * x % n) === n - 1n) return true; return false }) };
return [1000003n, 1000001n, 2n ** 61n - 1n, 2n ** 67n - 1n, 561n].map(prime)

// --- greatest common divisors
const gcd = (a, b) => b ? gcd(b, a % b) : a;
return String(gcd(2n ** 60n * 3n ** 20n, 6n ** 25n))

// --- snowflake ids
const id = 175928847299117063n;
return [Number(id >> 22n) + 1420070400000, Number((id & 0x3E0000n) >> 17n), Number(id & 0xFFFn), new Date(Number((id >> 22n) + 1420070400000n)).toISOString()]

// --- exact fractions
class Q { constructor(n, d = 1n) { const g = ((a, b) => { while (b) [a, b] = [b, a % b]; return a })(n < 0n ? -n : n, d); this.n = n / g; this.d = d / g } plus(o) { return new Q(this.n * o.d + o.n * this.d, this.d * o.d) } toString() { return `${this.n}/${this.d}` } }
let h = new Q(0n); for (let i = 1n; i <= 20n; i++) h = h.plus(new Q(1n, i));
return String(h)

// --- digits in any base
const digits = (n, b) => n < b ? [Number(n)] : [...digits(n / b, b), Number(n % b)];
return digits(10n ** 18n, 62n).map((d) => "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"[d]).join("")

// --- bits counted
const count = (n) => { let c = 0; for (; n; n &= n - 1n) c++; return c };
return [count(2n ** 100n - 1n), count(0xF0F0n), count(2n ** 200n)]

// --- a 64-bit hash
let h = 0xcbf29ce484222325n;
for (const c of "hello world") h = BigInt.asUintN(64, (h ^ BigInt(c.charCodeAt())) * 0x100000001b3n);
return h.toString(16)
