// prelude.js - `mcp`, the only way out.
//
// It runs once, in the zygote, before any code of a stranger. What it needs of the language it takes
// here and keeps, so that nothing a capability does to a prototype or a global changes what is
// sent. Handlers and tables have no prototype for the same reason. This is manners, not a boundary:
// the boundary is the worker's system call filter.
//
// |tool| makes the function that calls a tool, from the names of its namespace and of itself.
(function prelude(tool) {
    const { create, freeze } = Object;
    const { toPrimitive } = Symbol;
    const OwnProxy = Proxy;

    // Names that the language itself looks up; answering them would send a call by accident.
    const unsent = { __proto__: null, then: 1, toJSON: 1, constructor: 1, prototype: 1, ["__proto__"]: 1 };

    // Where text is wanted of a namespace, its `toString` would be a call.
    const asText = () => "[mcp]";

    // An object whose every property is made on first use, and then kept.
    const lazily = (make) => {
        const made = create(null);
        return new OwnProxy(freeze(create(null)), {
            __proto__: null,
            get(target, key) {
                if (key === toPrimitive) return asText;
                if (typeof key === "symbol" || key in unsent) return undefined;
                return key in made ? made[key] : (made[key] = make(key));
            },
        });
    };

    return lazily((namespace) => lazily((action) => tool(namespace, action)));
});
