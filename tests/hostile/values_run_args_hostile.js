// expect: SUCCESS []
// args: {"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"then":"t","toJSON":"j","big":9007199254740993,"zero":-0}
const wrong = [];
if (Object.getPrototypeOf(args) !== Object.prototype || !Object.hasOwn(args, "__proto__")) wrong.push("__proto__");
if ({}.polluted !== undefined) wrong.push("polluted");
if (args.then !== "t" || args.toJSON !== "j") wrong.push("then, toJSON");
if (!Object.is(args.zero, -0)) wrong.push("-0");
return wrong;
// case
// expect: SUCCESS {"__proto__":{"polluted":1},"then":"t"}
// args: {"__proto__":{"polluted":1},"then":"t"}
return args;
// twin
// expect: SUCCESS {"a":1}
// args: {"a":1}
return args;
