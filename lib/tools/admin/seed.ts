import * as v from "valibot";
import { CatalogueSchema } from "../../api/reward-schema.ts";
import { createCatalogue } from "../../rewards/reward-records.ts";
import examples from "./examples/rewards.json" with { type: "json" };
import type { Target } from "./target.ts";

/** Loads the example rewards, unless there has ever been a catalogue. Returns whether it loaded them. */
export async function seedExamples({ table }: Pick<Target, "table">): Promise<boolean> {
  return createCatalogue(table, v.parse(CatalogueSchema, examples));
}
