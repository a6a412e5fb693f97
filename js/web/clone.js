// clone.js - structuredClone, as in the HTML Standard.
//
// The kind of an object is its engine class number (native.classOf), which code cannot change through
// properties or prototypes. A class that is not in the table cannot be cloned. Buffers cannot be
// transferred in this engine.
const { classOf } = native;
const { keys, getPrototypeOf, getOwnPropertyDescriptor, defineProperty, hasOwn } = Object;
const uncurry = Function.prototype.bind.bind(Function.prototype.call);
const getter = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
const toText = uncurry(Object.prototype.toString);

const fail = (value) => {
    // do not read its name: on some objects that would count as an attempt (denied.js)
    const what = typeof value === "symbol" ? value.toString()
        : typeof value === "function" ? "a function" : toText(value);
    throw new DOMException(`${what} could not be cloned`, "DataCloneError");
};

const put = (object, key, value) => {
    if (key in object) {
        defineProperty(object, key,
            { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    } else {
        object[key] = value;
    }
};

// Each of these makes the clone and remembers it before it clones the contents, which may be cyclic.
const cloneProperties = (value, memory, clone) => {
    memory.set(value, clone);
    for (const key of keys(value)) {
        if (hasOwn(value, key)) put(clone, key, deep(value[key], memory));
    }
    return clone;
};

const mapForEach = uncurry(Map.prototype.forEach);
const cloneMap = (value, memory) => {
    const clone = new Map(), entries = [];
    memory.set(value, clone);
    mapForEach(value, (item, key) => { entries.push([key, item]); });
    for (const [key, item] of entries) clone.set(deep(key, memory), deep(item, memory));
    return clone;
};

const setForEach = uncurry(Set.prototype.forEach);
const cloneSet = (value, memory) => {
    const clone = new Set(), items = [];
    memory.set(value, clone);
    setForEach(value, (item) => { items.push(item); });
    for (const item of items) clone.add(deep(item, memory));
    return clone;
};

const errorKinds = { __proto__: null, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
const stack = getOwnPropertyDescriptor(Error.prototype, "stack");
const getStack = uncurry(stack.get), setStack = uncurry(stack.set);
const cloneError = (value, memory) => {
    const message = getOwnPropertyDescriptor(value, "message");
    const clone = new (errorKinds[`${value.name}`] ?? Error)();
    const add = (name, item) => defineProperty(clone, name,
        { __proto__: null, value: item, writable: true, enumerable: false, configurable: true });
    memory.set(value, clone);
    if (message && "value" in message) add("message", `${message.value}`);
    setStack(clone, getStack(value));
    if (hasOwn(value, "cause")) add("cause", deep(value.cause, memory));
    return clone;
};

const cloneBuffer = (value) => {
    const from = new Uint8Array(value), to = new Uint8Array(from.length);
    to.set(from);
    return to.buffer;
};

const cloneView = (View, prototype, lengthName) => {
    const bufferOf = getter(prototype, "buffer"), offsetOf = getter(prototype, "byteOffset");
    const lengthOf = getter(prototype, lengthName);
    return (value, memory) => new View(deep(bufferOf(value), memory), offsetOf(value), lengthOf(value));
};

const timeOf = uncurry(Date.prototype.getTime);
const sourceOf = getter(RegExp.prototype, "source"), flagsOf = getter(RegExp.prototype, "flags");
const valueOf = {
    Boolean: uncurry(Boolean.prototype.valueOf), Number: uncurry(Number.prototype.valueOf),
    String: uncurry(String.prototype.valueOf), BigInt: uncurry(BigInt.prototype.valueOf),
};

const table = new Map();
const row = (sample, make) => table.set(classOf(sample), make);
row({}, (value, memory) => cloneProperties(value, memory, {}));
row((function () { return arguments; })(), (value, memory) => cloneProperties(value, memory, {}));
row([], (value, memory) => cloneProperties(value, memory, new Array(value.length)));
row(new Map(), cloneMap);
row(new Set(), cloneSet);
row(new Error(), cloneError);
row(new DOMException(), (value) => new DOMException(value.message, value.name));
row(new Date(), (value) => new Date(timeOf(value)));
row(/x/, (value) => new RegExp(sourceOf(value), flagsOf(value)));
row(new ArrayBuffer(0), cloneBuffer);
row(new DataView(new ArrayBuffer(0)), cloneView(DataView, DataView.prototype, "byteLength"));
row(Object(true), (value) => Object(valueOf.Boolean(value)));
row(Object(1), (value) => Object(valueOf.Number(value)));
row(Object(""), (value) => Object(valueOf.String(value)));
row(Object(1n), (value) => Object(valueOf.BigInt(value)));
for (const View of [Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    BigInt64Array, BigUint64Array, Float16Array, Float32Array, Float64Array])
    row(new View(0), cloneView(View, getPrototypeOf(View.prototype), "length"));

const deep = (value, memory) => {
    if (typeof value === "function" || typeof value === "symbol") fail(value);
    if (typeof value !== "object" || value === null) return value;
    if (memory.has(value)) return memory.get(value);
    const clone = (table.get(classOf(value)) ?? fail)(value, memory);
    memory.set(value, clone);
    return clone;
};

const refuseTransfer = (options) => {
    for (const _ of options?.transfer ?? [])
        throw new DOMException("buffers cannot be transferred here", "DataCloneError");
};

const { structuredClone } = { structuredClone(value, options = undefined) {
    if (arguments.length === 0) throw new TypeError("structuredClone needs an argument");
    refuseTransfer(options);
    return deep(value, new Map());
} }; // no constructor

exported = { structuredClone };
