/** What an {@linkcode RpcBridge} sends its messages over, by the names of PML's sandbox module. */

/** Sends and receives messages. */
export interface MessageTransport {
  /** Whether {@linkcode MessageTransport.close} was called. */
  readonly closed: boolean;
  /** Sends a message to the other side; throws if the transport is closed. */
  send(message: unknown): void;
  /** Sets what is called for each message that arrives. */
  onMessage(handler: (message: unknown) => void): void;
  /** Sets what is called for each error; not every transport notices errors. */
  onError?(handler: (error: Error) => void): void;
  /** Closes the transport: it sends and receives nothing any more. */
  close(): void;
}

/** Converts messages between the bridge's form and another protocol. */
export interface ProtocolAdapter {
  /** Converts a received message to the bridge's form; `null` if it is not for the bridge. */
  toInternal(message: unknown): unknown | null;
  /** Converts a message of the bridge to the other protocol. */
  toExternal(message: unknown): unknown;
}

/** What all transports share: a closed one refuses to send, and is closed only once. */
export abstract class BaseTransport implements MessageTransport {
  #closed = false;

  /** Whether {@linkcode BaseTransport.close} was called. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Sends a message; throws if the transport is closed. */
  send(message: unknown): void {
    if (this.#closed) throw new Error(`${this.constructor.name} has been closed`);
    this.doSend(message);
  }

  /** Closes the transport; does nothing if it is closed already. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.doClose();
  }

  /** Warns that errors are not noticed, unless a class overrides it. */
  onError(_handler: (error: Error) => void): void {
    console.warn(`${this.constructor.name} notices no errors: calls without an answer time out`);
  }

  /** Sets what is called for each message that arrives. */
  abstract onMessage(handler: (message: unknown) => void): void;
  /** Sends a message. */
  protected abstract doSend(message: unknown): void;
  /** Ends what the transport uses. */
  protected abstract doClose(): void;
}

/** Messages from and to a Deno worker, which the end of the transport terminates. */
export class DenoWorkerTransport extends BaseTransport {
  #worker: Worker;
  #has = new Set<string>();

  /** For this worker; the transport uses its `onmessage` and `onerror`. */
  constructor(worker: Worker) {
    super();
    this.#worker = worker;
  }

  /** Throws if there is a handler already. */
  onMessage(handler: (message: unknown) => void): void {
    this.#first("Message");
    this.#worker.onmessage = ({ data }: MessageEvent) => handler(data);
  }

  /** Throws if there is a handler already. */
  override onError(handler: (error: Error) => void): void {
    this.#first("Error");
    this.#worker.onerror = ({ message }: ErrorEvent) => handler(new Error(message));
  }

  #first(what: string): void {
    if (this.#has.has(what)) {
      throw new Error(`${what} handler already registered: DenoWorkerTransport has only one`);
    }
    this.#has.add(what);
  }

  /** Posts it to the worker. */
  protected doSend(message: unknown): void {
    this.#worker.postMessage(message);
  }

  /** Terminates the worker. */
  protected doClose(): void {
    this.#worker.terminate();
  }
}

/** The part of an HTMLIFrameElement that is used. */
export interface IframeElement {
  /** Its window, while it is in a document. */
  contentWindow: { postMessage(message: unknown, targetOrigin: string): void } | null;
}

/** Messages from and to an iframe, in a browser. */
export class IframeTransport extends BaseTransport {
  #iframe: IframeElement;
  #origin: string;
  #handler: ((message: unknown) => void) | undefined;

  /** With an origin, messages are sent to and accepted from that origin only. */
  constructor(iframe: IframeElement, targetOrigin = "*") {
    super();
    this.#iframe = iframe;
    this.#origin = targetOrigin;
    if (targetOrigin === "*") {
      console.warn(
        "IframeTransport: with the targetOrigin '*' any page in the iframe gets the messages; " +
          "set the origin of your page",
      );
    }
    globalThis.addEventListener("message", this.#receive as EventListener);
  }

  /** Replaces an earlier handler. */
  onMessage(handler: (message: unknown) => void): void {
    this.#handler = handler;
  }

  #receive = ({ source, origin, data }: MessageEvent): void => {
    if (this.closed || source as unknown !== this.#iframe.contentWindow) return;
    if (this.#origin === "*" || this.#origin === origin) this.#handler?.(data);
  };

  /** Posts it to the iframe's window. */
  protected doSend(message: unknown): void {
    this.#iframe.contentWindow?.postMessage(message, this.#origin);
  }

  /** Stops listening. */
  protected doClose(): void {
    globalThis.removeEventListener("message", this.#receive as EventListener);
    this.#handler = undefined;
  }
}

/** A message as an object. */
type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null;

/** JSON-RPC's number for an error of the server. */
const SERVER_ERROR = -32000;

/** Between the JSON-RPC of MCP Apps and the messages of {@linkcode RpcBridge}. */
export class McpAppsProtocolAdapter implements ProtocolAdapter {
  /** `null` for everything but initialisation, tool calls, context updates and notifications. */
  toInternal(message: unknown): Record<string, unknown> | null {
    if (!isObject(message) || message.jsonrpc !== "2.0") return null;
    const { method, params } = message, id = String(message.id ?? "");
    switch (method) {
      case "ui/initialize":
        return { type: "init", id };
      case "ui/update-model-context":
        return { type: "context_update", id, args: params };
      case "tools/call":
        if (!isObject(params) || !params.name) return null;
        return { type: "rpc", rpcId: id, method: params.name, args: params.arguments };
    }
    const isNotification = typeof method === "string" && method.startsWith("notifications/");
    return isNotification ? { type: "notification", method, args: params } : null;
  }

  /** Answers become JSON-RPC; other messages stay as they are. */
  toExternal(message: unknown): unknown {
    if (!isObject(message)) return message;
    const { type, rpcId, error, result } = message, id = message.id ?? rpcId ?? "";
    const response = { jsonrpc: "2.0", id };
    switch (type) {
      case "rpc_response":
        return { ...response, result };
      case "init_response":
        return { ...response, result: result ?? {} };
      case "rpc_error":
        return { ...response, error: { code: SERVER_ERROR, message: error ?? "Unknown error" } };
    }
    return message;
  }
}
