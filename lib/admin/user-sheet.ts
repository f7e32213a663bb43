import { harmless } from "./output.ts";
import type { UserDetails } from "./user-details.ts";

/** A user's details for reading, as lines. */
export function userSheet({ settings, wallets, xp, ...facts }: UserDetails): string[] {
  return [
    ...Object.entries({ ...facts, xp: pairs(xp), wallets: wallets.length }).map(([name, value]) => {
      return `${name.padEnd(12)} ${harmless(String(value ?? "nobody"))}`;
    }),
    "settings",
    ...Object.entries(settings).map(([chain, values]) => `  ${chain.padEnd(5)} ${pairs(values)}`),
    "wallets",
    ...wallets.map(({ _id, network, address, slotName, createdAt }) => {
      return `  ${network.padEnd(5)} ${address.padEnd(44)}  ${_id}  ${createdAt}  ${harmless(slotName)}`;
    }),
  ];
}

function pairs(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
