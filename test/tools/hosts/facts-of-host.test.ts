import { describe, expect, it } from "vitest";
import type { RpcCall } from "../../../lib/chains/hosts/rpc-call.ts";
import { factsOfHost, factsOfSolHost } from "../../../lib/tools/hosts/facts-of-host.ts";
import { verdictOf } from "../../../lib/tools/hosts/report.ts";

type Results = Record<string, unknown | ((params: readonly unknown[]) => unknown)>;

/** Answers calls by their methods. Calls of other methods fail. */
const hostWith =
  (results: Results) =>
  async <Value>(_: string, call: RpcCall<Value>): Promise<Value | undefined> => {
    const result = results[call.method];
    if (result === undefined) return undefined;
    return call.read(typeof result === "function" ? result(call.params) : result);
  };

const hex = (value: number) => `0x${value.toString(16)}`;
const hash = `0x${"ab".repeat(32)}`;
const block = (number: number, time: number) => ({ number, hash, time });

/** Results of an EVM chain whose blocks come at this interval. */
const evm = (seconds: number, changes: Results = {}): Results => ({
  eth_getBlockByNumber: ([number]: readonly string[]) => ({
    number,
    hash,
    timestamp: hex(Math.round(Number(number) * seconds)),
  }),
  eth_estimateGas: hex(21_000),
  eth_gasPrice: hex(50_000_000),
  ...changes,
});

const found = (looks: Awaited<ReturnType<typeof factsOfSolHost>>) =>
  looks.flatMap(({ name, problem }) => (problem ? [`${name} ${problem.words}`] : []));

const latest = (seconds: number) => block(1_000_000, Math.round(1_000_000 * seconds));

describe("factsOfHost", () => {
  it.each([
    ["eth", 12.1],
    ["base", 0.2],
    ["bsc", 0.45],
    ["avax", 1.1],
  ] as const)("finds nothing new on %s with a block each %f s", async (chain, seconds) => {
    const at = latest(seconds);
    const finalized = block(at.number - 70, at.time - 840);
    expect(found(await factsOfHost(chain, hostWith(evm(seconds)), at, finalized))).toEqual([]);
  });

  it("reports blocks that have become faster", async () => {
    const looks = await factsOfHost("eth", hostWith(evm(6)), latest(6), undefined);
    expect(found(looks)).toEqual(["fact ethBlockSeconds is 6, and not 12 as seen on 2026-11-28"]);
  });

  it.each<[string, Results, string]>([
    ["dearer empty calls", { eth_estimateGas: hex(18_000) }, "fact emptyCallGas is 18000, and not 21000"],
    ["a higher lowest price", { eth_gasPrice: hex(10 ** 9) }, "fact bscLowestTip is 1000000000, and not"],
  ])("reports %s", async (_, changes, words) => {
    const looks = await factsOfHost("bsc", hostWith(evm(0.45, changes)), latest(0.45), undefined);
    expect(found(looks).join()).toContain(words);
  });

  it("reports blocks of eth that are final within one slot", async () => {
    const at = latest(12);
    const looks = await factsOfHost("eth", hostWith(evm(12)), at, block(at.number - 1, at.time - 12));
    expect(found(looks).join()).toContain("fact ethFinalSeconds is 12");
  });

  it("compares nothing that a host does not answer", async () => {
    expect(await factsOfHost("bsc", hostWith({}), latest(0.45), undefined)).toEqual([]);
    expect(await factsOfSolHost(hostWith({}))).toEqual([]);
  });
});

const account = { owner: "11111111111111111111111111111111", lamports: 1, data: ["", "base64"] };

/** Results of Solana's mainnet. */
const sol = (changes: Results = {}): Results => ({
  getRecentPerformanceSamples: Array(10).fill({ numSlots: 299, samplePeriodSecs: 60 }),
  getMinimumBalanceForRentExemption: 650_240,
  getSlot: ([{ commitment }]: readonly [{ commitment: string }]) =>
    commitment === "processed" ? 1002 : 1001,
  getBlockHeight: 900,
  getLatestBlockhash: {
    context: { slot: 1001 },
    value: { blockhash: account.owner, lastValidBlockHeight: 1050 },
  },
  getMultipleAccounts: {
    context: { slot: 1001 },
    value: Array.from({ length: 16 }, (_, index) => (index < 8 ? account : null)),
  },
  ...changes,
});

describe("factsOfSolHost", () => {
  it("finds nothing new on a network that is as recorded", async () => {
    const looks = await factsOfSolHost(hostWith(sol()));
    expect(looks).toHaveLength(5);
    expect(found(looks)).toEqual([]);
  });

  it.each<[string, Results, string]>([
    [
      "slots as long as they were",
      { getRecentPerformanceSamples: [{ numSlots: 150, samplePeriodSecs: 60 }] },
      "solSlotSeconds is 0.4, and not 0.2",
    ],
    [
      "a rent that was lowered",
      { getMinimumBalanceForRentExemption: 89_088 },
      "solRentPerByte is 696, and not 5080",
    ],
    [
      "finality after 32 slots",
      {
        getSlot: ([{ commitment }]: readonly [{ commitment: string }]) =>
          commitment === "processed" ? 42 : 10,
      },
      "solFinalSeconds is 6.4",
    ],
    ["a shorter life of blockhashes", { getBlockHeight: 1000 }, "solBlockhashBlocks is 50, and not 150"],
    [
      "another fee configuration of CPMM",
      { getMultipleAccounts: { context: { slot: 1 }, value: Array(16).fill(account) } },
      "cpmmConfigurations is 16, and not 8",
    ],
  ])("reports %s", async (_, changes, words) => {
    expect(found(await factsOfSolHost(hostWith(sol(changes)))).join()).toContain(words);
  });

  it("shows such facts separately from what would fail", async () => {
    const looks = await factsOfSolHost(hostWith(sol({ getMinimumBalanceForRentExemption: 128 })));
    const findings = looks.map(({ name, problem }) => ({ subject: `sol host, ${name}`, problem }));
    expect(verdictOf(findings)).toEqual([
      "Nothing would fail.",
      "The network is no longer as lib/core/network-facts.ts says:",
      "  sol host, fact solRentPerByte: is 1, and not 5080 as seen on 2026-11-28",
    ]);
  });
});
