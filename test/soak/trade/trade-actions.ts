import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import type { Order } from "../../../lib/orders/execution.ts";
import type { Chance } from "../chance.ts";
import type { Answer, Service } from "../service.ts";
import type { PlaceOutcome } from "./placed-keys.ts";
import {
  noteShown,
  openOrdersOf,
  type Report,
  type SentOrder,
  type Trader,
  type TraderWallet,
} from "./traders.ts";

export type TradeWorld = {
  service: Service;
  chance: Chance;
  report: Report;
  /** Counts a response's outcome: a status or a refusal's code. */
  count(action: string, outcome: string): void;
  /** Makes the body of a new order. */
  newBody(wallet: TraderWallet): SentOrder["body"];
};

/** Performs an action. Returns the number of placed orders. */
type Action = (world: TradeWorld, wallet: TraderWallet) => Promise<number>;

/** Relative frequency of each action. */
export const tradeWeights = {
  place: 50,
  placeAtOnce: 8,
  placeWithLostAnswer: 8,
  replay: 6,
  replayOtherBody: 3,
  cancel: 12,
  tryDry: 3,
  placeBadly: 2,
  look: 8,
};

export type TradeActionName = keyof typeof tradeWeights;

/** Codes that may refuse a valid order, depending on chains and operators. */
const refusals = [
  "TRADING_DISABLED",
  "WALLET_BUSY",
  "NO_ROUTE",
  "AMOUNT_TOO_SMALL",
  "GAS_PRICE_TOO_HIGH",
  "INSUFFICIENT_BALANCE",
  "TOKEN_UNSAFE",
  "PRICE_IMPACT_TOO_HIGH",
  "CHAIN_UNAVAILABLE",
  "PRIORITY_FEE_TOO_LOW",
  "WOULD_FIRE_NOW",
  "TOO_MANY_RESTING",
  "ALREADY_HELD",
];

const path = "/api/v2/orders";

type Body = SentOrder["body"];
type Envelope = { data?: { order?: Order; orders?: Order[]; positions?: [] }; error?: { code: string } };
const envelopeOf = ({ json }: Answer) => (json ?? {}) as Envelope;

export const outcomeOf = (answer: Answer | undefined): string =>
  answer === undefined ? "no answer" : (envelopeOf(answer).error?.code ?? `${answer.status}`);

export const tradeActions: Record<TradeActionName, Action> = {
  async place(world, wallet) {
    return placed(await send(world, wallet, "place", newKey(world, wallet), world.newBody(wallet)));
  },
  /** Sends the same request several times at once. At most one may place an order. */
  async placeAtOnce(world, wallet) {
    const [key, body] = [newKey(world, wallet), world.newBody(wallet)];
    const copies = Array.from({ length: 2 + world.chance.below(2) }, (_, copy) =>
      // Reverses the fields, because their order must not matter.
      send(world, wallet, "placeAtOnce", key, copy === 1 ? reversed(body) : body),
    );
    const outcomes = await Promise.all(copies);
    return Math.max(...outcomes.map(placed));
  },
  /** Aborts the request before its response arrives, then repeats it until one does. */
  async placeWithLostAnswer(world, wallet) {
    const [key, body] = [newKey(world, wallet), world.newBody(wallet)];
    let outcome: PlaceOutcome = "unknown";
    for (const waitMs of [1 + world.chance.below(150), 40_000])
      outcome = await send(world, wallet, "placeWithLostAnswer", key, body, waitMs);
    return placed(outcome);
  },
  async replay(world, wallet) {
    const known = sentBy(wallet.trader, world);
    if (known !== undefined) await send(world, known.wallet, "replay", known.key, known.body);
    return 0;
  },
  async replayOtherBody({ service, report, count, chance }, { trader }) {
    const [used] = trader.keys.placed();
    const known = used === undefined ? undefined : trader.sent.get(chance.pick(trader.keys.placed()));
    if (known === undefined) return 0;
    const other = { ...known.body, validForSeconds: 599 };
    const answer = await service.send(trader, "POST", path, other, {
      headers: { "Idempotency-Key": known.key },
    });
    count("replayOtherBody", outcomeOf(answer));
    if (isFault(answer) || outcomeOf(answer) === "IDEMPOTENCY_KEY_REUSED") return 0;
    report(`another body with a used key was answered with ${answer?.status} ${answer?.text}`);
    return 0;
  },
  async cancel({ service, chance, report, count }, wallet) {
    const { trader } = wallet;
    const open = openOrdersOf(wallet);
    if (open.length === 0) return 0;
    const { orderId } = chance.pick(open);
    const answer = await service.send(trader, "POST", `${path}/${orderId}/cancel`, {});
    count("cancel", outcomeOf(answer));
    const order = answer && envelopeOf(answer).data?.order;
    if (answer?.status === 200 && order !== undefined) noteShown(trader, order, report);
    else if (!isFault(answer) && outcomeOf(answer) !== "ORDER_NOT_CANCELLABLE")
      report(`the cancellation of ${orderId} was answered with ${answer?.status} ${answer?.text}`);
    return 0;
  },
  async tryDry(world, wallet) {
    const { service, count, report } = world;
    const answer = await service.send(wallet.trader, "POST", path, {
      ...world.newBody(wallet),
      dryRun: true,
    });
    const outcome = outcomeOf(answer);
    count("tryDry", outcome);
    if (!isFault(answer) && answer?.status !== 200 && !refusals.includes(outcome))
      report(`a dry run was answered with ${answer?.status} ${answer?.text}`);
    return 0;
  },
  async placeBadly(world, wallet) {
    const { service, count, report, chance } = world;
    const body = world.newBody(wallet);
    const [bad, code] = chance.pick([
      [{ ...body, amount: 1 }, "INVALID_REQUEST"],
      [{ ...body, stranger: true }, "INVALID_REQUEST"],
      [{ ...body, wallet: notImportedOn(wallet) }, "WALLET_NOT_FOUND"],
      [{ ...body, token: "native" }, "INVALID_REQUEST"],
      [{ ...body, validForSeconds: 14 }, "INVALID_REQUEST"],
      [{ ...body, ...feeOfOthers(wallet) }, "INVALID_REQUEST"],
    ] as const);
    const key = newKey(world, wallet);
    const answer = await service.send(wallet.trader, "POST", path, bad, {
      headers: { "Idempotency-Key": key },
    });
    const outcome = outcomeOf(answer);
    count("placeBadly", outcome);
    if (!isFault(answer) && outcome !== code && outcome !== "TRADING_DISABLED")
      report(`${JSON.stringify(bad)} was answered with ${outcome} instead of ${code}`);
    return 0;
  },
  async look({ service, chance, report, count }, { trader, chain, address }) {
    const [what] = [chance.pick([path, `${path}?status=open`, "/api/v2/positions", "balances"])];
    const url = what === "balances" ? `/api/v2/balances?chain=${chain}&wallet=${address}` : what;
    const answer = await service.send(trader, "GET", url);
    count("look", outcomeOf(answer));
    if (answer?.status !== 200) {
      if (!isFault(answer)) report(`${url} was answered with ${answer?.status} ${answer?.text}`);
      return 0;
    }
    const { orders = [], positions = [] } = envelopeOf(answer).data ?? {};
    for (const execution of [...orders, ...positions]) noteShown(trader, execution, report);
    return 0;
  },
};

/** True for responses that faults may cause for any request. An unavailable chain names a time to retry. */
export const isFault = (answer: Answer | undefined): boolean =>
  answer === undefined || answer.status === 429 || answer.status >= 500;

const placed = (outcome: PlaceOutcome): number => (typeof outcome === "object" && "order" in outcome ? 1 : 0);

function sentBy({ sent }: Trader, { chance }: TradeWorld): SentOrder | undefined {
  return sent.size === 0 ? undefined : chance.pick([...sent.values()]);
}

const newKey = ({ chance }: TradeWorld, { trader }: TraderWallet) =>
  `${trader.id}-${trader.sent.size}-${chance.below(1e9)}`;

/** Sends an order and records its outcome. */
async function send(
  { service, report, count }: TradeWorld,
  wallet: TraderWallet,
  action: TradeActionName,
  key: string,
  body: Body,
  waitMs?: number,
): Promise<PlaceOutcome> {
  const { trader } = wallet;
  trader.sent.set(key, { wallet, key, body });
  const headers = { "Idempotency-Key": key };
  const answer = await service.send(trader, "POST", path, body, {
    headers,
    ...(waitMs !== undefined && { waitMs }),
  });
  count(action, outcomeOf(answer));
  const outcome = placeOutcomeOf(answer);
  for (const problem of trader.keys.note(key, outcome)) report(problem);
  if (typeof outcome === "object" && "order" in outcome) noteShown(trader, outcome.order, report);
  else if (!isFault(answer) && !refusals.includes(outcomeOf(answer)))
    report(`${JSON.stringify(body)} was answered with ${answer?.status} ${answer?.text}`);
  if (
    answer?.status === 503 &&
    outcomeOf(answer) === "CHAIN_UNAVAILABLE" &&
    !answer.headers.has("retry-after")
  )
    report("CHAIN_UNAVAILABLE came without Retry-After");
  return outcome;
}

function placeOutcomeOf(answer: Answer | undefined): PlaceOutcome {
  if (answer === undefined) return "unknown";
  const { data, error } = envelopeOf(answer);
  if (answer.status === 200 && data?.order !== undefined)
    return { order: data.order, isReplayed: answer.headers.get("idempotent-replayed") === "true" };
  // Counts as refused, because nothing is recorded if a chain cannot be queried.
  if (error?.code === "CHAIN_UNAVAILABLE" || (answer.status >= 400 && answer.status < 500))
    return { refused: error?.code ?? `${answer.status}` };
  return "unknown";
}

const reversed = (body: Body): Body => Object.fromEntries(Object.entries(body).toReversed());

const { moon, usdx, taxd, trap, star, comet } = localAddresses;

const { authority, tokens: tokensOfSol } = await solDeployment();

/** Picks an address on the wallet's chain that no user has. */
const notImportedOn = ({ chain }: TraderWallet) => (chain === "sol" ? authority : moon);

/** Picks a setting that the wallet's chain does not have. */
const feeOfOthers = ({ chain }: TraderWallet) =>
  chain === "sol" ? { gasPreset: "fast" } : { priorityFee: 0.001 };

function tokenFor(chance: Chance, { chain }: TraderWallet): string {
  if (chain === "sol") return tokensOfSol[chance.weighted({ MOON: 8, FEEZ: 4, TRAP: 1 })].mint;
  // Prefers base and avax, the only chains with pools of COMET.
  const ofComet = ["base", "avax"].includes(chain) ? 4 : 0.1;
  return { moon, usdx, taxd, trap, star, comet }[
    chance.weighted({ moon: 6, usdx: 6, taxd: 3, trap: 1, star: 4, comet: ofComet })
  ];
}

const feesFor = (chance: Chance, { chain }: TraderWallet): Body =>
  chain === "sol"
    ? { ...(chance.number() < 0.5 && { priorityFee: chance.pick([0, 0.000001, 0.00005, 0.001, 0.01]) }) }
    : {
        ...(chance.number() < 0.4 && { gasPreset: chance.pick(["slow", "medium", "fast", "turbo"]) }),
        ...(chance.number() < 0.2 && { maxGasPrice: chance.pick([3, 8, 100]) }),
      };

/**
 * Makes a market order.
 *
 * @param mostValidSeconds Longest validity.
 */
export function newMarketBody(chance: Chance, wallet: TraderWallet, mostValidSeconds: number): Body {
  const { chain, address } = wallet;
  const token = tokenFor(chance, wallet);
  // Waits longer on Solana, because an order there waits for earlier orders of the same token, whose messages live for
  // a minute.
  const longest = chain === "sol" ? 3 * mostValidSeconds : mostValidSeconds;
  const common = {
    chain,
    wallet: address,
    type: "market",
    token,
    slippage: chance.pick([0.01, 0.5, 1, 5, 50]),
    validForSeconds: 15 + chance.below(Math.max(1, longest - 14)),
    ...(chance.number() < 0.5 && { mevProtection: chance.number() < 0.4 }),
    ...feesFor(chance, wallet),
    ...(chance.number() < 0.3 && { allowUnsafe: true }),
  };
  if (hasBought(wallet, token) && chance.number() < 0.6)
    return { ...common, side: "sell", percent: chance.pick([10, 33.3333, 50, 100]) };
  const places = String(1 + chance.below(10 ** 9)).padStart(9, "0");
  const digits = `${chance.pick(["", "0", "00"])}${places}`;
  // Keeps 9 decimals on Solana, as many as its coin has.
  const kept = chain === "sol" ? digits.slice(0, 9) : digits;
  return { ...common, side: "buy", amount: `0.${kept}`.replace(/0+$/, "") };
}

const hasBought = ({ trader, chain, address }: TraderWallet, token: string): boolean =>
  [...trader.observations.newest().values()].some(
    (each) =>
      "orderId" in each &&
      each.side === "buy" &&
      each.status === "filled" &&
      each.token === token &&
      each.wallet === address &&
      each.chain === chain,
  );
