import type { Preset } from "trading-terminal-client";

type Exit = Preset["exits"][number];

/** An exit of a buy as text: the part it sells, and how far above and below the price paid, in percent. */
export type ExitText = {
  percent: string;
  /** Empty if it takes no profit. */
  gain: string;
  /** Empty if it has no stop. */
  loss: string;
  /** True if the stop follows the price upwards. */
  isTrailing: boolean;
};

export const mostExits = 3;

/** The first exit sells everything; another one what the others leave. */
export const freshExit = (others: readonly ExitText[]): ExitText => ({
  percent: String(Math.max(0, 100 - sumOf(others)) || ""),
  gain: "100",
  loss: "30",
  isTrailing: false,
});

export const sumOf = (exits: readonly Pick<ExitText, "percent">[]): number =>
  exits.reduce((sum, { percent }) => sum + Math.round((Number(percent) || 0) * 10_000), 0) / 10_000;

type NumberName = "percent" | "gain" | "loss";

const isNumber = (text: string, least: number, most: number) =>
  /^\d+(\.\d{1,4})?$/.test(text) && Number(text) >= least && Number(text) <= most;

/** Returns what is wrong with the fields of one exit, in words. The limits are those of the service. */
export function wrongExit({
  percent,
  gain,
  loss,
  isTrailing,
}: ExitText): Partial<Record<NumberName, string>> {
  const [least, most] = isTrailing ? [3, 90] : [0.0001, 95];
  return {
    ...(!isNumber(percent, 0.0001, 100) && { percent: "Write a part from 0.0001 to 100 %." }),
    ...(gain !== "" && !isNumber(gain, 0.0001, 100_000) && { gain: "Write at most 100 000 %." }),
    ...(loss !== "" &&
      !isNumber(loss, least, most) && { loss: `Write a number from ${least} to ${most} %.` }),
    ...(gain === "" && loss === "" && { gain: "Write a take profit or a stop, or both." }),
  };
}

/** Returns what is wrong with all exits together, or else with one of them. */
export function wrongExits(exits: readonly ExitText[]): string | undefined {
  const sum = sumOf(exits);
  if (sum > 100) return `The parts add up to ${sum} %. All of them may be at most 100 %.`;
  return exits.some((exit) => Object.keys(wrongExit(exit)).length > 0)
    ? "An exit is not complete."
    : undefined;
}

/** Builds the exits for a request. */
export const exitsFrom = (exits: readonly ExitText[]): Exit[] =>
  exits.map(({ percent, gain, loss, isTrailing }) => ({
    percent: Number(percent),
    ...(gain !== "" && { takeProfit: { percent: Number(gain) } }),
    ...(loss !== "" && isTrailing && { trailing: { trailPercent: Number(loss) } }),
    ...(loss !== "" && !isTrailing && { stopLoss: { percent: -Number(loss) } }),
  }));

export const textsOfExits = (exits: readonly Exit[]): ExitText[] =>
  exits.map(({ percent, takeProfit, stopLoss, trailing }) => ({
    percent: String(percent),
    gain: String(takeProfit?.percent ?? ""),
    loss: String(trailing?.trailPercent ?? (stopLoss && -stopLoss.percent) ?? ""),
    isTrailing: trailing !== undefined,
  }));

/** Says in one sentence what exits will do after their buy. */
export function exitsSentence(exits: readonly ExitText[]): string {
  const parts = exits.map(({ percent, gain, loss, isTrailing }) => {
    const ways = [
      ...(gain === "" ? [] : [`${gain} % above the price paid`]),
      ...(loss === ""
        ? []
        : [isTrailing ? `${loss} % below its highest since` : `${loss} % below the price paid`]),
    ];
    return `${percent} % of it ${ways.join(" or ")}`;
  });
  const rest = Math.round((100 - sumOf(exits)) * 10_000) / 10_000;
  const kept = rest > 0 ? `, and keeps ${rest} %` : "";
  return parts.length === 0 ? "" : `Then sells ${parts.join(", and ")}${kept}.`;
}
