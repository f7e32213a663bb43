import { setTimeout as pause } from "node:timers/promises";
import type { SolNode } from "./sol-node.ts";

type Blockhash = { blockhash: string; lastValidBlockHeight: number };

/** Accounts as JSON, by address. Equal texts share one string. */
type Reading = { slot: number; latest: Blockhash; accounts: Map<string, string> };

type InContext<Value> = { context: { slot: number }; value: Value };

/** Recent past of a chain that does not record its past itself. */
export type SolPast = {
  /** First slot whose end was seen. */
  firstSlot: number;
  /**
   * Returns the newest slot, at most this one, whose end was seen. A busy machine misses slots, and a transaction in
   * them may come before or after their ends. Returns the slot itself if it is older than the known past.
   */
  seenBy(slot: number): number;
  /**
   * Returns accounts as they were at the end of a slot. If an account had not been named by then, returns its state at
   * a later slot.
   */
  accountsAt(slot: number, addresses: readonly string[]): Promise<unknown[]>;
  blockhashAt(slot: number): Blockhash;
  stop(): Promise<void>;
};

/** Number of slots whose accounts are kept, longer than any blockhash is valid. */
const keptSlots = 300;

/**
 * Starts reading the recently named accounts in each slot.
 *
 * @param everyMs Milliseconds between two readings. Of several readings in one slot, only the first counts.
 */
export async function startSolPast(node: SolNode, everyMs: number): Promise<SolPast> {
  const readings: Reading[] = [];

  async function read(addresses: readonly string[] = []): Promise<void> {
    const asked = [...new Set([...addresses, ...node.named()])];
    // Reads the blockhash first, so that its slot is never later than the slot of the accounts.
    const latest = (await node.replyTo({ id: 0, method: "getLatestBlockhash", params: [] })) as {
      result: InContext<Blockhash>;
    };
    const found = (await node.request("getMultipleAccounts", [asked, { encoding: "base64" }])) as InContext<
      unknown[]
    >;
    const { slot } = found.context;
    const last = readings.at(-1);
    const accounts = new Map(
      asked.map((address, index) => {
        const text = JSON.stringify(found.value[index]);
        const before = last?.accounts.get(address);
        return [address, before === text ? before : text];
      }),
    );
    if (last === undefined || slot > last.slot)
      readings.push({ slot, latest: latest.result.value, accounts });
    else
      for (const [address, text] of accounts)
        if (!last.accounts.has(address)) last.accounts.set(address, text);
    while (readings[0] !== undefined && readings[0].slot < slot - keptSlots) readings.shift();
  }

  // Reads until a second slot begins, because only then are the accounts of the first slot complete.
  for (; readings.length < 2; await pause(everyMs)) await read();
  const ended = new AbortController();
  const reading = (async () => {
    while (!ended.signal.aborted) {
      await pause(everyMs, undefined, { signal: ended.signal }).catch(() => {});
      // The chain's process may exit before its host stops.
      await read().catch(() => {});
    }
  })();

  return {
    firstSlot: (readings[1] as Reading).slot - 1,
    seenBy: (slot) => {
      const next = readings.findLast((each) => each.slot <= slot + 1);
      return next === undefined || next === readings[0] ? slot : next.slot - 1;
    },
    async accountsAt(slot, addresses) {
      if (addresses.some((address) => !readings.at(-1)?.accounts.has(address))) await read(addresses);
      if ((readings.at(-1) as Reading).slot <= slot) await read(addresses);
      const after = readings.filter((each) => each.slot > slot);
      return addresses.map((address) => {
        const found = after.find(({ accounts }) => accounts.has(address)) ?? readings.at(-1);
        return JSON.parse(found?.accounts.get(address) ?? "null");
      });
    },
    blockhashAt: (slot) =>
      (readings.findLast((each) => each.slot <= slot) ?? (readings[0] as Reading)).latest,
    async stop() {
      ended.abort();
      await reading;
    },
  };
}
