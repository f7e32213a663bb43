import type { SolHostFaults } from "trading-terminal-devnet/sol/sol-host";
import type { Chance } from "../../chance.ts";
import { planSpells, type SpellChange } from "../plan-spells.ts";
import { hostFailures, hostSpell, relaySpell, type Sky, stopSpell } from "../weather.ts";
import type { SolAccess } from "./sol-access.ts";
import type { SolPrograms } from "./sol-programs.ts";

export type SolSky = Pick<Sky, "chance" | "setStopped"> & { programs: SolPrograms };

/** A fault of the Solana chain, lasting or momentary. */
type SolSpell = {
  begin(access: SolAccess, sky: SolSky): Promise<void>;
  end?(access: SolAccess, sky: SolSky): Promise<void>;
};

const inContext = (value: unknown, slot = 1) => ({ context: { slot, apiVersion: "4.1.2" }, value });

const time = { epoch: 0, slotIndex: 0, slotsInEpoch: 432_000, transactionCount: 1 };

/** False results that a lying host returns to every client, regardless of the chain's state. */
const lies: Readonly<Record<string, unknown>>[] = [
  { getSignatureStatuses: inContext([null]) },
  { getTransaction: null },
  // Makes everything seem final, or nothing at all.
  { getEpochInfo: { ...time, absoluteSlot: 10 ** 9, blockHeight: 10 ** 9 } },
  { getEpochInfo: { ...time, absoluteSlot: 1, blockHeight: 1 } },
  { getMultipleAccounts: inContext([]) },
  { getMultipleAccounts: inContext([null, null, null], 10 ** 9) },
  { getLatestBlockhash: inContext({ blockhash: "1".repeat(32), lastValidBlockHeight: 10 ** 9 }) },
  { isBlockhashValid: inContext(true, 10 ** 9) },
  { isBlockhashValid: inContext(false) },
  { getFeeForMessage: inContext(10 ** 9) },
  { getMinimumBalanceForRentExemption: 10 ** 10 },
  { simulateTransaction: inContext({ err: null, logs: [], unitsConsumed: 1, accounts: null }) },
  // Claims to have sent the transaction under a different signature.
  { sendTransaction: "5".repeat(88) },
];

const solSpells = {
  "sol: host lies": hostSpell((chance) => ({ results: chance.pick(lies) })),
  "sol: host lags": hostSpell((chance) => ({ slotsBehind: 1 + chance.below(20) })),
  "sol: host fails": hostSpell((chance) => ({
    [chance.pick(hostFailures)]: 0.3,
    [chance.pick(hostFailures)]: 0.3,
  })),
  "sol: host of another cluster": hostSpell(() => ({ otherChain: 0.6 })),
  // Prunes only one host, because the fee of a failed transaction is unknown once all hosts have deleted it.
  "sol: host has pruned": hostSpell(() => ({ pruned: 0.7 })),
  "sol: host goes backwards": hostSpell(() => ({ backwards: 0.3 })),
  "sol: host drops transactions": hostSpell(() => ({ dropSends: 0.8 })),
  "sol: host knows no blockhash": hostSpell(() => ({ blockhashNotFound: 0.6 })),
  "sol: host limits rates": hostSpell(() => ({ rateLimited: 0.5 })),
  "sol: host is behind": hostSpell(() => ({ nodeBehind: 0.5 })),
  "sol: relay loses": relaySpell({ lost: 0.6 }),
  "sol: relay stalls": relaySpell({ stalled: 0.4, silent: 0.3 }),
  "sol: relay refuses": relaySpell({ refused: 0.5, delaySlots: 3 }),
  "sol: another program pays": { begin: (access, { programs }) => programs.payNothing(access) },
  "sol: another program moves tokens": { begin: (access, { programs }) => programs.moveTokens(access) },
  "sol: strangers fund accounts": { begin: (access, { programs }) => programs.fundAccounts(access) },
  "sol: operator stops": stopSpell,
} satisfies Record<string, SolSpell>;

type SolSpellName = keyof typeof solSpells;

type SolWeatherChange = SpellChange<SolSpellName, "sol">;

/** Plans spells for a single chain, so each ends before the next begins. */
export const planSolWeather = (orders: number, chance: Chance): SolWeatherChange[] =>
  planSpells<SolSpellName, "sol">(orders, chance, {
    spells: solSpells,
    chainFor: () => "sol",
    everyOrders: 8,
    lengthOf: (spell, every) => (spell === "sol: operator stops" ? Math.min(2, every) : every),
  });

export async function applySolWeather(
  { spell, isEnd }: SolWeatherChange,
  access: SolAccess,
  sky: SolSky,
): Promise<void> {
  const { begin, end }: SolSpell = solSpells[spell];
  await (isEnd ? end?.(access, sky) : begin(access, sky));
}

/** Properties of the hosts of real clusters. Trading must survive each of them at one host and at both. */
export const solUnkindnesses = {
  "rate limits": { rateLimited: 0.2 },
  "lag of 1 slot": { slotsBehind: 1 },
  "lag of 5 slots": { slotsBehind: 5 },
  "node behind": { nodeBehind: 0.2 },
  "long errors": { longError: 0.2 },
  backwards: { backwards: 0.1 },
  "dropped transactions": { dropSends: 0.5 },
  "blockhash not found": { blockhashNotFound: 0.3 },
} satisfies Record<string, SolHostFaults>;
