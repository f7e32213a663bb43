import { getAddress } from "ethers/address";
import * as v from "valibot";
import { RecentMap } from "../../../core/recent-map.ts";
import type { Wei, WeiPerGas } from "../../../core/units.ts";
import type { Block } from "../../../orders/block.ts";
import { attempt, type RpcCall } from "../../hosts/rpc-call.ts";

/** A block's number, or `latest`, `pending`, `safe` or `finalized`. */
export type BlockTag = bigint | number | "latest" | "pending" | "safe" | "finalized";

/** A block, or one by its hash, which must then belong to the host's chain (EIP-1898). */
export type StateTag = BlockTag | { hash: string };

/** A whole number of at most 256 bits. */
export const Quantity = v.pipe(
  v.string(),
  v.regex(/^0x[\da-f]{1,64}$/i),
  v.transform((text) => BigInt(text)),
);

export const SafeNumber = v.pipe(Quantity, v.transform(Number), v.safeInteger());

export const Hash = v.pipe(v.string(), v.regex(/^0x[\da-f]{64}$/i), v.toLowerCase());

export const Bytes = v.pipe(v.string(), v.regex(/^0x(?:[\da-f]{2})*$/i), v.toLowerCase());

/** The last second of the year 9999, the latest time that a date can represent. */
export const lastSecond = 253_402_300_799;

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

const stateText = (tag: StateTag) =>
  typeof tag === "object" ? { blockHash: tag.hash, requireCanonical: true } : tagText(tag);

export const chainIdCall = (): RpcCall<number> => rpcCall("eth_chainId", [], SafeNumber);

export const chainIdentity = (id: number) => ({ id, call: chainIdCall() });

export const blockCall = (tag: BlockTag): RpcCall<Block> =>
  rpcCall("eth_getBlockByNumber", [tagText(tag), false], BlockSchema);

/** Asks for a block's hash. Undefined if the host does not have the block. */
export const blockHashCall = (number: number): RpcCall<string | undefined> => ({
  ...blockCall(number),
  read: (result) => (result === null ? undefined : v.parse(BlockSchema, result).hash),
  recover: () => undefined,
});

/**
 * Asks, as the last call, whether a block still has the hash that was seen first, because another block may have
 * replaced it.
 */
export const hashAgainCall = (number: number) => ({ ...blockHashCall(number), isLast: true }) as const;

/** Asks, as the last call, which block is the newest, because a new one may have arrived in the meantime. */
export const headAgainCall = () => ({ ...blockCall("latest"), isLast: true }) as const;

/** Asks for the native coin that an address holds. */
export const coinsCall = (address: string, tag: BlockTag): RpcCall<Wei> =>
  rpcCall("eth_getBalance", [address, tagText(tag)], Quantity);

/** Asks for the number of transactions that an address has sent. This number is its next nonce. */
export const nonceCall = (address: string, tag: BlockTag): RpcCall<number> =>
  rpcCall("eth_getTransactionCount", [address, tagText(tag)], SafeNumber);

/** Asks for the nonce in the state after a block. Hosts that have replaced the block refuse. */
export const nonceInBlockCall = (address: string, blockHash: string): RpcCall<number> =>
  rpcCall("eth_getTransactionCount", [address, { blockHash, requireCanonical: true }], SafeNumber);

/**
 * A call, with its data in hex. If there is no recipient, the data is the code of a constructor, and the constructor's
 * return value is the answer.
 */
export type CallRequest = { to?: string; from?: string; data?: string; value?: Wei; gas?: bigint };

export const callObject = ({ value, gas, ...rest }: CallRequest) => ({
  ...rest,
  ...(value !== undefined && { value: tagText(value) }),
  ...(gas !== undefined && { gas: tagText(gas) }),
});

/** Asks for the nonce after the wallet's pending transactions. Undefined if the host keeps no pending transactions. */
export function pendingNonceCall(wallet: string): RpcCall<number | undefined> {
  const call = attempt(nonceCall(wallet, "pending"));
  return {
    ...call,
    needs: "pendingNonces",
    read: (result) => call.read(result) as number,
    recover(refusal) {
      if (!refusal.says(/pending/i)) call.recover?.(refusal);
      return undefined;
    },
  };
}

/** Calls a contract and returns its answer, as hex. */
export const contractCall = (request: CallRequest, tag: StateTag): RpcCall<string> =>
  rpcCall("eth_call", [callObject(request), stateText(tag)], Bytes);

export const gasEstimateCall = (request: CallRequest, tag: BlockTag): RpcCall<bigint> =>
  rpcCall("eth_estimateGas", [callObject(request), tagText(tag)], Quantity);

export const gasPriceCall = (): RpcCall<WeiPerGas> => rpcCall("eth_gasPrice", [], Quantity);

export const suggestedTipCall = (): RpcCall<WeiPerGas> => rpcCall("eth_maxPriorityFeePerGas", [], Quantity);

/**
 * Asks for the base fee of the next block, and for the tips in each recent block that was not empty. Old nodes of avax
 * do not report the next block's base fee, so the latest block's is used instead.
 */
export const feeHistoryCall = (
  blocks: number,
  tag: BlockTag,
  percentiles: readonly number[],
): RpcCall<{ baseFee: WeiPerGas; tips: WeiPerGas[][] }> => ({
  method: "eth_feeHistory",
  params: [tagText(blocks), tagText(tag), percentiles],
  read(result) {
    const { baseFeePerGas, gasUsedRatio, reward } = v.parse(FeeHistory, result);
    const baseFee = baseFeePerGas.at(-1);
    const isWhole = [0, 1].includes(baseFeePerGas.length - reward.length);
    if (baseFee === undefined || !isWhole || gasUsedRatio.length !== reward.length)
      throw new Error("The fee history has gaps");
    if (reward.some(({ length }) => length !== percentiles.length)) throw new Error("Tips are missing");
    return { baseFee, tips: reward.filter((_, index) => gasUsedRatio[index] !== 0) };
  },
});

/** Addresses that hosts have named, by their text. Each takes about 200 bytes. */
const named = new RecentMap<string, string>(5000);

/**
 * Converts an address from a host to its EIP-55 form. Remembers the addresses, because their hashes would take a large
 * part of a quote, and the same ones occur again and again.
 *
 * @throws {TypeError} if the text is no address
 */
export function addressFrom(text: string): string {
  const known = named.get(text);
  if (known !== undefined) return known;
  const address = getAddress(text);
  named.set(text, address);
  return address;
}

const Address = v.pipe(v.string(), v.regex(/^0x[\da-f]{40}$/i), v.transform(addressFrom));

export type ContractLog = { address: string; topics: readonly string[]; data: string };

export const LogSchema: v.GenericSchema<unknown, ContractLog> = v.object({
  address: Address,
  topics: v.array(Hash),
  data: Bytes,
});

/** A mined transaction, as its receipt shows it. */
export type MinedTransaction = {
  isOk: boolean;
  blockNumber: number;
  blockHash: string;
  gasUsed: bigint;
  /** The price paid per unit of gas. */
  gasPrice: WeiPerGas;
  /** Fee on base for the transaction's data and for the chain's operator. 0 on other chains. */
  l1Fee: Wei;
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
    operatorFeeScalar: v.nullish(Quantity, "0x0"),
    operatorFeeConstant: v.nullish(Quantity, "0x0"),
    logs: v.array(LogSchema),
  }),
  v.transform(
    ({ status, effectiveGasPrice, operatorFeeScalar, operatorFeeConstant, ...rest }): MinedTransaction => ({
      ...rest,
      // Follows the formula that base uses since its Jovian upgrade.
      l1Fee: rest.l1Fee + rest.gasUsed * operatorFeeScalar * 100n + operatorFeeConstant,
      isOk: status === 1n,
      gasPrice: effectiveGasPrice,
    }),
  ),
);

/**
 * Maximum size of an answer with a receipt. Signed transactions use at most 1.5 million gas, which pays for 3,900 logs
 * without data, each about 450 bytes of JSON.
 */
const mostReceiptBytes = 4 * 1024 * 1024;

/**
 * Maximum size of an answer with a block and its transactions. Blocks of bsc may use 140 million gas, mostly for
 * calldata.
 */
const mostBlockBytes = 16 * 1024 * 1024;

/**
 * Asks for a receipt. Undefined if the transaction is in no block.
 *
 * @param isAlone True if the request asks for no other receipt, so it cannot be split if the answer is too large. A
 * larger answer is then accepted.
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

/** Asks for a mined transaction. */
export const transactionCall = (hash: string) =>
  rpcCall("eth_getTransactionByHash", [hash], TransactionSchema);

/** Asks for a block by its hash. */
export const blockByHashCall = (hash: string): RpcCall<Block> =>
  rpcCall("eth_getBlockByHash", [hash, false], BlockSchema);

const BlockTransactionSchema = v.object({
  hash: Hash,
  to: v.nullish(Address),
  value: Quantity,
  input: Bytes,
});

/** Asks for an address's transactions in a block. Transactions that create contracts have no recipient. */
export const transactionsInCall = (blockHash: string, from: string) => ({
  ...rpcCall(
    "eth_getBlockByHash",
    [blockHash, true],
    v.pipe(
      v.object({ transactions: v.array(v.looseObject({ from: v.pipe(v.string(), v.toLowerCase()) })) }),
      v.transform(({ transactions }) =>
        transactions
          .filter((each) => each.from === from.toLowerCase())
          .map((each) => v.parse(BlockTransactionSchema, each)),
      ),
    ),
  ),
  maxBytes: mostBlockBytes,
});

/** Asks for a block, with the hashes and nonces of an address's transactions in it. */
export const sentInCall = (number: number, from: string) => ({
  ...rpcCall(
    "eth_getBlockByNumber",
    [tagText(number), true],
    v.pipe(
      v.intersect([
        BlockSchema,
        v.object({ transactions: v.array(v.looseObject({ from: v.pipe(v.string(), v.toLowerCase()) })) }),
      ]),
      v.transform(({ transactions, ...block }) => ({
        block,
        sent: transactions
          .filter((each) => each.from === from.toLowerCase())
          .map((each) => v.parse(v.object({ hash: Hash, nonce: SafeNumber }), each)),
      })),
    ),
  ),
  maxBytes: mostBlockBytes,
});

/** Asks for a block, with the hashes of its parent and of its transactions. */
export const hashesInCall = (number: number) => ({
  ...rpcCall(
    "eth_getBlockByNumber",
    [tagText(number), false],
    v.pipe(
      v.intersect([BlockSchema, v.object({ parentHash: Hash, transactions: v.array(Hash) })]),
      v.transform(({ parentHash, transactions: hashes, ...block }) => ({ block, parentHash, hashes })),
    ),
  ),
  maxBytes: mostBlockBytes,
});

/** Publishes a signed transaction and returns its hash. */
export const publishCall = (signed: string): RpcCall<string> => ({
  ...rpcCall("eth_sendRawTransaction", [signed], Hash),
  sends: true,
});
