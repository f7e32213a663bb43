import type { Address } from "@solana/web3.js";
import * as v from "valibot";
import { askTogether } from "../../chains/hosts/ask-together.ts";
import { isHostError, unlessHostFails } from "../../chains/hosts/host-fault.ts";
import type { RpcCall } from "../../chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../chains/hosts/rpc-host.ts";
import { programs, tokenAccountOf } from "../../chains/sol/calls/addresses.ts";
import {
  accountsCall,
  final,
  messageFeeCall,
  rentCall,
  simulationCall,
} from "../../chains/sol/calls/rpc-call.ts";
import { readTokenAccount } from "../../chains/sol/calls/token-account.ts";
import { tokenViewCall } from "../../chains/sol/calls/token-view.ts";
import { recentBlockhashCall } from "../../chains/sol/calls/transaction-call.ts";
import { composeTrial, newOrderId } from "../../chains/sol/messages/trial-messages.ts";
import { maybe, wsolBytes } from "../../chains/sol/quotes/look-at-token.ts";
import type { SolConfiguration } from "../../chains/sol/rules/configuration.ts";
import { newHelper } from "../../chains/sol/venues/helper-keys.ts";
import { markerBytes } from "../../chains/sol/venues/instructions.ts";
import { type BuiltSwap, JupiterFault, jupiterClient } from "../../chains/sol/venues/jupiter-client.ts";
import {
  buildQuestion,
  enforcing,
  jupiterVenue,
  type SwapByJupiter,
} from "../../chains/sol/venues/jupiter-venue.ts";
import { delay } from "../../core/time.ts";
import { shortAddress } from "../../orders/token-text.ts";
import { type Recording, recordingOfBuild } from "./record.ts";
import type { RouteLook } from "./report.ts";

/** Exchanges on which most tokens trade, by Jupiter's labels: a bonding curve and three kinds of pools. */
const usualExchanges = ["Pump.fun", "Pump.fun Amm", "Raydium CP", "Meteora DLMM"] as const;

const untried = "has no route for a listed token, so name one that trades there by --token";

/** Lamports that each trial spends. */
const spent = 10n ** 7n;

/** Programs that Jupiter always calls before a swap. The service leaves out the instructions for them. */
const usualPrograms: readonly Address[] = Object.values(programs);

/** Names of instructions by their index in a message, counted from 0. */
const steps = {
  buy: { 7: "the helper's approval", 8: "Jupiter's swap" },
  sell: { 6: "the helper's approval", 7: "Jupiter's swap" },
} as const;

type Trial = SwapByJupiter & { symbol: string };

/**
 * Simulates messages like those of orders, on one exchange after another and in both directions. Sends no transaction.
 * The trials run one by one, because Jupiter accepts few requests at once.
 *
 * @param options.mints Tokens to try before the listed ones.
 * @param options.onRecording Receives each answer of Jupiter that could be read.
 * @param options.labels Exchanges to try, by Jupiter's labels. If one is undefined, Jupiter chooses. By default, these
 * are the usual and the configured ones.
 */
export async function tryJupiterRoutes(
  rpc: RpcHost,
  configuration: SolConfiguration,
  {
    mints = [] as readonly string[],
    pauseMs = 1100,
    onRecording = (_: Recording) => {},
    labels = [...new Set([...usualExchanges, ...(configuration.jupiter?.exchanges ?? [])])] as readonly (
      | string
      | undefined
    )[],
  } = {},
): Promise<RouteLook[]> {
  const { jupiter: access, payer } = configuration;
  if (access === undefined) return [];
  if (payer === undefined)
    return [
      { name: "Jupiter", words: "cannot be tried: configure a payer", isTried: false, isAllowed: true },
    ];
  const { exchanges: allowed, ...anywhere } = access;
  let answer: unknown;
  const onAnswer = (received: unknown) => {
    answer = received;
  };
  const jupiter = jupiterClient(anywhere, { onAnswer });
  const tokens = [...mints.map((token) => ({ token, symbol: shortAddress(token) })), ...configuration.tokens];
  const looks: RouteLook[] = [];
  for (const label of labels) {
    const name = label ?? "any exchange";
    const isAllowed = allowed === undefined || label === undefined || allowed.includes(label);
    const note = (look: Omit<RouteLook, "exchange" | "isAllowed">) =>
      looks.push({ ...look, ...(label && { exchange: label }), isAllowed });
    let hasRoute = false;
    for (const { token, symbol } of tokens) {
      if (hasRoute) break;
      const view = await askFor(rpc, await tokenViewCall(token as Address, {}, final));
      if (view === undefined) continue;
      const { program: tokenProgram, decimals } = view.mint;
      const common = { mint: token as Address, tokenProgram: tokenProgram as Address, decimals };
      const buy = { ...common, wallet: payer as Address, orderId: newOrderId(), side: "buy" } as const;
      const bought = await tried({ ...buy, amountIn: spent, symbol }, label);
      if (bought === undefined) continue;
      hasRoute = true;
      note(bought);
      const holder = await holderOf(rpc, token as Address, tokenProgram as Address);
      const sold =
        holder &&
        (await tried(
          {
            ...common,
            wallet: holder.wallet,
            orderId: newOrderId(),
            side: "sell",
            amountIn: holder.units / 1000n + 1n,
            symbol,
          },
          label,
        ));
      note(sold ?? { name: `${name}, sell ${symbol}`, words: "found no holder to try it", isTried: false });
    }
    if (!hasRoute) note({ name, words: untried, isTried: false });
  }
  return looks;

  /** Tries a route. Returns undefined if Jupiter has none. */
  async function tried(
    trial: Trial,
    label: string | undefined,
  ): Promise<Omit<RouteLook, "exchange" | "isAllowed"> | undefined> {
    const name = `${label ?? "any exchange"}, ${trial.side} ${trial.symbol}`;
    const { address: helper } = newHelper();
    await delay(pauseMs);
    try {
      const question = await buildQuestion(trial, helper);
      const built = await jupiter.build({ ...question, ...(label && { exchanges: [label] }) });
      const { symbol: _, ...trade } = trial;
      onRecording(recordingOfBuild(label ?? "any exchange", trade, helper, answer));
      return { name, ...(await simulated(rpc, trial, helper, built)) };
    } catch (error) {
      if (error instanceof JupiterFault)
        return error.isNoRoute ? undefined : { name, words: error.message, isTried: false };
      if (isHostError(error)) return { name, words: "the host does not answer", isTried: false };
      throw error;
    }
  }
}

async function simulated(
  rpc: RpcHost,
  { mint, tokenProgram, wallet, ...trial }: Trial,
  helper: Address,
  built: BuiltSwap,
): Promise<Pick<RouteLook, "words" | "isTried">> {
  const { side, amountIn, orderId } = trial;
  const setup = [...new Set(built.setupPrograms)].filter((each) => !usualPrograms.includes(each));
  const wants = setup.length === 0 ? "" : `; Jupiter would first call ${setup.join(" and ")}`;
  const ask: Parameters<typeof askTogether>[0] = (calls) => rpc.request(calls);
  const { recent, marker, wsol } = await askTogether(ask, {
    recent: recentBlockhashCall(),
    marker: rentCall(markerBytes, final),
    wsol: rentCall(wsolBytes, final),
  });
  const venue = enforcing(await jupiterVenue({ ...trial, mint, tokenProgram, wallet }, helper, built), 1n);
  const parts = { wallet, mint, tokenProgram, blockhash: recent.hash, rents: { marker, wsol } };
  const composed = await composeTrial(parts, { side, amountIn, orderId, venue });
  if (!("message" in composed)) {
    const reason = "refused" in composed ? composed.refused : composed.later;
    return { words: `the signer refuses it: ${reason}${wants}`, isTried: false };
  }
  const { message } = composed;
  const { fee, simulation } = await askTogether(ask, {
    fee: messageFeeCall(message, final),
    simulation: maybe(simulationCall(message, final)),
  });
  const bytes = 1 + 2 * 64 + message.length;
  const sizes = `${bytes} bytes, ${simulation?.computeUnits ?? 0} compute units, ${fee ?? "?"} lamports`;
  if (simulation === undefined)
    return { words: `the host cannot simulate it; ${sizes}${wants}`, isTried: false };
  if (simulation.isDone)
    return { words: `accepts the helper as a delegate; ${sizes}${wants}`, isTried: true };
  const step = (steps[side] as Record<number, string>)[simulation.failedAt ?? -1];
  const place = step ?? `instruction ${simulation.failedAt ?? "?"}`;
  return { words: `fails at ${place}; ${sizes}${wants}`, isTried: false };
}

const askFor = async <Value>(rpc: RpcHost, call: RpcCall<Value>): Promise<Value | undefined> =>
  (await unlessHostFails(rpc.request([call])))?.[0];

const Largest = v.pipe(
  v.object({ value: v.array(v.object({ address: v.pipe(v.string(), v.maxLength(44)) })) }),
  v.transform(({ value }) => value.map(({ address }) => address)),
);

/** Finds a wallet that could sell a token. Simulations need no signature. */
async function holderOf(
  rpc: RpcHost,
  mint: Address,
  tokenProgram: Address,
): Promise<{ wallet: Address; units: bigint } | undefined> {
  const largest = await askFor(rpc, {
    method: "getTokenLargestAccounts",
    params: [mint, final],
    read: (result) => v.parse(Largest, result),
  });
  const held = largest && (await askFor(rpc, accountsCall(largest.slice(0, 20), final)));
  for (const [index, account] of (held?.accounts ?? []).entries()) {
    const token = account && readTokenAccount(account);
    const wallet = token?.owner as Address | undefined;
    if (token === undefined || wallet === undefined || token.isFrozen || token.amount === 0n) continue;
    if ((await tokenAccountOf(wallet, mint, tokenProgram)) !== largest?.[index]) continue;
    const [own] = (await askFor(rpc, accountsCall([wallet], final)))?.accounts ?? [];
    if (own?.owner === programs.system && own.lamports > spent) return { wallet, units: token.amount };
  }
  return undefined;
}
