import type { RpcCall, ValuesOf } from "./rpc-call.ts";

type Request = <const Calls extends readonly RpcCall<unknown>[]>(
  calls: Calls,
  signal?: AbortSignal,
) => Promise<ValuesOf<Calls>>;

type Kept = { value: unknown; untilMs: number };

/** Maximum number of values that are kept for a host. */
const mostKept = 100;

/** Remembers values that rarely change for as long as their calls allow, and asks the host only for others. */
export function keepingValues(request: Request, nowMs: () => number): Request {
  const kept = new Map<string, Kept>();

  function knownTo(call: RpcCall<unknown>): Kept | undefined {
    const known = call.keep && kept.get(nameOf(call));
    return known !== undefined && nowMs() < known.untilMs ? known : undefined;
  }

  function keep(call: RpcCall<unknown>, value: unknown): void {
    if (call.keep?.ifValue(value) !== true) return;
    if (kept.size >= mostKept) kept.clear();
    kept.set(nameOf(call), { value, untilMs: nowMs() + call.keep.forMs });
  }

  async function ask(calls: readonly RpcCall<unknown>[], signal?: AbortSignal): Promise<unknown[]> {
    const known = calls.map(knownTo);
    const others = calls.filter((_, index) => known[index] === undefined);
    // An empty request still asks for the chain's id.
    const isKnown = others.length === 0 && calls.length > 0;
    const values = isKnown ? [] : await request(others, signal);
    for (const [index, call] of others.entries()) keep(call, values[index]);
    const asked = values.values();
    return known.map((each) => (each === undefined ? asked.next().value : each.value));
  }
  return ask as Request;
}

const nameOf = ({ method, params }: RpcCall<unknown>): string => JSON.stringify([method, params]);
