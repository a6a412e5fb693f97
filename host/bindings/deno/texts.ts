/** Converts texts to C's memory and back. */

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Short texts are copied here: many small buffers would stay until V8's next big collection. */
const scratch = new Uint8Array(1 << 16);

/** `Uint8Array<ArrayBuffer>`, which TypeScript before 5.7, of Deno 2.0, writes without the `<>`. */
type Bytes = ReturnType<TextEncoder["encode"]>;

/** The bytes of a text; valid until the next conversion. */
export function bytesOf(text: string): Bytes {
  if (3 * text.length > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

/** The bytes of a text, with a NUL at the end; throws if the text contains a NUL. */
export function cString(text: string): Bytes {
  if (text.includes("\0")) throw new TypeError(`a NUL in '${text.replaceAll("\0", "\\0")}'`);
  return encoder.encode(`${text}\0`);
}

/** A text that ends with a NUL; "" for a null pointer. */
export const textAt = (pointer: Deno.PointerValue): string =>
  pointer ? Deno.UnsafePointerView.getCString(pointer) : "";

/** A text of `length` bytes. */
export function textOf(pointer: Deno.PointerValue, length: bigint): string {
  if (!pointer || !length) return "";
  if (length > scratch.length) {
    return decoder.decode(Deno.UnsafePointerView.getArrayBuffer(pointer, Number(length)));
  }
  const bytes = scratch.subarray(0, Number(length));
  Deno.UnsafePointerView.copyInto(pointer, bytes);
  return decoder.decode(bytes);
}

/** The message of a thrown value of any type. */
export function wordsOf(thrown: unknown): string {
  try {
    const message = (thrown as { message?: unknown } | undefined)?.message;
    return typeof message === "string" ? message : String(thrown);
  } catch {
    return "what was thrown cannot be shown";
  }
}
