import type { Command } from "commander";
import { chainFacts } from "../../../core/chain-facts.ts";
import { isCutOff } from "../../../orders/cutoffs.ts";
import { formatAmount } from "../../../orders/decimal-text.ts";
import type { OrderDetails } from "../../../orders/order-details.ts";
import { shownResting } from "../../../orders/resting/shown.ts";
import type { Lane, Ledger } from "../../../orders/table-step.ts";
import { type AnyOrder, shownOrder } from "../../../orders/trade-order.ts";
import { nativeToken } from "../../../orders/trading-chain.ts";
import { getItems } from "../../../table/batch-get.ts";
import type { Key } from "../../../table/keys.ts";
import type { Table } from "../../../table/table.ts";
import { readExecution } from "../../../trading/items/execution-records.ts";
import { contentOf, keysOfItems } from "../../../trading/items/items.ts";
import { laneKey } from "../../../trading/items/keys.ts";
import { homeShard, placeOf } from "../../../trading/items/lane-places.ts";
import { readParent } from "../../../trading/items/resting-records.ts";
import { readOrder } from "../../../trading/items/views.ts";
import { detailsOf } from "../../../trading/order-report.ts";
import type { HiddenFacts } from "../hidden-facts.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { factsOf } from "../order-facts.ts";
import { solFees } from "../sol-facts.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, print } from "../terminal.ts";

export function showOrder(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("show-order <userID> <orderId>")
      .description(
        "Show everything about an order: the user's view, its intent, its wallet's lane, its slots, its " +
          "transactions, its result, and the signatures made for it. Signed bytes are never shown.",
      ),
  ).action(async (userID: string, orderId: string, options: TargetOptions) => {
    const { table } = await deps.openTarget(options);
    for (const line of await orderSheet(table, userID, orderId)) print(deps.stdout, harmless(line));
  });
}

/** @throws {OperatorError} if the order does not exist. */
async function orderSheet(table: Table, userID: string, orderId: string): Promise<string[]> {
  const { order, slots } = await readOrder(table, userID, orderId);
  if (order === undefined)
    return (await restingSheet(table, userID, orderId)) ?? recordedSheet(table, userID, orderId);
  const { intent } = order;
  const names = {
    lane: laneKey(intent, (await placeOf(table, intent)) ?? homeShard(intent)),
    job: keysOfItems.job(intent),
    ledger: keysOfItems.ledger(intent),
    cancellation: keysOfItems.cancellation(intent),
    all: keysOfItems.cutoff({ userID, lane: intent }),
    wallet: keysOfItems.cutoff(intent),
  };
  const items = await getItems<object>(table, Object.values(names));
  const found = ({ PK, SK }: Key) => items.find((item) => item.PK === PK && item.SK === SK);
  const [lane, job, ledger] = [found(names.lane), found(names.job), found(names.ledger)];
  const [all, wallet] = [found(names.all), found(names.wallet)].map(
    (item) => item && contentOf("cutoff", item),
  );
  const isCancelled = found(names.cancellation) !== undefined || isCutOff(intent, { all, wallet });
  const { attempts, report } = detailsOf(order, slots);
  const facts = factsOf(intent.chain);
  return [
    ...section("order", orderFacts(order)),
    ...section("intent", {
      ...commonFacts(order),
      ...facts.intentFacts(order),
    }),
    ...section("lane", laneFacts(lane && contentOf("lane", lane), job !== undefined)),
    ...slots.flatMap((slot) =>
      section(`slot ${slot.place}`, {
        ...facts.slotFacts(slot),
        submission: submissionText(slot),
      }),
    ),
    ...attempts.flatMap(({ attempt, purpose, outcome, txHash, ...others }) =>
      section(`attempt ${attempt}`, {
        purpose,
        outcome,
        txHash,
        ...others,
        ...("priorityFee" in others && solFees(others)),
      }),
    ),
    ...(report === undefined ? [] : section("report", reportFacts(order, report))),
    ...section("ledger", {
      ...ledgerFacts(facts, ledger && contentOf("ledger", ledger)),
      cancelled: isCancelled ? "yes: no swap or approval is signed any more" : "no",
    }),
  ];
}

/** Shows a resting order and its firings. Undefined if there is none. */
async function restingSheet(table: Table, userID: string, orderId: string): Promise<string[] | undefined> {
  const order = await readParent(table, userID, orderId);
  if (order === undefined) return undefined;
  const shown = Object.entries(shownResting(order)).map(([name, value]) => [
    name,
    typeof value === "object" ? JSON.stringify(value) : value,
  ]);
  return [
    ...section("resting order", Object.fromEntries(shown)),
    ...order.firings.flatMap(({ n, ...firing }) => section(`firing ${n}`, firing)),
  ];
}

/** Shows an order of another trading engine, of which only the record is stored. */
async function recordedSheet(table: Table, userID: string, orderId: string): Promise<string[]> {
  const recorded = await readExecution(table, userID, "order", orderId);
  if (recorded === undefined) throw new OperatorError(`User ${userID} has no order ${orderId}`);
  const { userID: _, ...facts } = recorded;
  return section("order of another engine", facts);
}

/** Formats a section: a title, and a line for each defined fact. */
const section = (title: string, facts: object): string[] => [
  title,
  ...Object.entries(facts)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `  ${name.padEnd(22)} ${value}`),
];

const timeText = (ms: number | undefined) => ms && new Date(ms).toISOString();

const submissionText = ({ isPrivate }: { isPrivate: boolean }) => (isPrivate ? "only by a relay" : "public");

const coinOf = ({ intent }: AnyOrder) => chainFacts[intent.chain].coin.symbol;

/** Facts that the user sees. Each paid amount has a unit. */
function orderFacts(order: AnyOrder) {
  const { networkFee, rent, ...facts } = shownOrder(order);
  const paid = (text: string | undefined) => text && `${text} ${coinOf(order)}`;
  return { ...facts, networkFee: paid(networkFee), rent: paid(rent) };
}

/** Shows the result of a fill. On sol, its block is named by the slot. */
function reportFacts(order: AnyOrder, report: NonNullable<OrderDetails["report"]>) {
  const { spent, received, networkFee, route = [], block, blockTime, ...facts } = report;
  const coin = coinOf(order);
  const side = ({ token, amount }: typeof spent) => `${amount} ${token === nativeToken ? coin : token}`;
  const fees = Object.entries(networkFee).filter(([name, text]) => name === "total" || text !== "0");
  return {
    spent: side(spent),
    received: side(received),
    ...facts,
    ...("rent" in facts && { rent: `${facts.rent} ${coin}` }),
    route: route.map(({ venue, pool }) => `${venue} ${pool}`).join(" > ") || undefined,
    networkFee: fees.map(([name, text]) => `${name} ${text} ${coin}`).join(", "),
    [factsOf(order.intent.chain).blockWord]: `${block} at ${blockTime}`,
  };
}

/** Shows facts that clients do not see. */
const commonFacts = ({ intent, placed, ending, isCancelling, revision }: AnyOrder) => ({
  user: intent.userID,
  quotedAmountOut: formatAmount(
    intent.quotedOut,
    intent.side === "buy" ? placed.decimals : chainFacts[intent.chain].coin.decimals,
  ),
  submission: submissionText(intent),
  isCancelling,
  ending: ending && `${ending.status} ${ending.reasonCode}`,
  revision,
});

function laneFacts(lane: Lane | undefined, hasJob: boolean) {
  const { holder, leaseUntilMs, watch, jobs } = lane ?? {};
  return {
    job: hasJob ? "in the lane until it settles" : "none: it has settled",
    jobs: jobs ?? "none: the lane has ended",
    holder: lane && (holder ?? "none"),
    leaseUntil: timeText(leaseUntilMs),
    dueAt: timeText(watch?.dueAtMs),
    finalFromBlock: watch?.finalFrom,
  };
}

const ledgerFacts = (facts: HiddenFacts, ledger: Ledger | undefined) =>
  ledger === undefined ? { signed: "nothing" } : { ...facts.ledgerFacts(ledger), revision: ledger.revision };
