/**
 * Runs a Solana chain in a separate process, because its runtime is a native addon whose crash must not end the runner.
 * Takes {@link SurfnetOptions} and the package of the chain as its arguments, and prints the URL of the chain. It imports
 * few modules, because tests start dozens of chains.
 */
import { createRequire } from "node:module";
import { programs } from "./published.ts";
import { standInAMM } from "./stand-in-amm.ts";
import { standInCurve } from "./stand-in-curve.ts";
import { standInJupiter } from "./stand-in-jupiter.ts";
import { standInPumpPool } from "./stand-in-pump-pool.ts";
import type { SurfnetOptions } from "./surfnet.ts";

type Surfnet = {
  rpcUrl: string;
  deploy(program: { programId: string; soBytes: number[] }): void;
  /** Returns the events since the last call. */
  drainEvents(): unknown[];
};

type Addon = {
  Surfnet: {
    startWithConfig(config: { offline: boolean; blockProductionMode: "clock"; slotTimeMs: number }): Surfnet;
  };
};

const [, , options = "", addonPackage = ""] = process.argv;
const { slotMs, jupiter } = JSON.parse(options) as SurfnetOptions;
const addon = createRequire(import.meta.url)(addonPackage) as Addon;
const surfnet = addon.Surfnet.startWithConfig({
  offline: true,
  blockProductionMode: "clock",
  slotTimeMs: slotMs,
});
surfnet.deploy({ programId: programs.raydiumCpmm, soBytes: [...standInAMM()] });
surfnet.deploy({ programId: jupiter.program, soBytes: [...standInJupiter(jupiter.bump)] });
surfnet.deploy({ programId: programs.pump, soBytes: [...standInCurve()] });
surfnet.deploy({ programId: programs.pumpPools, soBytes: [...standInPumpPool()] });
console.log(`Listening on ${surfnet.rpcUrl}`);

/** Milliseconds between two readings of events. Each slot has an event, and each change has several. */
const drainMs = 50;

// Reads events, because the chain stops once 1024 of them are waiting. The timer also keeps the process alive, which
// the addon's threads do not, and keeps the chain from being garbage-collected.
setInterval(() => surfnet.drainEvents(), drainMs);
