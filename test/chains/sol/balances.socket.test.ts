import { randomUUID } from "node:crypto";
import { DeleteCommand } from "@aws-sdk/lib-dynamodb";
import type { Address } from "@solana/web3.js";
import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { programs, wsolMint } from "../../../lib/chains/sol/calls/addresses.ts";
import type { QuoteRequest } from "../../../lib/orders/trade-request.ts";
import { walletKey } from "../../../lib/table/wallet-keys.ts";
import { saveExecution } from "../../../lib/trading/items/execution-records.ts";
import { tradingStopKey } from "../../../lib/trading/items/keys.ts";
import { quoteOrder } from "../../../lib/trading/quote-order.ts";
import { type BalanceDeps, readBalances } from "../../../lib/trading/read-balances.ts";
import { settingsKey } from "../../../lib/users/item-keys.ts";
import { addressesOfUser } from "../../../lib/wallets/wallet-records.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { position } from "../../support/executions.ts";
import { putItems } from "../../support/items.ts";
import { quotedAt as now } from "../../support/quotes.ts";
import { solChainsOf, solDeskForTests } from "../../support/sol-reader.ts";
import { addMint, holdTokens } from "../../support/sol-tokens.ts";

const db = tableForTests();
const { chain, hosts } = solDeskForTests();

/** Creates a user with one wallet for each number of lamports. */
async function newUser(...lamports: bigint[]): Promise<{ userID: string; wallets: Address[] }> {
  const userID = randomUUID();
  const made = await Promise.all(lamports.map((each) => chain.newWallet(each)));
  const wallets = made.map(({ address }) => address);
  await putItems(
    db.table,
    wallets.map((address) => ({
      ...walletKey(userID, "sol", address),
      UserID: userID,
      network: "sol",
      generatedWalletAddress: address,
    })),
  );
  return { userID, wallets };
}

describe("quoteOrder on sol", () => {
  async function quote(userID: string, changes: Partial<QuoteRequest> = {}) {
    const token = chain.deployment.tokens.MOON.mint;
    const body: QuoteRequest = { chain: "sol", side: "buy", token, amount: "1", ...changes };
    const chains = await solChainsOf(chain, [hosts[0]]);
    return (
      await quoteOrder(
        { table: db.table, chains, lossSignIn: false, reportMissed: () => undefined },
        { userID, now, signedInAt: undefined, body },
      )
    ).quote;
  }

  it("applies the user's settings, unless the request overrides them", async () => {
    const { userID } = await newUser();
    expect(await quote(userID)).toMatchObject({ slippage: 1, networkFee: { max: "0.001035" } });
    await putItems(db.table, [{ ...settingsKey(userID, "sol"), slippage: 2.5, priorityFee: 0.002 }]);
    expect(await quote(userID)).toMatchObject({ slippage: 2.5, networkFee: { max: "0.002035" } });
    expect(await quote(userID, { slippage: 3, priorityFee: 0 })).toMatchObject({
      slippage: 3,
      networkFee: { expected: "0.000005", max: "0.000035", priority: "0" },
    });
  });

  it("quotes only for the user's own wallets, or if the request names no wallet", async () => {
    const { userID, wallets } = await newUser(10n ** 10n);
    expect((await quote(userID, { wallet: `${wallets[0]}` })).balances).toHaveLength(1);
    expect(await quote(userID)).not.toHaveProperty("balances");
    const { address } = await chain.newWallet();
    await expect(quote(userID, { wallet: address })).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
  });

  it("reports that an operator has stopped trading", async () => {
    const { userID } = await newUser();
    await putItems(db.table, [tradingStopKey("sol")]);
    expect((await quote(userID)).wouldBeRefused?.code).toBe("TRADING_DISABLED");
    const { TableName, Key } = { TableName: db.table.name, Key: tradingStopKey("sol") };
    await db.table.client.send(new DeleteCommand({ TableName, Key }));
  });
});

const addressesOf: BalanceDeps["addressesOf"] = (...asked) => addressesOfUser(db.table, ...asked);

type Asked = { wallet?: string; token?: string };

async function balancesOf(userID: string, asked: Asked = {}, tokens?: Parameters<typeof solChainsOf>[2]) {
  const chains = await solChainsOf(chain, [hosts[0]], tokens);
  return readBalances(
    { table: db.table, chains, addressesOf, reportMissed: () => undefined },
    { userID, now, asked: { chain: "sol", ...asked } },
  );
}

describe("readBalances on sol", () => {
  it("shows the coin and all listed tokens of each wallet, including zero balances", async () => {
    const { MOON } = chain.deployment.tokens;
    const { userID, wallets } = await newUser(10n ** 10n, 5n);
    const [rich] = wallets as [Address, Address];
    await holdTokens(chain, rich, MOON, 2n ** 64n - 1n);
    await holdTokens(chain, rich, { mint: wsolMint, program: programs.token }, 3n);
    const { balances, block, ...rest } = await balancesOf(userID);
    expect(rest).toEqual({ chain: "sol", asOf: now.toISOString() });
    expect(block).toBeGreaterThan(0);
    const amountsOf = (wallet?: string) =>
      balances.filter((each) => each.wallet === wallet).map(({ symbol, amount }) => [symbol, amount]);
    expect(amountsOf(rich)).toEqual([
      ["SOL", "10"],
      ["MOON", "18446744073709.551615"],
      ["WSOL", "0.000000003"],
    ]);
    expect(amountsOf(wallets[1])).toEqual([
      ["SOL", "0.000000005"],
      ["MOON", "0"],
      ["WSOL", "0"],
    ]);
  });

  it.each([
    [0n, "0", "0"],
    [650_240n, "0.00065024", "0"],
    [655_242n, "0.000655242", "0.000005002"],
    [2_039_280n, "0.00203928", "0.00138904"],
    [2_044_282n, "0.002044282", "0.001394042"],
  ])(
    "subtracts the rent of an empty account from a balance of %d lamports",
    async (lamports, amount, available) => {
      const { userID } = await newUser(lamports);
      const [coin] = (await balancesOf(userID)).balances;
      expect(coin).toMatchObject({ token: "native", decimals: 9, amount, reserved: "0", available });
    },
  );

  it("includes tokens of open positions, and one requested token", async () => {
    const { FEEZ, TRAP } = chain.deployment.tokens;
    const { userID, wallets } = await newUser(0n);
    const [wallet] = wallets as [Address];
    await holdTokens(chain, wallet, FEEZ, 7n);
    const held = position({ chain: "sol", wallet, positionId: "p1", token: FEEZ.mint });
    await saveExecution(db.table, { userID, kind: "position", execution: held, now });
    const symbolsOf = async (asked: Asked) =>
      (await balancesOf(userID, asked)).balances.map(({ symbol, amount }) => `${amount} ${symbol}`);
    expect(await symbolsOf({})).toEqual(["0 SOL", "0 MOON", "0 WSOL", "0.000007 FEEZ"]);
    expect(await symbolsOf({ wallet, token: TRAP.mint })).toContain("0 TRAP");
    expect(await symbolsOf({ token: "native" })).toHaveLength(4);
  });

  it("reads more tokens than fit into one call", async () => {
    const { userID, wallets } = await newUser(1n);
    const mints = await Promise.all(Array.from({ length: 120 }, () => addMint(chain, 0)));
    const last = mints.at(-1) as Address;
    await holdTokens(chain, wallets[0] as Address, { mint: last, program: programs.token }, 9n);
    const tokens = mints.map((token, index) => ({ token, symbol: `T${index}`, name: "T", decimals: 0 }));
    const { balances } = await balancesOf(userID, {}, { tokens });
    expect(balances).toHaveLength(122);
    expect(balances.find(({ token }) => token === last)?.amount).toBe("9");
  });

  it("leaves out listed tokens that do not exist", async () => {
    const { userID } = await newUser(1n);
    const tokens = [{ token: bs58.encode(Buffer.alloc(32, 9)), symbol: "GONE", name: "Gone", decimals: 6 }];
    expect((await balancesOf(userID, {}, { tokens })).balances.map(({ symbol }) => symbol)).toEqual([
      "SOL",
      "WSOL",
    ]);
  });

  it("rejects addresses that are not a token or a wallet", async () => {
    const { userID } = await newUser(1n);
    const { address } = await chain.newWallet();
    for (const token of [address, chain.deployment.tokens.MOON.pool, await addMint(chain, 37)])
      await expect(balancesOf(userID, { token })).rejects.toMatchObject({ code: "TOKEN_NOT_FOUND" });
    await expect(balancesOf(userID, { wallet: address })).rejects.toMatchObject({ code: "WALLET_NOT_FOUND" });
    for (const field of ["wallet", "token"] as const)
      await expect(balancesOf(userID, { [field]: `0x${"1".repeat(40)}` })).rejects.toMatchObject({
        code: "INVALID_REQUEST",
        details: { field },
      });
  });

  it("returns no balances for a user without wallets", async () => {
    const { balances } = await balancesOf(randomUUID());
    expect(balances).toEqual([]);
  });
});
