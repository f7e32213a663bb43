import { atMost } from "../../table/step.ts";
import type { Table } from "../../table/table.ts";
import { write } from "../../table/write.ts";
import type { TradingChain } from "../core/trading-chain.ts";
import { watcherKey } from "./keys.ts";

/** Takes over the watch of a chain, or keeps it. Returns false if a run with a greater lease holds it. */
export async function takeWatch(table: Table, chain: TradingChain, lease: string): Promise<boolean> {
  return write(table, {
    kind: "change",
    key: watcherKey(chain),
    set: { lease },
    when: ["absent", { lease: atMost(lease) }],
  });
}
