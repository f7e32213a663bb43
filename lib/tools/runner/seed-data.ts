import type { NoteBook } from "trading-terminal-devnet/chain-notes";
import { exampleSolWallet, exampleWallet } from "trading-terminal-devnet/example-wallets";
import * as v from "valibot";
import { CatalogueSchema } from "../../api/reward-schema.ts";
import { evmChains } from "../../core/chain-facts.ts";
import { createCatalogue } from "../../rewards/reward-records.ts";
import rewards from "../admin/examples/rewards.json" with { type: "json" };
import { forgetTrading } from "../admin/forget-trading.ts";
import type { Target } from "../admin/target.ts";

/**
 * Removes the orders of former chains from the table, and loads the examples.
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

/** Loads the example rewards, unless the table has ever had a catalogue. Returns true if it loaded them. */
export async function seedExamples({ table }: Pick<Target, "table">): Promise<boolean> {
  return createCatalogue(table, v.parse(CatalogueSchema, rewards));
}

type Service = { baseUrl: string; token: string };

/** Imports the example wallets through the API, once on each trading chain. Returns the reason of a failure, if any. */
export async function seedWallets(
  { notes, save }: NoteBook,
  { baseUrl, token }: Service,
  hasSol: boolean,
): Promise<string | undefined> {
  const wallets = [
    ...(notes.hasWallet ? [] : evmChains.map((network) => ({ network, ...exampleWallet }))),
    ...(hasSol && !notes.hasSolWallet ? [{ network: "sol", ...exampleSolWallet }] : []),
  ];
  if (wallets.length === 0) return undefined;
  for (const { network, privateKey } of wallets) {
    const response = await fetch(`${baseUrl}/storeWallet_v2`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify({ network, privateKey }),
    });
    if (!response.ok) return `An example wallet was not imported: ${await response.text()}`;
  }
  notes.hasWallet = true;
  notes.hasSolWallet ||= hasSol;
  save();
  return undefined;
}
