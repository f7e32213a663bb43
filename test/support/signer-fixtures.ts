import { BatchGetCommand, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { alice } from "trading-terminal-devnet/evm/test-chain";
import { expect } from "vitest";
import type { EvmConfiguration } from "../../lib/chains/evm/rules/configuration.ts";
import type { Evm } from "../../lib/chains/evm/rules/family.ts";
import { type EvmIntent, type EvmRoute, type PoolKey, swapBy } from "../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../lib/chains/evm/rules/ledger.ts";
import type { EvmAttempt, EvmSlot } from "../../lib/chains/evm/rules/slot.ts";
import type { SwapVenue } from "../../lib/chains/evm/rules/swap-venues.ts";
import { encodeCall } from "../../lib/chains/evm/venues/calldata.ts";
import { poolsOfVenue } from "../../lib/chains/evm/venues/configured-routes.ts";
import { hashedId } from "../../lib/core/record-ids.ts";
import { dayOf } from "../../lib/core/time.ts";
import { defaultChains } from "../../lib/infra/default-chains.ts";
import { greatest } from "../../lib/orders/bigints.ts";
import type { SignRequest } from "../../lib/orders/effects.ts";
import type { Ledger } from "../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../lib/orders/trade-order.ts";
import {
  counted,
  type DaySpend,
  openPolicy,
  type PolicyRecord,
  type WalletPolicy,
} from "../../lib/orders/wallet-policy.ts";
import type { Key } from "../../lib/table/keys.ts";
import type { Table } from "../../lib/table/table.ts";
import { packed } from "../../lib/trading/items/items.ts";
import { dayKey, ledgerKey, policyKey } from "../../lib/trading/items/keys.ts";
import { checksBy, mandateHash } from "../../lib/trading/signing/intent-mac.ts";
import { readSignRequest, signPayload } from "../../lib/trading/signing/sign-payload.ts";
import { signOnRequest } from "../../lib/trading/signing/sign-transaction.ts";
import { mandate } from "../orders/resting/fixtures.ts";
import { readSigned, type SignedAct } from "./signed-bytes.ts";
import { ignoredNotes, openKeys, sealedKey } from "./signing.ts";
import { intent, signedFee, slot, tradeOrder, v3 as usualV3, v2, v2OverUSDC, v3OverUSDC } from "./trading.ts";

const { vault, macs, childMacs } = openKeys();
const { eth, base, avax } = defaultChains;
const chains = { eth, base, avax };
const token = "0x6B175474E89094C44Da98b954EedeAC495271d0F";
const nowMs = Date.parse("2026-11-21T20:00:00.000Z");

/** Stored data that the signer reads. */
export type SignerFixture = {
  request: SignRequest<Evm>;
  order: TradeOrder<Evm>;
  slot: EvmSlot;
  ledger: Ledger<Evm> | undefined;
  settings: { maxGasPrice: number };
  wallet: object;
  policy: PolicyRecord | undefined;
  day: DaySpend | undefined;
};

const v3 = { ...usualV3, feeBps: 5 };
const buy = intent({ wallet: alice.address, token, routes: [v2, v3, v3OverUSDC], isPrivate: false });
const sale = intent({
  ...buy,
  side: "sell",
  amount: 10n ** 21n,
  routes: [v2, v3, v2OverUSDC],
  minAmountOut: 99n * 10n ** 15n,
  quotedOut: 10n ** 17n,
  approvalGas: 90_000n,
});

/** Returns a route over the chain's first quote token through one exchange's pools. */
function overFirstQuoteToken({ venues, quoteTokens }: EvmConfiguration, venue: SwapVenue): EvmRoute {
  const [quote] = quoteTokens;
  const bridge = quote?.bridges.find((pool) => pool.venue === venue);
  const row = venues.find((each) => each.venue === venue);
  if (row === undefined || quote === undefined || bridge === undefined) throw new Error("No such bridge");
  const own = poolsOfVenue(row).at(-1) as PoolKey;
  return { ...own, router: row.router, bridge: { ...bridge, token: quote.token } };
}

/** A sale with a take-profit of two coins a token, and a stop that sells for a ten-thousandth of a coin or more. */
const resting = mandate({
  ...{ chain: "eth", wallet: alice.address, userID: sale.userID, token, amount: sale.amount },
  legs: [
    { kind: "limit", price: { coins: 2n, tokens: 1n } },
    { kind: "stop", trigger: { coins: 1n, tokens: 5000n }, worst: { coins: 1n, tokens: 10_500n } },
  ],
  isPrivate: false,
  feesStop: 10n ** 18n,
  maxGasPrice: sale.maxGasPrice,
  createdAt: nowMs - 60_000,
  expiresAt: nowMs / 1000 + 3600,
});
const child = intent({
  ...sale,
  orderId: hashedId(["child", sale.userID, resting.orderId, 1]),
  validUntil: nowMs / 1000 + 60,
  parent: { orderId: resting.orderId, mandate: mandateHash(resting), leg: 1, n: 1 },
});

const slipstream = overFirstQuoteToken(base, "slipstream");
const { bridge: _, ...directSlipstream } = slipstream;
const newest = overFirstQuoteToken(base, "slipstream-v3");
const { bridge: ___, ...directCaps } = overFirstQuoteToken(base, "slipstream-caps");
const bins = overFirstQuoteToken(avax, "lfj-v2.2");
const { bridge: __, ...directBins } = overFirstQuoteToken(avax, "lfj-v2.1");
const buyOnBase: EvmIntent = { ...buy, chain: "base", routes: [slipstream, directSlipstream] };
const saleOnBase: EvmIntent = { ...sale, chain: "base", routes: [directSlipstream, slipstream] };
const buyByNewer: EvmIntent = { ...buyOnBase, routes: [newest, directCaps] };
const buyOnAvax: EvmIntent = { ...buy, chain: "avax", routes: [directBins, bins] };
const saleOnAvax: EvmIntent = { ...sale, chain: "avax", routes: [bins, directBins] };
export const { fees } = slot();
const raised = { maxFeePerGas: 2n * fees.maxFeePerGas, maxPriorityFeePerGas: 2n * fees.maxPriorityFeePerGas };
const approval = { purpose: "approve", token, router: v2.router, amount: sale.amount } as const;
const attempt = { purpose: "swap", hash: "0x1", gasLimit: 134_415n, signedAtMs: nowMs } as const;

/** Limits that exactly match the orders' amount and minimum. Sells ignore amounts. */
const limits = (of: EvmIntent) => {
  const { chain, wallet, userID, amount } = of;
  const key = { chain, wallet, userID };
  const always = { maxSlippage: 10_000n, tradingEnabled: true };
  const policy =
    of.side === "buy"
      ? {
          maxPerOrder: amount,
          maxPerDay: 2n * amount + 134_415n * raised.maxFeePerGas,
          tokens: [token],
          ...always,
        }
      : { maxPerOrder: 1n, maxPerDay: 1n, tokens: [], ...always };
  const pending = { policy: openPolicy, effectiveAt: "2026-11-22T20:00:00.000Z" };
  return {
    policy: { ...key, policy, pending, revision: 1 },
    day: counted(key, undefined, { fees: 0n, adds: amount, swapOf: "another", nowMs }),
  };
};

const fixture = (
  of: EvmIntent,
  own: Partial<EvmSlot>,
  request: Partial<SignRequest<Evm>>,
  ledger?: Partial<Ledger<Evm>>,
) => {
  const planned = slot({ isPrivate: false, ...own }, of);
  const { chain, wallet, place, orderId, userID } = planned;
  const asked = { chain, wallet, place, orderId, userID, purpose: planned.call.purpose, fees };
  return {
    request: { ...asked, ...request },
    order: tradeOrder({ intent: of, amount: of.amount }),
    slot: planned,
    ledger: ledger && { ...emptyEvmLedger(of), revision: 1, ...ledger },
    settings: { maxGasPrice: 100 },
    wallet: {},
    ...limits(of),
  };
};

export const signed = (of: EvmIntent) => ({
  fees: { 7: signedFee(fees) },
  swap: { nonce: 7, call: swapBy(of, v2, of.amount) },
});
const sent = { state: "signed", attempts: [{ ...attempt, ...fees }] } as const;

export const fixtures: Record<string, SignerFixture> = {
  "a buy on v2": fixture(buy, { call: swapBy(buy, v2, buy.amount) }, {}),
  "a buy on v3": fixture(buy, { call: swapBy(buy, v3, buy.amount) }, {}),
  "a buy over a quote token": fixture(buy, { call: swapBy(buy, v3OverUSDC, buy.amount) }, {}),
  "an approval": fixture(sale, { call: approval }, {}),
  "a sale on v3": fixture(sale, { call: swapBy(sale, v3, sale.amount) }, {}, { approveNonces: [6] }),
  "a sale over a quote token": fixture(
    sale,
    { call: swapBy(sale, v2OverUSDC, sale.amount) },
    {},
    { approveNonces: [6] },
  ),
  "a sale on v2 with higher fees": fixture(
    sale,
    { call: swapBy(sale, v2, sale.amount), ...sent },
    { fees: raised },
    { approveNonces: [5, 6], ...signed(sale) },
  ),
  "a buy by Slipstream": fixture(buyOnBase, { call: swapBy(buyOnBase, directSlipstream, buy.amount) }, {}),
  "a sale by Slipstream over a quote token": fixture(
    saleOnBase,
    { call: swapBy(saleOnBase, slipstream, sale.amount) },
    {},
    { approveNonces: [6] },
  ),
  "a buy by Slipstream's third set over a quote token": fixture(
    buyByNewer,
    { call: swapBy(buyByNewer, newest, buy.amount) },
    {},
  ),
  "a buy by Slipstream's second set": fixture(
    buyByNewer,
    { call: swapBy(buyByNewer, directCaps, buy.amount) },
    {},
  ),
  "a buy by LFJ over a quote token": fixture(buyOnAvax, { call: swapBy(buyOnAvax, bins, buy.amount) }, {}),
  "a sale by LFJ": fixture(
    saleOnAvax,
    { call: swapBy(saleOnAvax, directBins, sale.amount) },
    {},
    { approveNonces: [6] },
  ),
  "a child of a stop": fixture(child, { call: swapBy(child, v3, child.amount, nowMs / 1000 + 24) }, {}),
  "a clear": fixture(
    buy,
    { call: swapBy(buy, v2, buy.amount), ...sent },
    { purpose: "clear", fees: raised },
    signed(buy),
  ),
};

/** Seals the wallets and creates the MACs. Call it once before using the fixtures. */
export async function prepareFixtures(): Promise<void> {
  const secret = Buffer.from(alice.privateKey.slice(2), "hex");
  for (const each of Object.values(fixtures)) {
    const { chain, wallet, userID } = each.order.intent;
    const { parent } = each.order.intent;
    const mac = await (parent ? childMacs.makeChildMac : macs.makeMac)(each.order.intent);
    const proof = parent && { mandate: resting, mandateMac: await macs.makeMandateMac(resting) };
    const claimed = { intent: each.order.intent, mac, ...proof };
    each.order = { ...each.order, ...claimed };
    each.request = { ...each.request, claimed };
    each.wallet = await sealedKey(vault, { chain, wallet }, userID, secret);
  }
}

/** True for the items of a wallet and of its key. In these tests, both have the same contents. */
const isOfWallet = (SK: string) => /^(WALLET|KEY)#/.test(SK);

type TransactItems = NonNullable<TransactWriteCommandInput["TransactItems"]>;

/** Builds a table whose attacker controls all of the signer's data except ledger, policy and count. */
function riggedTable(fixture: SignerFixture, genuine: EvmIntent, written: TransactItems): Table {
  const { order, slot: lies, ledger, settings, wallet, policy, day } = fixture;
  const policyAt = textOf(policyKey(genuine));
  const dayAt = textOf(dayKey({ ...genuine, day: dayOf(nowMs) }));
  const contentFor = ({ PK, SK }: Key): unknown => {
    if (SK.startsWith("TRADE#")) return order;
    if (SK.startsWith("SLOT#")) return lies;
    if (isOfWallet(SK)) return wallet;
    if (SK.startsWith("SETTINGS#")) return settings;
    if (textOf({ PK, SK }) === policyAt) return policy;
    if (textOf({ PK, SK }) === dayAt) return day;
    return PK === ledgerKey(genuine.orderId).PK ? ledger : undefined;
  };
  const send = async (command: unknown) => {
    if (command instanceof BatchGetCommand) {
      const keys = (command.input.RequestItems?.table?.Keys ?? []) as Key[];
      const items = keys.flatMap((key) => {
        const content = contentFor(key);
        const stored = isOfWallet(key.SK) ? content : packed(content);
        return content === undefined ? [] : [{ ...(stored as object), ...key }];
      });
      return { Responses: { table: items } };
    }
    if (command instanceof TransactWriteCommand) {
      written.push(...(command.input.TransactItems ?? []));
      return {};
    }
    throw new Error("The signer calls something else");
  };
  return { name: "table", client: { send } as never };
}

/** Effects of each fixture's signed bytes. */
const acts = new Map<SignerFixture, Map<string, Pick<SignedAct, "purpose" | "nonce" | "act">>>();

/** Calls the signer and returns the signed bytes, if any. Expects them to carry out the genuine intent exactly once. */
export async function expectObedience(
  changed: SignerFixture,
  genuine: SignerFixture,
): Promise<string | undefined> {
  const request = readSignRequest(signPayload(changed.request)) as SignRequest<Evm> | undefined;
  if (request === undefined) return undefined;
  const written: TransactItems = [];
  const table = riggedTable(changed, genuine.order.intent, written);
  const deps = {
    table,
    vault,
    checks: checksBy(macs, childMacs),
    chains,
    nowMs: () => nowMs,
    ...ignoredNotes(),
  };
  const answer = await signOnRequest(deps, request).catch(() => undefined);
  if (answer === undefined || !("slot" in answer)) return undefined;
  const { raw } = answer;
  const { intent: ordered } = genuine.order;
  const configuration = chains[ordered.chain as keyof typeof chains];
  // Reuses earlier results, because most harmless changes leave the bytes unchanged.
  const known = acts.get(genuine)?.get(raw);
  const { purpose, nonce, act } = known ?? readSigned(raw, ordered, configuration);
  acts.set(genuine, (acts.get(genuine) ?? new Map()).set(raw, { purpose, nonce, act }));
  const { ledger } = changed;
  expect(nonce).toBe(request.place);
  if (purpose === "clear") expect(ledger?.fees).toHaveProperty(String(nonce));
  if (purpose === "approve") {
    expect(new Set([...(ledger?.approveNonces ?? []), nonce]).size).toBeLessThanOrEqual(2);
    expect(nonce).not.toBe(ledger?.swap?.nonce);
  }
  if (purpose === "swap") {
    expect(ledger?.approveNonces ?? []).not.toContain(nonce);
    if (ledger?.swap !== undefined) {
      const { to, value, data } = encodeCall(configuration, ledger.swap.call, ordered.wallet);
      expect([nonce, act]).toEqual([ledger.swap.nonce, [to, value, data].join()]);
    }
    if (ordered.side === "buy") expectWithinLimits(changed, ordered, BigInt(act.split(",")[1] ?? ""));
  }
  if (purpose !== "clear") expectUnfrozen(changed, ordered);
  if (ordered.parent && purpose !== "clear") {
    expect(request.claimed?.mandate).toEqual(genuine.order.mandate);
    expect(written.some(({ Put }) => Put?.Item?.SK === "TALLY")).toBe(true);
  }
  const isFirstBuy = purpose === "swap" && ordered.side === "buy" && ledger?.swap === undefined;
  const { gasLimit, maxFeePerGas } = answer.slot.attempts.at(-1) as EvmAttempt;
  const rise = gasLimit * maxFeePerGas - (ledger?.fees[nonce]?.most ?? 0n);
  expectCount(
    changed,
    isFirstBuy,
    (isFirstBuy ? BigInt(act.split(",")[1] ?? "") : 0n) + greatest(rise, 0n),
    written,
  );
  return raw;
}

const policyInForce = ({ policy: stored }: SignerFixture): WalletPolicy | undefined => stored?.policy;

/** Expects a policy that allows trading and the order's minimum. */
function expectUnfrozen(changed: SignerFixture, { minAmountOut, quotedOut }: EvmIntent): void {
  const policy = policyInForce(changed);
  if (policy === undefined) return;
  expect(policy.tradingEnabled).toBe(true);
  const { maxSlippage } = policy;
  // Allows a minimum lower by less than one unit, because of rounding.
  if (typeof maxSlippage === "bigint")
    expect((minAmountOut + 1n) * 1_000_000n > quotedOut * (1_000_000n - maxSlippage)).toBe(true);
}

/**
 * Expects the day's count to include the amount and fees that a signature adds, and room for them on a day with buys.
 */
function expectCount(
  changed: SignerFixture,
  isFirstBuy: boolean,
  adds: bigint,
  written: TransactItems,
): void {
  const { day } = changed;
  const count = written.find(({ Put }) => String(Put?.Item?.SK).startsWith("DAY#"))?.Put?.Item;
  const spent = (day?.day === dayOf(nowMs) ? day.spent : 0n) + adds;
  // A child also counts what is not coin.
  const isUncounted = adds === 0n && (count === undefined || changed.order.intent.parent === undefined);
  expect(count?.spent).toEqual(isUncounted ? undefined : packed(spent));
  const maxPerDay = policyInForce(changed)?.maxPerDay;
  if (isFirstBuy && typeof maxPerDay === "bigint") expect(spent <= maxPerDay).toBe(true);
}

/** Expects a policy that allows the buy's amount and token. */
function expectWithinLimits(changed: SignerFixture, { token }: EvmIntent, amount: bigint): void {
  const policy = policyInForce(changed);
  if (policy === undefined) return;
  const { maxPerOrder, tokens } = policy;
  if (tokens !== "any") expect(tokens).toContain(token);
  if (typeof maxPerOrder === "bigint") expect(amount <= maxPerOrder).toBe(true);
}

const textOf = ({ PK, SK }: Key) => [PK, SK].join();
