import type { RpcCall, ValuesOf } from "./rpc-call.ts";

/** Sends calls in one request, and returns their values. */
export type Ask = <const Calls extends readonly RpcCall<unknown>[]>(calls: Calls) => Promise<ValuesOf<Calls>>;

/** Replaces each call by its value and keeps the structure of objects and lists. */
export type ValuesIn<Asked> =
  Asked extends RpcCall<infer Value> ? Value : { -readonly [Name in keyof Asked]: ValuesIn<Asked[Name]> };

const isCall = (asked: object): asked is RpcCall<unknown> =>
  "method" in asked && typeof asked.method === "string";

/** Sends all of these calls in one request. They can be nested in objects and lists. */
export async function askTogether<const Asked extends object>(
  ask: Ask,
  asked: Asked,
): Promise<ValuesIn<Asked>> {
  const calls: RpcCall<unknown>[] = [];
  const collect = (each: object): void => {
    if (isCall(each)) calls.push(each);
    else for (const inner of Object.values(each)) collect(inner);
  };
  collect(asked);
  const values = (await ask(calls)).values();
  const rebuild = (each: object): unknown => {
    if (isCall(each)) return values.next().value;
    if (Array.isArray(each)) return each.map(rebuild);
    return Object.fromEntries(Object.entries(each).map(([name, inner]) => [name, rebuild(inner)]));
  };
  return rebuild(asked) as ValuesIn<Asked>;
}
