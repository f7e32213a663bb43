import {
  type CompiledTransactionMessage,
  getBase58Encoder,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
} from "@solana/web3.js";
import { listen } from "cdk-local-runner";
import { programs } from "../../../../trading/chains/sol/addresses.ts";
import { ceilDivide } from "../../../../trading/core/bigints.ts";
import { ChainRefusal } from "../chain-refusal.ts";
import { type RpcQuestion, type RpcReply, rpcService } from "../rpc-service.ts";
import type { Surfnet } from "./surfnet.ts";

export type SolHost = { url: string; close(): Promise<void> };

/** The chain's own methods, which hosts of real clusters do not have. */
const ownMethod = /^surfnet_/;

const unknownMethod: RpcReply = { error: { code: -32601, message: "Method not found" } };
const noBatch: RpcReply = { error: { code: -32600, message: "Batches are not supported" } };
const unknownBlockhash: RpcReply = {
  error: { code: -32002, message: "Transaction simulation failed: Blockhash not found" },
};
const invalidTransaction: RpcReply = { error: { code: -32602, message: "invalid transaction" } };

/**
 * Starts a host of a local chain that mends what Surfpool does unlike real clusters:
 *
 * - Its fees leave out the part for priority, which it charges all the same.
 * - Its transactions have times a thousand times too small.
 * - Each start issues the same blockhashes again, so that bytes of an earlier run would be valid. The host refuses all
 * that it has not issued itself.
 *
 * @throws StartupError if the port is in use
 */
export async function startSolHost(chain: Pick<Surfnet, "request">, port = 0): Promise<SolHost> {
  const issued = new Set<string>();

  async function answer({ method, params }: RpcQuestion): Promise<unknown> {
    switch (method) {
      case "getLatestBlockhash": {
        const latest = (await chain.request(method, params)) as { value: { blockhash: string } };
        issued.add(latest.value.blockhash);
        return latest;
      }
      case "isBlockhashValid": {
        const valid = (await chain.request(method, params)) as { value: boolean };
        return { ...valid, value: valid.value && issued.has(String(params[0])) };
      }
      case "getFeeForMessage": {
        const fee = (await chain.request(method, params)) as { value: number | null };
        const message = messageIn(Buffer.from(String(params[0]), "base64"));
        return { ...fee, value: fee.value === null ? null : fee.value + priorityFeeOf(message) };
      }
      case "getTransaction":
        return withTrueFee(params);
      default:
        return chain.request(method, params);
    }
  }

  async function withTrueFee([signature, options]: readonly unknown[]): Promise<unknown> {
    const found = (await chain.request("getTransaction", [signature, options])) as Found | null;
    if (found === null) return null;
    const asBytes = { ...(options as object), encoding: "base64" };
    const { transaction } = (await chain.request("getTransaction", [signature, asBytes])) as {
      transaction: [string, "base64"];
    };
    const fee = found.meta.fee + priorityFeeOf(transactionMessage(Buffer.from(transaction[0], "base64")));
    const blockTime = await chain.request("getBlockTime", [found.slot]);
    return { ...found, blockTime, meta: { ...found.meta, fee } };
  }

  async function replyTo(question: RpcQuestion): Promise<RpcReply> {
    const { method, params } = question;
    if (ownMethod.test(method)) return unknownMethod;
    if (method === "sendTransaction") {
      const message = attempt(() => transactionMessage(bytesOf(params)));
      if (message === undefined) return invalidTransaction;
      if (!issued.has(message.lifetimeToken)) return unknownBlockhash;
    }
    try {
      return { result: await answer(question) };
    } catch (error) {
      if (!(error instanceof ChainRefusal)) throw error;
      const { code, message, data } = error;
      return { error: { code, message, ...(data !== undefined && { data }) } };
    }
  }

  const service = rpcService((questions) =>
    Promise.all(questions.map((question) => (questions.length > 1 ? noBatch : replyTo(question)))),
  );
  const listener = await listen(port, service, () => {});
  return { url: listener.url, close: () => listener.close() };
}

type Found = { slot: number; meta: { fee: number } };

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const bytesOf = ([text, options]: readonly unknown[]): Uint8Array =>
  (options as { encoding?: string } | undefined)?.encoding === "base64"
    ? Buffer.from(String(text), "base64")
    : Uint8Array.from(getBase58Encoder().encode(String(text)));

const messageIn = (bytes: Uint8Array): CompiledTransactionMessage =>
  getCompiledTransactionMessageDecoder().decode(bytes);

const transactionMessage = (bytes: Uint8Array): CompiledTransactionMessage =>
  messageIn(Uint8Array.from(getTransactionDecoder().decode(bytes).messageBytes));

/** The first bytes of instructions of the budget, and the limit of a transaction that has none. */
const setLimit = 2;
const setPrice = 3;
const usualUnits = 200_000;
const microLamports = 1_000_000n;

/** Computes the lamports that a transaction pays for its priority. */
function priorityFeeOf({ staticAccounts, instructions }: CompiledTransactionMessage): number {
  const isBudget = (index: number) => staticAccounts[index] === programs.computeBudget;
  const budget = instructions.filter(({ programAddressIndex }) => isBudget(programAddressIndex));
  let units = BigInt(usualUnits * (instructions.length - budget.length));
  let price = 0n;
  for (const { data = new Uint8Array() } of budget) {
    const bytes = Buffer.from(data);
    if (bytes[0] === setLimit) units = BigInt(bytes.readUInt32LE(1));
    if (bytes[0] === setPrice) price = bytes.readBigUInt64LE(1);
  }
  return Number(ceilDivide(units * price, microLamports));
}
