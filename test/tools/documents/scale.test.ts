import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaults } from "../../../lib/infra/config.ts";
import { defaultChannelShards } from "../../../lib/infra/market-context.ts";
import { defaultThrottles } from "../../../lib/infra/throttles.ts";
import { mostOfUser, mostOnChain } from "../../../lib/markets/core/wanted-tokens.ts";
import { operations } from "../../../lib/operations/operations.ts";
import { maxFallbackKeys, roomForUsers } from "../../../lib/plans/fallback-keys.ts";
import { requestsPerMinute } from "../../../lib/plans/plan.ts";
import { watchedOrders } from "../../../lib/tools/documents/host-units.ts";
import * as bill from "../../../lib/tools/documents/price-table.ts";
import { defaultLaneShards } from "../../../lib/trading/items/keys.ts";

const page = "docs/scale.md";

/** Cells of the page's tables with their line numbers. */
const rows = readFileSync(page, "utf8")
  .split("\n")
  .flatMap((text, index) =>
    text.startsWith("| ")
      ? [
          {
            line: index + 1,
            cells: text
              .slice(1, -1)
              .split("|")
              .map((cell) => cell.trim()),
          },
        ]
      : [],
  );

const { authorize, quoteOrder, publishChanges } = bill.runs;
const { executeOrders, ...writes } = bill.writesOfBuy;
const { swap, fill, end } = executeOrders;
const runsOfBuy = bill.runsOfBuy.map(({ name, count, run = bill.runs[name] }) => ({ count, run }));
const ofBuy = (part: "ms" | "reads" | "keyCalls") =>
  runsOfBuy.reduce((sum, { count, run }) => sum + count * (run[part] ?? 0), 0);
const throttles = defaultThrottles(defaults.accountRequestsPerSecond);
const changes = readFileSync("lib/infra/data/table-changes.ts", "utf8");

const constants: Record<string, readonly (number | undefined)[]> = {
  "`accountRequestsPerSecond`": [defaults.accountRequestsPerSecond],
  "`channelShards`": [defaultChannelShards],
  "`fallbackKeys`": [defaults.fallbackKeys],
  "`laneShards`": [defaultLaneShards],
  "`pricesEverySeconds`": [defaults.pricesEverySeconds],
  "Most fallback keys": [maxFallbackKeys],
  "Users' own keys beside 500 fallback keys": [roomForUsers(defaults.fallbackKeys)],
  "Requests a minute of Standard": [requestsPerMinute.Standard],
  "Throttles of quoteOrder, placeOrder, connect": [
    throttles.quoteOrder.rateLimit,
    throttles.placeOrder.rateLimit,
    throttles.connect.rateLimit,
  ],
  "Write units of a buy": [writes.placeOrder + swap + fill + end + writes.signTransaction],
  "Read units of a buy, a quote": [ofBuy("reads"), quoteOrder.reads],
  "KMS requests of a buy": [ofBuy("keyCalls")],
  "Milliseconds of an order, a quote, an authorizer": [ofBuy("ms"), quoteOrder.ms, authorize.ms],
  "Changes of an order, milliseconds of each": [
    bill.runsOfBuy.find(({ name }) => name === "publishChanges")?.count,
    publishChanges.ms,
  ],
  "Bytes of a lane, a subscriber, a price message": [
    bill.laneBytes,
    bill.subscriberBytes,
    bill.priceMessageBytes,
  ],
  "Milliseconds of deliver for a client": [bill.deliveryMs],
  "Batches of a stream shard at once": [Number(/parallelizationFactor: (\d+)/.exec(changes)?.[1])],
  "Units of hosts for a buy, a quote": [watchedOrders.base.units, watchedOrders.base.quoteUnits],
  "Seconds of an order": [watchedOrders.lifeSeconds],
  "Memory of readChains, in MB": [operations.readChains.memoryMB],
  "Memory of readMarkets, in MB": [operations.readMarkets.memoryMB],
  "Tokens that are read on a chain, for a user": [mostOnChain, mostOfUser],
};

/** Reads numbers such as 1,000, 36k or 1.4M. */
const numberIn = (text: string) =>
  Number(text.replaceAll(",", "").replace(/[kM]$/, "")) *
  (text.endsWith("k") ? 1e3 : text.endsWith("M") ? 1e6 : 1);

/** Evaluates a formula such as 2 × 0.1 / 60 + 4. Returns undefined for other text. */
function computed(text = ""): number | undefined {
  const sum = text.replaceAll(",", "").replaceAll("×", "*");
  return /^[\d.*/+() -]*\d[\d.*/+() -]*$/.test(sum) ? Number(Function(`return ${sum}`)()) : undefined;
}

/** Finds documented figures that differ from the computed ones by more than rounding. */
const isOff = (written: string, value: number) => Math.abs(numberIn(written) / value - 1) > 0.02;

describe(page, () => {
  it("documents the code's constants correctly", () => {
    const quoted = rows.filter(({ cells }) => cells[2]?.startsWith("["));
    const wrong = quoted.flatMap(({ line, cells: [name = "", value = ""] }) => {
      const real = constants[name]?.map((each) => each?.toLocaleString("en")).join(", ");
      return real === value ? [] : [`${page}:${line}: ${name} is ${real} in the code, not ${value}`];
    });
    expect(wrong).toEqual([]);
    expect(quoted.map(({ cells: [name] }) => name).toSorted()).toEqual(Object.keys(constants).toSorted());
  });

  it("documents the load of each deployment size and the users at each limit correctly", () => {
    const sizes = [1e4, 1e5, 1e6, 1e7];
    const loads = rows.flatMap(({ line, cells: [name, sum, ...written] }) => {
      const each = written.length === sizes.length ? computed(sum) : undefined;
      return each === undefined ? [] : [{ line, name, written, values: sizes.map((size) => size * each) }];
    });
    const limits = rows.flatMap(({ line, cells: [users = "", name, sum] }) => {
      const value = computed(sum);
      return /^[\d.]+[kM]$/.test(users) && value !== undefined
        ? [{ line, name, written: [users], values: [value] }]
        : [];
    });
    expect([loads.length, limits.length]).toEqual([13, 23]);
    const wrong = [...loads, ...limits].filter(({ written, values }) =>
      written.some((text, index) => isOff(text, values[index] as number)),
    );
    expect(wrong.map(({ line, name, values }) => `${page}:${line}: ${name} is ${values}`)).toEqual([]);
  });
});
