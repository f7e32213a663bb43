import { isEvmChain, type TradingChain, tradingChains } from "../../../lib/core/chain-facts.ts";
import { forEachConcurrently } from "../../../lib/core/concurrency.ts";
import type { Execution, Order } from "../../../lib/orders/execution.ts";
import { formsOf, newKey } from "../../support/keys.ts";
import { type Follower, follow } from "../follower.ts";
import type { Service } from "../service.ts";
import type { ChainAccess } from "./chain-access.ts";
import { createObservations, type Observations } from "./observations.ts";
import { createPlacedKeys, type PlacedKeys } from "./placed-keys.ts";
import type { SolAccess } from "./sol/sol-access.ts";

/** One user's wallet. Another user may have the same key. */
export type TraderWallet = {
  trader: Trader;
  chain: TradingChain;
  address: string;
  privateKey: string;
  /** Time before which the wallet gets no requests, in milliseconds since the epoch. */
  restsUntil: number;
};

export type SentOrder = { wallet: TraderWallet; key: string; body: Readonly<Record<string, unknown>> };

export type Trader = {
  id: string;
  token: string;
  wallets: TraderWallet[];
  keys: PlacedKeys;
  /** Sent requests by key, to send them again. */
  sent: Map<string, SentOrder>;
  observations: Observations;
  follower?: Follower;
};

export type Report = (problem: string) => void;

const walletsPerTrader = 5;

const startCoins = 5n * 10n ** 18n;

/** Lamports of each wallet at the start, and again after Solana has started over. */
const startLamports = 5 * 10 ** 9;

/** Balances of a Solana wallet before its first trade. */
export const startOnSol: ReadonlyMap<string, bigint> = new Map([["native", BigInt(startLamports)]]);

export const fundOnSol = (sol: SolAccess, wallets: readonly TraderWallet[]): Promise<unknown> =>
  forEachConcurrently(
    wallets.filter(({ chain }) => chain === "sol"),
    { concurrency: 4 },
    ({ address }) => sol.airdrop(address, startLamports),
  );

/**
 * Creates users with funded wallets on all chains. The last wallet has the same key as the first, but a different
 * owner.
 */
export async function makeTraders(
  service: Service,
  { chains, sol }: { chains: readonly ChainAccess[]; sol: SolAccess },
  { wallets, run, users }: { wallets: number; run: string; users?: number },
): Promise<Trader[]> {
  const count = users ?? Math.max(2, Math.ceil(wallets / walletsPerTrader));
  const traders = await Promise.all(
    Array.from({ length: count }, async (_, index): Promise<Trader> => {
      const id = `trader-${index}-${run}`;
      const token = await service.token({ sub: id, username: `Trader ${index}` });
      const records = { keys: createPlacedKeys(), sent: new Map(), observations: createObservations() };
      return { id, token, wallets: [], ...records };
    }),
  );
  const first = newKey(tradingChains[0]);
  for (let index = 0; index < wallets; index++) {
    const isShared = index > 0 && index === wallets - 1;
    const trader = traders[isShared ? 1 : index % count] as Trader;
    // Shifts the chain with each of a user's wallets, because they would otherwise all be on the same chain.
    const shift = count % tradingChains.length === 0 ? Math.floor(index / count) : 0;
    const chain = tradingChains[isShared ? 0 : (index + shift) % tradingChains.length] as TradingChain;
    const { address, privateKey, secret } = isShared || index === 0 ? first : newKey(chain);
    service.target.noteSecret([...formsOf({ privateKey, secret }), secret.toString("latin1")]);
    trader.wallets.push({ trader, chain, address, privateKey, restsUntil: 0 });
  }
  await forEachConcurrently(
    traders.flatMap((trader) => trader.wallets),
    { concurrency: 4 },
    async ({ trader, chain, address, privateKey }) => {
      if (isEvmChain(chain)) {
        const access = chains.find((each) => each.chain === chain) as ChainAccess;
        await access.request("anvil_setBalance", address, `0x${startCoins.toString(16)}`);
      } else await sol.airdrop(address, startLamports);
      const send = () => service.send(trader, "POST", "/storeWallet_v2", { network: chain, privateKey });
      // Imports again after a timeout, as the machine may be busy. A second import changes nothing.
      const first = await send();
      const answer = first === undefined || first.status >= 500 ? await send() : first;
      if (answer?.status !== 200)
        throw new Error(`A wallet could not be imported: ${answer?.status} ${answer?.text}`);
    },
  );
  // Makes the blocks final, so that no reorganisation takes the coins back.
  await Promise.all(chains.map(({ request }) => request("anvil_mine", "0x4")));
  return traders;
}

/** Records an order or a position shown to a user in a response or on a stream. */
export function noteShown({ id, wallets, observations }: Trader, execution: Execution, report: Report): void {
  for (const problem of observations.note(execution)) report(`${id} was shown: ${problem}`);
  if (!wallets.some(({ address }) => address === execution.wallet))
    report(`${id} was shown wallet ${execution.wallet}`);
}

type Message = { type?: string; channel?: string; data?: unknown };

/** Connects a user's stream and records all orders and positions on it. */
export function followTrader(service: Service, trader: Trader, report: Report): void {
  trader.follower = follow(service, trader, (text) => {
    const { type, channel, data } = JSON.parse(text) as Message;
    if ((type !== "update" && type !== "snapshot") || channel === "prices") return;
    for (const execution of data as Execution[]) noteShown(trader, execution, report);
  });
}

/** Lists a wallet's open orders as known to its user. */
export const openOrdersOf = ({ trader, chain, address }: TraderWallet): Order[] =>
  [...trader.observations.newest().values()].filter(
    (each): each is Order =>
      "orderId" in each && each.status === "open" && each.wallet === address && each.chain === chain,
  );

/** Forgets all Solana orders and positions after the chain has started over. */
export function forgetSol({ keys, sent, observations }: Trader): void {
  observations.forget(({ chain }) => chain === "sol");
  for (const [key, { wallet }] of sent) {
    if (wallet.chain !== "sol") continue;
    sent.delete(key);
    keys.forget(key);
  }
}
