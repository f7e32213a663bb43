import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { operations } from "../../../lib/operations/operations.ts";
import { architecturePicture } from "../../../lib/tools/documents/pictures/architecture.ts";
import { chart } from "../../../lib/tools/documents/pictures/chart.ts";
import { dashboardPicture } from "../../../lib/tools/documents/pictures/dashboard.ts";
import { plotFiles } from "../../../lib/tools/documents/pictures/plots.ts";
import { dashboardOf } from "./dashboard-of.ts";

/** Returns what each match of a pattern captures, as numbers. */
const numbersIn = (picture: string, pattern: RegExp) =>
  [...picture.matchAll(pattern)].map(([, figure]) => Number(figure));

const wordsIn = (picture: string) =>
  [...picture.matchAll(/<text [^>]*>(.*?)<\/text>/g)].map(([, words]) => words);

describe("a chart", () => {
  const charted = (isLogarithmic: boolean, values: number[]) =>
    chart({
      title: "Costs < income",
      axis: "dollars",
      isLogarithmic,
      series: ["one"],
      rows: values.map((value) => ({ name: `Row ${value}`, figures: [{ text: `$${value}`, value }] })),
    });

  it("draws bars in proportion to their figures", () => {
    const widths = numbersIn(charted(false, [10, 20, 80]), / width="([\d.]+)" height="12"/g);
    const [first = 0] = widths;
    expect(widths.map((width) => Math.round(width / first))).toEqual([1, 2, 8]);
  });

  it("draws dots at equal distances for equal ratios", () => {
    const [first = 0, second = 0, third = 0] = numbersIn(charted(true, [1, 10, 100]), / cx="([\d.]+)"/g);
    expect(second - first).toBeGreaterThan(100);
    expect(third - second).toBeCloseTo(second - first, 0);
  });

  it("shows each row's name and figure, and is a picture with a title", () => {
    const picture = charted(false, [10, 20]);
    expect(wordsIn(picture)).toEqual(expect.arrayContaining(["Row 10", "$10", "Row 20", "$20", "dollars"]));
    expect(picture).toContain('<title id="title">Costs &#60; income</title>');
  });

  it("omits a figure that a row does not have", () => {
    const rows = [{ name: "Row", figures: [undefined, { text: "5 ms", value: 5 }] }];
    const picture = chart({ title: "", axis: "", isLogarithmic: false, series: ["one", "two"], rows });
    expect(picture.match(/height="12"/g)).toHaveLength(1);
    expect(picture).toMatch(/height="12" rx="2" class="second"/);
  });
});

describe("the plots of documents", () => {
  const read = (path: string) => readFileSync(path, "utf8");

  it("refuse a figure in another unit than that of their plot", () => {
    const inSeconds = (path: string) => read(path).replace("| 839 ms |", "| 0.8 s |");
    expect(() => plotFiles(inSeconds)).toThrow("A plot needs a figure in ms, not 0.8 s");
  });

  it("refuse a page that lacks their table", () => {
    expect(() => plotFiles((path) => read(path).replace("| Users | Limit |", "| Users |"))).toThrow(
      "A page must have one table | Users | Limit |",
    );
  });
});

describe("the picture of the dashboard", () => {
  const metric = (name: string, options: object) => ["AWS/Lambda", name, "FunctionName", "name", options];
  const graphs = [
    {
      title: "Durations",
      metrics: [
        metric("Duration", { label: "p50", stat: "p50" }),
        metric("Duration", { label: "p99", stat: "p99" }),
      ],
    },
    {
      title: "Failures",
      metrics: [
        [{ label: "all", expression: "one" }],
        metric("Errors", { id: "one", visible: false }),
        ...["a", "b", "c", "d", "e", "f"].map((label) => metric("Errors", { label })),
      ],
    },
  ];
  const picture = dashboardPicture([{ Resources: { Dashboard: dashboardOf(graphs) } }]);
  const series = [
    ...picture.matchAll(/<polyline points="([^"]+)" class="(first|second|third|fourth)-line"/g),
  ].map(([, points = ""]) => points.split(" ").map((point) => Number(point.split(",")[1])));

  it("names each graph and its metrics, without hidden ones, and counts those without a line", () => {
    const words = wordsIn(picture);
    expect(words).toEqual(
      expect.arrayContaining(["Durations", "p50", "p99", "Failures", "all", "a", "and 3 more"]),
    );
    expect(words).not.toContain("d");
  });

  it("says that its figures are invented", () => {
    expect(wordsIn(picture).slice(0, 2)).toEqual([
      "The dashboard, with example figures",
      expect.stringContaining("All figures are invented"),
    ]);
  });

  it("shows failures as a line at 0, and everything else as a line that moves", () => {
    expect(series).toHaveLength(6);
    expect(series.map((places) => new Set(places).size === 1)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ]);
  });
});

describe("the picture of the architecture", () => {
  it("counts each function once, and names those that can open wallets", () => {
    const words = wordsIn(architecturePicture());
    const counts = words.filter((each = "") => /^\d+$/.test(each)).map(Number);
    const openers = Object.entries(operations).filter(([, { opensWallets }]) => opensWallets);
    expect(counts.reduce((sum, count) => sum + count, openers.length)).toBe(Object.keys(operations).length);
    // Each needs its task in words.
    for (const [name] of openers) expect(words).toContainEqual(expect.stringMatching(`^${name} \\w`));
  });
});
