import { parseUnits } from "ethers/utils";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { isEvmChain } from "../../../lib/core/chain-facts.ts";
import type { Chance } from "../chance.ts";
import type { Service } from "../service.ts";
import { type ChainAccess, signForeign } from "../trade/chain-access.ts";
import { callToMove } from "../trade/foreign-programs.ts";
import type { SentOrder, TraderWallet } from "../trade/traders.ts";

type Body = SentOrder["body"];

/** Exits of the presets, which users get in turn. */
const presets = [
  [
    { percent: 60, takeProfit: { percent: 100 }, stopLoss: { percent: -40 } },
    { percent: 40, trailing: { trailPercent: 30 } },
  ],
  [
    { percent: 50, takeProfit: { percent: 200 } },
    { percent: 25.5, stopLoss: { percent: -50 } },
  ],
  [{ percent: 100, takeProfit: { percent: 300 }, stopLoss: { percent: -60 } }],
  [
    { percent: 33.3333, takeProfit: { percent: 150 } },
    { percent: 33.3333, stopLoss: { percent: -35 } },
    { percent: 33.3334, takeProfit: { percent: 500 }, trailing: { trailPercent: 60 } },
  ],
] as const;

export const presetExits = (userID: string): readonly object[] =>
  presets[Number(userID.split("-")[1]) % presets.length] ?? [];

/** Stores a preset for a wallet, and switches automatic buys and sales on. */
export async function switchOn(service: Service, { trader, chain, address }: TraderWallet): Promise<void> {
  const switches = { autoBuy: true, autoSell: true };
  const hasSettings = chain !== "bsc" && chain !== "avax";
  const preset = { wallet: address, buyAmount: "0.0021", exits: presetExits(trader.id) };
  const changes = [
    ["PUT", `/api/v2/presets/${chain}`, hasSettings ? preset : { ...preset, ...switches }],
    ...(hasSettings ? [["POST", `/updateTradingSettings/${chain}`, switches] as const] : []),
  ] as const;
  for (const [method, path, body] of changes) {
    const answer = await service.send(trader, method, path, body);
    if (answer?.status !== 200)
      throw new Error(`${path} was answered with ${answer?.status} ${answer?.text}`);
  }
}

/** Time that a buy has to fill, so that most do even on a busy machine. */
const validForSeconds = 600;

const { moon, star } = localAddresses;
const { tokens } = await solDeployment();
const [moonOnSol, feez] = [tokens.MOON.mint, tokens.FEEZ.mint];

const wasBought = ({ trader, chain }: TraderWallet, token: string): boolean =>
  [...trader.sent.values()].some(({ wallet, body }) => wallet.chain === chain && body.token === token);

/** Makes the body of a buy: most at the market, some by a limit that is reached, and some first ones by the preset. */
export async function newBuyBody(
  service: Service,
  chance: Chance,
  wallet: TraderWallet,
): Promise<Body | undefined> {
  const { chain, address } = wallet;
  const token = chance.pick(chain === "sol" ? [moonOnSol, moonOnSol, feez] : [moon, moon, star]);
  if (!wasBought(wallet, token) && chance.number() < 0.5) return { auto: "buy", chain, token };
  const amount = `0.00${1 + chance.below(4)}${String(chance.below(10 ** 4)).padStart(4, "0")}1`;
  const body = { chain, wallet: address, side: "buy", token, amount };
  if (chance.number() < 0.75) return { ...body, type: "market", slippage: 20, validForSeconds };
  const quote = await quoteOf(service, wallet, body);
  return quote && { ...body, type: "limit", price: (1.05 * Number(quote.price)).toFixed(18) };
}

async function quoteOf(service: Service, { trader, chain }: TraderWallet, { side, token, amount }: Body) {
  const answer = await service.send(trader, "POST", "/api/v2/quotes", { chain, side, token, amount });
  type Quoted = { data?: { quote?: { price: string; amountOut: string } } } | undefined;
  return (answer?.json as Quoted)?.data?.quote;
}

/**
 * Makes the body of a wallet's only buy, and lets another program move half of what it brings in the same block: its
 * transaction waits for the nonce after that of the buy. Undefined if there is no quote.
 */
export async function spentBuyBody(
  service: Service,
  access: ChainAccess,
  wallet: TraderWallet,
  moved: Set<string>,
): Promise<Body | undefined> {
  const { chain, address, privateKey } = wallet;
  if (!isEvmChain(chain)) return undefined;
  const body = {
    chain,
    wallet: address,
    side: "buy",
    type: "market",
    token: moon,
    amount: "0.003",
    slippage: 20,
  };
  const quote = await quoteOf(service, wallet, body);
  if (quote === undefined) return undefined;
  const nonce = 1 + Number(await access.request("eth_getTransactionCount", address, "latest"));
  const call = callToMove(moon, parseUnits(quote.amountOut, 18) / 2n);
  const { hash, raw } = signForeign(chain, { privateKey, nonce, fee: 5n * 10n ** 9n, ...call });
  moved.add(hash);
  await access.request("eth_sendRawTransaction", raw);
  return body;
}
