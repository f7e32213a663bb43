/** `npm start`: runs the stacks on this machine until Ctrl-C. */

import { resolve } from "node:path";
import { type Runner, start, stopOnSignal, synthesize } from "cdk-local-runner";
import { Command } from "commander";
import { openLocal } from "../lib/admin/local-target.ts";
import { seedExamples } from "../lib/admin/seed.ts";
import { parseArguments, patience, port } from "../lib/dev/arguments.ts";
import { consolePages } from "../lib/dev/console/pages.ts";
import { fail } from "../lib/dev/failure.ts";
import { progress } from "../lib/dev/progress.ts";
import { startVenue } from "../lib/dev/venue/venue.ts";
import { welcome } from "../lib/dev/welcome.ts";

type Options = {
  port: number;
  streamPort: number;
  streamIdleTimeout: number;
  streamDuration: number;
  dataDir: string;
  memory?: true;
  empty?: true;
  allowedOrigin: string[];
  livePrices?: true;
};

const AUDIENCE = "trading-terminal";
const USER = "alice";
const TOKEN_SECONDS = 3600;

const options = parseArguments<Options>(
  new Command("npm start --")
    .description("Runs the service on this machine, without an AWS account.")
    .option("--port <number>", "port of base_url", port, 3000)
    .option("--stream-port <number>", "port of stream_url", port, 3001)
    .option(
      "--stream-idle-timeout <seconds>",
      "ends connections without messages, as AWS does",
      patience,
      600,
    )
    .option("--stream-duration <seconds>", "ends all other connections, as AWS does", patience, 7200)
    .option("--data-dir <folder>", "where data, keys and logs are kept", ".terminal")
    .option("--memory", "keep nothing")
    .option("--empty", "put no examples in")
    .option("--allowed-origin <origin...>", "web origins that may call the API", ["http://localhost:5173"])
    .option("--live-prices", "prices from Coinbase Exchange and Kraken instead of the simulated venue"),
);

// Whatever is written from here on, by this process or by those it starts, is for its owner's eyes.
process.umask(0o077);

const dataDir = options.memory ? undefined : resolve(options.dataDir);
let runner: Runner | undefined;
stopOnSignal(async () => runner?.stop());
const { step, end } = progress(process.stderr);
try {
  runner = await start({
    audience: AUDIENCE,
    port: options.port,
    streamPort: options.streamPort,
    streamLimits: {
      idleMs: options.streamIdleTimeout * 1000,
      durationMs: options.streamDuration * 1000,
    },
    dataDir,
    seed: options.empty ? undefined : async (local) => seedExamples(await openLocal(local)),
    pages: consolePages,
    onStep: step,
    async assembly({ issuer, jwksUri, folder, reaper }) {
      const venue = options.livePrices ? undefined : await startVenue();
      const context = {
        issuer,
        audience: AUDIENCE,
        jwksUri,
        allowedOrigins: options.allowedOrigin,
        // The runner knows a key at once.
        keyGraceSeconds: 0,
        ...(venue && { priceFeeds: [{ source: "simulated", venue: "coinbase", url: venue.url }] }),
      };
      await synthesize({ project: resolve(import.meta.dirname, ".."), folder, context, reaper });
      return folder;
    },
  });
} catch (error) {
  end();
  fail(error);
}
end();
console.log(
  welcome({
    baseUrl: runner.baseUrl,
    streamUrl: runner.streamUrl,
    user: USER,
    token: await runner.token({ sub: USER, expiresIn: TOKEN_SECONDS }),
    expiresIn: TOKEN_SECONDS,
    dataDir,
  }),
);
