import { type Clock, realClock } from "./clock.ts";
import { routes } from "./openapi.ts";
import { type KeyStore, keysInMemory, RequestKeys } from "./request-keys.ts";
import { type CallerDeps, RestCaller } from "./rest-caller.ts";
import type { OperationName, RestCalls } from "./rest-types.ts";
import { TokenKeeper, type TokenProvider } from "./token-keeper.ts";

export type TerminalOptions = {
  /** For example `http://127.0.0.1:3000`. Empty for the page's own address. */
  baseUrl: string;
  /** Without it, the cookie of the service serves. */
  token?: TokenProvider;
  /** Where Idempotency-Keys are kept until requests are answered. In memory by default. */
  keys?: KeyStore;
  /** How long a request is repeated that could not be answered; 20 seconds by default. */
  patienceMs?: number;
  /** How long one try of a request may take; 30 seconds by default. */
  timeoutMs?: number;
  fetch?: typeof fetch;
};

export type Terminal = RestCalls;

/** A client of the service: a method for each operation of the REST API. */
export function createTerminal(options: TerminalOptions, clock: Clock = realClock): Terminal {
  const caller = new RestCaller(callerDeps(options, clock));
  const names = Object.keys(routes) as OperationName[];
  const calls = names.map((name) => [name, caller.call.bind(caller, name)] as const);
  return Object.fromEntries(calls) as unknown as RestCalls;
}

function callerDeps(
  {
    baseUrl,
    token,
    keys = keysInMemory(),
    patienceMs = 20_000,
    timeoutMs = 30_000,
    ...options
  }: TerminalOptions,
  clock: Clock,
): CallerDeps {
  // Called without an object, as browsers demand.
  const fetch = options.fetch ?? globalThis.fetch;
  return {
    baseUrl: baseUrl.replace(/\/$/, ""),
    fetch: (...request) => fetch(...request),
    tokens: new TokenKeeper(token),
    keys: new RequestKeys(keys),
    clock,
    patienceMs,
    timeoutMs,
  };
}
