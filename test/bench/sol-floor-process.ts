/**
 * The lower bound for the duration of a Solana order: a single process that holds the key. It agrees with two hosts on
 * a quote and a blockhash, signs the order's message and sends it to both.
 */
import { randomUUID } from "node:crypto";
import { openChains } from "../../lib/chains/families/open-chains.ts";
import type { RpcHost } from "../../lib/chains/hosts/rpc-host.ts";
import {
  blockhashValidCall,
  recentBlockhashCall,
  sendCall,
} from "../../lib/chains/sol/calls/transaction-call.ts";
import { composeFor } from "../../lib/chains/sol/messages/order-message.ts";
import { joinTransaction, signMessageAndWipe } from "../../lib/chains/sol/messages/signed-message.ts";
import { quotesOfSolHosts } from "../../lib/chains/sol/quotes/quotes-of-hosts.ts";
import { jointSolQuote } from "../../lib/chains/sol/rules/joint-facts.ts";
import { feesOfFirst } from "../../lib/chains/sol/rules/trade-fees.ts";
import type { SolReader } from "../../lib/chains/sol/venues/reader.ts";
import { DomainError } from "../../lib/core/domain-error.ts";
import { orderIdFor } from "../../lib/core/record-ids.ts";
import { serveFloor } from "./serve-floor.ts";
import { now } from "./statistics.ts";

/** Slippage in percent and priority budget in lamports. */
const [slippage, budget] = [1, 1_000_000n];

let reader: SolReader | undefined;

/** Requests a blockhash from one host and asks the other whether it knows it. */
async function agreedBlockhash(hosts: SolReader["client"]["hosts"]) {
  const [first, second] = hosts as [RpcHost, RpcHost];
  const [recent] = await first.request([recentBlockhashCall()]);
  const [known] = await second.request([blockhashValidCall(recent.hash)]);
  if (!known.isValid) throw new Error("The hosts disagree about the blockhash");
  return recent;
}

serveFloor<SolReader["configuration"]>(async (request) => {
  const { configuration, wallet, secret, token, amount } = request;
  reader ??= openChains({ sol: configuration }).get("sol") as SolReader;
  const { hosts } = reader.client;
  const trade = { side: "buy", token, amount } as const;
  const question = { wallet, trade, orders: [] };
  const [quotes, recent] = await Promise.all([
    // Remembers no tokens, so that the bound stays that of an order in two rounds.
    quotesOfSolHosts(reader, question, slippage, Date.now, undefined, () => undefined),
    agreedBlockhash(hosts),
  ]);
  const quote = jointSolQuote(...quotes, slippage);
  if (quote === undefined || quote instanceof DomainError) throw quote ?? new Error("The hosts disagree");
  const agreedAt = now();
  const { computeUnitLimit, rents } = quote.costs;
  const [route] = quote.routes;
  if (route.venue !== "raydium-cpmm") throw new Error("The best route is not a pool");
  const { venue, pool, config } = route;
  const composed = await composeFor(
    {
      wallet,
      token,
      side: trade.side,
      tokenProgram: quote.mint.program,
      orderId: orderIdFor(randomUUID(), "", new Date()),
      minAmountOut: (quote.amountOut * 99n) / 100n,
    },
    {
      purpose: "swap",
      signatures: 1,
      computeUnitLimit,
      microLamportsPerUnit: feesOfFirst(budget, computeUnitLimit).microLamportsPerUnit,
      blockhash: recent.hash,
      lastValidBlockHeight: recent.lastValidBlockHeight,
      markerRentLamports: rents.marker,
      wsolRentLamports: rents.wsol,
      amountIn: quote.amount,
      route: { venue, pool, config },
    },
  );
  if (!("message" in composed)) throw new Error("The message could not be composed");
  const { message } = composed;
  const { bytes } = joinTransaction(message, [signMessageAndWipe(message, Buffer.from(secret, "hex"))]);
  const raw = Buffer.from(bytes).toString("base64");
  await Promise.any(hosts.map((host) => host.request([sendCall(raw)])));
  return agreedAt;
});
