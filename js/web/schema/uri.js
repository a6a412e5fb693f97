// uri.js - resolves relative references against a base URI (RFC 3986, 5.2).
const parts = /^(?:([A-Za-z][A-Za-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s;

const withoutDots = (path) => {
    const out = [];
    const segments = path.split("/");
    for (const [i, segment] of segments.entries()) {
        const isLast = i === segments.length - 1;
        if (segment === "..") {
            if (out.length > 1) out.pop();
            if (isLast) out.push("");
        } else if (segment !== ".") {
            out.push(segment);
        } else if (isLast) {
            out.push("");
        }
    }
    return out.join("/");
};

const merged = (path, host, basePath) => {
    if (path.startsWith("/")) return path;
    if (host !== undefined && basePath === "") return `/${path}`;
    return basePath.slice(0, basePath.lastIndexOf("/") + 1) + path;
};

// Returns |reference| as [URI without a fragment, fragment]; |base| has a scheme and no fragment.
export const resolve = (reference, base) => {
    let [, scheme, host, path, query, fragment = ""] = parts.exec(reference);
    const [, baseScheme, baseHost, basePath, baseQuery] = parts.exec(base);
    if (scheme === undefined && host === undefined && path === "") {
        path = basePath;
        query ??= baseQuery;
    } else {
        if (scheme === undefined && host === undefined) path = merged(path, baseHost, basePath);
        path = withoutDots(path);
    }
    if (scheme === undefined) {
        scheme = baseScheme;
        host ??= baseHost;
    }
    const authority = host === undefined ? "" : `//${host}`;
    return [`${scheme.toLowerCase()}:${authority}${path}${query === undefined ? "" : `?${query}`}`, fragment];
};
