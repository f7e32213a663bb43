import { isAmount } from "../exact.ts";
import { type ExitText, wrongExits } from "./exits.ts";
import type { Side } from "./order-types.ts";

/** An amount that a user has named, with the exits of the buy. */
export type OwnPreset = {
  name: string;
  side: Side;
  given: string;
  unit: "amount" | "percent";
  exits: readonly ExitText[];
};

export const mostPresets = 12;
export const longestName = 24;

/** Returns why a name cannot be used, in words. */
export function wrongName(name: string, presets: readonly OwnPreset[]): string | undefined {
  if (name.trim() === "") return "Write a name.";
  if ([...name].length > longestName) return `Write at most ${longestName} characters.`;
  return presets.some((each) => each.name === name) ? "Another preset has this name." : undefined;
}

/** Adds a preset. One of the same name is replaced. */
export const withPreset = (presets: readonly OwnPreset[], preset: OwnPreset): OwnPreset[] =>
  presets.some(({ name }) => name === preset.name)
    ? presets.map((each) => (each.name === preset.name ? preset : each))
    : [...presets, preset].slice(0, mostPresets);

export const renamed = (presets: readonly OwnPreset[], from: string, to: string): OwnPreset[] =>
  presets.map((each) => (each.name === from ? { ...each, name: to } : each));

export const without = (presets: readonly OwnPreset[], name: string): OwnPreset[] =>
  presets.filter((each) => each.name !== name);

/** Reads what this browser keeps. Leaves out what another version of the page or a hand has spoilt. */
export function readPresets(text: string | undefined): OwnPreset[] {
  try {
    const read: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(read) ? read.filter(isPreset).slice(0, mostPresets) : [];
  } catch {
    return [];
  }
}

function isPreset(value: Partial<OwnPreset> | null): value is OwnPreset {
  const { name, side, given, unit, exits } = value ?? {};
  return (
    typeof name === "string" &&
    name !== "" &&
    (side === "buy" || side === "sell") &&
    (unit === "amount" || unit === "percent") &&
    typeof given === "string" &&
    isAmount(given) &&
    Array.isArray(exits) &&
    wrongExits(exits) === undefined
  );
}
