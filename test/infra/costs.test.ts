import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { costsPage } from "../../lib/tools/documents/costs-page.ts";
import { tradingOnAll } from "../../lib/tools/documents/documents.ts";
import { synthesize, type Template, type Templates } from "./synthesized.ts";

const { data, api, watch } = synthesize();
const trading = synthesize(tradingOnAll);
const templatesOf = ({ data, api, watch }: Pick<Templates, "data" | "api" | "watch">) => [data, api, watch];
const page = costsPage([data, api, watch], templatesOf(trading));

/** Renders the page for a data stack with additional resources. */
const pageWith = (Resources: Template["Resources"]) =>
  costsPage([{ Resources: { ...data.Resources, ...Resources } }, api, watch], templatesOf(trading));

describe("docs/costs.md", () => {
  it("matches the generated page; otherwise, run npm run documents", () => {
    expect(readFileSync("docs/costs.md", "utf8")).toBe(page);
  });

  it("shows the same total as README", () => {
    const [, total] = /\*\*Total, about\*\* \| {2}\| \*\*(\$\d+)\*\*/.exec(page) ?? [];
    const [, trading] = /\| Nobody \| [^|]+ \| (\$\d+) \|/.exec(page) ?? [];
    expect(readFileSync("README.md", "utf8")).toContain(
      `about ${total} a month at rest (${trading} with trading on four chains)`,
    );
  });
});

describe("costsPage", () => {
  it("adds up a month without users, with users, and with trading", () => {
    const rows = [...page.matchAll(/^\| (Nobody|100|10,000) \| \$(\d+) \| \$(\d+) \|$/gm)];
    expect(rows.map(([, users]) => users)).toEqual(["Nobody", "100", "10,000"]);
    const [[off = 0, on = 0] = [], [few = 0] = [], [many = 0] = []] = rows.map(([, , ...costs]) =>
      costs.map(Number),
    );
    expect(page).toContain(`**Total, about** |  | **$${off}**`);
    expect(off).toBeLessThan(16);
    expect(on).toBeLessThan(45);
    // Each of 9,900 more users adds 36,000 messages at $1 a million, 2,000 requests at about $6, and the rest.
    expect((many - few) / 9900).toBeGreaterThan(36_000e-6 + 2000 * 5e-6);
    expect((many - few) / 9900).toBeLessThan(2 * (36_000e-6 + 2000 * 5e-6));
  });

  it("counts resources that cost money even when nothing runs", () => {
    expect(page).toContain("| KMS keys | 2 × $1.00 | $2.00 |");
    expect(pageWith({ Other: { Type: "AWS::KMS::Key", Properties: {} } })).toContain(
      "| KMS keys | 3 × $1.00 | $3.00 |",
    );
  });

  it("counts an alarm on an expression once for each of its metrics", () => {
    const metric = (Id: string) => ({ Id, MetricStat: {} });
    const of = (text: string) => Number(/Metrics of alarms \| (\d+)/.exec(text)?.[1]);
    const one = { Type: "AWS::CloudWatch::Alarm", Properties: { MetricName: "M" } };
    const several = { ...one, Properties: { Metrics: [{ Expression: "a + b" }, metric("a"), metric("b")] } };
    expect(of(pageWith({ One: one }))).toBe(of(page) + 1);
    expect(of(pageWith({ Several: several }))).toBe(of(page) + 2);
  });

  it("counts a whole unit for reading a range, because the read is consistent", () => {
    // Cost of 5.184 M x ($0.20 + 1.73 GB x 10 ms + $0.125), in millions.
    expect(page).toMatch(
      /\| deliver, for all clients \| 5\.18 M × 10 ms of 1\.73 GB, and the table \| \$2\.88 \|/,
    );
  });

  it("includes the operations of trading and their schedules even where trading is off", () => {
    expect(page).toMatch(/\| quoteOrder \| \$3\.50 \| \$5\.83 \|/);
    expect(page).toMatch(/With trading on four chains, readChains and sweepLanes cost up to \$\d/);
    const withTrading = costsPage(templatesOf(trading), templatesOf(trading));
    expect(withTrading).not.toContain("- With trading");
    expect(withTrading).toContain("| Addresses of VPC endpoints | 2 × $7.20 | $14.40 |");
    expect(page).toContain("The signer's network costs $14.40, and the key of orders $1.00.");
  });

  it("adds up the cost of an order from its request to its final outcome", () => {
    const [, section = ""] = /## A million orders\n(.*?)\n\nA sale/s.exec(page) ?? [];
    const costs = new Map(
      [...section.matchAll(/\| ([^|]+) \| [^|]* \| \$([\d.]+) \|/g)].map(([, name, cost]) => [
        name,
        Number(cost),
      ]),
    );
    const [, total] = /\*\*Total, about\*\* \| {2}\| \*\*\$(\d+)\*\* \|$/.exec(section) ?? [];
    expect(Number(total)).toBe(Math.round([...costs.values()].reduce((before, cost) => before + cost)));
    // Cost of a run in millionths: $0.20, 0.4 s at 1 GB, 20 reads and 23 writes.
    expect(costs.get("executeOrders: the fill")).toBeCloseTo(0.2 + 5.3333 + 2.5 + 14.375, 1);
  });

  it("counts prices only while clients are subscribed", () => {
    const [, atRest = ""] = /## At rest\n(.*?)\n## /s.exec(page) ?? [];
    expect(atRest).not.toMatch(/feedPrices|deliver/);
    expect(page).toMatch(/\| feedPrices, for all clients \| 0\.04 M × 60,000 ms of 0\.25 GB/);
    expect(page).toContain("| Messages, one in 2 seconds | 1.296 M × $1.00 / M each | $1296.00 |");
  });

  it("rejects a resource type with unknown billing", () => {
    expect(() => pageWith({ Gateway: { Type: "AWS::EC2::NatGateway", Properties: {} } })).toThrow(
      "Add the costs of these to lib/tools/documents/billed-resources.ts: AWS::EC2::NatGateway",
    );
  });
});
