// compile.js - compiles a schema to the form that the package evaluates, and reports errors in it.
//
// The package's form: for the URL of each schema, a list of [handler, the keyword, compiled value], or a
// boolean. A URL is the URI of the schema's resource, #, and the position in the document. Only this one
// document is ever read.
import { dialects } from "./keywords.js";
import { escapeKey } from "./instance.js";
import { resolve } from "./uri.js";
import { quote, sort } from "./words.js";

const known = /^https?:\/\/json-schema\.org\/(draft\/2020-12|draft\/2019-09|draft-07)\/schema#?$/;
const anchorName = /^[A-Za-z_][-A-Za-z0-9._]*$/;
const base = "caprun:/schema";

const isSchema = (value) => typeof value === "boolean" || sort(value) === "object";
const unescapeKey = (key) => key.replaceAll("~1", "/").replaceAll("~0", "~");

// A placeholder for the URL of a schema, until it is known; |node| is the keyword that contains it.
class Reference {
    constructor(value, at, resource, isDynamic) {
        Object.assign(this, { value, at, resource, isDynamic, node: undefined });
    }
}

// The functions with which the keywords of one schema are compiled.
class Maker {
    constructor(compiler, resource) {
        this.compiler = compiler;
        this.resource = resource;
    }

    expected(at, words, value) {
        this.compiler.expected(at, words, value);
    }

    pattern(source, at) {
        return this.compiler.pattern(source, at);
    }

    schema(value, at) {
        return this.compiler.compile(value, at, this.resource);
    }

    reference(value, at) {
        return this.compiler.refer(value, at, this.resource, false);
    }

    dynamicReference(value, at) {
        return this.compiler.refer(value, at, this.resource, true);
    }
}

class Compiler {
    ast = { __proto__: null, metaData: { __proto__: null }, plugins: new Set() };
    broken = [];
    #document;
    #resources = new Map(); // by URI
    #places = new Map(); // of schemas, in the document: their resource
    #references = [];

    constructor(document) {
        this.#document = document;
    }

    tell(at, words) {
        this.broken.push([`parametersSchema${at}`, words]);
    }

    expected(at, words, value) {
        this.tell(at, `expected ${words}, got ${quote(value)}`);
    }

    pattern(source, at) {
        if (typeof source !== "string") return undefined;
        try {
            return new RegExp(source, "u");
        } catch (error) {
            if (at !== undefined) this.tell(at, `${quote(source)} is not a regular expression: ${error.message}`);
        }
    }

    // --- resources: a schema with an $id, and all in it that has none --------------------------

    #dialect(schema, at, outer) {
        if (!Object.hasOwn(schema, "$schema")) return outer;
        const found = known.exec(schema.$schema);
        if (typeof schema.$schema === "string" && found) return dialects[found[1]];
        this.tell(`${at}/$schema`, `expected 2020-12, 2019-09 or draft-07, as in ` +
            `"https://json-schema.org/draft/2020-12/schema", got ${quote(schema.$schema)}`);
        return outer;
    }

    #newResource(uri, at, dialect) {
        const resource = { uri, at, dialect, anchors: new Map(), dynamicAnchors: { __proto__: null } };
        if (this.#resources.has(uri)) this.tell(`${at}/$id`, `"$id" is that of another schema too`);
        this.#resources.set(uri, resource);
        this.ast.metaData[uri] = { dynamicAnchors: resource.dynamicAnchors };
        return resource;
    }

    #resourceOf(schema, at, outer) {
        const id = schema.$id, { isOld } = outer.dialect;
        if (!Object.hasOwn(schema, "$id") || (isOld && Object.hasOwn(schema, "$ref"))) return outer;
        if (typeof id !== "string") {
            this.expected(`${at}/$id`, "string", id);
            return outer;
        }
        if (isOld && id[0] === "#") return outer;
        const [uri, fragment] = resolve(id, outer.uri);
        if (fragment) this.tell(`${at}/$id`, `expected a URI without a fragment, got ${quote(id)}`);
        if (uri === outer.uri && at === outer.at) return outer;
        return this.#newResource(uri, at, this.#dialect(schema, at, outer.dialect));
    }

    #addAnchor(schema, keyword, at, resource) {
        const name = schema[keyword];
        if (!Object.hasOwn(schema, keyword)) return false;
        if (typeof name !== "string" || !anchorName.test(name)) {
            this.expected(`${at}/${keyword}`, "a name of letters, digits, -, _ and .", name);
            return false;
        }
        if (resource.anchors.has(name)) this.tell(`${at}/${keyword}`, `${quote(name)} is the name of another schema too`);
        resource.anchors.set(name, at);
        return true;
    }

    #addAnchors(schema, at, resource, url) {
        if (resource.dialect.isOld) {
            if (typeof schema.$id === "string" && schema.$id[0] === "#") resource.anchors.set(schema.$id.slice(1), at);
            return;
        }
        this.#addAnchor(schema, "$anchor", at, resource);
        if (resource.dialect.keywords.$dynamicRef && this.#addAnchor(schema, "$dynamicAnchor", at, resource))
            resource.dynamicAnchors[schema.$dynamicAnchor] = url;
        if (resource.dialect.keywords.$recursiveRef && schema.$recursiveAnchor === true && at === resource.at)
            resource.dynamicAnchors[""] = url;
    }

    // --- schemas ------------------------------------------------------------------------------

    // The unevaluated ones come last: they are about what the others did not look at.
    #keywords(schema, at, resource) {
        const { keywords, isOld } = resource.dialect;
        const make = new Maker(this, resource);
        const nodes = [], last = [];
        for (const name of isOld && Object.hasOwn(schema, "$ref") ? ["$ref"] : Object.keys(schema)) {
            if (!keywords[name]) continue;
            const [kind, handler] = keywords[name], value = schema[name];
            const made = kind(value, `${at}/${name}`, make, schema);
            if (!handler) continue;
            const node = [handler, { name, value, schema }, made];
            if (made instanceof Reference) made.node = node;
            if (handler.plugin) this.ast.plugins.add(handler.plugin);
            (name.startsWith("unevaluated") ? last : nodes).push(node);
        }
        return last.length ? nodes.concat(last) : nodes;
    }

    // Returns the URL of the schema at |at|, which is in |outer| if it is no resource itself.
    compile(schema, at, outer) {
        if (this.#places.has(at)) return this.#urlOf(at);
        if (!isSchema(schema)) {
            this.expected(at, "a schema", schema);
            return undefined;
        }
        const resource = typeof schema === "boolean" ? outer : this.#resourceOf(schema, at, outer);
        this.#places.set(at, resource);
        const url = this.#urlOf(at);
        if (typeof schema !== "boolean") this.#addAnchors(schema, at, resource, url);
        this.ast[url] = typeof schema === "boolean" ? schema : this.#keywords(schema, at, resource);
        return url;
    }

    #urlOf(at) {
        return `${this.#places.get(at).uri}#${at}`;
    }

    // --- references: looked up when all schemas are known -------------------------------------

    refer(value, at, resource, isDynamic) {
        const reference = new Reference(value, at, resource, isDynamic);
        if (typeof value === "string") this.#references.push(reference);
        else this.expected(at, "string", value);
        return reference;
    }

    // What a pointer leads to may be no schema by the keywords that it goes through.
    #compileUnknown(at) {
        let value = this.#document, place = "", resource = this.#places.get("");
        for (const key of at.slice(1).split("/").map(unescapeKey)) {
            if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
            value = value[key];
            place += `/${escapeKey(key)}`;
            resource = this.#places.get(place) ?? resource;
        }
        return isSchema(value) ? this.compile(value, place, resource) : undefined;
    }

    #find(target, fragment) {
        const at = fragment === "" || fragment[0] === "/" ? target.at + fragment : target.anchors.get(fragment);
        if (at === undefined) return undefined;
        return this.#places.has(at) ? this.#urlOf(at) : this.#compileUnknown(at);
    }

    #follow({ node, value, at, resource, isDynamic }) {
        const [uri, encoded] = resolve(value, resource.uri);
        const target = this.#resources.get(uri);
        let fragment;
        try {
            fragment = decodeURIComponent(encoded);
        } catch {
            return this.tell(at, `${quote(value)} is not a URI`);
        }
        if (!target) return this.tell(at, `${quote(value)} is in another document, and only this one is read`);
        const url = this.#find(target, fragment);
        if (url === undefined) return this.tell(at, `${quote(value)} leads to no schema`);
        node[2] = isDynamic ? [target.uri, fragment, url] : url;
    }

    run() {
        const schema = this.#document;
        const dialect = isSchema(schema) ? this.#dialect(schema, "", dialects["draft/2020-12"]) : undefined;
        const url = this.compile(schema, "", this.#newResource(base, "", dialect));
        for (const reference of this.#references) this.#follow(reference); // may add references
        return url;
    }
}

// Returns the URL of |schema| in |ast|, and |broken|, the list of errors and their positions.
export const compile = (schema) => {
    const compiler = new Compiler(schema);
    const url = compiler.run();
    return { ast: compiler.ast, url, broken: compiler.broken };
};
