import { join } from "node:path";
import { buildSync } from "esbuild";
import { bundleOptions } from "../../lib/infra/functions/bundle.ts";
import { type Child, startChild } from "./child.ts";
import type { OrderChain } from "./order-chain.ts";
import type { FloorAnswer, FloorRequest } from "./serve-floor.ts";
import { now } from "./statistics.ts";

/** Start of the trade. For a new process, this is the start of the process. */
export type FloorTrade = FloorAnswer & { begunAt: number };

/**
 * Bundles the program that sets the lower bound for an order, in the same way as a function.
 *
 * @param folder receives the code and its compile cache, which the local runner also keeps for functions.
 */
export function openFloor(folder: string, { floor }: Pick<OrderChain, "floor">) {
  const script = join(folder, "floor.mjs");
  const entryPoint = join(import.meta.dirname, floor);
  buildSync({ ...bundleOptions, entryPoints: [entryPoint], outfile: script });
  process.env.NODE_COMPILE_CACHE = join(folder, "code-cache");
  const start = () => startChild<FloorRequest<object>, FloorAnswer, object>(script);
  let warm: Child<FloorRequest<object>, FloorAnswer> | undefined;

  return {
    /** Trades in one process, started by the first call. */
    async trade(request: FloorRequest<object>): Promise<FloorTrade> {
      warm ??= await start();
      const begunAt = now();
      return { begunAt, ...(await warm.ask(request)) };
    },
    /** Trades in a new process. */
    async tradeCold(request: FloorRequest<object>): Promise<FloorTrade> {
      const begunAt = now();
      const child = await start();
      try {
        return { begunAt, ...(await child.ask(request)) };
      } finally {
        await child.stop();
      }
    },
    stop: async () => warm?.stop(),
  };
}
