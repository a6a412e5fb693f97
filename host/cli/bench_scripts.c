/* bench_scripts.c - the code of the scripts: recursion, loops, JSON, strings, objects, arrays. */
#include "cli/bench_scripts.h"

const struct cr_bench_script cr_bench_scripts[] = {
    {"fib", "const f = (n) => n < 2 ? n : f(n - 1) + f(n - 2); return f(27)"},
    {"sieve", "const n = 2000000, s = new Uint8Array(n + 1); let c = 0;\n"
              "for (let i = 2; i <= n; i++) { if (s[i]) continue; c++;\n"
              "  for (let j = i * 2; j <= n; j += i) s[j] = 1; } return c"},
    {"json", "const o = {a: 1, b: [1, 2, 3], c: {d: 'text', e: null}}; let n = 0;\n"
             "for (let i = 0; i < 20000; i++) n += JSON.stringify(JSON.parse(JSON.stringify(o)))\n"
             ".length; return n"},
    {"strings", "let s = ''; for (let i = 0; i < 300000; i++) s += i.toString(36);\n"
                "return s.split('a').map((x) => x.toUpperCase()).join('-').length"},
    {"sort", "const a = []; let x = 12345;\n"
             "for (let i = 0; i < 200000; i++) { x = (x * 1103515245 + 12345) % 2147483648;\n"
             "  a.push({id: i, key: x}); } a.sort((p, q) => p.key - q.key); return a[0].id"},
    {"arrays", "return Array.from({length: 300000}, (_, i) => i).map((x) => x * 2)\n"
               ".filter((x) => x % 3 == 0).reduce((p, q) => p + q, 0)"},
};
const size_t cr_bench_script_count = sizeof(cr_bench_scripts) / sizeof(cr_bench_scripts[0]);
