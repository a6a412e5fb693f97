// dates.js - dates, in UTC.

// --- parsing
// with "2024-02-29"
// with "2024-02-29T12:34:56"
// with "2024-02-29T12:34:56Z"
// with "2024-02-29T12:34:56.789Z"
// with "2024-02-29T12:34:56.7Z"
// with "2024-02-29T12:34:56.123456Z"
// with "2024-02-29T12:34:56+05:30"
// with "2024-02-29T12:34-0800"
// with "2024-02-29T24:00:00Z"
// with "2024-02-29T24:00:01Z"
// with "2024-02-30"
// with "2023-02-29T00:00:00Z"
// with "2024-13-01"
// with "2024-00-01"
// with "2024-01-00"
// with "2024-01-32"
// with "2024"
// with "2024-05"
// with "2024-5-6"
// with "+002024-01-01T00:00:00Z"
// with "-000001-01-01T00:00:00Z"
// with "-000000-01-01T00:00:00Z"
// with "+275760-09-13T00:00:00.000Z"
// with "+275760-09-13T00:00:00.001Z"
// with "Thu, 29 Feb 2024 12:34:56 GMT"
// with "Thu Feb 29 2024 12:34:56 GMT+0100"
// with "29 Feb 2024"
// with "Feb 29, 2024"
// with "February 29, 2024 5:06 PM"
// with "Feb 29, 2024 12:00 AM"
// with "2/29/2024"
// with "2024/02/29"
// with "2024-02-29 12:34"
// with "Thu, 01 Jan 1970 00:00:00 GMT+0200"
// with "1 January 1970 00:00 UTC"
// with "Jan 1 70"
// with "not a date"
// with ""
// with "2024-02-29T12:34:56z"
// with "2024-02-29T"
// with "12:34"
// with "2024-02-29T1:2"
// with "Sat, 14 Dec 2024 10:00:00 EST"
return show(Date.parse($CASE))

// --- made from
// with new Date(0)
// with new Date(2024, 1, 29, 12, 34, 56, 789)
// with new Date(2024, 12)
// with new Date(2024, 0, 0)
// with new Date(99, 0)
// with new Date(-1, 0)
// with new Date(100, 0)
// with new Date(Date.UTC(2024))
// with new Date(Date.UTC(2024, 1, 30, 25, 61, 61, 1001))
// with new Date(8.64e15)
// with new Date(8.64e15 + 1)
// with new Date(1.9)
// with new Date(-1.9)
// with new Date(null)
// with new Date(undefined)
// with new Date("0")
// with new Date(true)
// with new Date(new Date(5))
// with new Date([2024, 1])
// with new Date(2024, NaN)
// with new Date(1e3, 0)
// with new Date(0, 0)
// with new Date("2024-01-01").valueOf()
// with new Date(2019, 0, 31).setMonth(1)
// with new Date(2024, 0, 31).setDate(0)
// with new Date(0).setFullYear(2024, 1, 29)
// with new Date(NaN).setFullYear(2024)
// with new Date(NaN).setMonth(1)
// with new Date(0).setHours(25, -1, 61)
// with new Date(0).setMinutes(-90)
// with new Date(0).setSeconds(1e6)
// with new Date(0).setMilliseconds(1.7)
// with new Date(0).setTime(5)
// with new Date(0).setUTCDate(366)
// with new Date(2024, 1, 29).setYear(99)
// with new Date(0).setHours()
return show([$CASE].map((d) => d instanceof Date ? [d.getTime(), attempt(() => d.toISOString())] : d))

// --- written
// with toISOString
// with toString
// with toDateString
// with toTimeString
// with toUTCString
// with toJSON
// with toGMTString
// with valueOf
// with getTimezoneOffset
return ["2024-02-29T12:34:56.789Z", "1970-01-01", "-000044-03-15T00:00:00Z", "+012345-06-07", "0001-01-01", "1899-12-31T23:59:59.999Z", "x"].map((s) => attempt(() => new Date(s).$CASE()))

// --- parts
// with getFullYear
// with getMonth
// with getDate
// with getDay
// with getHours
// with getMinutes
// with getSeconds
// with getMilliseconds
// with getUTCDay
// with getYear
return show([new Date("2024-02-29T12:34:56.789Z"), new Date(-1), new Date(8.64e15), new Date("-000001-07-01"), new Date(NaN)].map((d) => d.$CASE()))

// --- arithmetic
const a = new Date("2024-03-10"), b = new Date("2024-02-28");
return [a - b, (a - b) / 864e5, a > b, (a + 1).slice(0, 24), +a, `${b}`.slice(0, 24), typeof (a + b), a == new Date(a), a.getTime() === new Date(a).getTime()]

// --- toPrimitive
const d = new Date(0);
return [d[Symbol.toPrimitive]("number"), d[Symbol.toPrimitive]("string") === d.toString(), d[Symbol.toPrimitive]("default") === d + "", attempt(() => d[Symbol.toPrimitive]("x")), d * 1]

// --- JSON
return [JSON.stringify({ d: new Date(0), bad: new Date(NaN) }), new Date(JSON.parse(JSON.stringify(new Date(5)))).getTime()]

// --- leap years
return [1900, 2000, 2023, 2024, 2100].map((y) => new Date(y, 1, 29).getMonth() === 1)

// --- days in each month
return Array.from({ length: 12 }, (_, m) => new Date(2024, m + 1, 0).getDate())

// --- adding months without overflow
const add = (d, n) => { const r = new Date(d); r.setUTCMonth(r.getUTCMonth() + n); if (r.getUTCDate() !== d.getUTCDate()) r.setUTCDate(0); return r.toISOString().slice(0, 10) };
return [add(new Date("2024-01-31"), 1), add(new Date("2024-01-31"), -2), add(new Date("2024-03-15"), 12)]

// --- the week of the year
const week = (s) => { const d = new Date(s); d.setUTCDate(d.getUTCDate() + 4 - (d.getUTCDay() || 7)); return Math.ceil(((d - Date.UTC(d.getUTCFullYear(), 0, 1)) / 864e5 + 1) / 7) };
return ["2024-01-01", "2023-01-01", "2020-12-31", "2021-01-03", "2024-12-30"].map(week)

// --- a calendar
const first = new Date(Date.UTC(2024, 1, 1)).getUTCDay(), n = new Date(Date.UTC(2024, 2, 0)).getUTCDate();
return Array.from({ length: Math.ceil((first + n) / 7) }, (_, w) => Array.from({ length: 7 }, (_, d) => { const x = w * 7 + d - first + 1; return x < 1 || x > n ? "  " : String(x).padStart(2) }).join(" "))

// --- business days
let d = new Date("2024-02-23"), left = 5;
while (left) { d = new Date(+d + 864e5); if (d.getUTCDay() % 6) left-- }
return d.toISOString()

// --- formatting by a pattern
const format = (d, p) => p.replace(/YYYY|MM|DD|HH|mm|ss/g, (k) => String({ YYYY: d.getFullYear(), MM: d.getMonth() + 1, DD: d.getDate(), HH: d.getHours(), mm: d.getMinutes(), ss: d.getSeconds() }[k]).padStart(2, "0"));
return format(new Date(2024, 0, 5, 3, 7, 9), "DD.MM.YYYY HH:mm:ss")

// --- relative time
const ago = (ms) => { for (const [u, n] of [["day", 864e5], ["hour", 36e5], ["minute", 6e4], ["second", 1e3]]) if (ms >= n) { const k = Math.floor(ms / n); return `${k} ${u}${k > 1 ? "s" : ""} ago` } return "now" };
return [500, 1500, 61e3, 72e5, 2e8].map(ago)

// --- durations
const iso = (s) => { const [, d = 0, h = 0, m = 0, x = 0] = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?)?$/.exec(s); return ((+d * 24 + +h) * 60 + +m) * 60 + +x };
return ["P1DT2H", "PT1M30.5S", "PT0S"].map(iso)

// --- age
const age = (born, on) => { const [b, o] = [new Date(born), new Date(on)]; return o.getFullYear() - b.getFullYear() - (o.getMonth() < b.getMonth() || o.getMonth() === b.getMonth() && o.getDate() < b.getDate() ? 1 : 0) };
return [age("2000-02-29", "2024-02-28"), age("2000-02-29", "2024-02-29"), age("1990-12-31", "2024-01-01")]

// --- sorting dates
return ["2024-05-01", "2023-12-25", "2024-01-15"].map((s) => new Date(s)).sort((a, b) => a - b).map((d) => d.toISOString().slice(0, 10))

// --- easter
const easter = (y) => { const a = y % 19, b = Math.floor(y / 100), c = y % 100, d = b >> 2, e = b % 4, g = Math.floor((8 * b + 13) / 25), h = (19 * a + b - d - g + 15) % 30, i = c >> 2, k = c % 4, l = (32 + 2 * e + 2 * i - h - k) % 7, m = Math.floor((a + 11 * h + 22 * l) / 451), n = h + l - 7 * m + 114; return `${Math.floor(n / 31)}-${n % 31 + 1}` };
return [2000, 2024, 2025, 2038].map(easter)

// --- Date as a function and without new
return [typeof Date(), Date.length, Date.UTC.length, Object.prototype.toString.call(new Date(0)), attempt(() => Date.prototype.getTime.call({})), attempt(() => new Date(Symbol()))]

// --- setters return the time
const d = new Date(0);
return [d.setUTCFullYear(2024), d.setUTCMonth(5, 15), d.setUTCHours(1, 2, 3, 4), d.toISOString(), d.setTime(NaN), attempt(() => d.toISOString())].map(show)

// --- the local form in English
// with toLocaleDateString()
// with toLocaleTimeString()
// with toLocaleString()
return new Date(Date.UTC(2024, 1, 29, 15, 4, 5)).$CASE
