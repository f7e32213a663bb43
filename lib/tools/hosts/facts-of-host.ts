import * as v from "valibot";
import { blockCall, gasEstimateCall, gasPriceCall } from "../../chains/evm/calls/rpc-call.ts";
import { newStranger } from "../../chains/evm/venues/probe-simulation.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import { cpmmConfigOf } from "../../chains/sol/calls/cpmm-addresses.ts";
import { accountsCall, Count, rentCall, solCall } from "../../chains/sol/calls/rpc-call.ts";
import { recentBlockhashCall } from "../../chains/sol/calls/transaction-call.ts";
import { chainFacts, type EvmChain } from "../../core/chain-facts.ts";
import { evidence, type FactName, networkFacts } from "../../core/network-facts.ts";
import type { Block } from "../../orders/block.ts";
import type { Spare } from "./call-looks.ts";
import type { Problem } from "./report.ts";

/** A fact about the network, and its problem if the host shows another one. */
export type FactLook = { name: string; problem?: Problem };

type Ask = <Value>(name: string, call: RpcCall<Value>, spare?: Spare) => Promise<Value | undefined>;

const spare: Spare = { without: "a fact about the network is not compared" };

/** Period over which the time between blocks is measured. */
const measuredSeconds = 600;

/** Greatest deviation of measured times, in percent: validators miss blocks, and hosts state whole seconds. */
const mostPercent = 25;

/**
 * Compares what one host shows with a recorded fact.
 *
 * @param most Greatest deviation that counts as no change.
 */
function compared(name: FactName, found: number | undefined, most = 0): FactLook[] {
  if (found === undefined) return [];
  const known = Number(networkFacts[name]);
  if (Math.abs(found - known) <= most) return [{ name: `fact ${name}` }];
  const shown = Number(found.toPrecision(4));
  const words = `is ${shown}, and not ${known} as seen on ${evidence[name].seen}`;
  return [{ name: `fact ${name}`, problem: { words, isFatal: false, isDated: true } }];
}

const near = (name: FactName) => (Number(networkFacts[name]) * mostPercent) / 100;

const blockFacts = {
  eth: "ethBlockSeconds",
  base: "baseBlockSeconds",
  bsc: "bscBlockSeconds",
  avax: "avaxBlockSeconds",
} as const satisfies Record<EvmChain, FactName>;

/** Compares the facts about an EVM chain with the chain itself, by one host. */
export async function factsOfHost(
  chain: EvmChain,
  ask: Ask,
  latest: Block,
  finalized: Block | undefined,
): Promise<FactLook[]> {
  const back = Math.ceil(measuredSeconds / chainFacts[chain].blockSeconds);
  const older = await ask("older block", blockCall(Math.max(0, latest.number - back)), spare);
  const seconds = older && (latest.time - older.time) / Math.max(1, latest.number - older.number);
  const wallet = newStranger();
  const gas = await ask(
    "gas of an empty call",
    gasEstimateCall({ from: wallet, to: wallet }, "latest"),
    spare,
  );
  const name = blockFacts[chain];
  const price = chain === "bsc" ? await ask("lowest gas price", gasPriceCall(), spare) : undefined;
  return [
    ...compared(name, seconds, near(name)),
    ...compared("emptyCallGas", gas === undefined ? undefined : Number(gas)),
    ...compared("bscLowestTip", price && Number(price), near("bscLowestTip")),
    ...(chain === "eth" && finalized !== undefined
      ? // Finality comes in steps of an epoch, which takes 384 seconds.
        compared("ethFinalSeconds", latest.time - finalized.time, 500)
      : []),
  ];
}

const Samples = v.pipe(
  v.array(v.object({ numSlots: Count, samplePeriodSecs: Count })),
  v.minLength(1),
  v.transform((samples) => {
    const slots = samples.reduce((sum, { numSlots }) => sum + numSlots, 0);
    return samples.reduce((sum, { samplePeriodSecs }) => sum + samplePeriodSecs, 0) / slots;
  }),
);

/** Size of an account without data, which pays rent, too. */
const bareBytes = 128;

/** Fee configurations of CPMM to look for. */
const configurations = Array.from({ length: 16 }, (_, index) => index);

/** Compares the facts about Solana with the chain itself, by one host. */
export async function factsOfSolHost(ask: Ask): Promise<FactLook[]> {
  const seconds = await ask("slot times", solCall("getRecentPerformanceSamples", [10], Samples), spare);
  const rent = await ask("rent of no bytes", rentCall(0, { commitment: "finalized" }), spare);
  const newest = await ask("newest slot", slotCall("processed"), spare);
  const final = await ask("final slot", slotCall("finalized"), spare);
  const height = await ask("final height", heightCall(), spare);
  const recent = await ask("blockhash", recentBlockhashCall(), spare);
  const addresses = await Promise.all(configurations.map(cpmmConfigOf));
  const found = await ask("configurations", accountsCall(addresses, { commitment: "finalized" }), spare);
  const apart = newest === undefined || final === undefined ? undefined : newest - final;
  const slotSeconds = seconds ?? chainFacts.sol.blockSeconds;
  return [
    ...compared("solSlotSeconds", seconds, near("solSlotSeconds")),
    ...compared("solRentPerByte", rent === undefined ? undefined : Number(rent) / bareBytes),
    // The slots are asked for one after another, and the host may itself be a little late.
    ...compared("solFinalSeconds", apart === undefined ? undefined : Math.max(0, apart * slotSeconds), 2),
    ...compared(
      "solBlockhashBlocks",
      recent === undefined || height === undefined ? undefined : recent.lastValidBlockHeight - height,
      40,
    ),
    ...compared("cpmmConfigurations", found?.accounts.filter((account) => account !== undefined).length),
  ];
}

const slotCall = (commitment: "processed" | "finalized") => solCall("getSlot", [{ commitment }], Count);
const heightCall = () => solCall("getBlockHeight", [{ commitment: "finalized" }], Count);
