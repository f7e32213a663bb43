import fc from "fast-check";
import { createTerminal } from "trading-terminal-client";
import { expect, it } from "vitest";
import { createChance } from "../soak/chance.ts";
import { disturb, FaultyService, virtualSockets } from "./support/faulty-service.ts";
import { followedTokens, TerminalTable } from "./support/terminal-table.ts";
import { VirtualClock } from "./support/virtual-clock.ts";
import { watched } from "./support/watched.ts";

async function history(seed: number, steps: number): Promise<{ states: number; connections: number }> {
  const chance = createChance(`${seed}`);
  const clock = new VirtualClock();
  const table = new TerminalTable(chance);
  const service = new FaultyService({ table, chance, clock, mostLateMs: 1500 });
  const terminal = createTerminal(
    {
      baseUrl: "http://service",
      fetch: (url) => service.answer(String(url)),
      WebSocket: virtualSockets(service, clock),
    },
    clock,
  );
  const watch = watched(service);
  const stream = terminal.follow({
    channels: ["orders", "positions", "prices", "settings", "wallets"],
    tokens: followedTokens,
    onState: watch.onState,
  });
  for (let step = 0; step < steps; step++) {
    disturb(service, chance);
    await clock.advance(chance.below(1500));
  }
  service.heal();
  // Longer than a client needs to notice a dead connection and reconnect.
  await clock.advance(150_000);
  service.change();
  await clock.advance(5000);
  expect(watch.problems).toEqual([]);
  expect(stream.state).toEqual(table.state());
  stream.close();
  return { states: watch.count(), connections: service.links.length };
}

it("shows complete and ever newer stream states, and in the end the table's state, despite all faults", async () => {
  const all = { states: 0, connections: 0 };
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 20, max: 200 }), async (seed, steps) => {
      const { states, connections } = await history(seed, steps);
      all.states += states;
      all.connections += connections;
    }),
    { numRuns: process.env.FULL === undefined ? 20 : 2000 },
  );
  // Checks that the random histories contain enough events of each kind.
  expect(all.states).toBeGreaterThan(100);
  expect(all.connections).toBeGreaterThan(40);
}, 300_000);
