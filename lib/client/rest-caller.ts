import { type AnyAnswer, type AnyError, readAnswer } from "./answer.ts";
import { backoffMs, type Clock, pause } from "./clock.ts";
import { routes } from "./openapi.ts";
import type { RequestKeys } from "./request-keys.ts";
import type { OperationName } from "./rest-types.ts";
import type { TokenKeeper } from "./token-keeper.ts";

/** A request before its types are known. */
export type AnyRequest = {
  path?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: object;
  headers?: Record<string, string | undefined>;
  signal?: AbortSignal;
  patienceMs?: number;
};

export type CallerDeps = {
  baseUrl: string;
  fetch: typeof fetch;
  tokens: TokenKeeper;
  keys: RequestKeys;
  clock: Clock;
  /** How long a request is repeated. */
  patienceMs: number;
  /** How long one try may take. API Gateway answers within 29 seconds. */
  timeoutMs: number;
};

/** POSTs without an Idempotency-Key that do no more when they arrive twice. */
const harmlessTwice: ReadonlySet<string> = new Set([
  "storeWallet",
  "restoreWallet",
  "exportWallet",
  "updateTradingSettings",
  "quoteOrder",
  "cancelOrder",
  "startSession",
]);

const retryMs = [250, 8000] as const;

type Prepared = { url: string; init: RequestInit; signal: AbortSignal | undefined };

/** Calls operations of the REST API. Resolves to an error, rather than to reject, whatever the network does. */
export class RestCaller {
  readonly #deps: CallerDeps;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
  }

  async call(name: OperationName, request: AnyRequest = {}): Promise<AnyAnswer> {
    const { path = {}, query = {}, body, headers = {}, signal, patienceMs } = request;
    const [method = "", template = "", once] = routes[name].split(" ");
    const ownKey = once !== undefined && headers["Idempotency-Key"] === undefined && !isDryRun(body);
    // Made and kept before the first try, so that no try can happen twice.
    const inUse = ownKey ? await this.#deps.keys.take(`${name} ${JSON.stringify([path, body])}`) : undefined;
    let certain = false;
    try {
      const sent: Record<string, string> = {};
      if (body !== undefined) sent["Content-Type"] = "application/json";
      if (inUse) sent["Idempotency-Key"] = inUse.key;
      for (const [field, value] of Object.entries(headers)) if (value !== undefined) sent[field] = value;
      const init: RequestInit = {
        method,
        headers: sent,
        credentials: "include",
        ...(body !== undefined && { body: JSON.stringify(body) }),
      };
      const url = `${this.#deps.baseUrl}${filled(template, path)}${search(query)}`;
      // With If-Match, the second try would find what the first has changed.
      const repeatable =
        (method !== "POST" || once !== undefined || harmlessTwice.has(name)) && !("If-Match" in sent);
      const tried = await this.#repeat(
        { url, init, signal },
        repeatable,
        patienceMs ?? this.#deps.patienceMs,
      );
      certain = tried.certain;
      return tried.answer;
    } finally {
      await inUse?.end(certain);
    }
  }

  /** `certain`: no try that is without an answer may have done what was asked. */
  async #repeat(
    prepared: Prepared,
    repeatable: boolean,
    patienceMs: number,
  ): Promise<{ answer: AnyAnswer; certain: boolean }> {
    const { clock } = this.#deps;
    const endMs = clock.nowMs() + patienceMs;
    let certain = true;
    for (let failures = 0; ; failures++) {
      const answer = await this.#try(prepared);
      if (answer.error === undefined) return { answer, certain: true };
      certain &&= !mayHaveWorked(answer.error);
      if (!mayRepeat(answer.error, repeatable)) return { answer, certain };
      const waitMs = (answer.error.retryAfterSeconds ?? 0) * 1000 + backoffMs(clock, failures, retryMs);
      if (clock.nowMs() + waitMs > endMs) return { answer, certain };
      await pause(clock, waitMs, prepared.signal);
    }
  }

  /** Tries again at once, with a new token, if the service says that the token has expired. */
  async #try(prepared: Prepared): Promise<AnyAnswer> {
    const { tokens } = this.#deps;
    try {
      const token = await tokens.current();
      const answer = await this.#send(prepared, token);
      if (!answer.error?.needsRefresh || !(await tokens.replace(token))) return answer;
      return await this.#send(prepared, await tokens.current());
    } catch (cause) {
      return { error: { status: 0, code: "TOKEN_ERROR", message: "The token provider failed", cause } };
    }
  }

  async #send({ url, init, signal }: Prepared, token: string | undefined): Promise<AnyAnswer> {
    const { fetch, clock, timeoutMs } = this.#deps;
    const abort = new AbortController();
    const end = () => abort.abort();
    if (signal?.aborted) end();
    signal?.addEventListener("abort", end);
    const cancel = clock.after(timeoutMs, end);
    try {
      const headers = { ...init.headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
      return await readAnswer(await fetch(url, { ...init, headers, signal: abort.signal }));
    } catch (cause) {
      if (signal?.aborted) return { error: { status: 0, code: "ABORTED", message: "The call was aborted" } };
      return { error: { status: 0, code: "NETWORK_ERROR", message: "The service does not answer", cause } };
    } finally {
      cancel();
      signal?.removeEventListener("abort", end);
    }
  }
}

function mayRepeat({ status, code, retryAfterSeconds }: AnyError, repeatable: boolean): boolean {
  if (code === "ABORTED") return false;
  // These never reach what would change something.
  if (status === 429 || code === "TOKEN_ERROR" || (status === 503 && retryAfterSeconds !== undefined))
    return true;
  return repeatable && (code === "NETWORK_ERROR" || status >= 500);
}

function mayHaveWorked({ status, code, retryAfterSeconds }: AnyError): boolean {
  if (code === "NETWORK_ERROR" || code === "ABORTED") return true;
  if (status === 503 && retryAfterSeconds !== undefined) return false;
  return status >= 500 || (code === "EDGE_ERROR" && status < 300);
}

/** Nothing happens, so no key is needed. */
const isDryRun = (body: { dryRun?: unknown } | undefined) => body?.dryRun === true;

/** @throws {TypeError} if a parameter is missing, which types rule out */
const filled = (template: string, path: Record<string, unknown>) =>
  template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined) throw new TypeError(`The path needs ${name}`);
    return encodeURIComponent(String(value));
  });

function search(query: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) parameters.set(name, String(value));
  return parameters.size === 0 ? "" : `?${parameters}`;
}
