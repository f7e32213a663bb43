import * as v from "valibot";
import { isBase58 } from "../../../core/base58.ts";
import type { Lamports } from "../../../core/units.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";

/** An account on the chain. Its data belongs to the program that owns it. */
export type Account = { owner: string; lamports: Lamports; data: Uint8Array };

/**
 * The accounts that a call has read, in its order and all at one slot. An account is undefined if it does not exist.
 */
export type Accounts = { slot: number; accounts: readonly (Account | undefined)[] };

/** Maximum number of accounts that hosts return in one answer. */
export const mostAccounts = 100;

/**
 * Lowest accepted slot of an answer, which is always about final blocks. A host that has not reached the slot refuses;
 * an answer from an earlier slot counts as a fault.
 */
export type ReadAt = { commitment: "finalized"; minContextSlot?: number };

/** Reads the newest final state. Blocks are final within a fraction of a second, so no earlier state is worth reading. */
export const final: ReadAt = { commitment: "finalized" };

export const Count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const LamportsSchema = v.pipe(
  Count,
  v.transform((lamports) => BigInt(lamports)),
);

export const PublicKey = v.pipe(
  v.string(),
  v.check((text) => isBase58(text, 32)),
);

const AccountSchema = v.pipe(
  v.object({
    owner: PublicKey,
    lamports: LamportsSchema,
    data: v.tuple([v.pipe(v.string(), v.base64()), v.literal("base64")]),
  }),
  v.transform(
    ({ owner, lamports, data: [text] }): Account => ({
      owner,
      lamports,
      data: Uint8Array.from(Buffer.from(text, "base64")),
    }),
  ),
);

/** Rejects slots earlier than requested, because a proxy may ignore the request and answer from its cache. */
const slotAt = ({ minContextSlot = 0 }: Pick<ReadAt, "minContextSlot">) =>
  v.pipe(Count, v.minValue(minContextSlot));

export const contextOf = <Value>(
  value: v.GenericSchema<unknown, Value>,
  at: Pick<ReadAt, "minContextSlot"> = {},
) => v.object({ context: v.object({ slot: slotAt(at) }), value });

export const solCall = <Value>(
  method: string,
  params: readonly unknown[],
  schema: v.GenericSchema<unknown, Value>,
): RpcCall<Value> => ({ method, params, read: (result) => v.parse(schema, result) });

/** Asks for the hash of the first block, which identifies the cluster. */
export const genesisHashCall = (): RpcCall<string> => solCall("getGenesisHash", [], PublicKey);

/** Length of a cluster's name: the first characters of its first block's hash (CAIP-2). */
export const clusterNameLength = 32;

/** Asks for the name of the cluster. */
export const clusterCall = (): RpcCall<string> => {
  const { read, ...call } = genesisHashCall();
  return { ...call, read: (result) => read(result).slice(0, clusterNameLength) };
};

/**
 * Asks for up to {@link mostAccounts} accounts, all in the same slot.
 *
 * @throws RangeError for more accounts
 */
export function accountsCall(addresses: readonly string[], at: ReadAt): RpcCall<Accounts> {
  if (addresses.length > mostAccounts)
    throw new RangeError(`A call asks for at most ${mostAccounts} accounts`);
  const schema = v.pipe(
    contextOf(v.pipe(v.array(v.nullable(AccountSchema)), v.length(addresses.length)), at),
    v.transform(
      ({ context, value }): Accounts => ({
        slot: context.slot,
        accounts: value.map((account) => account ?? undefined),
      }),
    ),
  );
  return solCall("getMultipleAccounts", [addresses, { encoding: "base64", ...at }], schema);
}

/** Slot and block height of the chain. Slots without a block do not increase the height. */
export type ChainTime = { epoch: number; slot: number; blockHeight: number };

export const chainTimeCall = (at: ReadAt): RpcCall<ChainTime> =>
  solCall(
    "getEpochInfo",
    [at],
    v.pipe(
      v.object({ epoch: Count, absoluteSlot: slotAt(at), blockHeight: Count }),
      v.transform(
        ({ epoch, absoluteSlot, blockHeight }): ChainTime => ({ epoch, slot: absoluteSlot, blockHeight }),
      ),
    ),
  );

/** Time for which a host's rents are remembered, because they change once a year. */
const rentMs = 60 * 60_000;

/** Highest rent that Solana has had, in lamports for each byte. An account counts as 128 bytes more. */
const mostPerByte = 6960;

/** Asks for the lamports that keep an account of this size alive. */
export const rentCall = (bytes: number, { commitment }: Pick<ReadAt, "commitment">): RpcCall<Lamports> => ({
  ...solCall("getMinimumBalanceForRentExemption", [bytes, { commitment }], LamportsSchema),
  keep: {
    forMs: rentMs,
    ifValue: (rent) => typeof rent === "bigint" && rent > 0n && rent <= BigInt((128 + bytes) * mostPerByte),
  },
});

/**
 * Asks for a message's fee in lamports, including priority. Undefined if the host does not know the block of the
 * message's blockhash.
 */
export const messageFeeCall = (
  message: Uint8Array,
  { commitment }: Pick<ReadAt, "commitment">,
): RpcCall<Lamports | undefined> =>
  solCall(
    "getFeeForMessage",
    [Buffer.from(message).toString("base64"), { commitment }],
    v.pipe(
      contextOf(v.nullable(LamportsSchema)),
      v.transform(({ value }) => value ?? undefined),
    ),
  );

/** JSON-RPC's code for parameters that a host does not know. */
const invalidParamsCode = -32602;

/**
 * Asks, for each recent block, for the median of the prices that its transactions with these accounts paid, in
 * millionths of a lamport. A host that ignores percentiles answers with the lowest price, and most hosts refuse them.
 */
export const recentPricesCall = (accounts: readonly string[]): RpcCall<bigint[]> => ({
  ...solCall(
    "getRecentPrioritizationFees",
    // Percentile in hundredths of a percent, as Triton's hosts take it.
    [accounts, { percentile: 5000 }],
    v.pipe(
      v.array(v.object({ prioritizationFee: LamportsSchema })),
      v.transform((blocks) => blocks.map(({ prioritizationFee }) => prioritizationFee)),
    ),
  ),
  needs: "percentiles",
  isLacking: ({ code }) => code === invalidParamsCode,
});

/** The outcome of a simulated transaction. */
export type Simulation = {
  computeUnits: number;
  isDone: boolean;
  /** Index of the failed instruction, if an instruction failed, and its error code if the program gave one. */
  failedAt?: number;
  code?: number;
  /** True if the payer cannot pay for the transaction, so that no instruction has run. */
  isUnfunded?: true;
  /** The requested accounts in the state after the transaction. */
  accounts?: readonly (Account | undefined)[];
};

const InstructionError = v.object({ InstructionError: v.tupleWithRest([Count], v.unknown()) });

/** An error of a program's own. */
const OwnError = v.object({ InstructionError: v.tuple([Count, v.object({ Custom: Count })]) });

/** Error of a transaction whose payer, the first account, has too little for its fee or for its own rent. */
const Unfunded = v.union([
  v.picklist(["InsufficientFundsForFee", "AccountNotFound"]),
  v.object({ InsufficientFundsForRent: v.object({ account_index: v.literal(0) }) }),
]);

/** True if a transaction's error means that its payer lacks coins. */
export const isUnfunded = (error: unknown): boolean => v.is(Unfunded, error);

/**
 * Simulates a message without signatures. Any account can be its payer.
 *
 * @param shown The accounts whose state afterwards is returned.
 */
export const simulationCall = (
  message: Uint8Array,
  at: ReadAt,
  shown: readonly string[] = [],
): RpcCall<Simulation> => {
  const [signers = 0] = message.subarray(message[0] === versionZero ? 1 : 0);
  const unsigned = Buffer.concat([Buffer.of(signers), Buffer.alloc(64 * signers), message]);
  return solCall(
    "simulateTransaction",
    [
      unsigned.toString("base64"),
      {
        encoding: "base64",
        sigVerify: false,
        replaceRecentBlockhash: true,
        ...at,
        ...(shown.length > 0 && { accounts: { encoding: "base64", addresses: shown } }),
      },
    ],
    v.pipe(
      contextOf(
        v.object({
          err: v.unknown(),
          unitsConsumed: v.nullish(Count),
          accounts: v.nullish(v.array(v.nullable(AccountSchema))),
        }),
        at,
      ),
      v.transform(({ value: { err, unitsConsumed, accounts } }): Simulation => {
        const failure = v.safeParse(InstructionError, err);
        const code = v.safeParse(OwnError, err);
        return {
          computeUnits: unitsConsumed ?? 0,
          isDone: err === null,
          ...(accounts && { accounts: accounts.map((account) => account ?? undefined) }),
          ...(failure.success && { failedAt: failure.output.InstructionError[0] }),
          ...(code.success && { code: code.output.InstructionError[1].Custom }),
          ...(isUnfunded(err) && { isUnfunded: true }),
        };
      }),
    ),
  );
};

/** The first byte of a message of version 0. */
const versionZero = 0x80;
