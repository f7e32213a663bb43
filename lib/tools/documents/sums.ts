/** A figure that follows from others, with its arithmetic. */
export type Sum = { text: string; value: number };

/** Writes arithmetic out with rounded figures, and computes it from exact ones. */
export function sum(texts: TemplateStringsArray, ...figures: (number | Sum)[]): Sum {
  const values = figures.map((figure) => (typeof figure === "number" ? figure : figure.value));
  const join = (shown: readonly string[]) => texts.map((text, index) => text + (shown[index] ?? "")).join("");
  const value = Number(
    Function(`return ${join(values.map(String)).replaceAll("×", "*").replaceAll(",", "")}`)(),
  );
  const rounded = values.map((figure) =>
    grouped(figure >= 100 ? Math.round(figure) : Number(figure.toPrecision(3))),
  );
  return { text: join(rounded), value };
}

export const grouped = (count: number): string =>
  count.toLocaleString("en-US", { maximumSignificantDigits: 12 });

/** Writes a number with two or three digits, such as 5,000, 36k or 1.4M. */
export function short(count: number): string {
  const rounded = Number(count.toPrecision(2));
  if (rounded < 10_000) return grouped(rounded);
  return rounded < 1e6 ? `${grouped(rounded / 1000)}k` : `${grouped(rounded / 1e6)}M`;
}

/** Makes a table in Markdown. */
export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");

/** Makes a table of figures with their sources. */
export const figureTable = (figures: Readonly<Record<string, readonly [number, string, string]>>): string =>
  table(
    ["Figure", "Value", "Source"],
    Object.values(figures).map(([value, meaning, source]) => [meaning, grouped(value), source]),
  );
