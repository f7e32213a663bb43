/** A process with one run of watchTriggers. It reports the processor time and the memory that it uses. */
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import { tokenLooksOn } from "../../lib/chains/families/token-looks.ts";
import { delay } from "../../lib/core/time.ts";
import { triggerTimes } from "../../lib/orders/resting/times.ts";
import { openTable } from "../../lib/table/table.ts";
import { watchTriggers } from "../../lib/trading/execution/watch-triggers.ts";
import { WatchedChain } from "../../lib/trading/execution/watched-chain.ts";
import { changeReaderLease, readReaderLease } from "../../lib/trading/items/reader-leases.ts";
import { readTriggers } from "../../lib/trading/items/triggers.ts";
import { say } from "./child.ts";

export type WatchAnswer = {
  /** Processor time used so far, in milliseconds. */
  cpuMs: number;
  /** Maximum memory so far, and the heap in use, in megabytes. */
  memoryMB: number;
  heapMB: number;
  handedOver: number;
  looks: number;
  faults: number;
};

const { values } = parseArgs({
  options: { table: { type: "string", default: "" }, chains: { type: "string", default: "" } },
});

/** Time that a run of fireOrders takes. */
const fireMs = 500;

// Waits longer than a function, because DynamoDB Local shares the processors with other programs.
const table = openTable(values.table, { requestHandler: { requestTimeout: 30_000 } });

let [looks, faults, handedOver] = [0, 0, 0];
const onFault = (error: unknown) => {
  faults++;
  console.error(error);
};

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  const memoryMB = process.resourceUsage().maxRSS / 2 ** 10;
  const heapMB = process.memoryUsage().heapUsed / 2 ** 20;
  say({ cpuMs: (user + system) / 1000, memoryMB, heapMB, looks, handedOver, faults } satisfies WatchAnswer);
});
say({});

await watchTriggers(
  {
    leases: {
      readReaderLease: ({ chain }) => readReaderLease(table, chain),
      changeReaderLease: (change) => changeReaderLease(table, change),
    },
    chains: [...openChains(JSON.parse(values.chains)).values()].map((reader) => {
      const tokenLooks = tokenLooksOn(reader);
      return new WatchedChain(reader.chain, {
        levels(tokens, host) {
          looks++;
          return tokenLooks.levels(tokens, host);
        },
        outs: (question, host) => tokenLooks.outs(question, host),
      });
    }),
    readTriggers: (chain) => readTriggers(table, chain),
    async fire({ orders }) {
      handedOver += orders.length;
      await delay(fireMs);
      return Object.fromEntries(
        orders.map(({ orderId }) => [orderId, { state: "rest", askAgainMs: triggerTimes.handOverMs.first }]),
      );
    },
    onFault,
    onSilence: onFault,
  },
  { build: randomUUID(), longestMs: 3_600_000 },
);
