/** An in-memory local runner with these options, without a price feed. */

import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { start, synthesize } from "cdk-local-runner";
import { say } from "./child.ts";

const { values } = parseArgs({
  options: { shards: { type: "string", default: "4" }, context: { type: "string", default: "{}" } },
});

const AUDIENCE = "benchmark";
const runner = await start({
  audience: AUDIENCE,
  port: 0,
  streamPort: 0,
  async assembly({ issuer, jwksUri, folder, reaper }) {
    const context = {
      issuer,
      audience: AUDIENCE,
      jwksUri,
      channelShards: Number(values.shards),
      priceFeeds: [],
      keyGraceSeconds: 0,
      ...JSON.parse(values.context),
    };
    await synthesize({ project: resolve(import.meta.dirname, "../.."), folder, context, reaper });
    return folder;
  },
});

process.once("SIGTERM", async () => {
  await runner.stop();
  process.exit(0);
});

say({ baseUrl: runner.baseUrl });
