import * as v from "valibot";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import { Count, LamportsSchema, PublicKey, solCall } from "./rpc-call.ts";

/** Maximum number of signatures that hosts list in one answer. */
export const mostListed = 1000;

/** A transaction that names an account. */
export type ListedSignature = { id: string; slot: number; isFailed: boolean; time: number | undefined };

const Signatures = v.pipe(
  v.array(
    v.object({
      signature: v.pipe(v.string(), v.maxLength(100)),
      slot: Count,
      err: v.unknown(),
      blockTime: v.nullish(Count),
    }),
  ),
  v.transform((listed) =>
    listed.map(
      ({ signature, slot, err, blockTime }): ListedSignature => ({
        id: signature,
        slot,
        isFailed: err !== null,
        time: blockTime ?? undefined,
      }),
    ),
  ),
);

/**
 * Lists final transactions that name an account, the newest first.
 *
 * @param before The signature before which the list begins. Absent for the newest.
 */
export const signaturesCall = (
  account: string,
  { limit, before }: { limit: number; before?: string | undefined },
): RpcCall<ListedSignature[]> =>
  solCall(
    "getSignaturesForAddress",
    [account, { limit, commitment: "finalized", ...(before !== undefined && { before }) }],
    Signatures,
  );

/** Balances of an account: lamports, and units if it is an account of a token. */
export type Balance = { lamports: bigint; units?: bigint };

/** A final transaction, with the balances of the accounts that it names, before it and after it. */
export type PastTransaction = {
  slot: number;
  time: number;
  isFailed: boolean;
  before: ReadonlyMap<string, Balance>;
  after: ReadonlyMap<string, Balance>;
};

const Units = v.pipe(
  v.string(),
  v.regex(/^\d{1,20}$/),
  v.transform((units) => BigInt(units)),
);

const Balances = v.array(v.object({ accountIndex: Count, uiTokenAmount: v.object({ amount: Units }) }));

const Loaded = v.object({ writable: v.array(PublicKey), readonly: v.array(PublicKey) });

const Transaction = v.object({
  slot: Count,
  blockTime: v.nullable(Count),
  transaction: v.object({ message: v.object({ accountKeys: v.array(PublicKey) }) }),
  meta: v.object({
    err: v.unknown(),
    preBalances: v.array(LamportsSchema),
    postBalances: v.array(LamportsSchema),
    preTokenBalances: v.nullish(Balances, []),
    postTokenBalances: v.nullish(Balances, []),
    loadedAddresses: v.nullish(Loaded),
  }),
});

function transactionOf({
  slot,
  blockTime,
  transaction: { message },
  meta,
}: v.InferOutput<typeof Transaction>): PastTransaction | undefined {
  if (blockTime === null) return undefined;
  // Accounts from lookup tables come after those that the message itself names.
  const { writable = [], readonly = [] } = meta.loadedAddresses ?? {};
  const keys = [...message.accountKeys, ...writable, ...readonly];
  const balances = (lamports: readonly bigint[], tokens: v.InferOutput<typeof Balances>) => {
    const units = new Map(
      tokens.map(({ accountIndex, uiTokenAmount }) => [accountIndex, uiTokenAmount.amount]),
    );
    return new Map(
      keys.map((key, index): [string, Balance] => {
        const held = units.get(index);
        return [key, { lamports: lamports[index] ?? 0n, ...(held !== undefined && { units: held }) }];
      }),
    );
  };
  return {
    slot,
    time: blockTime,
    isFailed: meta.err !== null,
    before: balances(meta.preBalances, meta.preTokenBalances ?? []),
    after: balances(meta.postBalances, meta.postTokenBalances ?? []),
  };
}

/** Asks for a final transaction. Undefined if the host does not have it. */
export const pastTransactionCall = (id: string): RpcCall<PastTransaction | undefined> =>
  solCall(
    "getTransaction",
    [id, { encoding: "json", commitment: "finalized", maxSupportedTransactionVersion: 0 }],
    v.pipe(
      v.nullable(Transaction),
      v.transform((found) => (found === null ? undefined : transactionOf(found))),
    ),
  );
