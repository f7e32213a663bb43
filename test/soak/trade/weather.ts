import { setTimeout as pause } from "node:timers/promises";
import { type EvmChain, evmChains, type TradingChain } from "../../../lib/core/chain-facts.ts";
import type { Chance } from "../chance.ts";
import type { ChainAccess } from "./chain-access.ts";
import type { ChainFaults } from "./chain-faults.ts";
import type { ForeignPrograms } from "./foreign-programs.ts";
import { planSpells, type SpellChange } from "./plan-spells.ts";

export type Sky = {
  chance: Chance;
  foreign: ForeignPrograms;
  /** Stops or starts trading like an operator. */
  setStopped(chain: TradingChain, isStopped: boolean): Promise<void>;
};

/** A fault of a chain, lasting or momentary. */
type Spell = {
  begin(access: ChainAccess, sky: Sky): Promise<void>;
  end?(access: ChainAccess, sky: Sky): Promise<void>;
};

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** False results that a lying host returns to every client, regardless of the chain's state. */
const lies: Readonly<Record<string, unknown>>[] = [
  { eth_getTransactionReceipt: null },
  { eth_getTransactionCount: hex(0) },
  { eth_getTransactionCount: hex(999) },
  { eth_getTransactionReceipt: null, eth_getTransactionCount: hex(99) },
  { eth_getBalance: hex(10n ** 24n) },
  { eth_getBalance: hex(0) },
  { eth_call: `0x${"f".repeat(64)}` },
  { eth_maxPriorityFeePerGas: hex(10n ** 15n), eth_gasPrice: hex(10n ** 15n) },
  { eth_blockNumber: hex(10n ** 9n) },
  // Claims to have sent the transaction under a different hash.
  { eth_sendRawTransaction: `0x${"12".repeat(32)}` },
];

/** Failures that hosts of any chain may have. */
export const hostFailures = ["empty", "garbage", "html", "stalled", "unavailable"];

const failures = [...hostFailures, "otherChain"];

/** Makes a chain's second host fail. */
export const hostSpell = (faultsOf: (chance: Chance) => object) => ({
  begin: (access: ChainFaults, { chance }: Pick<Sky, "chance">) => access.setHostFaults(faultsOf(chance)),
  end: (access: ChainFaults) => access.setHostFaults({}),
});

export const relaySpell = (faults: object) => ({
  begin: async (access: ChainFaults) => access.setRelayFaults?.(faults),
  end: async (access: ChainFaults) => access.setRelayFaults?.({}),
});

/** Makes an operator stop trading on a chain for a while. */
export const stopSpell = {
  begin: ({ chain }: ChainFaults, { setStopped }: Pick<Sky, "setStopped">) => setStopped(chain, true),
  end: ({ chain }: ChainFaults, { setStopped }: Pick<Sky, "setStopped">) => setStopped(chain, false),
};

/** Milliseconds for which a reorganisation waits for blocks with transactions, which it then reverts. */
const reorganisationMs = 3000;

/** Replaces one or two blocks with empty ones. The two newest blocks are not final. */
const reorganisation: Spell = {
  async begin(access, { chance }) {
    const depth = 1 + chance.below(2);
    const { request, head, nextBlock } = access;
    const countAt = (number: number) => request("eth_getBlockTransactionCountByNumber", hex(number));
    for (const deadline = Date.now() + reorganisationMs; Date.now() < deadline; await pause(100)) {
      const newest = await head();
      const counts = await Promise.all(Array.from({ length: depth }, (_, back) => countAt(newest - back)));
      if (counts.some((count) => Number(count) > 0)) break;
    }
    // Ignores errors, because anvil cannot reorganise after a restart until it has made some blocks.
    await request("anvil_reorg", depth, []).catch(() => {});
    // Waits for a new block. The reorganisation removed the runner's last known block, so it must learn of another
    // before it is killed.
    await nextBlock();
  },
};

export const spells = {
  "host lies": hostSpell((chance) => ({ results: chance.pick(lies) })),
  "host lags": hostSpell((chance) => ({ blocksBehind: 1 + chance.below(4) })),
  "host fails": hostSpell((chance) => ({ [chance.pick(failures)]: 0.3, [chance.pick(failures)]: 0.3 })),
  "relay loses": relaySpell({ lost: 0.6 }),
  "relay stalls": relaySpell({ stalled: 0.4, silent: 0.3 }),
  "relay refuses": relaySpell({ refused: 0.5, delayBlocks: 2 }),
  "pool drops all": { begin: async ({ request }) => void (await request("anvil_dropAllTransactions")) },
  reorganisation,
  "another reorganisation": reorganisation,
  "gas is dear": {
    begin: async ({ request }) =>
      void (await request("anvil_setNextBlockBaseFeePerGas", hex(30n * 10n ** 9n))),
    end: async ({ request }) => void (await request("anvil_setNextBlockBaseFeePerGas", hex(10n ** 9n))),
  },
  "another program pays": { begin: (access, { foreign }) => foreign.payNothing(access) },
  "another program moves tokens": { begin: (access, { foreign }) => foreign.moveTokens(access) },
  "operator stops": stopSpell,
} satisfies Record<string, Spell>;

export type SpellName = keyof typeof spells;

export type WeatherChange = SpellChange<SpellName, EvmChain>;

/** Number of orders during a spell, and between the starts of two. */
const lastsOrders = 8;
const everyOrders = 3;

/** Plans spells on the EVM chains. An operator's stop refuses all orders of a chain, so it is short. */
export const planWeather = (orders: number, chance: Chance): WeatherChange[] =>
  planSpells<SpellName, EvmChain>(orders, chance, {
    spells,
    // Picks eth or bsc for relays, because only these chains have one.
    chainFor: (spell) => chance.pick(spell.startsWith("relay") ? (["eth", "bsc"] as const) : evmChains),
    everyOrders,
    lengthOf: (spell) => (spell === "operator stops" ? 2 : lastsOrders),
  });

export async function applyWeather(
  { spell, isEnd }: WeatherChange,
  access: ChainAccess,
  sky: Sky,
): Promise<void> {
  const { begin, end }: Spell = spells[spell];
  await (isEnd ? end?.(access, sky) : begin(access, sky));
}

/** Ends all faults of a chain. */
export async function clearSky(access: ChainFaults, { setStopped }: Pick<Sky, "setStopped">): Promise<void> {
  await access.setHostFaults({});
  await access.setRelayFaults?.({});
  await setStopped(access.chain, false);
}
