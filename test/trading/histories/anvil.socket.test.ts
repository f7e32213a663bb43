import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { playHistories } from "../model/history.ts";
import { mutants } from "../model/mutants.ts";
import type { System } from "../model/system.ts";
import { AnvilChain } from "./anvil-chain.ts";
import { type AnvilSetup, startAnvilSetup } from "./anvil-setup.ts";

const isFull = process.env.FULL !== undefined;

/** Maximum number of histories to play. `FULL=1` plays all of them, which takes 90 seconds of one core. */
const most = isFull ? 200 : 40;
/** Minimum number of histories to play, even if all required events are reached earlier. */
const least = isFull ? most : 8;
/** Number of the first history, chosen so that few and short histories reach all required events. */
const first = isFull ? 1 : 18;

/** Events that the histories must reach to prove anything about a real node. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  "fills on real contracts": ["signed approve", "signed swap", "filled", "settle"],
  "a reorganisation": ["transactions taken back"],
  "swaps that fail or are late": ["rejected REVERTED", "expired NOT_INCLUDED", "an approval came to nothing"],
  "another program of the owner": ["foreign alone", "foreign sent again", "open WALLET_BUSY"],
  "a cancelled order": ["cancelled CANCELLED_BY_USER"],
  "hosts that fail or lie": ["open CHAIN_UNAVAILABLE", "one host lies, the other is silent"],
  "a pool that refuses, and a relay": ["send taken", "send refused", "relay: held"],
};

/** Events reached only with `FULL=1`. */
const rare: typeof wanted = {
  "a reorganisation that undoes what was recorded": [
    "approval taken back",
    "receipt gone",
    "corrected from expired to rejected",
  ],
  "nonces that others take or leave": [
    "foreign above",
    "rejected NONCE_TAKEN",
    "a gap is filled",
    "signed clear again",
  ],
  "every lie": [
    "lie: receipt made up",
    "lie: receipts withheld",
    "lie: nonce high",
    "lie: nonce low",
    "lie: quote low",
    "torn answer",
  ],
  "a relay that fails": ["relay silent", "relay away", "relay: cancelled", "open RELAY_UNAVAILABLE"],
};

let setup: AnvilSetup;
beforeAll(async () => {
  setup = await startAnvilSetup();
});
afterAll(() => setup.chain.close());

const play = (from: number, count: number, rest: { reached?: Set<string>; system?: () => System }) =>
  playHistories({ from, count, openChain: (random) => AnvilChain.open(setup, random), ...rest });

describe("the trading core on real contracts with random faults", () => {
  const reached = new Set<string>();
  const isEnough = () => Object.values(wanted).every((labels) => labels.every((each) => reached.has(each)));

  beforeAll(async () => {
    for (let count = 0; count < most && (count < least || !isEnough()); count++)
      await play(first + count, 1, { reached });
  }, 900_000);

  it.each(Object.entries({ ...wanted, ...(isFull && rare) }))(
    "spends money once and reports the chain's outcome, even with %s",
    (_, labels) => {
      expect(labels.filter((label) => !reached.has(label))).toEqual([]);
    },
  );
});

describe("faults caught by histories on real contracts", () => {
  // Faults that the first histories catch. test/trading/model plays more histories and catches the remaining faults.
  it.each(["sends before it records", "treats the latest block as final"])(
    "catches a core that %s",
    async (name) => {
      await expect(play(first, 10, { system: mutants[name] as () => System })).rejects.toThrow(
        /^history \d+: /,
      );
    },
  );
});
