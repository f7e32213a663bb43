import { type AnyAnswer, type AnyError, readAnswer } from "./answer.ts";
import { backoffMs, type Clock, callBack, limited, limitsOf, pause } from "./clock.ts";
import { routes } from "./openapi.ts";
import { Pacer } from "./pacer.ts";
import type { RequestKeys } from "./request-keys.ts";
import type { OperationName } from "./rest-types.ts";
import { isMistake, type Purpose, type Tokens, tokenError } from "./token-keeper.ts";

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
  tokens: Tokens;
  keys: RequestKeys;
  clock: Clock;
  /** True in a browser, because browsers hide some responses from scripts. */
  isInPage: boolean;
  /** Milliseconds during which a failed request is repeated. */
  patienceMs: number;
  /** Time limit of one try. API Gateway answers within 29 seconds. */
  timeoutMs: number;
  onRetry: (retry: Retry) => void;
};

/** A request that is about to be repeated. */
export type Retry = {
  operation: OperationName;
  /** Number of tries so far. */
  tries: number;
  waitMs: number;
  /** Error of the last try. */
  error: AnyError;
};

const retryMs = [250, 8000] as const;

type Prepared = {
  name: OperationName;
  url: string;
  init: RequestInit;
  purpose: Purpose;
  signal: AbortSignal | undefined;
};

/** Calls operations of the REST API. Network failures resolve to an error instead of rejecting. */
export class RestCaller {
  readonly #deps: CallerDeps;
  readonly #pacer: Pacer;

  constructor(deps: CallerDeps) {
    this.#deps = deps;
    this.#pacer = new Pacer(deps.clock);
  }

  /**
   * Calls an operation.
   *
   * @throws {TypeError} if the request lacks a parameter of the path
   */
  async call(name: OperationName, request: AnyRequest = {}): Promise<AnyAnswer> {
    const { path = {}, query = {}, headers: own = {}, signal, patienceMs } = request;
    const [method = "", template = "", mark] = routes[name].split(" ");
    const body = bodyOf(name, request);
    const purpose: Purpose = { method, path: filled(template, path), body: body && JSON.stringify(body) };
    const url = `${this.#deps.baseUrl}${purpose.path}${search(query)}`;
    const headers = new Headers(body && { "Content-Type": "application/json" });
    for (const [field, value] of Object.entries(own)) if (value !== undefined) headers.set(field, value);
    const needsKey = mark === "once" && !headers.has("Idempotency-Key") && !hasKey(body);
    // Saves the key before the first try, so that repeated tries have no further effect.
    const inUse = needsKey ? await this.#deps.keys.take(titleOf(name, request)) : undefined;
    if (inUse) headers.set("Idempotency-Key", inUse.key);
    let certain = false;
    try {
      // Follows no redirects, because a redirected POST would become a GET that sends the token along.
      const init: RequestInit = { method, headers, credentials: "include", redirect: "error" };
      if (purpose.body !== undefined) init.body = purpose.body;
      // Does not repeat a request with If-Match: if the first try has changed the record, the second one would fail.
      const repeatable = (method !== "POST" || mark !== undefined) && !headers.has("If-Match");
      const tried = await this.#repeat(
        { name, url, init, purpose, signal },
        repeatable,
        patienceMs ?? this.#deps.patienceMs,
      );
      certain = tried.certain;
      return tried.answer;
    } finally {
      await inUse?.end(certain);
    }
  }

  /** Calls a list page by page, until its end or the first error. */
  async *pages(name: OperationName, request: AnyRequest = {}): AsyncGenerator<AnyAnswer, void, undefined> {
    for (let cursor: unknown; ; ) {
      const query = { ...request.query, ...(cursor !== undefined && { cursor }) };
      const answer = await this.call(name, { ...request, query });
      yield answer;
      cursor = (answer.data as { cursor?: string } | undefined)?.cursor;
      if (cursor === undefined) return;
    }
  }

  /** Gives the next equal request a new key, instead of the key whose outcome is uncertain. */
  async forget(name: OperationName, request: AnyRequest): Promise<void> {
    await this.#deps.keys.forget(titleOf(name, request));
  }

  /** `certain` is true if no unanswered try can have been carried out. */
  async #repeat(
    prepared: Prepared,
    repeatable: boolean,
    patienceMs: number,
  ): Promise<{ answer: AnyAnswer; certain: boolean }> {
    const { clock, onRetry } = this.#deps;
    const endMs = clock.nowMs() + patienceMs;
    let certain = true;
    for (let failures = 0; ; failures++) {
      const answer = await this.#tryInTurn(prepared, endMs);
      if (answer.error === undefined) return { answer, certain: true };
      certain &&= !mayHaveWorked(answer.error);
      if (!mayRepeat(answer.error, repeatable)) return { answer, certain };
      const waitMs = (answer.error.retryAfterSeconds ?? 0) * 1000 + backoffMs(clock, failures, retryMs);
      if (clock.nowMs() + waitMs > endMs) return { answer, certain };
      const { error } = answer;
      callBack(() => onRetry({ operation: prepared.name, tries: failures + 1, waitMs, error }));
      await pause(clock, waitMs, prepared.signal);
    }
  }

  /** Tries once the limits of the service allow it. Fails like a 429 if that would be after `endMs`. */
  async #tryInTurn(prepared: Prepared, endMs: number): Promise<AnyAnswer> {
    const { name, signal } = prepared;
    const waitMs = await this.#pacer.pass(name, endMs, signal);
    if (waitMs > 0)
      return {
        error: {
          status: 429,
          code: "RATE_LIMITED",
          message: "Not sent: the limit of the service is used up for too long",
          retryAfterSeconds: Math.ceil(waitMs / 1000),
        },
      };
    const answer = await this.#try(prepared);
    const { status, retryAfterSeconds = 0 } = answer.error ?? {};
    const emptyForMs = status === 429 ? retryAfterSeconds * 1000 : undefined;
    this.#pacer.learn(name, answer.headers?.get("RateLimit-Policy"), emptyForMs);
    return answer;
  }

  /** Renews an expired token and tries again at once. */
  async #try(prepared: Prepared): Promise<AnyAnswer> {
    const { tokens, isInPage, clock } = this.#deps;
    const { purpose, signal } = prepared;
    const unlessAborted = <Value>(promise: Promise<Value>) => limited(clock, { signal }, promise);
    try {
      const token = await unlessAborted(tokens.current(purpose));
      const answer = await this.#send(prepared, token);
      const { status, code, needsRefresh } = answer.error ?? {};
      if (needsRefresh && (await unlessAborted(tokens.replace(token))))
        return await this.#send(prepared, await unlessAborted(tokens.current(purpose)));
      // Some pages cannot read a 401 of API Gateway (docs/api.md, Browsers).
      if (code === "NETWORK_ERROR" && isInPage) await unlessAborted(tokens.doubt(token));
      else if (status !== 401 && status !== 0) tokens.trust();
      return tokens.explain ? tokens.explain(answer) : answer;
    } catch (cause) {
      return signal?.aborted ? aborted : { error: tokenError(cause) };
    }
  }

  async #send({ url, init, signal }: Prepared, token: string | undefined): Promise<AnyAnswer> {
    const { fetch, clock, timeoutMs } = this.#deps;
    const limits = limitsOf(clock, { signal, timeoutMs });
    try {
      const headers = new Headers(init.headers);
      if (token !== undefined) headers.set("Authorization", `Bearer ${token}`);
      return await readAnswer(await fetch(url, { ...init, headers, signal: limits.signal }));
    } catch (cause) {
      if (signal?.aborted) return aborted;
      return { error: { status: 0, code: "NETWORK_ERROR", message: "The service does not answer", cause } };
    } finally {
      limits.end();
    }
  }
}

const aborted: AnyAnswer = { error: { status: 0, code: "ABORTED", message: "The call was aborted" } };

function mayRepeat({ status, code, retryAfterSeconds, cause }: AnyError, repeatable: boolean): boolean {
  if (code === "ABORTED") return false;
  if (code === "TOKEN_ERROR") return !isMistake(cause);
  // A request with one of these responses never reached code that changes data.
  if (status === 429 || (status === 503 && retryAfterSeconds !== undefined)) return true;
  return repeatable && (code === "NETWORK_ERROR" || status >= 500);
}

function mayHaveWorked({ status, code, retryAfterSeconds }: AnyError): boolean {
  if (code === "NETWORK_ERROR" || code === "ABORTED") return true;
  if (status === 503 && retryAfterSeconds !== undefined) return false;
  return status >= 500 || (code === "EDGE_ERROR" && status < 300);
}

/** The service requires a body for every POST, even an empty object. */
const bodyOf = (name: OperationName, { body }: AnyRequest) =>
  body ?? (/^(GET|DELETE) /.test(routes[name]) ? undefined : {});

/** Names a request. Equal requests get the same name, regardless of the order of their properties. */
function titleOf(name: OperationName, request: AnyRequest): string {
  const { path = {} } = request;
  const parts = JSON.stringify([path, bodyOf(name, request)], (_, value: unknown) =>
    isRecord(value) ? sorted(value) : value,
  );
  return `${name} ${parts}`;
}

const isRecord = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Sorts by name. Names are unique. */
const sorted = (record: object) => Object.fromEntries(Object.entries(record).sort());

/** True for an order that names its own key, or is only a trial, which records nothing and needs none. */
const hasKey = (body: { dryRun?: unknown; clientOrderId?: unknown } | undefined) =>
  body?.clientOrderId !== undefined || body?.dryRun === true;

/**
 * Fills in the parameters of a path.
 *
 * @throws {TypeError} if one is missing, which the types rule out
 */
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
