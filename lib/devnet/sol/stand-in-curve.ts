import type { Variable } from "./program-values.ts";
import { ProgramWriter } from "./program-writer.ts";
import { programs, wrappedCoin } from "./published.ts";
import { curve, curveGlobal, userVolume } from "./pump-layouts.ts";
import {
  amountAt,
  createUserVolume,
  demandAssociated,
  demandFixed,
  demandTokens,
  moveTokens,
  noKey,
  payCoins,
  readTier,
  setRent,
  wholeBps,
} from "./pump-parts.ts";

/** Error codes with which Pump's program refuses trades. */
export const curveErrors = {
  notAuthorized: 6000,
  tooDear: 6002,
  tooLittle: 6003,
  isComplete: 6005,
  buysNothing: 6020,
  tooFewTokens: 6021,
  sellsNothing: 6022,
  tooFewToSell: 6023,
  overflow: 6024,
  fewerTokens: 6042,
  otherBuyback: 6057,
  otherQuote: 6063,
} as const;

const commonAccounts = [
  ...["global", "baseMint", "quoteMint", "baseProgram", "quoteProgram", "associatedTokenProgram"],
  ...["feeRecipient w", "feeTokens w", "buyback w", "buybackTokens w"],
  ...["curve w", "curveTokens w", "curveQuotes w", "user ws", "userTokens w", "userQuotes w"],
  ...["creatorVault w", "creatorTokens w", "sharingConfig"],
];
const volumeAccounts = ["userVolume w", "volumeTokens w"];
const lastAccounts = ["feeConfig", "feeProgram", "systemProgram", "eventAuthority", "program"];
const buyAccounts = [...commonAccounts, "globalVolume", ...volumeAccounts, ...lastAccounts];
const sellAccounts = [...commonAccounts, ...volumeAccounts, ...lastAccounts];

/** Names of the instructions that buy a number of tokens, and that buy for a number of coins. */
const buyTokens = "b817ee6167c5d33d";
const spendCoins = "c2ab1c46684d5b2f";

/** Supply by which the program values each coin that is not in mayhem mode. */
const usualSupply = 10n ** 15n;

const names = [
  ...(["curveBump", "volumeBump", "rent", "cap", "supply", "lp", "protocol", "creator", "rate"] as const),
  ...(["tokens", "cost", "fee", "creatorFee", "buyback", "total", "left", "topUp"] as const),
] as const;
type Kept = Record<(typeof names)[number], Variable>;

/**
 * Builds a program with the interface of Pump's bonding curve for coins that are paid in SOL, because no package
 * contains the original. It records no volumes and emits no events.
 */
export function standInCurve(): Buffer {
  const writer = new ProgramWriter();
  const kept = Object.fromEntries(names.map((name) => [name, writer.variable()])) as Kept;
  const { tokens, cost, total, left, rate } = kept;
  const virtualTokens = { of: "curve", at: curve.at.virtualTokens };
  const virtualCoins = { of: "curve", at: curve.at.virtualCoins };
  const realTokens = { of: "curve", at: curve.at.realTokens };

  writer.instructions([buyTokens, spendCoins], buyAccounts, 24, () => {
    demandAccounts(writer, kept, true);
    writer.whenNamed(buyTokens, takeTokens, takeCoins);
    buy(writer, kept);
  });

  function takeTokens(): void {
    writer.set(tokens, { argument: 8 });
    writer.demand(tokens, "above", 0, curveErrors.buysNothing);
    writer.demand(tokens, "atMost", realTokens, curveErrors.tooFewTokens);
    costOfTokens();
    writer.demand(total, "atMost", { argument: 16 }, curveErrors.tooDear);
  }

  function takeCoins(): void {
    writer.demand({ argument: 8 }, "above", 0, curveErrors.buysNothing);
    writer.set(rate, kept.protocol);
    writer.add(rate, kept.creator);
    writer.add(rate, wholeBps);
    writer.setRatio(cost, { argument: 8 }, wholeBps, rate);
    setFees(writer, kept);
    writer.when(total, "above", { argument: 8 }, () => {
      writer.subtract(cost, total);
      writer.add(cost, { argument: 8 });
    });
    writer.demand(cost, "above", 1, curveErrors.buysNothing);
    writer.set(left, cost);
    writer.subtract(left, 1);
    writer.set(rate, left);
    writer.add(rate, virtualCoins);
    writer.setRatio(tokens, left, virtualTokens, rate);
    writer.when(tokens, "above", realTokens, () => {
      writer.set(tokens, realTokens);
      costOfTokens();
    });
    writer.demand(tokens, "above", 0, curveErrors.buysNothing);
    writer.demand(tokens, "atLeast", { argument: 16 }, curveErrors.fewerTokens);
  }

  writer.instructions(["5df6823ce7e940b2"], sellAccounts, 24, () => {
    demandAccounts(writer, kept, false);
    writer.set(tokens, { argument: 8 });
    writer.demand(tokens, "above", 0, curveErrors.sellsNothing);
    writer.demand({ of: "userTokens", at: amountAt }, "atLeast", tokens, curveErrors.tooFewToSell);
    writer.set(left, virtualTokens);
    writer.add(left, tokens);
    writer.setRatio(cost, tokens, virtualCoins, left);
    setFees(writer, kept);
    writer.demand(cost, "atLeast", kept.fee, curveErrors.overflow);
    sell(writer, kept);
  });

  /** Computes the price of a number of tokens, and the fees that are added to it. */
  function costOfTokens(): void {
    writer.set(left, virtualTokens);
    writer.subtract(left, tokens);
    writer.setRatio(cost, tokens, virtualCoins, left);
    writer.add(cost, 1);
    setFees(writer, kept);
  }

  return writer.link();
}

/** Checks all accounts, creates the account of volumes if it is missing, and reads the rates of fees. */
function demandAccounts(writer: ProgramWriter, kept: Kept, buys: boolean): void {
  const own = { key: "program" };
  demandFixed(writer, buys);
  writer.demandSeeds("global", own, ["global"]);
  writer.demandKind("global", own, curveGlobal.name);
  writer.demandSeeds("curve", own, ["bonding-curve", { key: "baseMint" }], kept.curveBump);
  writer.demandKind("curve", own, curve.name);
  writer.demandKey({ ownerOf: "baseMint" }, { key: "baseProgram" }, curveErrors.otherQuote);
  writer.demandOneOf({ key: "baseProgram" }, [programs.token, programs.token2022], 3008);
  writer.demandKey({ of: "curve", at: curve.at.quoteMint }, noKey, curveErrors.otherQuote);
  writer.demandKey({ key: "quoteMint" }, wrappedCoin, curveErrors.otherQuote);
  writer.demandKey({ key: "quoteProgram" }, programs.token, 3008);
  writer.demandSeeds("sharingConfig", { key: "feeProgram" }, ["sharing-config", { key: "baseMint" }]);
  const { creator } = curve.at;
  const seeds = ["creator-vault", { of: "curve", at: creator, length: 32 }];
  writer.demandSeeds("creatorVault", own, seeds);
  for (const [account, owner] of [
    ["curveTokens", "curve"],
    ["userTokens", "user"],
  ] as const) {
    demandAssociated(writer, account, [owner, "baseProgram", "baseMint"]);
    demandTokens(writer, account, "baseProgram", "baseMint");
  }
  for (const [account, owner] of [
    ["feeTokens", "feeRecipient"],
    ["buybackTokens", "buyback"],
    ["curveQuotes", "curve"],
    ["userQuotes", "user"],
    ["creatorTokens", "creatorVault"],
    ["volumeTokens", "userVolume"],
  ] as const)
    demandAssociated(writer, account, [owner, "quoteProgram", "quoteMint"]);
  demandRecipients(writer);
  writer.demand({ of: "curve", at: curve.at.isComplete, size: 1 }, "equal", 0, curveErrors.isComplete);
  createUserVolume(writer, kept.volumeBump, kept.rent);
  readRates(writer, kept);
}

function demandRecipients(writer: ProgramWriter): void {
  const { at } = curveGlobal;
  const listed = (first: number | undefined, rest: number, count: number) => {
    const all = Array.from({ length: count }, (_, index) => rest + 32 * index);
    return [...(first === undefined ? [] : [first]), ...all].map((each) => ({ of: "global", at: each }));
  };
  const recipients = (keys: ReturnType<typeof listed>) => () =>
    writer.demandOneOf({ key: "feeRecipient" }, keys, curveErrors.notAuthorized);
  writer.when(
    { of: "curve", at: curve.at.isMayhem, size: 1 },
    "equal",
    0,
    recipients(listed(at.feeRecipient, at.feeRecipients, 7)),
    recipients(listed(at.reservedRecipient, at.reservedRecipients, 7)),
  );
  const buybacks = listed(undefined, at.buybackRecipients, 8);
  writer.demandOneOf({ key: "buyback" }, buybacks, curveErrors.otherBuyback);
}

function readRates(writer: ProgramWriter, kept: Kept): void {
  const { cap, supply, lp, protocol, creator } = kept;
  writer.set(supply, usualSupply);
  writer.when({ of: "curve", at: curve.at.isMayhem, size: 1 }, "unequal", 0, () =>
    writer.set(supply, { of: "baseMint", at: 36 }),
  );
  const { virtualCoins, virtualTokens } = curve.at;
  writer.demand({ of: "curve", at: virtualTokens }, "above", 0, curveErrors.isComplete);
  writer.setRatio(cap, { of: "curve", at: virtualCoins }, supply, { of: "curve", at: virtualTokens });
  readTier(writer, "feeConfig", cap, { lp, protocol, creator });
  writer.when({ of: "global", at: curveGlobal.at.hasCreatorRates, size: 1 }, "unequal", 0, () =>
    writer.when({ of: "curve", at: curve.at.creatorFeeBps }, "unequal", 0, () =>
      writer.set(creator, { of: "curve", at: curve.at.creatorFeeBps }),
    ),
  );
  writer.whenKey({ of: "curve", at: curve.at.creator }, noKey, () => writer.set(creator, 0));
}

/** Computes both fees of the amount that the curve gets or pays, their sum with it, and the part for buybacks. */
function setFees(writer: ProgramWriter, kept: Kept): void {
  const { cost, fee, creatorFee, buyback, total, protocol, creator } = kept;
  writer.setRatio(fee, cost, protocol, wholeBps, "up");
  writer.setRatio(creatorFee, cost, creator, wholeBps, "up");
  writer.set(total, cost);
  writer.add(total, fee);
  writer.add(total, creatorFee);
  writer.setRatio(buyback, fee, { of: "global", at: curveGlobal.at.buybackBps }, wholeBps);
  writer.subtract(fee, buyback);
}

const cashback = { of: "curve", at: curve.at.isCashback, size: 1 } as const;

/** Tops up the creator's vault with the user's coins, so that it can exist. */
function topUpVault(writer: ProgramWriter, { rent, topUp }: Kept): void {
  setRent(writer, rent, 0);
  writer.when({ lamportsOf: "creatorVault" }, "below", rent, () => {
    writer.set(topUp, rent);
    writer.subtract(topUp, { lamportsOf: "creatorVault" });
    payCoins(writer, "creatorVault", topUp);
  });
}

function buy(writer: ProgramWriter, kept: Kept): void {
  const { tokens, cost, fee, creatorFee, buyback, curveBump } = kept;
  moveTokens(writer, {
    program: "baseProgram",
    mint: "baseMint",
    from: "curveTokens",
    to: "userTokens",
    owner: "curve",
    amount: tokens,
    signer: ["bonding-curve", { key: "baseMint" }, { bump: curveBump }],
  });
  payCoins(writer, "curve", cost);
  payCoins(writer, "feeRecipient", fee);
  payCoins(writer, "buyback", buyback);
  writer.when(
    cashback,
    "unequal",
    0,
    () => {
      payCoins(writer, "userVolume", creatorFee);
      writer.add({ of: "userVolume", at: userVolume.at.cashbackEarned }, creatorFee);
    },
    () =>
      writer.when(creatorFee, "above", 0, () => {
        topUpVault(writer, kept);
        payCoins(writer, "creatorVault", creatorFee);
      }),
  );
  const at = (part: keyof typeof curve.at) => ({ of: "curve", at: curve.at[part] });
  writer.add(at("virtualCoins"), cost);
  writer.add(at("realCoins"), cost);
  writer.subtract(at("virtualTokens"), tokens);
  writer.subtract(at("realTokens"), tokens);
  writer.when(at("realTokens"), "equal", 0, () => writer.set({ ...at("isComplete"), size: 1 }, 1));
}

function sell(writer: ProgramWriter, kept: Kept): void {
  const { tokens, cost, fee, creatorFee, buyback, left } = kept;
  writer.set(left, cost);
  for (const each of [fee, buyback, creatorFee]) {
    writer.demand(left, "atLeast", each, curveErrors.overflow);
    writer.subtract(left, each);
  }
  writer.demand(left, "atLeast", { argument: 16 }, curveErrors.tooLittle);
  const at = (part: keyof typeof curve.at) => ({ of: "curve", at: curve.at[part] });
  writer.demand(at("realCoins"), "atLeast", cost, curveErrors.overflow);
  moveTokens(writer, {
    program: "baseProgram",
    mint: "baseMint",
    from: "userTokens",
    to: "curveTokens",
    owner: "user",
    amount: tokens,
  });
  writer.when(cashback, "equal", 0, () =>
    writer.when(creatorFee, "above", 0, () => topUpVault(writer, kept)),
  );
  // Changes balances only after all calls, which would not see the changes of accounts that they do not name.
  writer.subtract({ lamportsOf: "curve" }, cost);
  writer.add({ lamportsOf: "user" }, left);
  writer.add({ lamportsOf: "feeRecipient" }, fee);
  writer.add({ lamportsOf: "buyback" }, buyback);
  writer.when(
    cashback,
    "unequal",
    0,
    () => {
      writer.add({ lamportsOf: "userVolume" }, creatorFee);
      writer.add({ of: "userVolume", at: userVolume.at.cashbackEarned }, creatorFee);
    },
    () => writer.add({ lamportsOf: "creatorVault" }, creatorFee),
  );
  writer.subtract(at("virtualCoins"), cost);
  writer.subtract(at("realCoins"), cost);
  writer.add(at("virtualTokens"), tokens);
  writer.add(at("realTokens"), tokens);
}
