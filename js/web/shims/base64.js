// base64.js - stands in for the base64 of @exodus/bytes in the legacy module: the engine has its own.
export const fromBase64url = (text) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
