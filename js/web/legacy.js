// legacy.js - every encoding but UTF-8, from @exodus/bytes. Its tables are why this is a module apart.
import { TextDecoder, normalizeEncoding } from "@exodus/bytes/encoding.js";

exported = { TextDecoder, normalizeEncoding };
