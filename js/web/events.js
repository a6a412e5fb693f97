// events.js - Event, CustomEvent, EventTarget, AbortSignal and AbortController, as in the DOM Standard.
//
// There is no tree of nodes: only the target gets an event, and listeners are called in the order in
// which they were added. An error of a listener does not reach the caller of dispatchEvent(); it ends
// the run, like an error in a timer.
const later = queueMicrotask, setTimer = setTimeout, now = performance.now;
const report = (error) => later(() => { throw error; });

// Access for one class below to the private members of another.
let setTrusted, beginDispatch, endDispatch, setCurrent, isStopped, setPassive;

class Event {
    static NONE = 0;
    static CAPTURING_PHASE = 1;
    static AT_TARGET = 2;
    static BUBBLING_PHASE = 3;

    static {
        setTrusted = (event) => { event.#trusted = true; };
        beginDispatch = (event, target) => {
            if (event.#target !== null && event.#phase)
                throw new DOMException("the event is being dispatched already", "InvalidStateError");
            event.#target = target;
            event.#phase = Event.AT_TARGET;
        };
        setCurrent = (event, target) => { event.#current = target; };
        isStopped = (event) => event.#stopped;
        setPassive = (event, passive) => { event.#passive = passive; };
        endDispatch = (event) => {
            event.#phase = Event.NONE;
            event.#current = null;
            event.#stopped = event.#propagationStopped = false;
            return !event.#canceled;
        };
    }

    #type;
    #bubbles;
    #cancelable;
    #composed;
    #time = now();
    #target = null;
    #current = null;
    #phase = 0;
    #trusted = false;
    #canceled = false;
    #stopped = false;
    #propagationStopped = false;
    #passive = false;

    constructor(type, options = undefined) {
        if (arguments.length === 0) throw new TypeError("an Event needs a type");
        this.#type = `${type}`;
        this.#bubbles = !!options?.bubbles;
        this.#cancelable = !!options?.cancelable;
        this.#composed = !!options?.composed;
    }

    get type() { return this.#type; }
    get target() { return this.#target; }
    get srcElement() { return this.#target; }
    get currentTarget() { return this.#current; }
    get eventPhase() { return this.#phase; }
    get bubbles() { return this.#bubbles; }
    get cancelable() { return this.#cancelable; }
    get composed() { return this.#composed; }
    get defaultPrevented() { return this.#canceled; }
    get returnValue() { return !this.#canceled; }
    get timeStamp() { return this.#time; }
    get isTrusted() { return this.#trusted; }
    get cancelBubble() { return this.#propagationStopped; }
    set cancelBubble(value) { if (value) this.stopPropagation(); }
    composedPath() { return this.#phase ? [this.#target] : []; }
    preventDefault() { if (this.#cancelable && !this.#passive) this.#canceled = true; }
    stopPropagation() { this.#propagationStopped = true; }
    stopImmediatePropagation() { this.#stopped = this.#propagationStopped = true; }
    get [Symbol.toStringTag]() { return "Event"; }
}
for (const name of ["NONE", "CAPTURING_PHASE", "AT_TARGET", "BUBBLING_PHASE"])
    Object.defineProperty(Event.prototype, name, { __proto__: null, value: Event[name], enumerable: true });

class CustomEvent extends Event {
    #detail;

    constructor(type, options = undefined) {
        if (arguments.length === 0) throw new TypeError("a CustomEvent needs a type");
        super(type, options);
        this.#detail = options?.detail ?? null;
    }

    get detail() { return this.#detail; }
    get [Symbol.toStringTag]() { return "CustomEvent"; }
}

const isObject = (value) => (typeof value === "object" && value !== null) || typeof value === "function";
const listenerOptions = (options) => {
    if (!isObject(options)) return { capture: !!options };
    const { capture, once, passive, signal } = options;
    if (signal !== undefined && !(signal instanceof AbortSignal)) throw new TypeError("the signal is no AbortSignal");
    return { capture: !!capture, once: !!once, passive: !!passive, signal };
};

class EventTarget {
    #listeners = [];

    #find(type, callback, capture) {
        return this.#listeners.findIndex((l) => l.type === type && l.callback === callback && l.capture === capture);
    }

    addEventListener(type, callback, options = undefined) {
        if (arguments.length < 2) throw new TypeError("addEventListener needs a type and a listener");
        const given = listenerOptions(options);
        type = `${type}`;
        if (callback === null || callback === undefined) return;
        if (!isObject(callback)) throw new TypeError("the listener is neither a function nor an object");
        if (given.signal?.aborted || this.#find(type, callback, given.capture) >= 0) return;
        this.#listeners.push({ ...given, type, callback, removed: false });
        given.signal?.addEventListener("abort", () => this.removeEventListener(type, callback, given.capture));
    }

    removeEventListener(type, callback, options = undefined) {
        if (arguments.length < 2) throw new TypeError("removeEventListener needs a type and a listener");
        const capture = isObject(options) ? !!options.capture : !!options;
        const at = this.#find(`${type}`, callback, capture);
        if (at >= 0) this.#listeners.splice(at, 1)[0].removed = true;
    }

    dispatchEvent(event) {
        if (!(event instanceof Event)) throw new TypeError("not an Event");
        beginDispatch(event, this);
        setCurrent(event, this);
        for (const listener of this.#listeners.filter((l) => l.type === event.type)) {
            if (isStopped(event)) break;
            if (!listener.removed) this.#call(listener, event);
        }
        return endDispatch(event);
    }

    #call(listener, event) {
        const { type, callback, capture, once, passive } = listener;
        if (once) this.removeEventListener(type, callback, capture);
        setPassive(event, !!passive);
        try {
            if (typeof callback === "function") callback.call(this, event);
            else callback.handleEvent(event);
        } catch (error) {
            report(error);
        }
        setPassive(event, false);
    }

    get [Symbol.toStringTag]() { return "EventTarget"; }
}

const own = {}; // the key that allows the AbortSignal constructor
let abort;

class AbortSignal extends EventTarget {
    static {
        abort = (signal, reason = new DOMException("This operation was aborted", "AbortError")) => {
            if (signal.#aborted) return;
            // mark all of them as aborted before the first listener is called
            const all = [signal, ...signal.#dependents].filter((s) => !s.#aborted);
            for (const s of all) {
                s.#aborted = true;
                s.#reason = reason;
            }
            for (const s of all) s.#fire();
        };
    }

    #aborted = false;
    #reason = undefined;
    #dependents = new Set();
    #sources = new Set();
    #handler = null;

    constructor(key) {
        if (key !== own) throw new TypeError("Illegal constructor");
        super();
    }

    static abort(reason) {
        const signal = new AbortSignal(own);
        abort(signal, reason);
        return signal;
    }

    static timeout(ms) {
        const wait = Number(ms);
        if (!(wait >= 0 && wait <= Number.MAX_SAFE_INTEGER)) throw new TypeError("not a number of milliseconds");
        const signal = new AbortSignal(own);
        setTimer(() => abort(signal, new DOMException("The operation timed out", "TimeoutError")), wait);
        return signal;
    }

    static any(signals) {
        const result = new AbortSignal(own), all = [...signals];
        if (!all.every((s) => s instanceof AbortSignal)) throw new TypeError("not a list of AbortSignals");
        const first = all.find((s) => s.#aborted);
        if (first) abort(result, first.#reason);
        else for (const s of all) result.#follow(s);
        return result;
    }

    // A signal that follows others follows what they follow: only those that abort by themselves.
    #follow(signal) {
        for (const source of signal.#sources.size ? signal.#sources : [signal]) {
            source.#dependents.add(this);
            this.#sources.add(source);
        }
    }

    #fire() {
        const event = new Event("abort");
        setTrusted(event);
        this.dispatchEvent(event);
    }

    #listen = (event) => { this.#handler?.call(this, event); };

    get aborted() { return this.#aborted; }
    get reason() { return this.#reason; }
    throwIfAborted() { if (this.#aborted) throw this.#reason; }
    get onabort() { return this.#handler; }
    set onabort(handler) {
        const given = typeof handler === "function" ? handler : null;
        if (!given) this.removeEventListener("abort", this.#listen);
        else if (!this.#handler) this.addEventListener("abort", this.#listen);
        this.#handler = given;
    }

    get [Symbol.toStringTag]() { return "AbortSignal"; }
}

class AbortController {
    #signal = new AbortSignal(own);

    get signal() { return this.#signal; }
    abort(reason = undefined) { abort(this.#signal, reason); }
    get [Symbol.toStringTag]() { return "AbortController"; }
}

exported = { Event, CustomEvent, EventTarget, AbortSignal, AbortController };
