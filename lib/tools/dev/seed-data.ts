import * as v from "valibot";
import { CatalogueSchema } from "../../api/reward-schema.ts";
import { createCatalogue } from "../../rewards/reward-records.ts";
import { evmChains } from "../../trading/core/trading-chain.ts";
import rewards from "../admin/examples/rewards.json" with { type: "json" };
import { forgetTrading } from "../admin/forget-trading.ts";
import type { Target } from "../admin/target.ts";
import type { NoteBook } from "./chains/chain-notes.ts";

/** Anvil's first account, which has coins on each local chain. Its key is public. */
export const exampleWallet = {
  address: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
  privateKey: "0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
};

/**
 * Loads the examples into the table, after removing the orders of former chains.
 *
 * @param book Undefined if trading is off.
 */
export async function seedTable(
  target: Pick<Target, "table">,
  { book, examples }: { book: NoteBook | undefined; examples: boolean },
): Promise<void> {
  if (book?.notes.toForget !== undefined) {
    await forgetTrading(target.table, book.notes.toForget);
    delete book.notes.toForget;
    book.save();
  }
  if (examples) await seedExamples(target);
}

/** Loads the example rewards, unless there has ever been a catalogue. Returns whether it loaded them. */
export async function seedExamples({ table }: Pick<Target, "table">): Promise<boolean> {
  return createCatalogue(table, v.parse(CatalogueSchema, rewards));
}

type Service = { baseUrl: string; token: string };

/** Imports the example wallet once on each chain that trades, through the API. Returns the reason if it failed. */
export async function seedWallet(
  { notes, save }: NoteBook,
  { baseUrl, token }: Service,
): Promise<string | undefined> {
  if (notes.hasWallet) return undefined;
  for (const network of evmChains) {
    const response = await fetch(`${baseUrl}/storeWallet_v2`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ network, privateKey: exampleWallet.privateKey }),
    });
    if (!response.ok) return `The example wallet was not imported: ${await response.text()}`;
  }
  notes.hasWallet = true;
  save();
  return undefined;
}
