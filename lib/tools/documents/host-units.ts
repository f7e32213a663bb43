import { hostPrices } from "./assumptions.ts";

const unitsOfMethod: Readonly<Record<string, number>> = hostPrices.units;

/**
 * Sums up the units of calls, given by their methods.
 *
 * @throws Error if the price list lacks a method
 */
export function unitsOf(methods: readonly string[]): number {
  return methods.reduce((sum, method) => {
    const units = unitsOfMethod[method];
    if (units === undefined) throw new Error(`Add the units of ${method} to lib/chains/hosts/spent-units.ts`);
    return sum + units;
  }, 0);
}

export const dollarsOfUnits = (units: number): number => (units / 1_000_000) * hostPrices.perMillionUnits;
