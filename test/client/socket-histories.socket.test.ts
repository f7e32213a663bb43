import { isDeepStrictEqual } from "node:util";
import { createTerminal } from "trading-terminal-client";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { type Clock, pause, realClock } from "../../lib/client/clock.ts";
import { createChance } from "../soak/chance.ts";
import { disturb, FaultyService } from "./support/faulty-service.ts";
import { served } from "./support/served.ts";
import { followedTokens, TerminalTable } from "./support/terminal-table.ts";
import { watched } from "./support/watched.ts";

const faster = (factor: number): Clock => ({
  ...realClock,
  after: (ms, act) => realClock.after(ms / factor, act),
});

/** Uses at least half a second as a timeout, for machines that are busy with other tests. */
const clientClock = faster(25);
const serviceClock = faster(100);

async function history(seed: number): Promise<void> {
  const chance = createChance(`sockets ${seed}`);
  const table = new TerminalTable(chance);
  const service = new FaultyService({ table, chance, clock: serviceClock, mostLateMs: 1500 });
  const { baseUrl, stop } = await served(service);
  const watch = watched(service);
  // Uses the ws package, because Node 20 has no WebSocket of its own.
  const terminal = createTerminal({ baseUrl, token: async () => "token", WebSocket }, clientClock);
  const stream = terminal.follow({
    channels: ["orders", "positions", "prices", "settings", "wallets"],
    tokens: followedTokens,
    onState: watch.onState,
  });
  for (let steps = 0; steps < 150; steps++) {
    disturb(service, chance);
    await pause(serviceClock, chance.below(1500));
  }
  service.heal();
  service.change();
  await stream.until((state) => isDeepStrictEqual(state, table.state()));
  stream.close();
  expect(watch.problems).toEqual([]);
  expect(service.links.length).toBeGreaterThan(0);
  await stop();
}

it("streams the table's final state over the network despite all faults", async () => {
  await Promise.all([1, 2, 3].map(history));
});
