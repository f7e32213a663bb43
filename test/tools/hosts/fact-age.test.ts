import { describe, expect, it } from "vitest";
import { evidence, type FactName, networkFacts } from "../../../lib/core/network-facts.ts";
import { factAges } from "../../../lib/tools/hosts/fact-age.ts";
import { main } from "../../../lib/tools/hosts/program.ts";
import { stdioForTests } from "../runner/support/stdio.ts";

const day = 86_400_000;
const seenMs = Date.parse("2026-11-28");

/** All facts as seen on one day, except for some. */
const seenOn = (seen: string, others: Partial<Record<FactName, string>> = {}) =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, { source }]) => [
      name,
      { seen: others[name as FactName] ?? seen, source },
    ]),
  ) as typeof evidence;

const warnings = (nowMs: number, dated = seenOn("2026-11-28")) =>
  factAges(nowMs, dated).lines.filter((line) => line.startsWith("warning"));

describe("factAges", () => {
  it("gives each fact a day that exists and a source", () => {
    expect(Object.keys(evidence)).toEqual(Object.keys(networkFacts));
    for (const { seen, source } of Object.values(evidence)) {
      expect(new Date(seen).toISOString()).toBe(`${seen}T00:00:00.000Z`);
      expect(source).not.toBe("");
    }
  });

  it("warns of a fact that is older than 90 days, and fails when it is older than 120", () => {
    const of = (days: number) => factAges(seenMs + days * day, seenOn("2026-11-28"));
    const hasWarning = (days: number) => of(days).lines.some((line) => line.includes("older than"));
    expect([90, 91, 120, 121].map(hasWarning)).toEqual([false, true, true, true]);
    expect([90, 91, 120, 121].map((days) => of(days).areTooOld)).toEqual([false, false, false, true]);
  });

  it("counts only the age of the oldest fact, and lists it first", () => {
    const dated = seenOn("2026-11-28", { solSlotSeconds: "2026-08-01" });
    const { lines, areTooOld } = factAges(seenMs, dated);
    expect(areTooOld).toBe(false);
    expect(lines[0]).toMatch(/^warning: solSlotSeconds 0.2, seen 2026-08-01 at .+: older than 90 days/);
    expect(warnings(seenMs, dated)).toHaveLength(1);
    expect(factAges(seenMs + 2 * day, dated).areTooOld).toBe(true);
  });

  it("asks somebody to check a change whose day has come, until somebody has checked", () => {
    const comes = Date.parse(networkFacts.bscJenner);
    const dated = seenOn("2026-11-28");
    expect(warnings(comes - 1, dated).join()).not.toContain("bscJenner");
    expect(warnings(comes, dated).join()).toContain("bscJenner 2026-12-08");
    expect(warnings(comes, seenOn("2026-12-08")).join()).not.toContain("bscJenner");
  });
});

describe("hosts --facts", () => {
  const run = async (nowMs: number) => {
    const stdio = stdioForTests();
    const times = { nowMs: () => nowMs, pause: async () => undefined };
    const status = await main(["--facts"], stdio, new AbortController().signal, times);
    return { status, out: stdio.printed.out };
  };

  it("lists all facts and asks no host", async () => {
    const { status, out } = await run(seenMs);
    expect(status).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(Object.keys(networkFacts).length);
  });

  it("fails when a fact is too old", async () => {
    const oldest = Math.min(...Object.values(evidence).map(({ seen }) => Date.parse(seen)));
    expect(await run(oldest + 121 * day)).toMatchObject({ status: 1 });
  });
});
