import * as v from "valibot";
import type { Lamports, TokenUnits } from "../../../core/units.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import { Count, contextOf, final, isUnfunded, LamportsSchema, PublicKey, solCall } from "./rpc-call.ts";

const Status = v.nullable(
  v.object({
    slot: Count,
    err: v.optional(v.unknown()),
    // Number of blocks after the transaction's block. Null once it is final.
    confirmations: v.optional(v.nullable(Count), null),
    confirmationStatus: v.nullable(v.string()),
  }),
);

/** Maximum number of statuses that hosts return in one answer. */
export const mostStatuses = 256;

/**
 * Asks for the slots of the final blocks with these transactions. Undefined for transactions that are in no final block
 * that the host knows.
 *
 * @param ids At most {@link mostStatuses}.
 */
export const statusesCall = (ids: readonly string[]): RpcCall<(number | undefined)[]> =>
  statusesAs(ids, ({ slot }) => slot);

/** Asks for the outcomes of transactions that are in final blocks. */
export const outcomesCall = (ids: readonly string[]): RpcCall<("ok" | "failed" | undefined)[]> =>
  statusesAs(ids, ({ err }) => ((err ?? null) === null ? "ok" : "failed"));

type FoundStatus = NonNullable<v.InferOutput<typeof Status>>;

const statusesAs = <Value>(ids: readonly string[], read: (status: FoundStatus) => Value) =>
  solCall(
    "getSignatureStatuses",
    [ids, { searchTransactionHistory: true }],
    v.pipe(
      contextOf(v.pipe(v.array(Status), v.length(ids.length))),
      v.transform(({ value }) =>
        value.map((status) => (status === null || !isFinal(status) ? undefined : read(status))),
      ),
    ),
  );

const isFinal = ({ confirmations, confirmationStatus }: FoundStatus): boolean =>
  confirmationStatus === null ? confirmations === null : confirmationStatus === "finalized";

/** Index of the failed instruction, and its program's error code. */
export type InstructionFailure = { index: number; code?: number | undefined };

/** The balance of a token in an account. The account is given by its index in the transaction. */
export type TokenBalance = { account: number; units: TokenUnits };

/** A transaction in a block, with the balances of its accounts before and after it. */
export type LandedTransaction = {
  /** The transaction's bytes, as sent. */
  bytes: Uint8Array;
  slot: number;
  /** Time in seconds since 1970. */
  time: number;
  /** Fee in lamports, including priority. */
  fee: Lamports;
  /** Absent if the host does not state it. */
  computeUnits?: number;
  /** Undefined if all instructions succeeded. `unfunded` means that the payer could not pay. */
  failure?: InstructionFailure | "unfunded" | "other" | undefined;
  lamports: { before: readonly Lamports[]; after: readonly Lamports[] };
  tokens: { before: readonly TokenBalance[]; after: readonly TokenBalance[] };
};

const Units = v.pipe(
  v.string(),
  v.regex(/^\d{1,20}$/),
  v.transform((units) => BigInt(units)),
);

const TokenBalances = v.pipe(
  v.array(v.object({ accountIndex: Count, uiTokenAmount: v.object({ amount: Units }) })),
  v.transform((balances) =>
    balances.map(({ accountIndex: account, uiTokenAmount: { amount: units } }) => ({ account, units })),
  ),
);

const Failure = v.pipe(
  v.object({ InstructionError: v.tuple([Count, v.unknown()]) }),
  v.transform(({ InstructionError: [index, reason] }): InstructionFailure => {
    const custom = v.safeParse(v.object({ Custom: Count }), reason);
    return { index, code: custom.success ? custom.output.Custom : undefined };
  }),
);

/** The last second of the year 9999, the latest time that a date can represent. */
const lastSecond = 253_402_300_799;

const Transaction = v.pipe(
  v.object({
    slot: Count,
    blockTime: v.nullable(v.pipe(Count, v.maxValue(lastSecond))),
    transaction: v.tuple([v.pipe(v.string(), v.base64()), v.literal("base64")]),
    meta: v.object({
      err: v.unknown(),
      fee: LamportsSchema,
      computeUnitsConsumed: v.exactOptional(Count),
      preBalances: v.array(LamportsSchema),
      postBalances: v.array(LamportsSchema),
      preTokenBalances: TokenBalances,
      postTokenBalances: TokenBalances,
    }),
  }),
  v.transform(({ slot, blockTime, transaction: [text], meta }): LandedTransaction | undefined => {
    // Ignores a block that the host does not have completely yet.
    if (blockTime === null) return undefined;
    const failure = v.safeParse(Failure, meta.err);
    const otherFailure = isUnfunded(meta.err) ? "unfunded" : "other";
    return {
      bytes: Uint8Array.from(Buffer.from(text, "base64")),
      slot,
      time: blockTime,
      fee: meta.fee,
      ...(meta.computeUnitsConsumed !== undefined && { computeUnits: meta.computeUnitsConsumed }),
      failure: meta.err === null ? undefined : failure.success ? failure.output : otherFailure,
      lamports: { before: meta.preBalances, after: meta.postBalances },
      tokens: { before: meta.preTokenBalances, after: meta.postTokenBalances },
    };
  }),
);

/** Asks for a transaction in a final block. Undefined if the host does not have it. */
export const landedCall = (id: string): RpcCall<LandedTransaction | undefined> =>
  solCall(
    "getTransaction",
    [id, { encoding: "base64", ...final, maxSupportedTransactionVersion: 0 }],
    v.pipe(
      v.nullable(Transaction),
      v.transform((found) => found ?? undefined),
    ),
  );

/**
 * Sends a transaction, in base64. Hosts skip their own simulation, so that a failing transaction fails in a block and
 * its result is known at once. Hosts send it again until its blockhash is too old.
 */
export const sendCall = (raw: string): RpcCall<string> => ({
  ...solCall(
    "sendTransaction",
    [raw, { encoding: "base64", skipPreflight: true }],
    v.pipe(v.string(), v.maxLength(100)),
  ),
  sends: true,
});

/** The hash of a recent block, and the last block height at which transactions may use it. */
export type RecentBlockhash = { hash: string; lastValidBlockHeight: number };

export const recentBlockhashCall = (): RpcCall<RecentBlockhash> =>
  solCall(
    "getLatestBlockhash",
    [final],
    v.pipe(
      contextOf(v.object({ blockhash: PublicKey, lastValidBlockHeight: Count })),
      v.transform(({ value: { blockhash, lastValidBlockHeight } }) => ({
        hash: blockhash,
        lastValidBlockHeight,
      })),
    ),
  );

/** Asks whether a blockhash is still valid for transactions, and in which slot. */
export const blockhashValidCall = (hash: string): RpcCall<{ isValid: boolean; slot: number }> =>
  solCall(
    "isBlockhashValid",
    [hash, final],
    v.pipe(
      contextOf(v.boolean()),
      v.transform(({ context: { slot }, value: isValid }) => ({ isValid, slot })),
    ),
  );
