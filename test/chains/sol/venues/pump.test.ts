import * as curveSdk from "@pump-fun/pump-sdk";
import * as poolSdk from "@pump-fun/pump-swap-sdk";
import { AccountRole, type Address, address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { programs, tokenAccountOf, wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import {
  bondingCurveOf,
  pumpCreatorVaultOf,
  pumpPoolCreatorOf,
  pumpPoolOf,
} from "../../../../lib/chains/sol/calls/pump-addresses.ts";
import { pumpTableOf } from "../../../../lib/chains/sol/calls/pump-table.ts";
import type { SolInstruction } from "../../../../lib/chains/sol/venues/instructions.ts";
import type { PumpVenue } from "../../../../lib/chains/sol/venues/message-terms.ts";
import { objectionToPump, pumpNames, pumpSwap } from "../../../../lib/chains/sol/venues/pump.ts";
import {
  pumpKey,
  pumpPoolAccount,
  pumpPoolConfigAccount,
  pumpRecipients,
  sdkAccount,
} from "../../../support/pump-accounts.ts";
import { librariesOf, type SdkInstruction } from "../../../support/pump-on-chain.ts";
import { buyTerms, onCurve, onPumpSwap, solKey } from "../../../support/sol-terms.ts";

const curveLibrary = librariesOf("@pump-fun/pump-sdk");
const poolLibrary = librariesOf("@pump-fun/pump-swap-sdk");

const user = solKey("wallet").address;
const mint = solKey("mint").address;
const creator = solKey("creator").address;
const table = solKey("pump table").address;
const [usual = "", mayhem = "", buyback = ""] = [
  pumpRecipients.usual[0],
  pumpRecipients.mayhem[0],
  pumpRecipients.buyback[0],
];
const recipients = { usual: address(usual), mayhem: address(mayhem), buyback: address(buyback) };
const [amountIn, minAmountOut] = [1_000_000_007n, 290_000_009n];

/** Lists the accounts of an instruction, with those of the table in place of its indexes. */
async function shown({ accounts }: SolInstruction) {
  const held = await pumpTableOf(recipients);
  return accounts.map((account) => {
    const own = "addressIndex" in account ? held[account.addressIndex] : account.address;
    const isSigner = account.role === AccountRole.WRITABLE_SIGNER;
    return `${isSigner ? "S" : ""}${account.role === AccountRole.READONLY ? "" : "W"} ${own}`;
  });
}

const shownBySdk = ({ keys }: SdkInstruction) =>
  keys.map(({ pubkey, isSigner, isWritable }) => `${isSigner ? "S" : ""}${isWritable ? "W" : ""} ${pubkey}`);

const terms = (side: "buy" | "sell", tokenProgram: Address) => ({
  wallet: user,
  side,
  mint,
  tokenProgram,
  amountIn,
  minAmountOut,
});

async function ownOf(side: "buy" | "sell", tokenProgram: Address) {
  const wsol = { account: await tokenAccountOf(user, wsolMint, programs.token), mint: wsolMint };
  const coin = { ...wsol, tokenProgram: programs.token };
  const token = { account: await tokenAccountOf(user, mint, tokenProgram), mint, tokenProgram };
  return side === "buy" ? { source: coin, destination: token } : { source: token, destination: coin };
}

async function curveVenue(changes: Partial<PumpVenue> = {}): Promise<Extract<PumpVenue, { kind: "pump" }>> {
  const pool = await bondingCurveOf(mint);
  const vault = await pumpCreatorVaultOf("curve", creator);
  return { kind: "pump", pool, table, vault, isMayhem: false, ...(changes as object) };
}

/** Reads the data of an instruction: its name and its amounts. */
function dataIn({ data }: SolInstruction) {
  const bytes = Buffer.from(data);
  const name = bytes.toString("hex", 0, 8);
  return { name, amounts: [bytes.readBigUInt64LE(8), bytes.readBigUInt64LE(16)], rest: bytes.length - 24 };
}

const nameIn = (instructions: readonly { name: string; discriminator: number[] }[], wanted: string) =>
  Buffer.from(instructions.find(({ name }) => name === wanted)?.discriminator ?? []).toString("hex");

describe("pumpSwap on a curve", () => {
  const { keyOf, numberOf } = curveLibrary;

  it("has the names of the program's description", () => {
    const { instructions } = curveSdk.pumpIdl;
    expect(pumpNames.curve).toEqual({
      buy: nameIn(instructions, "buy_exact_quote_in_v2"),
      buyRest: nameIn(instructions, "buy_v2"),
      sell: nameIn(instructions, "sell_v2"),
    });
  });

  it.each([
    ["buy", programs.token2022, false],
    ["sell", programs.token2022, true],
    ["buy", programs.token, true],
    ["sell", programs.token, false],
  ] as const)("names the accounts of the SDK for a %s", async (side, tokenProgram, isMayhem) => {
    const asked = {
      user: keyOf(user),
      mint: keyOf(mint),
      creator: keyOf(creator),
      amount: numberOf(5n),
      quoteAmount: numberOf(6n),
      feeRecipient: keyOf(isMayhem ? mayhem : usual),
      buybackFeeRecipient: keyOf(buyback),
      tokenProgram: keyOf(tokenProgram),
    };
    const theirs =
      side === "buy"
        ? await curveSdk.PUMP_SDK.getBuyV2InstructionRaw(asked)
        : await curveSdk.PUMP_SDK.getSellV2InstructionRaw(asked);
    const venue = { ...(await curveVenue()), isMayhem };
    const own = await ownOf(side, tokenProgram);
    const swap = await pumpSwap(terms(side, tokenProgram), venue, own);
    expect(await shown(swap)).toEqual(shownBySdk(theirs));
    expect(swap.programAddress).toBe(String(theirs.programId));
  });

  it("states what is paid and the minimum, or all tokens that are left and the most that is paid", async () => {
    const own = await ownOf("buy", programs.token2022);
    const buying = terms("buy", programs.token2022);
    expect(dataIn(await pumpSwap(buying, await curveVenue(), own))).toEqual({
      name: pumpNames.curve.buy,
      amounts: [amountIn, minAmountOut],
      rest: 0,
    });
    const all = { ...(await curveVenue()), rest: 300_000_000n };
    expect(dataIn(await pumpSwap(buying, all, own))).toEqual({
      name: pumpNames.curve.buyRest,
      amounts: [300_000_000n, amountIn],
      rest: 0,
    });
    const selling = terms("sell", programs.token2022);
    expect(
      dataIn(await pumpSwap(selling, await curveVenue(), await ownOf("sell", programs.token2022))),
    ).toEqual({ name: pumpNames.curve.sell, amounts: [amountIn, minAmountOut], rest: 0 });
  });
});

describe("pumpSwap on PumpSwap", () => {
  const { keyOf, numberOf } = poolLibrary;

  it("has the names of the program's description", () => {
    const { instructions } = poolSdk.pumpAmmJson;
    expect(pumpNames.pool).toEqual({
      buy: nameIn(instructions, "buy_exact_quote_in"),
      sell: nameIn(instructions, "sell"),
    });
    const accountsOf = (wanted: string) => instructions.find(({ name }) => name === wanted)?.accounts;
    // The SDK only buys exact amounts of tokens, with the same accounts.
    expect(JSON.stringify(accountsOf("buy_exact_quote_in"))).toBe(JSON.stringify(accountsOf("buy")));
  });

  it.each([
    ["buy", programs.token2022, { hasCreator: true, hasCashback: false, isMayhem: false }],
    ["buy", programs.token, { hasCreator: false, hasCashback: true, isMayhem: true }],
    ["buy", programs.token2022, { hasCreator: true, hasCashback: true, isMayhem: false }],
    ["sell", programs.token2022, { hasCreator: true, hasCashback: false, isMayhem: true }],
    ["sell", programs.token, { hasCreator: false, hasCashback: true, isMayhem: false }],
    ["sell", programs.token2022, { hasCreator: false, hasCashback: false, isMayhem: false }],
  ] as const)("names the accounts of the SDK for a %s by %s with %j", async (side, tokenProgram, state) => {
    const pool = await pumpPoolOf(mint);
    const vaults = {
      base: await tokenAccountOf(pool, mint, tokenProgram),
      quote: await tokenAccountOf(pool, wsolMint, programs.token),
    };
    const coinCreator = state.hasCreator ? creator : pumpKey(0);
    const owner = keyOf(pumpKey(9));
    const account = pumpPoolAccount({
      creator: await pumpPoolCreatorOf(mint),
      base: mint,
      quote: wsolMint,
      vaults,
      coinCreator,
      isMayhem: state.isMayhem,
      hasCashback: state.hasCashback,
    });
    const decoded = poolSdk.PUMP_AMM_SDK.decodeGlobalConfig(sdkAccount(pumpPoolConfigAccount(), owner));
    const config = {
      ...decoded,
      protocolFeeRecipients: [keyOf(usual)],
      reservedFeeRecipient: keyOf(mayhem),
      reservedFeeRecipients: [],
      buybackFeeRecipients: [keyOf(buyback)],
    };
    const own = await ownOf(side, tokenProgram);
    const [token, coin] = side === "buy" ? [own.destination, own.source] : [own.source, own.destination];
    const existing = sdkAccount(new Uint8Array(), keyOf(tokenProgram));
    const swapState = {
      globalConfig: config,
      feeConfig: null,
      poolKey: keyOf(pool),
      poolAccountInfo: sdkAccount(account, owner),
      pool: poolSdk.PUMP_AMM_SDK.decodePool(sdkAccount(account, owner)),
      poolBaseAmount: numberOf(1n),
      poolQuoteAmount: numberOf(1n),
      baseTokenProgram: keyOf(tokenProgram),
      quoteTokenProgram: keyOf(programs.token),
      baseMint: keyOf(mint),
      baseMintAccount: {
        supply: 1n,
        decimals: 6,
        isInitialized: true,
        mintAuthorityOption: 0 as const,
        mintAuthority: owner,
        freezeAuthorityOption: 0 as const,
        freezeAuthority: owner,
      },
      user: keyOf(user),
      userBaseTokenAccount: keyOf(token.account),
      userQuoteTokenAccount: keyOf(coin.account),
      userBaseAccountInfo: existing,
      userQuoteAccountInfo: existing,
    };
    const [amount, limit] = [numberOf(5n), numberOf(6n)];
    const theirs =
      side === "buy"
        ? await poolSdk.PUMP_AMM_SDK.buyInstructions(swapState, amount, limit)
        : await poolSdk.PUMP_AMM_SDK.sellInstructions(swapState, amount, limit);
    const trade = theirs.find(
      ({ programId, data }) => programId.equals(poolSdk.PUMP_AMM_PROGRAM_ID) && data.length > 8,
    );
    const vault = await pumpCreatorVaultOf("pool", address(coinCreator));
    const venue: PumpVenue = { kind: "pumpswap", pool, table, vault, ...state };
    const swap = await pumpSwap(terms(side, tokenProgram), venue, own);
    expect(await shown(swap)).toEqual(trade && shownBySdk(trade));
    expect(dataIn(swap)).toEqual({
      name: pumpNames.pool[side],
      amounts: [amountIn, minAmountOut],
      rest: side === "buy" ? 1 : 0,
    });
  });
});

describe("objectionToPump", () => {
  const attempt = buyTerms;
  const own = {
    marker: solKey("marker").address,
    source: { account: solKey("source").address, mint: wsolMint, tokenProgram: programs.token },
    destination: { account: solKey("destination").address, mint, tokenProgram: programs.token },
  };

  it("allows the token's own curve and pool", async () => {
    for (const { venue } of [await onCurve(attempt), await onPumpSwap(attempt)])
      expect(await objectionToPump(attempt, venue, own)).toBeUndefined();
  });

  it.each([
    ["another curve", { pool: solKey("thief").address }, "not the token's own"],
    ["the wallet as vault", { vault: attempt.wallet }, "account of the wallet"],
    ["the wallet's tokens as vault", { vault: own.destination.account }, "account of the wallet"],
    ["the wallet's coins as vault", { vault: own.source.account }, "account of the wallet"],
    ["the marker as vault", { vault: own.marker }, "account of the wallet"],
    ["a rest below the minimum", { rest: attempt.minAmountOut - 1n }, "below the minimum"],
  ])("refuses %s", async (_, changes, reason) => {
    const { venue } = await onCurve(attempt, changes);
    expect(await objectionToPump(attempt, venue, own)).toEqual({ refused: expect.stringContaining(reason) });
  });

  it("refuses another pool of PumpSwap, and to sell the rest of a curve", async () => {
    const pool = await onPumpSwap(attempt, { pool: await bondingCurveOf(mint) });
    expect(await objectionToPump(attempt, pool.venue, own)).toMatchObject({ refused: expect.any(String) });
    const sale = { ...attempt, side: "sell" } as const;
    const { venue } = await onCurve(sale, { rest: 10n ** 12n });
    expect(await objectionToPump(sale, venue, own)).toMatchObject({ refused: expect.any(String) });
  });
});
