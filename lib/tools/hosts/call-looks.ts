import type { HostError } from "../../chains/hosts/host-fault.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import { measure, wordsOfError } from "./measure.ts";
import type { CallLook } from "./report.ts";

/** How trading continues if a call is not answered. */
export type Spare = {
  without: string;
  /** True for errors that trading can work around. If absent, trading can work around all errors. */
  covers?: (error: HostError) => boolean;
};

/** Makes calls to a host and records the outcome of each. */
export function callLooks(url: string) {
  const looks: CallLook[] = [];

  /** Sends calls in one request. Returns undefined if one of them fails. */
  async function askAll<Value>(
    name: string,
    calls: readonly RpcCall<Value>[],
    spare?: Spare,
  ): Promise<readonly Value[] | undefined> {
    const { bytes, ms, ...answer } = await measure(url, calls);
    if ("values" in answer) {
      looks.push({ name, bytes, ms });
      return answer.values;
    }
    const isFatal = spare === undefined || spare.covers?.(answer.error) === false;
    const words =
      wordsOfError(answer.error) + (isFatal || spare === undefined ? "" : `, so ${spare.without}`);
    looks.push({ name, bytes, ms, problem: { words, isFatal } });
    return undefined;
  }

  return {
    looks,
    askAll,
    ask: async <Value>(name: string, call: RpcCall<Value>, spare?: Spare): Promise<Value | undefined> =>
      (await askAll(name, [call], spare))?.[0],
    /** Adds a problem to the last recorded call. */
    blame: (words: string): void => {
      looks.push({ ...(looks.pop() as CallLook), problem: { words, isFatal: true } });
    },
  };
}
