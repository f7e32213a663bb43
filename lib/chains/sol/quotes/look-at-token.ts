import type { Address } from "@solana/web3.js";
import type { Lamports } from "../../../core/units.ts";
import { greatest } from "../../../orders/bigints.ts";
import { type Ask, askTogether } from "../../hosts/ask-together.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import { cpmmConfigsOf } from "../calls/cpmm-configs.ts";
import type { OpenedAccount, PoolView } from "../calls/pool-view.ts";
import {
  type Accounts,
  accountsCall,
  final,
  rentCall,
  type Simulation,
  simulationCall,
} from "../calls/rpc-call.ts";
import { type Payment, paymentsOf, type TokenView, tokenViewCall } from "../calls/token-view.ts";
import { recentBlockhashCall } from "../calls/transaction-call.ts";
import { roundTripMessage, type Trial } from "../messages/trial-messages.ts";
import { rentOfBytes } from "../rules/fees.ts";
import { markerBytes } from "../venues/instructions.ts";
import type { SolReader } from "../venues/reader.ts";

/** Amount of the purchase that tests whether a token can be sold: 0.01 coins. */
export const probeLamports: Lamports = 10_000_000n;

export const lamportsOfCoin: Lamports = 10n ** 9n;

/** Size of a wrapped-coin account, in bytes. */
export const wsolBytes = 165;

/**
 * Asks for a token, its pools and a wallet's balances, and for the values that messages about them need.
 *
 * @param early Further calls of the request.
 */
export async function lookAtToken<const Early extends object = object>(
  ask: Ask,
  configuration: SolReader["configuration"],
  token: Address,
  wallet?: Address,
  named: readonly string[] = [],
  early: Early = {} as Early,
) {
  const configs = cpmmConfigsOf(configuration);
  const pools = {
    cpmmConfigs: await configs.toRead(),
    named,
    pumpTable: configuration.pumpTable as Address | undefined,
  };
  const answers = await askTogether(ask, {
    view: await tokenViewCall(token, pools, final, wallet),
    recent: recentBlockhashCall(),
    rents: { marker: rentCall(markerBytes, final), wsol: rentCall(wsolBytes, final) },
    early,
  });
  if (answers.view !== undefined) configs.note(answers.view);
  return { ...answers, blockhash: answers.recent.hash };
}

/** Converts a pool's fee from millionths to basis points. */
export const feeBpsOfPool = (pool: PoolView): number => Number(pool.feeRate) / 100;

/**
 * Makes a call that counts as unanswered if the host refuses it, because not every host supports it. It is not sent to
 * a busy host.
 */
export const maybe = <Value>(call: RpcCall<Value>): RpcCall<Value | undefined> => ({
  ...call,
  recover(refusal) {
    if (refusal.isBusy) throw refusal;
    return undefined;
  },
});

/** Returns the pool that pays most for the purchase that tests whether a token can be sold. */
export const bestForProbe = (view: TokenView): Payment | undefined =>
  paymentsOf(view, "buy", probeLamports)[0];

/** Makes the call that simulates a purchase and sale by the configured payer, if there is one. */
export async function roundTripCalls(
  { payer }: SolReader["configuration"],
  view: TokenView,
  trial: Omit<Trial, "wallet">,
): Promise<RpcCall<Simulation | undefined>[]> {
  const best = bestForProbe(view);
  if (payer === undefined || best === undefined) return [];
  const message = await roundTripMessage(
    { ...trial, wallet: payer as Address },
    { pool: best.pool, amountIn: probeLamports, bought: best.amountOut },
  );
  return [maybe(simulationCall(message, final))];
}

/** Makes the call that reads accounts which a trade may open at the wallet's cost, if there are any. */
export const marketCalls = (opened: readonly OpenedAccount[]): RpcCall<Accounts>[] =>
  opened.length === 0
    ? []
    : [
        accountsCall(
          opened.map(({ address }) => address),
          final,
        ),
      ];

/** Computes the lamports that such accounts lack. */
export const lackingRent = (
  opened: readonly OpenedAccount[],
  found: Accounts | undefined,
  rents: Trial["rents"],
): Lamports =>
  opened.reduce((sum, { bytes }, index) => {
    const held = found?.accounts[index]?.lamports ?? 0n;
    return sum + greatest(0n, rentOfBytes(bytes, rents) - held);
  }, 0n);
