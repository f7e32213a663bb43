/**
 * Runs a Solana chain in a process of its own: its runtime is a native addon, and a fault there must not end the runner.
 * Expects {@link SurfnetOptions} as its argument, and prints the URL of the chain.
 */
import { createRequire } from "node:module";
import { standInAMM } from "./stand-in-amm.ts";
import { standInJupiter } from "./stand-in-jupiter.ts";
import { type SurfnetOptions, surfpoolPackage } from "./surfnet.ts";

type Surfnet = {
  rpcUrl: string;
  deploy(program: { programId: string; soBytes: number[] }): void;
  /** Takes the events since the last call. */
  drainEvents(): unknown[];
};

type Addon = {
  Surfnet: {
    startWithConfig(config: { offline: boolean; blockProductionMode: "clock"; slotTimeMs: number }): Surfnet;
  };
};

const { slotMs, amm, jupiter } = JSON.parse(process.argv[2] ?? "") as SurfnetOptions;
const addon = createRequire(import.meta.url)(surfpoolPackage()) as Addon;
const surfnet = addon.Surfnet.startWithConfig({
  offline: true,
  blockProductionMode: "clock",
  slotTimeMs: slotMs,
});
surfnet.deploy({ programId: amm.program, soBytes: [...standInAMM(amm.bump)] });
surfnet.deploy({ programId: jupiter.program, soBytes: [...standInJupiter(jupiter.bump)] });
console.log(`Listening on ${surfnet.rpcUrl}`);

/** Each slot has an event, and each change some more. */
const drainMs = 50;

// The chain stands still once 1024 events wait. This also keeps the process alive, which the addon's threads do not, and
// the chain, which ends when its object is collected as garbage.
setInterval(() => surfnet.drainEvents(), drainMs);
