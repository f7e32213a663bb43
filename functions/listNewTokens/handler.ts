import * as schemas from "../../lib/api/market-operations.ts";
import type { ChainReader } from "../../lib/chains/families/open-chains.ts";
import type { ReadNewPools } from "../../lib/markets/core/new-tokens.ts";
import { newPoolsOf } from "../../lib/markets/families/new-pools.ts";
import { listNewTokens } from "../../lib/markets/list-new-tokens.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { openTrading } from "../../lib/runtime/open-trading.ts";
import { enveloped, rest } from "../../lib/runtime/rest.ts";
import { openTable } from "../../lib/table/table.ts";

const chains = openTrading("listNewTokens");

/** Remembers the pools of tokens for as long as this process lives. */
const readers = new Map<ChainReader, ReadNewPools | undefined>(
  [...chains.values()].map((reader) => [reader, newPoolsOf(reader)]),
);

const deps = {
  table: openTable(environment("TABLE_NAME")),
  chains,
  newPoolsOf: (reader: ChainReader) => readers.get(reader),
};

export const handler = rest("listNewTokens", schemas.listNewTokens, async ({ now, query: { chain } }) =>
  enveloped(await listNewTokens(deps, { chain, now })),
);
