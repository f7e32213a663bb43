import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import { getAddress } from "ethers/address";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { balanceOf } from "../../lib/chains/evm/calls/contract-questions.ts";
import type { Network } from "../../lib/core/network.ts";
import { emptyBook } from "../../lib/orders/book.ts";
import { formatAmount, parseAmount } from "../../lib/orders/decimal-text.ts";
import type { Position } from "../../lib/orders/execution.ts";
import { nothingHeld } from "../../lib/orders/holding.ts";
import type { QuoteRequest } from "../../lib/orders/trade-request.ts";
import { walletKey } from "../../lib/table/wallet-keys.ts";
import { saveExecution } from "../../lib/trading/items/execution-records.ts";
import { tradingStopKey } from "../../lib/trading/items/keys.ts";
import { writeStep } from "../../lib/trading/items/write-step.ts";
import { quoteOrder } from "../../lib/trading/quote-order.ts";
import { type BalanceDeps, type Balances, readBalances } from "../../lib/trading/read-balances.ts";
import type { ReportMissed } from "../../lib/trading/report-missed.ts";
import { settingsKey } from "../../lib/users/item-keys.ts";
import { addressesOfUser } from "../../lib/wallets/wallet-records.ts";
import { chainsOf, readerOf } from "../support/chain-reader.ts";
import { tableForTests } from "../support/dynamodb.ts";
import { position } from "../support/executions.ts";
import { putItems } from "../support/items.ts";
import { deployOddToken } from "../support/odd-tokens.ts";
import { newOrder, placing } from "../support/placed-orders.ts";
import { buyOn, quotedAt as now } from "../support/quotes.ts";

const db = tableForTests();
let chain: TestChain;
beforeAll(async () => {
  chain = await startTestChain();
});
afterAll(() => chain.close());
beforeEach(() => chain.restore());

const { moon, taxd, trap, usdx, wrapped } = localAddresses;
const wallet = alice.address;

const walletItem = (userID: string, address: string, network: Network = "eth") => ({
  ...walletKey(userID, network, address),
  UserID: userID,
  network,
  generatedWalletAddress: address,
});

let users = 0;

/** Creates a user with these wallets. */
async function newUser(...wallets: string[]): Promise<string> {
  const userID = `trader${++users}`;
  await putItems(
    db.table,
    wallets.map((address) => walletItem(userID, address)),
  );
  return userID;
}

const missed: object[] = [];
const reportMissed: ReportMissed = (lane, { token }) => missed.push({ ...lane, token });
const addressesOf: BalanceDeps["addressesOf"] = (...asked) => addressesOfUser(db.table, ...asked);
const deps = () => ({ table: db.table, chains: chainsOf(chain), addressesOf, reportMissed });

const balancesOf = async (
  userID: string,
  asked: { wallet?: string; token?: string } = {},
): Promise<Balances> => await readBalances(deps(), { userID, now, asked: { chain: "eth", ...asked } });

const symbolsOf = async (userID: string, asked: { wallet?: string; token?: string } = {}) =>
  (await balancesOf(userID, asked)).balances.map(({ symbol }) => symbol);

async function savePosition(userID: string, changes: Partial<Position>): Promise<void> {
  const execution = position({ chain: "eth", wallet, positionId: `p${changes.token}`, ...changes });
  await saveExecution(db.table, { userID, kind: "position", execution, now });
}

/** Places a buy for half a coin and a sale of one MOON, and returns the coin reserved for both. */
async function placeTwo(userID: string, address: string): Promise<bigint> {
  const own = { wallet: address, userID } as const;
  const buy = newOrder({ ...own, amount: 5n * 10n ** 17n });
  const sale = newOrder({ ...own, side: "sell", token: moon, amount: 10n ** 18n });
  for (const order of [buy, sale])
    await writeStep(db.table, placing({ ...order, amount: order.intent.amount }));
  return buy.intent.amount + buy.quoted.networkFee + sale.quoted.networkFee;
}

const listed = ["ETH", "MOON", "USDX", "WETH"];

describe("readBalances", () => {
  it("returns the coin and all listed tokens of a wallet, including zero balances", async () => {
    const userID = await newUser(wallet);
    await buyOn(chain, moon);
    const { balances, ...rest } = await balancesOf(userID, { wallet: wallet.toLowerCase() });
    expect(rest).toEqual({
      chain: "eth",
      block: Number(await chain.request("eth_blockNumber")),
      asOf: "2026-11-21T20:00:00.000Z",
    });
    expect(balances.map(({ symbol }) => symbol)).toEqual(listed);
    const amount = formatAmount(BigInt(await chain.call(moon, balanceOf(moon, wallet).data)), 18);
    const common = { wallet, token: moon, symbol: "MOON", decimals: 18 };
    expect(balances[1]).toEqual({ ...common, amount, reserved: "0", available: amount });
    expect(balances[2]).toMatchObject({ token: usdx, decimals: 6, amount: "0", available: "0" });
    expect(balances[3]).toMatchObject({ token: wrapped, amount: "0" });
  });

  it("subtracts the amounts of the wallet's open orders, with fees, but never below 0", async () => {
    const userID = await newUser(wallet);
    const reserved = await placeTwo(userID, wallet);
    const [coin, token] = (await balancesOf(userID)).balances;
    expect(coin).toMatchObject({
      amount: "100",
      reserved: formatAmount(reserved, 18),
      available: formatAmount(100n * 10n ** 18n - reserved, 18),
    });
    expect(token).toMatchObject({ symbol: "MOON", amount: "0", reserved: "1", available: "0" });
  });

  it("returns the tokens of the wallet's open positions on the chain", async () => {
    const userID = await newUser(wallet);
    const other = await newUser(wallet);
    await savePosition(userID, { token: taxd });
    await savePosition(userID, { token: moon });
    await savePosition(userID, { token: trap, status: "closed" });
    await savePosition(userID, { token: trap, positionId: "elsewhere", chain: "base" });
    await savePosition(userID, { token: "SOL/USDC" });
    await savePosition(other, { token: trap });
    expect(await symbolsOf(userID)).toEqual([...listed, "TAXD"]);
  });

  it("reports only tokens whose position exceeds the wallet's balance", async () => {
    const userID = await newUser(wallet);
    const ours = { cost: "1", settled: true, amount: "123456" };
    missed.length = 0;
    await savePosition(userID, { ...ours, token: taxd, status: "closed" });
    await savePosition(userID, { ...ours, token: usdx, cost: undefined });
    await savePosition(userID, { ...ours, token: trap, settled: false });
    await balancesOf(userID);
    expect(missed).toEqual([]);
    await savePosition(userID, { ...ours, token: moon });
    await balancesOf(userID);
    expect(missed).toEqual([{ chain: "eth", wallet, token: moon }]);
  });

  it("returns a requested token only once", async () => {
    const userID = await newUser(wallet);
    expect(await symbolsOf(userID, { token: trap.toLowerCase() })).toEqual([...listed, "TRAP"]);
    expect(await symbolsOf(userID, { token: moon })).toEqual(listed);
    expect(await symbolsOf(userID, { token: "native" })).toEqual(listed);
  });

  it("skips tokens that do not answer, but shows all others", async () => {
    const userID = await newUser(wallet);
    for (const name of ["eats all gas", "reverts every call"] as const)
      await savePosition(userID, { token: getAddress(await deployOddToken(chain, name)) });
    await savePosition(userID, { token: taxd });
    expect((await symbolsOf(userID)).toSorted()).toEqual([...listed, "TAXD"].toSorted());
  });

  it("finds no token if the address does not answer", async () => {
    const userID = await newUser(wallet);
    const token = await deployOddToken(chain, "eats all gas");
    await expect(balancesOf(userID, { token })).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
  });

  it("returns all of the user's wallets on the chain", async () => {
    const [second] = (await chain.request("eth_accounts")) as [string, string];
    const other = getAddress(second === wallet.toLowerCase() ? usdx : second);
    const userID = await newUser(wallet, other);
    await putItems(db.table, [walletItem(userID, "7cVfgArCheMR6Cs4t6vz5rfnqd56vZq4ndaBrY5xkxXy", "sol")]);
    const { balances } = await balancesOf(userID);
    expect(new Set(balances.map((balance) => balance.wallet))).toEqual(new Set([wallet, other]));
    expect((await balancesOf(await newUser())).balances).toEqual([]);
  });

  it("finds no wallet that is retired or belongs to another user", async () => {
    await newUser(wallet);
    const stranger = await newUser();
    await expect(balancesOf(stranger, { wallet })).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    await putItems(db.table, [{ ...walletItem(stranger, wallet), retiredAt: "2026-11-20T00:00:00.000Z" }]);
    await expect(balancesOf(stranger, { wallet })).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
  });

  it("requires a single wallet if there are more than 1,000 balances", async () => {
    const addressOf = (index: number) => getAddress(`0x${(index + 2 ** 20).toString(16).padStart(40, "0")}`);
    const addresses = Array.from({ length: 107 }, (_, index) => addressOf(index));
    const [eleventh = "", ...ten] = addresses.slice(96);
    // Each wallet has 100 balances, including the coin.
    const silent = addresses.slice(0, 96).map((token) => ({ token, symbol: "S", name: "S", decimals: 0 }));
    const reader = readerOf(chain);
    const { tokens } = reader.configuration;
    const configuration = { ...reader.configuration, tokens: [...tokens, ...silent] };
    const many = {
      table: db.table,
      chains: new Map([["eth" as const, { ...reader, configuration }]]),
      addressesOf,
      reportMissed,
    };
    const read = (userID: string, wallet?: string) =>
      readBalances(many, { userID, now, asked: { chain: "eth", wallet } });
    const userID = await newUser(...ten);
    expect((await read(userID)).balances).toHaveLength(10 * listed.length);
    await putItems(db.table, [walletItem(userID, eleventh)]);
    const refused = { code: "INVALID_REQUEST", details: { field: "wallet" } };
    await expect(read(userID)).rejects.toMatchObject(refused);
    expect((await read(userID, eleventh)).balances).toHaveLength(listed.length);
  });
});

describe("quoteOrder", () => {
  const quote = async (userID: string, changes: Partial<QuoteRequest> = {}) => {
    const body: QuoteRequest = { chain: "eth", side: "buy", token: moon, amount: "0.5", ...changes };
    return (await quoteOrder({ ...deps(), lossSignIn: false }, { userID, now, signedInAt: undefined, body }))
      .quote;
  };

  it("applies the user's settings, unless the request overrides them", async () => {
    const userID = await newUser();
    expect(await quote(userID)).toMatchObject({ slippage: 1 });
    await putItems(db.table, [{ ...settingsKey(userID, "eth"), slippage: 2.5, maxGasPrice: 0.1 }]);
    expect(await quote(userID)).toMatchObject({
      slippage: 2.5,
      wouldBeRefused: { code: "GAS_PRICE_TOO_HIGH", details: { limit: "0.1" } },
    });
    expect(await quote(userID, { slippage: 3, maxGasPrice: 100 })).toMatchObject({ slippage: 3 });
  });

  it("reports a sale of tokens that the wallet lacks, even if the sale is refused", async () => {
    const userID = await newUser(wallet);
    const key = { chain: "eth", wallet, userID, token: taxd } as const;
    const book = {
      ...emptyBook(key, { symbol: "TAXD/ETH", decimals: 18 }),
      base: { ...nothingHeld, amount: 5n },
    };
    missed.length = 0;
    const sale = { side: "sell", token: taxd, wallet } as const;
    // Uses another user, because a late report about this user could make the check fail.
    await quote(await newUser(wallet), { ...sale, amount: "1" });
    await writeStep(db.table, [{ kind: "put", of: "book", item: book, when: "absent" }]);
    await quote(userID, { wallet, token: taxd, amount: "0.1" });
    expect(missed).toEqual([]);
    await quote(userID, { ...sale, amount: "1" });
    await expect(quote(userID, { ...sale, amount: undefined, percent: 100 })).rejects.toThrow("TAXD");
    await expect.poll(() => missed).toEqual([1, 2].map(() => ({ chain: "eth", wallet, token: taxd })));
  });

  it("subtracts the amounts of open orders", async () => {
    const userID = await newUser(wallet);
    const [before] = (await balancesOf(userID)).balances;
    const reserved = await placeTwo(userID, wallet);
    const available = parseAmount(before?.available ?? "", 18) as bigint;
    const { balances } = await quote(userID, { wallet });
    expect(balances?.[0]?.available).toBe(formatAmount(available - reserved, 18));
  });

  it("reports that an operator has stopped trading", async () => {
    const stop = tradingStopKey("eth");
    await putItems(db.table, [stop]);
    expect((await quote(await newUser())).wouldBeRefused).toMatchObject({ code: "TRADING_DISABLED" });
    await db.table.client.send(new DeleteCommand({ TableName: db.table.name, Key: stop }));
  });

  it("rejects other users' wallets, and chains on which the service does not trade", async () => {
    const userID = await newUser();
    await expect(quote(userID, { wallet })).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    const refused = { code: "UNSUPPORTED_CHAIN", details: { chains: ["eth"] } };
    await expect(quote(userID, { chain: "bsc" })).rejects.toMatchObject(refused);
  });
});
