import { getAddress } from "ethers/address";
import * as v from "valibot";
import type { Block } from "../domain/trading/sight.ts";
import type { RpcRefusal } from "./host-fault.ts";

/** A JSON-RPC call, and how its result is read. */
export type RpcCall<Value> = {
  method: string;
  params: readonly unknown[];
  /** Throws if the result has another form. */
  read: (result: unknown) => Value;
  /** What an error instead of a result means. May throw it again. Absent: the whole request fails. */
  recover?: (refusal: RpcRefusal) => Value;
  /** Strange contracts decide how large its result is. If an answer is too large, this call counts as not supported. */
  mayBeHuge?: true;
  /** The largest answer of a request with this call, if hosts may give it more than the usual. */
  maxBytes?: number;
};

/** A call whose error is a value, unless only this host has a problem with it. */
export const attempt = <Value>(call: RpcCall<Value>): RpcCall<Value | RpcRefusal> => ({
  ...call,
  recover(refusal) {
    if (refusal.kind === "host") throw refusal;
    return refusal;
  },
});

/** A block's number, or `latest`, `pending`, `safe` or `finalized`. */
export type BlockTag = bigint | number | "latest" | "pending" | "safe" | "finalized";

/** The values of calls, in their order. */
export type ValuesOf<Calls extends readonly RpcCall<unknown>[]> = {
  -readonly [Index in keyof Calls]: Calls[Index] extends RpcCall<infer Value> ? Value : never;
};

/** At most 256 bits. */
export const Quantity = v.pipe(
  v.string(),
  v.regex(/^0x[\da-f]{1,64}$/i),
  v.transform((text) => BigInt(text)),
);

const SafeNumber = v.pipe(Quantity, v.transform(Number), v.safeInteger());

const Hash = v.pipe(v.string(), v.regex(/^0x[\da-f]{64}$/i), v.toLowerCase());

export const Bytes = v.pipe(v.string(), v.regex(/^0x(?:[\da-f]{2})*$/i), v.toLowerCase());

/** The last second of the year 9999: what comes after it is no date that can be written. */
const lastSecond = 253_402_300_799;

const BlockSchema = v.pipe(
  v.object({ number: SafeNumber, hash: Hash, timestamp: v.pipe(SafeNumber, v.maxValue(lastSecond)) }),
  v.transform(({ number, hash, timestamp }): Block => ({ number, hash, time: timestamp })),
);

const FeeHistory = v.object({
  baseFeePerGas: v.array(Quantity),
  gasUsedRatio: v.array(v.number()),
  reward: v.array(v.array(Quantity)),
});

const rpcCall = <Value>(
  method: string,
  params: readonly unknown[],
  schema: v.GenericSchema<unknown, Value>,
): RpcCall<Value> => ({ method, params, read: (result) => v.parse(schema, result) });

export const tagText = (tag: BlockTag): string => (typeof tag === "string" ? tag : `0x${tag.toString(16)}`);

export const chainIDCall = (): RpcCall<number> => rpcCall("eth_chainId", [], SafeNumber);

export const blockCall = (tag: BlockTag): RpcCall<Block> =>
  rpcCall("eth_getBlockByNumber", [tagText(tag), false], BlockSchema);

/** The hash of a block. Undefined from hosts that have no block of that number. */
export const blockHashCall = (number: number): RpcCall<string | undefined> => ({
  ...blockCall(number),
  read: (result) => (result === null ? undefined : v.parse(BlockSchema, result).hash),
  recover: () => undefined,
});

/** The native coin of an address. */
export const coinsCall = (address: string, tag: BlockTag): RpcCall<bigint> =>
  rpcCall("eth_getBalance", [address, tagText(tag)], Quantity);

/** The number of transactions that an address has sent, which is its next nonce. */
export const nonceCall = (address: string, tag: BlockTag): RpcCall<number> =>
  rpcCall("eth_getTransactionCount", [address, tagText(tag)], SafeNumber);

/** Amounts in wei, data as hex. */
export type CallRequest = { to: string; from?: string; data?: string; value?: bigint; gas?: bigint };

export const callObject = ({ value, gas, ...rest }: CallRequest) => ({
  ...rest,
  ...(value !== undefined && { value: tagText(value) }),
  ...(gas !== undefined && { gas: tagText(gas) }),
});

/** What a contract answers, as hex. */
export const contractCall = (request: CallRequest, tag: BlockTag): RpcCall<string> =>
  rpcCall("eth_call", [callObject(request), tagText(tag)], Bytes);

export const gasEstimateCall = (request: CallRequest, tag: BlockTag): RpcCall<bigint> =>
  rpcCall("eth_estimateGas", [callObject(request), tagText(tag)], Quantity);

export const gasPriceCall = (): RpcCall<bigint> => rpcCall("eth_gasPrice", [], Quantity);

export const suggestedTipCall = (): RpcCall<bigint> => rpcCall("eth_maxPriorityFeePerGas", [], Quantity);

/** The base fee of the block after the newest, and the tips in each block that was not empty. */
export const feeHistoryCall = (
  blocks: number,
  tag: BlockTag,
  percentiles: readonly number[],
): RpcCall<{ baseFee: bigint; tips: bigint[][] }> => ({
  method: "eth_feeHistory",
  params: [tagText(blocks), tagText(tag), percentiles],
  read(result) {
    const { baseFeePerGas, gasUsedRatio, reward } = v.parse(FeeHistory, result);
    const baseFee = baseFeePerGas.at(-1);
    const isWhole = baseFeePerGas.length === reward.length + 1 && gasUsedRatio.length === reward.length;
    if (baseFee === undefined || !isWhole || reward.some(({ length }) => length !== percentiles.length))
      throw new Error("The fee history has gaps");
    return { baseFee, tips: reward.filter((_, index) => gasUsedRatio[index] !== 0) };
  },
});

const Address = v.pipe(v.string(), v.regex(/^0x[\da-f]{40}$/i), v.transform(getAddress));

export type ContractLog = { address: string; topics: readonly string[]; data: string };

export const LogSchema: v.GenericSchema<unknown, ContractLog> = v.object({
  address: Address,
  topics: v.array(Hash),
  data: Bytes,
});

/** A transaction that a block has, as its receipt shows it. */
export type MinedTransaction = {
  isOk: boolean;
  blockNumber: number;
  blockHash: string;
  gasUsed: bigint;
  /** Wei paid for a unit of gas. */
  gasPrice: bigint;
  /** What base charged for the data. 0 elsewhere. */
  l1Fee: bigint;
  logs: readonly ContractLog[];
};

const ReceiptSchema = v.pipe(
  v.object({
    status: Quantity,
    blockNumber: SafeNumber,
    blockHash: Hash,
    gasUsed: Quantity,
    effectiveGasPrice: Quantity,
    l1Fee: v.nullish(Quantity, "0x0"),
    logs: v.array(LogSchema),
  }),
  v.transform(
    ({ status, effectiveGasPrice, ...rest }): MinedTransaction => ({
      ...rest,
      isOk: status === 1n,
      gasPrice: effectiveGasPrice,
    }),
  ),
);

/**
 * The largest receipt. 1.5 million gas, the most that is ever signed, pays for 3,900 logs without any data, each of which
 * takes about 450 bytes of JSON.
 */
const mostReceiptBytes = 4 * 1024 * 1024;

/**
 * Undefined if no block has the transaction.
 *
 * @param isAlone Whether nothing else can be left out of a request whose answer is too large.
 */
export const receiptCall = (hash: string, isAlone: boolean): RpcCall<MinedTransaction | undefined> => ({
  method: "eth_getTransactionReceipt",
  params: [hash],
  read: (result) => (result === null ? undefined : v.parse(ReceiptSchema, result)),
  ...(isAlone && { maxBytes: mostReceiptBytes }),
});

const TransactionSchema = v.pipe(
  v.object({ from: Address, to: Address, value: Quantity, input: Bytes, gas: Quantity }),
  v.transform(({ input, ...rest }) => ({ ...rest, data: input })),
);

/** A transaction that a block has. */
export const transactionCall = (hash: string) =>
  rpcCall("eth_getTransactionByHash", [hash], TransactionSchema);

/** A block by its hash. */
export const blockByHashCall = (hash: string): RpcCall<Block> =>
  rpcCall("eth_getBlockByHash", [hash, false], BlockSchema);

/** Publishes a signed transaction. @returns its hash */
export const publishCall = (signed: string): RpcCall<string> =>
  rpcCall("eth_sendRawTransaction", [signed], Hash);
