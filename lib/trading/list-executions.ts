import { foldedAddress, isMeantAsAddress, readAddress } from "../chains/families/address.ts";
import { tradingChains } from "../core/chain-facts.ts";
import { cursorAt, positionGiven } from "../core/cursor.ts";
import type { ExecutionKind } from "../core/execution-words.ts";
import type { Execution } from "../orders/execution.ts";
import type { Table } from "../table/table.ts";
import { type ListFilter, readListed } from "./items/listed-executions.ts";

export type ListRequest = {
  status?: string | undefined;
  type?: string | undefined;
  chain?: string | undefined;
  wallet?: string | undefined;
  token?: string | undefined;
  /** A whole number as text. */
  limit: string;
  cursor?: string | undefined;
};

/**
 * Lists a page of the user's orders or positions, newest first.
 *
 * @throws {DomainError} INVALID_REQUEST if an address has a wrong checksum or the cursor belongs to another list.
 */
export async function listExecutions<Listed extends Execution>(
  table: Table,
  owner: { userID: string; kind: ExecutionKind },
  { limit, cursor, ...request }: ListRequest,
): Promise<{ executions: Listed[]; cursor?: string }> {
  const filter = filterOf(request);
  const list = [owner.kind, owner.userID, filter];
  const after = positionGiven(cursor, list);
  const { executions, end } = await readListed<Listed>(table, owner, { filter, limit: Number(limit), after });
  return { executions, ...(end !== undefined && { cursor: cursorAt(end, list) }) };
}

export const filterOf = ({
  status,
  type,
  chain,
  wallet,
  token,
}: Omit<ListRequest, "limit" | "cursor">): ListFilter => ({
  ...(status !== undefined && { status: [status] }),
  ...(type !== undefined && { type: [type] }),
  ...(chain !== undefined && { chain: [chain] }),
  ...(wallet !== undefined && { wallet: formsOf(wallet, "wallet") }),
  ...(token !== undefined && { token: formsOf(token, "token") }),
});

/** Ignores the case of addresses if it has no meaning, because other engines may write addresses in lower case. */
function formsOf(address: string, field: string): string[] {
  const network = tradingChains.find((chain) => isMeantAsAddress(chain, address));
  if (network === undefined) return [address];
  return [...new Set([readAddress(network, address, field), foldedAddress(network, address)])];
}
