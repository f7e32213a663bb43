import type { RpcRefusal } from "./host-fault.ts";
import { type CallParts, type RpcCall, type ValuesOf, valueIn } from "./rpc-call.ts";

type Request = <const Calls extends readonly RpcCall<unknown>[]>(
  calls: Calls,
  signal?: AbortSignal,
) => Promise<ValuesOf<Calls>>;

/** Marks a call whose value is combined from its parts. */
class Split {
  readonly parts: CallParts;

  constructor(parts: CallParts) {
    this.parts = parts;
  }
}

const splittable = ({ split, ...call }: RpcCall<unknown>): RpcCall<unknown> =>
  split === undefined
    ? call
    : {
        ...call,
        recover(refusal: RpcRefusal) {
          const parts = split(refusal);
          if (parts !== undefined) return new Split(parts);
          if (call.recover === undefined) throw refusal;
          return call.recover(refusal);
        },
      };

/**
 * Repeats calls that exceeded one of the host's limits, in parts that are small enough. The parts of all calls share
 * one request. A call that must come last follows them.
 */
export const splitting = (request: Request): Request => {
  async function ask(calls: readonly RpcCall<unknown>[], signal?: AbortSignal): Promise<unknown[]> {
    const values: unknown[] = await request(calls.map(splittable), signal);
    const parts = values.flatMap((value) => (value instanceof Split ? value.parts.calls : []));
    if (parts.length === 0) return values;
    const last = calls.filter(({ isLast }) => isLast);
    const others = await ask([...parts, ...last], signal);
    return values.map((value, index) => {
      const call = calls[index] as RpcCall<unknown>;
      if (call.isLast) return others.at(-1);
      if (!(value instanceof Split)) return value;
      const { calls: asked, join } = value.parts;
      return valueIn(call, join(others.splice(0, asked.length)));
    });
  }
  return ask as Request;
};
