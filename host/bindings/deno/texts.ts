/** Texts on their way to C and back. */

const encoder = new TextEncoder(), decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** What is short is copied here: a buffer of its own for each would wait for V8's next big round. */
const scratch = new Uint8Array(1 << 16);

/** The bytes of a text, until the next is converted. */
export function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  if (3 * text.length > scratch.length) return encoder.encode(text);
  return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
}

/** The bytes of a text, with a NUL at the end; throws if there is one before. */
export function cString(text: string): Uint8Array<ArrayBuffer> {
  if (text.includes("\0")) throw new TypeError(`a NUL in '${text.replaceAll("\0", "\\0")}'`);
  return encoder.encode(`${text}\0`);
}

/** A text that ends with a NUL; none is "". */
export const textAt = (pointer: Deno.PointerValue): string =>
  pointer ? Deno.UnsafePointerView.getCString(pointer) : "";

/** A text of so many bytes. */
export function textOf(pointer: Deno.PointerValue, length: bigint): string {
  if (!pointer || !length) return "";
  if (length > scratch.length) {
    return decoder.decode(Deno.UnsafePointerView.getArrayBuffer(pointer, Number(length)));
  }
  const bytes = scratch.subarray(0, Number(length));
  Deno.UnsafePointerView.copyInto(pointer, bytes);
  return decoder.decode(bytes);
}

/** The words of what was thrown, whatever it is. */
export function wordsOf(thrown: unknown): string {
  try {
    const message = (thrown as { message?: unknown } | undefined)?.message;
    return typeof message === "string" ? message : String(thrown);
  } catch {
    return "what was thrown cannot be shown";
  }
}
