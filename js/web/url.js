// url.js - URL and URLSearchParams, from whatwg-url.
//
// The package installs its classes on the object `shared` instead of the global object; runtime/lazy.c
// defines the globals. No name here may equal the name of a class: the bundler would rename the class.
const classes = require("whatwg-url/webidl2js-wrapper.js");

const { parseURL, serializeHost } = require("whatwg-url/lib/url-state-machine.js");

const shared = { Array, Object, Promise, String, TypeError };
classes.URL.install(shared, ["Window"]);
classes.URLSearchParams.install(shared, ["Window"]);

// For denied.js, safe if code has changed its URL class: the host of |text|, and the port if it has one.
const hostOf = (text) => {
    const url = parseURL(text);
    return url?.host && serializeHost(url.host) + (url.port === null ? "" : `:${url.port}`);
};

exported = { URL: shared.URL, URLSearchParams: shared.URLSearchParams, hostOf };
