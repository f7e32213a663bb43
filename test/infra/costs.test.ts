import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { deployments, stackDocuments } from "../../lib/tools/documents/documents.ts";
import { synthesize, type Template } from "./synthesized.ts";

const read = (path: string) => readFileSync(path, "utf8");

const templatesOf = (context: Record<string, unknown>) => {
  const { data, api, watch } = synthesize(context);
  return [data, api, watch];
};
const documents = stackDocuments(deployments(templatesOf), read);
const page = documents["docs/costs.md"] ?? "";

/** Renders the page for deployments with additional resources. */
const pageWith = (Resources: Template["Resources"]) =>
  stackDocuments(
    deployments((context) => [...templatesOf(context), { Resources }]),
    read,
  )["docs/costs.md"];

/** Reads the first dollars of a month from a row. */
const dollarsOf = (users: string) =>
  (new RegExp(`^\\| ${users} \\| (.*) \\|$`, "m").exec(page)?.[1] ?? "")
    .split(" | ")
    .map((cell) => Number(cell.replaceAll(/[$,]/g, "")));

const totalsOf = (part: string) =>
  [...part.matchAll(/\*\*Total\*\* \| {2}\| \*\*\$([\d.]+)\*\* \| {2}\| (?:\*\*\$([\d.]+)\*\*)?/g)].map(
    ([, ...totals]) => totals.map((total = "0") => Number(total)),
  );

it.each(Object.entries(documents))(
  "%s matches the templates and the assumptions; otherwise, run npm run documents",
  (path, text) => {
    expect(text).toBe(read(path));
  },
);

describe("docs/costs.md", () => {
  it("shows the same cost at rest as README", () => {
    const [off, , , markets] = dollarsOf("0");
    expect(read("README.md")).toContain(
      `about $${off} a month at rest ($${markets} with trading and markets on four chains)`,
    );
  });

  it("adds up a month from the costs at rest, those of all users and those of a user", () => {
    const [user, shared, , markets] = totalsOf(page);
    const [, , , aws, hosts] = dollarsOf("10,000");
    const sum = (by: 0 | 1) => (markets?.[by] ?? 0) + (shared?.[by] ?? 0) + 10_000 * (user?.[by] ?? 0);
    expect(Math.abs((aws ?? 0) / sum(0) - 1)).toBeLessThan(0.05);
    expect(Math.abs((hosts ?? 0) / sum(1) - 1)).toBeLessThan(0.05);
    // Each user adds 1,200 quotes at 488 units, and $0.40 a million units.
    expect((hosts ?? 0) / 10_000).toBeGreaterThan((1200 * 488 * 0.4) / 1e6);
  });

  it("counts resources that cost money even when nothing runs", () => {
    expect(page).toContain("| KMS keys | 2 × 1 | $2.00 |");
    expect(page).toContain("| Addresses of VPC endpoints | 2 × 7.2 | $14.40 |");
    expect(pageWith({ Other: { Type: "AWS::KMS::Key", Properties: {} } })).toContain(
      "| KMS keys | 3 × 1 | $3.00 |",
    );
  });

  it("counts an alarm on an expression once for each of its metrics", () => {
    const metric = (Id: string) => ({ Id, MetricStat: {} });
    const of = (text = "") => Number(/Metrics of alarms \| (\d+)/.exec(text)?.[1]);
    const one = { Type: "AWS::CloudWatch::Alarm", Properties: { MetricName: "M" } };
    const several = { ...one, Properties: { Metrics: [{ Expression: "a + b" }, metric("a"), metric("b")] } };
    expect(of(pageWith({ One: one }))).toBe(of(page) + 1);
    expect(of(pageWith({ Several: several }))).toBe(of(page) + 2);
  });

  it("counts prices and readers only while clients are connected", () => {
    const [, atRest = ""] = /## At rest\n(.*?)\n## /s.exec(page) ?? [];
    expect(atRest).toMatch(/\| sweepLanes \|/);
    expect(atRest).not.toMatch(/feedPrices|deliver|readMarkets/);
  });

  it("rejects a resource type with unknown billing", () => {
    expect(() => pageWith({ Gateway: { Type: "AWS::EC2::NatGateway", Properties: {} } })).toThrow(
      "Add the costs of these to lib/tools/documents/billed-resources.ts: AWS::EC2::NatGateway",
    );
  });
});
