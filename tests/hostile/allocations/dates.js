// expect: SUCCESS ["2024-02-29T12:30:00.000Z","Thu, 29 Feb 2024 12:30:00 GMT",1709209800000,"Invalid Date",null,"RangeError",400]
const d = new Date(Date.UTC(2024, 1, 29, 12, 30)), texts = [];
for (let i = 0; i < 400; i++) { const e = new Date(d.getTime() + i * 864e5); texts.push(e.toString() + e.toISOString() + e.toLocaleString() + e.toDateString() + e.toTimeString()); }
let failure; try { new Date(NaN).toISOString(); } catch (e) { failure = e.name; }
const parsed = texts.map((t) => Date.parse(t)), copy = new Date("29 February 2024 12:30 GMT");
copy.setUTCFullYear(2025, 5, 31); copy.setHours(1, 2, 3, 4);
return [d.toJSON(), d.toUTCString(), d.valueOf(), String(new Date("x")), new Date(NaN).toJSON(), failure, parsed.length];
