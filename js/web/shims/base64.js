// base64.js - replaces the base64 of @exodus/bytes in the legacy module by the engine's base64.
export const fromBase64url = (text) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
