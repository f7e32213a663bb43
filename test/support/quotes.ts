import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import type { EvmQuote } from "../../lib/chains/evm/quote.ts";
import { quoteEvmTrade } from "../../lib/chains/evm/quote.ts";
import type { EvmTrader } from "../../lib/chains/evm/rules/check-trade.ts";
import { swapBy } from "../../lib/chains/evm/rules/intent.ts";
import { evmOrderSettingsOf } from "../../lib/chains/evm/rules/order-settings.ts";
import { encodeCall } from "../../lib/chains/evm/venues/calldata.ts";
import { readAddress } from "../../lib/chains/families/address.ts";
import type { QuoteRequest } from "../../lib/orders/trade-request.ts";
import { readerOf } from "./chain-reader.ts";
import { intent, localV2 } from "./trading.ts";

/** Builds a user without orders and with default settings. */
export const traderOf = (changes: Partial<EvmTrader> = {}): EvmTrader => ({
  settings: evmOrderSettingsOf("eth"),
  orders: [],
  isStopped: false,
  mayLose: true,
  ...changes,
});

export const quotedAt = new Date("2026-11-21T20:00:00.000Z");

export type AskedQuote = Partial<QuoteRequest>;

/** Quotes a client's request on a test chain with a relay. Buys MOON by default. */
export const quoteOn = async (
  chain: TestChain,
  asked: AskedQuote,
  user: Partial<EvmTrader> = {},
  hosts: readonly string[] = [chain.url],
): Promise<EvmQuote> => {
  const { token = localAddresses.moon, wallet } = asked;
  const request = {
    chain: chain.chain,
    side: "buy",
    ...asked,
    token: readAddress(chain.chain, token, "token"),
    wallet: wallet === undefined ? undefined : readAddress(chain.chain, wallet, "wallet"),
  } as const;
  const reader = readerOf(chain, { relay: "http://127.0.0.1:1", hosts });
  return await quoteEvmTrade(reader, request, traderOf(user), quotedAt);
};

/** Buys tokens from Alice's wallet for a tenth of a coin. */
export async function buyOn(chain: TestChain, token: string): Promise<void> {
  const wallet = alice.address;
  const changes = { wallet, token, amount: 10n ** 17n, minAmountOut: 1n, validUntil: 2 ** 32 - 1 };
  const call = swapBy(intent(changes), localV2, changes.amount);
  await chain.transact({ from: wallet, ...encodeCall(readerOf(chain).configuration, call, wallet) });
}
