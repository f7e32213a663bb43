import { isEvmChain } from "../../../lib/core/chain-facts.ts";
import type { Order } from "../../../lib/orders/execution.ts";
import { requestOf } from "../resting/resting-actions.ts";
import { type Fill, fillsBy, fillsOnSol, withOwnGains } from "../resting/resting-audit.ts";
import type { ChainAccess } from "../trade/chain-access.ts";
import type { Balances, ChainFacts } from "../trade/facts.ts";
import { readChain } from "../trade/read-chain.ts";
import type { ShownTrade } from "../trade/read-trade.ts";
import { readSol } from "../trade/sol/read-sol.ts";
import type { SolAccess } from "../trade/sol/sol-access.ts";
import type { SolFacts } from "../trade/sol/sol-facts.ts";
import { startOnSol, type Trader, type TraderWallet } from "../trade/traders.ts";
import { presetExits } from "./buys.ts";
import type { HeldToken, ShownBuy } from "./exits-audit.ts";

type Detail = ShownTrade["orders"][number];

/** What nodes show at the end. */
export type NodeFacts = { evm: ReadonlyMap<string, ChainFacts>; sol: SolFacts };

/** Reads all blocks and balances from the nodes. */
export async function readNodes(
  chains: readonly ChainAccess[],
  sol: SolAccess,
  wallets: readonly TraderWallet[],
  options: {
    before: ReadonlyMap<ChainAccess, ReadonlyMap<string, Balances>>;
    moved: ReadonlySet<string>;
    noteSigned(parts: string[]): void;
  },
): Promise<NodeFacts> {
  const { before, moved: foreign, noteSigned } = options;
  const ofChains = chains.map(async (access): Promise<[string, ChainFacts]> => {
    const own = before.get(access) ?? new Map();
    return [access.chain, await readChain(access, { before: own, foreign, noteSigned })];
  });
  const onSol = wallets.filter(({ chain }) => chain === "sol").map(({ address }) => address);
  const starts = new Map(onSol.map((address) => [address, startOnSol]));
  return {
    evm: new Map(await Promise.all(ofChains)),
    sol: withOwnGains(await readSol(sol, { before: starts, noteSigned })),
  };
}

/** Lists all buys that users see, with their fills and exits. */
export const buysIn = (
  traders: readonly Trader[],
  { orders }: ShownTrade,
  nodes: NodeFacts,
  spenders: ReadonlySet<string>,
): ShownBuy[] =>
  orders
    .filter(({ order, userID }) => order.side === "buy" && !isChild(order, orders, userID))
    .flatMap(({ userID, order, ...details }): ShownBuy[] => {
      const sent = traders.find(({ id }) => id === userID)?.sent.get(order.clientOrderId ?? "");
      // The audit of keys reports an order that nobody asked for.
      if (sent === undefined) return [];
      const own = orders.filter(
        (each) => each.userID === userID && each.order.parentOrderId === order.orderId,
      );
      const children = own.filter((each) => each.order.side === "buy");
      const fills = fillsOf(order, [{ userID, order, ...details }, ...children], nodes);
      const [fill] = fills;
      const body = { token: order.token, exits: presetExits(userID) };
      return [
        {
          asked: { ...requestOf(userID, sent, order), wallet: order.wallet, body },
          order,
          fills,
          ...(fill && spenders.has(order.wallet) && { held: fill.received + movedBy(order, nodes) }),
          exits: own.filter((each) => each.order.side === "sell").map((each) => each.order),
        },
      ];
    });

const isChild = ({ parentOrderId }: Order, orders: readonly Detail[], userID: string): boolean =>
  orders.some(({ order, userID: by }) => by === userID && order.orderId === parentOrderId);

function fillsOf(buy: Order, details: readonly Detail[], { evm, sol }: NodeFacts): Fill[] {
  const { orderId, token = "", side, chain } = buy;
  if (!isEvmChain(chain)) return fillsOnSol({ orderId, token, side }, sol);
  const hashes = new Set(details.flatMap(({ attempts }) => attempts.map(({ txHash }) => txHash)));
  const facts = evm.get(chain);
  return facts === undefined ? [] : fillsBy({ token, side }, hashes, facts);
}

/** Sums what other programs have moved of a buy's token: a negative number for a loss. */
const movedBy = (
  { chain, wallet, token = "" }: Pick<Order, "chain" | "wallet" | "token">,
  { evm }: NodeFacts,
) =>
  (evm.get(chain)?.transactions ?? [])
    .filter((each) => each.wallet === wallet && each.isForeign && each.isOk)
    .reduce((sum, { tokens }) => sum + (tokens.get(token) ?? 0n), 0n);

/** Lists the balances of all tokens that were bought, next to what buys and other programs say. */
export const heldIn = (buys: readonly ShownBuy[], nodes: NodeFacts): HeldToken[] =>
  [...Map.groupBy(buys, ({ order: { chain, wallet, token } }) => `${chain} ${wallet} ${token}`).values()].map(
    (own) => {
      const { chain, wallet, token = "" } = (own[0] as ShownBuy).order;
      const { before, after } =
        nodes.evm.get(chain)?.accounts.get(wallet) ?? nodes.sol.wallets.get(wallet) ?? {};
      const received = own.flatMap(({ fills }) => fills).reduce((sum, fill) => sum + fill.received, 0n);
      return {
        wallet,
        token,
        before: before?.get(token) ?? 0n,
        after: after?.get(token) ?? 0n,
        received: received + movedBy({ chain, wallet, token }, nodes),
      };
    },
  );

/** Milliseconds from the block of each fill that meets a condition until its exits rested, by chain. */
export function waitsOf(
  traders: readonly Trader[],
  buys: readonly ShownBuy[],
  isCounted: (filledAtMs: number) => boolean,
): ReadonlyMap<string, readonly number[]> {
  const waits = new Map<string, number[]>();
  for (const { asked, fills, exits } of buys) {
    const [fill] = fills;
    const trader = traders.find(({ id }) => id === asked.userID);
    if (fill === undefined || trader === undefined || !isCounted(fill.atMs)) continue;
    const rested = exits.flatMap(({ orderId }) =>
      trader.observations
        .versionsOf(orderId)
        .flatMap((each) =>
          "stage" in each && each.stage === "resting" ? [Date.parse(each.updatedAt) - fill.atMs] : [],
        ),
    );
    if (rested.length === 0) continue;
    const own = waits.get(asked.chain) ?? [];
    own.push(Math.min(...rested));
    waits.set(asked.chain, own);
  }
  return waits;
}
