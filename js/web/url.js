// url.js - URL and URLSearchParams, from whatwg-url.
//
// The classes are installed on an object of ours, which is all that the package sees of a global
// object; the globals themselves are runtime/lazy.c's. No name here may be that of a class: the
// bundler would give the class another.
const classes = require("whatwg-url/webidl2js-wrapper.js");

const { parseURL, serializeHost } = require("whatwg-url/lib/url-state-machine.js");

const shared = { Array, Object, Promise, String, TypeError };
classes.URL.install(shared, ["Window"]);
classes.URLSearchParams.install(shared, ["Window"]);

// For denied.js: whatever code has done to its URL, the host of |text|, and the port if it has one.
const hostOf = (text) => {
    const url = parseURL(text);
    return url?.host && serializeHost(url.host) + (url.port === null ? "" : `:${url.port}`);
};

exported = { URL: shared.URL, URLSearchParams: shared.URLSearchParams, hostOf };
