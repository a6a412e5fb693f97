// expect: SUCCESS
// twice: differ
return Array.from({ length: 4 }, Math.random);
// case
// expect: SUCCESS
// twice: differ
return [...crypto.randomUUID()]; // as single characters: twelve hexadecimal digits in a row may look like an address
// case
// expect: SUCCESS
// twice: differ
return [...crypto.getRandomValues(new Uint8Array(16))];
// case
// expect: SUCCESS
// twice: differ
const order = [..."abcdefghijklmnopqrstuvwxyz"].sort(() => Math.random() - 0.5);
return order.join("");
// twin
// expect: SUCCESS true
const numbers = Array.from({ length: 1000 }, Math.random);
return new Set(numbers).size === 1000 && numbers.every((n) => n >= 0 && n < 1);
