// utf8.js - replaces the UTF-8 functions of @exodus/bytes by those of runtime/web.c.
export const utf8fromStringLoose = (text) => native.utf8Encode(text);
export const utf8toStringLoose = (bytes) => native.utf8Decode(bytes, false);
export const utf8toString = (bytes) => {
    const text = native.utf8Decode(bytes, true);
    if (text === undefined) throw new TypeError("not valid UTF-8");
    return text;
};
