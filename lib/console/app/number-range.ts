/** Smallest and greatest number that the service accepts. */
export type Range = readonly [least: number, most: number];

/** Shows a limit of any size without an exponent. */
const shown = (limit: number) =>
  limit.toLocaleString("en", { maximumFractionDigits: 9 }).replaceAll(",", "\u00a0");

export const rangeText = ([least, most]: Range) => `${shown(least)} to ${shown(most)}`;

export type NumberRule = {
  range?: Range;
  /** Meaning of an empty field. Without it, the field must have a number. */
  whenEmpty?: string;
};

/** Returns what a field says of its number: the rule, and what is wrong with the text. */
export function aboutNumber(text: string, { range, whenEmpty }: NumberRule) {
  const hints = [range && rangeText(range), whenEmpty && `empty for ${whenEmpty}`].filter(Boolean);
  const isLeftOut = text === "" && whenEmpty !== undefined;
  return {
    hint: hints.length === 0 ? undefined : hints.join(", "),
    problem: isLeftOut ? undefined : problemOf(text, range),
  };
}

/** Says why the service would refuse the text of a field. Undefined for text that it accepts. */
export function problemOf(text: string, range: Range | undefined): string | undefined {
  if (!/^\d*\.?\d+$/.test(text)) return "A number is needed here, such as 1.5.";
  const value = Number(text);
  return range !== undefined && (value < range[0] || value > range[1])
    ? `Only ${rangeText(range)} is accepted.`
    : undefined;
}
