import { anchorErrors, type Value, type Variable } from "./program-values.ts";
import { ProgramWriter } from "./program-writer.ts";
import { programs } from "./published.ts";
import { feeConfig, pool, poolGlobal, userVolume } from "./pump-layouts.ts";
import {
  amountAt,
  createAssociated,
  createUserVolume,
  demandAssociated,
  demandFixed,
  demandTokens,
  moveTokens,
  noKey,
  readTier,
  wholeBps,
} from "./pump-parts.ts";

/** Error codes with which PumpSwap's program refuses trades. */
export const pumpPoolErrors = {
  noBase: 6001,
  noQuote: 6002,
  slippage: 6004,
  otherRecipient: 6013,
  tooManyTokens: 6016,
  buyDisabled: 6020,
  sellDisabled: 6021,
  overflow: 6023,
  fewerTokens: 6040,
  otherBuyback: 6053,
  noBuyback: 6058,
  noCashback: 6059,
  otherAccumulator: 6060,
  otherAccumulatorTokens: 6061,
  otherPoolV2: 6062,
  poorVault: 6063,
} as const;

const commonAccounts = [
  ...["pool w", "user ws", "global", "baseMint", "quoteMint", "userBase w", "userQuote w"],
  ...["poolBase w", "poolQuote w", "feeRecipient", "feeTokens w", "baseProgram", "quoteProgram"],
  ...[
    "systemProgram",
    "associatedTokenProgram",
    "eventAuthority",
    "program",
    "creatorTokens w",
    "creatorVault",
  ],
];
const lastAccounts = ["feeConfig", "feeProgram"];
const buyAccounts = [...commonAccounts, "globalVolume", "userVolume w", ...lastAccounts];
const sellAccounts = [...commonAccounts, ...lastAccounts];

/** Names of the instructions that buy a number of tokens, and that buy for a number of coins. */
const buyTokens = "66063d1201daebea";
const spendCoins = "c62e1552b4d9e870";

/** Bits of the settings that switch off buying and selling. */
const disables = { buy: 8, sell: 16 } as const;

const names = [
  ...(["volumeBump", "rent", "cap", "lp", "protocol", "creator", "reserve", "bps", "base"] as const),
  ...(["quote", "lpFee", "fee", "creatorFee", "buyback", "total", "left", "other", "poolBump"] as const),
] as const;
type Kept = Record<(typeof names)[number], Variable>;

const inPool = (part: keyof typeof pool.at, size: 1 | 8 = 8) => ({ of: "pool", at: pool.at[part], size });
const keyInPool = (part: keyof typeof pool.at) => ({ of: "pool", at: pool.at[part] });
const baseReserve = { of: "poolBase", at: amountAt };
const quoteReserve = { of: "poolQuote", at: amountAt };

/** Writes one body for pools with cashback, and one for others. */
const byCashback = (writer: ProgramWriter, then: () => void, otherwise?: () => void): void =>
  writer.when(inPool("isCashback", 1), "unequal", 0, then, otherwise);

/**
 * Builds a program with the interface of PumpSwap, because no package contains the original. It records no volumes and
 * emits no events.
 */
export function standInPumpPool(): Buffer {
  const writer = new ProgramWriter();
  const kept = Object.fromEntries(names.map((name) => [name, writer.variable()])) as Kept;
  const { base, quote, total, bps, reserve, left, other } = kept;

  writer.instructions([buyTokens, spendCoins], buyAccounts, 25, () => {
    demandAccounts(writer, kept, "buy");
    writer.whenNamed(buyTokens, takeTokens, takeCoins);
    buy(writer, kept);
  });

  function takeTokens(): void {
    writer.set(base, { argument: 8 });
    writer.demand(base, "above", 0, pumpPoolErrors.noBase);
    writer.demand(base, "below", baseReserve, pumpPoolErrors.tooManyTokens);
    writer.set(left, baseReserve);
    writer.subtract(left, base);
    writer.setRatio(quote, reserve, base, left, "up");
    setFees(writer, kept);
    writer.demand(total, "atMost", { argument: 16 }, pumpPoolErrors.slippage);
  }

  function takeCoins(): void {
    writer.demand({ argument: 8 }, "above", 0, pumpPoolErrors.noQuote);
    writer.set(bps, wholeBps);
    for (const each of [kept.lp, kept.protocol, kept.creator]) writer.add(bps, each);
    writer.setRatio(quote, { argument: 8 }, wholeBps, bps);
    setFees(writer, kept);
    writer.when(total, "above", { argument: 8 }, () => {
      writer.subtract(quote, total);
      writer.add(quote, { argument: 8 });
    });
    writer.demand(quote, "above", 1, pumpPoolErrors.noQuote);
    writer.set(left, quote);
    writer.subtract(left, 1);
    writer.set(other, reserve);
    writer.add(other, left);
    writer.setRatio(base, baseReserve, left, other);
    writer.demand(base, "atLeast", { argument: 16 }, pumpPoolErrors.fewerTokens);
    writer.demand(base, "above", 0, pumpPoolErrors.noBase);
  }

  writer.instructions(["33e685a4017f83ad"], sellAccounts, 24, () => {
    demandAccounts(writer, kept, "sell");
    writer.set(base, { argument: 8 });
    writer.demand(base, "above", 0, pumpPoolErrors.noBase);
    writer.demand({ of: "userBase", at: amountAt }, "atLeast", base, pumpPoolErrors.overflow);
    writer.set(other, baseReserve);
    writer.add(other, base);
    writer.setRatio(quote, reserve, base, other);
    setFees(writer, kept);
    sell(writer, kept);
  });

  return writer.link();
}

type Side = "buy" | "sell";

/** Checks all accounts, creates those that are missing, and reads the rates of fees. */
function demandAccounts(writer: ProgramWriter, kept: Kept, side: Side): void {
  const own = { key: "program" };
  demandFixed(writer, side === "buy");
  writer.demandKind("pool", own, pool.name);
  writer.demandSeeds("global", own, ["global_config"]);
  writer.demandKind("global", own, poolGlobal.name);
  for (const [account, part] of [
    ["baseMint", "baseMint"],
    ["quoteMint", "quoteMint"],
    ["poolBase", "baseVault"],
    ["poolQuote", "quoteVault"],
  ] as const)
    writer.demandKey({ key: account }, keyInPool(part), anchorErrors.otherRelation);
  for (const side of ["base", "quote"] as const) {
    const program = { key: `${side}Program` };
    writer.demandOneOf(program, [programs.token, programs.token2022], anchorErrors.otherProgram);
    writer.demandKey({ ownerOf: `${side}Mint` }, program, anchorErrors.otherOwner);
  }
  for (const [account, owner, part] of [
    ["userBase", "user", "base"],
    ["userQuote", "user", "quote"],
    ["poolBase", "pool", "base"],
    ["poolQuote", "pool", "quote"],
  ] as const) {
    demandTokens(writer, account, `${part}Program`, `${part}Mint`);
    writer.demandKey({ of: account, at: 32 }, { key: owner }, anchorErrors.otherTokenOwner);
  }
  const flags = { of: "global", at: poolGlobal.at.disabled, size: 1 } as const;
  const error = side === "buy" ? pumpPoolErrors.buyDisabled : pumpPoolErrors.sellDisabled;
  writer.demandClearBit(flags, disables[side], error);
  demandRecipient(writer);
  const seeds = ["creator_vault", { of: "pool", at: pool.at.coinCreator, length: 32 }];
  writer.demandSeeds("creatorVault", own, seeds);
  for (const [account, owner] of [
    ["feeTokens", "feeRecipient"],
    ["creatorTokens", "creatorVault"],
  ] as const)
    ownAssociated(writer, account, owner);
  if (side === "buy") createUserVolume(writer, kept.volumeBump, kept.rent);
  byCashback(writer, () => demandCashback(writer, side));
  demandBuyback(writer);
  readRates(writer, kept);
}

/** Fails unless an account is an owner's usual one for the quote mint. Creates it if it is missing. */
function ownAssociated(writer: ProgramWriter, account: string, owner: string, error?: number): void {
  const parts = [owner, "quoteProgram", "quoteMint"] as const;
  demandAssociated(writer, account, parts, error);
  createAssociated(writer, account, parts);
}

function demandRecipient(writer: ProgramWriter): void {
  const { at } = poolGlobal;
  const listed = (first: number, count: number) =>
    Array.from({ length: count }, (_, index) => ({ of: "global", at: first + 32 * index }));
  const reserved = [{ of: "global", at: at.reservedRecipient }, ...listed(at.reservedRecipients, 7)];
  const among = (keys: ReturnType<typeof listed>) => () =>
    writer.demandOneOf({ key: "feeRecipient" }, keys, pumpPoolErrors.otherRecipient);
  writer.when(inPool("isMayhem", 1), "equal", 0, among(listed(at.feeRecipients, 8)), among(reserved));
}

function demandCashback(writer: ProgramWriter, side: Side): void {
  writer.nameNext("cashbackTokens", pumpPoolErrors.noCashback);
  if (side === "sell") writer.nameNext("userVolume", pumpPoolErrors.noCashback);
  const seeds = ["user_volume_accumulator", { key: "user" }];
  writer.demandSeeds("userVolume", { key: "program" }, seeds, undefined, pumpPoolErrors.otherAccumulator);
  writer.demand({ sizeOf: "userVolume" }, "atLeast", userVolume.size, pumpPoolErrors.otherAccumulator);
  ownAssociated(writer, "cashbackTokens", "userVolume", pumpPoolErrors.otherAccumulatorTokens);
}

function demandBuyback(writer: ProgramWriter): void {
  const seeds = ["pool-v2", { key: "baseMint" }];
  const hasCreator = () => {
    writer.nameNext("poolV2", pumpPoolErrors.otherPoolV2);
    writer.demandSeeds("poolV2", { key: "program" }, seeds, undefined, pumpPoolErrors.otherPoolV2);
  };
  writer.whenKey(keyInPool("coinCreator"), noKey, () => {}, hasCreator);
  writer.nameNext("buyback", pumpPoolErrors.noBuyback);
  writer.nameNext("buybackTokens", pumpPoolErrors.noBuyback);
  const keys = Array.from({ length: 8 }, (_, index) => ({
    of: "global",
    at: poolGlobal.at.buybackRecipients + 32 * index,
  }));
  writer.demandOneOf({ key: "buyback" }, keys, pumpPoolErrors.otherBuyback);
  demandAssociated(writer, "buybackTokens", ["buyback", "quoteProgram", "quoteMint"]);
}

/** Reads the reserve of quotes, which includes virtual ones, and the rates of the pool. */
function readRates(writer: ProgramWriter, kept: Kept): void {
  const { cap, reserve, lp, protocol, creator } = kept;
  writer.set(reserve, quoteReserve);
  // The upper half of virtual quotes only extends the sign.
  writer.add(reserve, inPool("virtualQuotes"));
  writer.demand(baseReserve, "above", 0, pumpPoolErrors.overflow);
  writer.demand(reserve, "above", 0, pumpPoolErrors.overflow);
  const seeds = ["pool-authority", { key: "baseMint" }];
  writer.whenSeeds(keyInPool("creator"), programs.pump, seeds, [
    () => {
      writer.setRatio(cap, reserve, { of: "baseMint", at: 36 }, baseReserve);
      readTier(writer, "feeConfig", cap, { lp, protocol, creator });
    },
    () => {
      for (const [index, each] of [lp, protocol, creator].entries())
        writer.set(each, { of: "feeConfig", at: feeConfig.at.flatFees + 8 * index });
    },
  ]);
  writer.when({ of: "global", at: poolGlobal.at.hasCreatorRates, size: 1 }, "unequal", 0, () =>
    writer.when(inPool("creatorFeeBps"), "unequal", 0, () => writer.set(creator, inPool("creatorFeeBps"))),
  );
  writer.whenKey(keyInPool("coinCreator"), noKey, () => writer.set(creator, 0));
}

/** Computes the fees of an amount of quotes, their sum with it, and the part for buybacks. */
function setFees(writer: ProgramWriter, kept: Kept): void {
  const { quote, lp, protocol, creator, lpFee, fee, creatorFee, buyback, total } = kept;
  writer.set(total, quote);
  for (const [to, rate] of [
    [lpFee, lp],
    [fee, protocol],
    [creatorFee, creator],
  ] as const) {
    writer.setRatio(to, quote, rate, wholeBps, "up");
    writer.add(total, to);
  }
  writer.setRatio(buyback, fee, { of: "global", at: poolGlobal.at.buybackBps }, wholeBps);
  writer.subtract(fee, buyback);
}

/** Pays the fees of a trade from an account of quotes. */
function payFees(
  writer: ProgramWriter,
  { fee, buyback, creatorFee }: Kept,
  pay: (to: string, amount: Value) => void,
): void {
  pay("feeTokens", fee);
  pay("buybackTokens", buyback);
  byCashback(
    writer,
    () => {
      pay("cashbackTokens", creatorFee);
      writer.add({ of: "userVolume", at: userVolume.at.cashbackEarned }, creatorFee);
    },
    () => pay("creatorTokens", creatorFee),
  );
}

const quotes = { program: "quoteProgram", mint: "quoteMint" } as const;
const tokens = { program: "baseProgram", mint: "baseMint" } as const;

/** Seeds of the pool's address, by which the program signs for it. */
const poolSeeds = (bump: Variable) => [
  "pool",
  { of: "pool", at: pool.at.index, length: 2 },
  { of: "pool", at: pool.at.creator, length: 32 },
  { key: "baseMint" },
  { key: "quoteMint" },
  { bump },
];

function buy(writer: ProgramWriter, kept: Kept): void {
  const { base, quote, lpFee, left, poolBump } = kept;
  const pay = (to: string, amount: Value) =>
    moveTokens(writer, { ...quotes, from: "userQuote", to, owner: "user", amount });
  writer.set(left, quote);
  writer.add(left, lpFee);
  pay("poolQuote", left);
  payFees(writer, kept, pay);
  writer.set(poolBump, inPool("bump", 1));
  const signer = poolSeeds(poolBump);
  moveTokens(writer, { ...tokens, from: "poolBase", to: "userBase", owner: "pool", amount: base, signer });
}

function sell(writer: ProgramWriter, kept: Kept): void {
  const { base, quote, lpFee, fee, buyback, creatorFee, left, other, poolBump } = kept;
  writer.set(left, quote);
  for (const each of [lpFee, fee, buyback, creatorFee]) {
    writer.demand(left, "atLeast", each, pumpPoolErrors.overflow);
    writer.subtract(left, each);
  }
  writer.demand(left, "atLeast", { argument: 16 }, pumpPoolErrors.slippage);
  writer.set(other, quote);
  writer.subtract(other, lpFee);
  writer.demand(quoteReserve, "atLeast", other, pumpPoolErrors.poorVault);
  moveTokens(writer, { ...tokens, from: "userBase", to: "poolBase", owner: "user", amount: base });
  writer.set(poolBump, inPool("bump", 1));
  const signer = poolSeeds(poolBump);
  const pay = (to: string, amount: Value) =>
    moveTokens(writer, { ...quotes, from: "poolQuote", to, owner: "pool", amount, signer });
  pay("userQuote", left);
  payFees(writer, kept, pay);
}
