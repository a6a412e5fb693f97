// legacy.js - all encodings except UTF-8, from @exodus/bytes. A separate module because of its large tables.
import { TextDecoder, normalizeEncoding } from "@exodus/bytes/encoding.js";

exported = { TextDecoder, normalizeEncoding };
