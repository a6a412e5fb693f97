// expect: SUCCESS ["815915283247897734345611269596115894272000000000","1267650600228229401496703205376",true,"-3","ff","18446744073709551615"]
let f = 1n;
for (let i = 1n; i <= 40n; i++) f *= i;
let big = 3n ** 5000n;
const text = big.toString(), hex = big.toString(16);
const again = BigInt(text) === big && BigInt("0x" + hex) === big;
big = (big << 3000n) / 7n ** 900n % (1n << 2000n) ^ ~big & big | -big;
const views = new BigUint64Array(100).map((_, i) => BigInt(i) * big);
return [f.toString(), (2n ** 100n).toString(), again && views.length === 100, (-7n / 2n).toString(), 255n.toString(16), BigInt.asUintN(64, -1n).toString()];
