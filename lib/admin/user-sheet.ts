import type { Plan } from "../domain/plan.ts";
import { harmless } from "./output.ts";
import type { UserDetails } from "./user-details.ts";

/** A user's details for reading, as lines. */
export function userSheet({ settings, wallets, xp, plan, apiKey, ...facts }: UserDetails): string[] {
  const texts = { plan: planText(plan), apiKey: apiKeyText(apiKey), xp: pairs(xp), wallets: wallets.length };
  return [
    ...Object.entries({ ...facts, ...texts }).map(([name, value]) => {
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

function planText({ name, requestsPerMinute }: Plan): string {
  return `${name}, ${requestsPerMinute} requests a minute`;
}

function apiKeyText({ current, next }: UserDetails["apiKey"]): string {
  const texts = [
    ...(current
      ? [
          `${current.keyID} on ${planText(current.plan)} (${current.planID}), active from ${current.activeFrom}`,
        ]
      : []),
    ...(next ? [`being made for ${planText(next)}`] : []),
  ];
  return texts.join("; ") || "none";
}

function pairs(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}
