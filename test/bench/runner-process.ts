/**
 * Runs an in-memory local runner with these options and without a price feed. Each message names functions whose
 * processes are stopped, so that their next start is a cold one. With `--trace`, functions log their requests to this
 * file.
 */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { start, synthesize } from "cdk-local-runner";
import { say } from "./child.ts";
import { followFunctions, keepTrace } from "./order-trace.ts";

const { values } = parseArgs({
  options: {
    shards: { type: "string", default: "4" },
    context: { type: "string", default: "{}" },
    queue: { type: "string", default: "0" },
    trace: { type: "string" },
  },
});

const { trace } = values;
const AUDIENCE = "benchmark";
const runner = await start({
  audience: AUDIENCE,
  port: 0,
  streamPort: 0,
  queueMs: Number(values.queue),
  ...(trace !== undefined && { onLog: (entry) => keepTrace(trace, entry) }),
  async assembly({ issuer, jwksUri, folder, reaper }) {
    const context = {
      issuer,
      audience: AUDIENCE,
      jwksUri,
      channelShards: Number(values.shards),
      priceFeeds: [],
      keyGraceSeconds: 0,
      fallbackKeys: 20,
      ...JSON.parse(values.context),
    };
    await synthesize({ project: resolve(import.meta.dirname, "../.."), folder, context, reaper });
    if (trace !== undefined) followFunctions(folder);
    return folder;
  },
});

process.once("SIGTERM", async () => {
  await runner.stop();
  process.exit(0);
});

/** Stops functions' processes, so that their next event starts new ones. */
process.on("message", async (names: readonly string[]) => {
  const chosen = runner.functions.filter(({ name }) =>
    names.some((each) => name.includes(`-${each}Function`)),
  );
  await Promise.all(chosen.map(({ name, codeFolder }) => runner.replaceCode(name, codeFolder)));
  say({ cooled: chosen.length });
});

say({ baseUrl: runner.baseUrl });
