import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { defaultChannelShards } from "../../../lib/infra/market-context.ts";
import { measured } from "../../../lib/tools/documents/assumptions.ts";

const [costs, scale, benchmarks] = ["costs", "scale", "benchmarks"].map((name) =>
  readFileSync(`docs/${name}.md`, "utf8"),
) as [string, string, string];

const rowsOf = (page: string) =>
  [...page.matchAll(/^\| (.+) \|$/gm)].map(([, row = ""]) => row.split(" | ").map((cell) => cell.trim()));

/** Reads numbers such as 1,000, $2.00, 36k or 1.4M. */
const numberIn = (text: string) =>
  Number(text.replaceAll(/[$,*]|[kM]$/g, "")) * (text.endsWith("k") ? 1e3 : text.endsWith("M") ? 1e6 : 1);

/** Evaluates a formula such as 2 × 0.1 / 60 + 4. Returns undefined for other text. */
function computed(text = ""): number | undefined {
  const formula = text.replaceAll(",", "").replaceAll("×", "*");
  return /^\(?\d[\d.*/+() -]* [\d.*/+() -]*$/.test(formula)
    ? Number(Function(`return ${formula}`)())
    : undefined;
}

/** Finds figures that differ from their arithmetic by more than rounding. */
const isOff = (written: string, value: number) => Math.abs(numberIn(written) / value - 1) > 0.05;

describe("docs/scale.md and docs/costs.md", () => {
  it("show the arithmetic of each derived figure", () => {
    const figures = [...rowsOf(scale), ...rowsOf(costs)].flatMap((cells) =>
      cells.flatMap((cell, index) => {
        const value = computed(cell);
        if (value === undefined) return [];
        // A limit stands before its arithmetic, and every other figure after it, for one user or for each size.
        const isLimit = /^[\d.,]+[kM]?$/.test(cells[0] ?? "");
        const sizes =
          cells.length === 5 && scale.includes(`| ${cells.join(" | ")} |`) ? [100, 1e4, 1e6] : [1];
        return sizes.map((size, at) => ({
          cells,
          written: cells[isLimit ? 0 : index + 1 + at] ?? "",
          value: size * value,
        }));
      }),
    );
    expect(figures.length).toBeGreaterThan(100);
    expect(figures.filter(({ written, value }) => isOff(written, value))).toEqual([]);
  });

  it("list limits by the number of users, and name the first of them for each size", () => {
    const limits = rowsOf(scale).filter(
      ([users = "", , formula]) => /^[\d.,]+[kM]?$/.test(users) && computed(formula),
    );
    const users = limits.map(([written = ""]) => numberIn(written));
    expect(users).toEqual(users.toSorted((one, other) => one - other));
    const [lowest = ""] = limits.map(([written, limit]) => `${limit} at ${written}`);
    const walls = ["100", "10,000"].map((size) =>
      rowsOf(costs)
        .find(([users]) => users === size)
        ?.at(-1),
    );
    expect(walls).toEqual([lowest, expect.stringMatching(`^${lowest}; `)]);
  });

  it("count the news of each shard and the prices, which readMarkets reads each second", () => {
    expect(measured.marketReads[0]).toBeGreaterThanOrEqual(60 * (defaultChannelShards + 1));
  });

  it("say how many users' followers deliver can read", () => {
    expect(scale).toMatch(/\| 410k \| Reads of followers \|/);
  });

  it("agree with the figures of docs/benchmarks.md (update assumptions.ts if not)", () => {
    const [, buy] = /\n\| all \| [\d,]+, [^|]*\| ([\d,]+), /.exec(benchmarks) ?? [];
    const [, markets] = /\n\| units in a second \| ([\d,]+) \|/.exec(benchmarks) ?? [];
    const [, quote] =
      /\n- The console used to ask .* on eth and \d+ on base; now they are \d+ and (\d+)\./.exec(
        benchmarks,
      ) ?? [];
    const readers = [...benchmarks.matchAll(/\n\| ([\d,]+) \| after \|/g)].map(([, followers]) => followers);
    expect([buy, quote, markets, readers.at(-1)]).toEqual([
      measured.buyUnits[0].toLocaleString("en"),
      `${measured.quoteUnits[0]}`,
      `${measured.marketUnits[0]}`,
      measured.followers[0].toLocaleString("en"),
    ]);
  });
});
