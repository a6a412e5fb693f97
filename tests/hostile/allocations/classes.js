// expect: SUCCESS ["B of A","#secret 7",[1,2],"tagged 1,2","static",9,true]
class A {
    #secret = 7; static #count = 0; static { A.label = "static"; A.#count++; }
    get secret() { return "#secret " + this.#secret; } set secret(v) { this.#secret = v; }
    static is(o) { return #secret in o; }
    *[Symbol.iterator]() { yield 1; yield 2; }
    async #later() { return 9; } later() { return this.#later(); }
    toString() { return "A"; }
}
class B extends A { name = `B of ${super.toString()}`; constructor(...args) { super(...args); this.args = args; } ["comp" + "uted"]() { return super.secret; } }
const tag = (strings, ...values) => strings.raw[0] + values;
const b = new B(1, {x: [2]}), {name, args: [, {x: [two] = []} = {}, ...rest], ...others} = b;
label: for (const i of [1, 2, 3]) { switch (i) { case 2: continue label; default: if (two !== 2 || rest.length) break label; } }
return [name, b.computed(), [...b], tag`tagged ${[1, 2]}`, A.label, await b.later(), A.is(b) && !A.is({}) && others.name === undefined];
