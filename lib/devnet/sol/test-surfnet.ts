import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Address, IInstruction } from "@solana/web3.js";
import { type LocalSol, startLocalSol } from "./local-sol.ts";
import { bytesOf, programs } from "./published.ts";
import { signedWire, type TestWallet, walletNamed } from "./test-wallet.ts";

/** A transaction in a block. Its error is null if it succeeded. */
export type TestTransaction = {
  slot: number;
  meta: {
    err: unknown;
    fee: number;
    preBalances: number[];
    postBalances: number[];
    logMessages: string[];
    computeUnitsConsumed: number;
  };
};

export type TestSurfnet = LocalSol & {
  /** Makes a wallet with this many lamports. */
  newWallet(lamports?: bigint): Promise<TestWallet>;
  latestBlockhash(): Promise<string>;
  /** Creates or changes an account. */
  setAccount(at: Address, lamports: bigint, owner?: Address, data?: Uint8Array): Promise<unknown>;
  /** Signs and sends a wallet's instructions. Resolves once a block contains the transaction. */
  transact(wallet: TestWallet, instructions: readonly IInstruction[]): Promise<TestTransaction>;
  /** Waits for a block with a transaction. Resolves to undefined if none contains it in time. */
  inBlock(signature: string, patienceMs?: number): Promise<TestTransaction | undefined>;
  /** Sends a transaction in base64. Resolves to undefined if no block contains it in time. */
  send(wire: string, signature: string, patienceMs?: number): Promise<TestTransaction | undefined>;
};

/** Milliseconds per slot. They are long enough for a busy machine to use a blockhash within its 150 slots. */
export const slotMs = 60;

/** Longest wait for a block. A transaction gets into a block within two slots, unless the machine is busy. */
const usualPatienceMs = 15_000;

/** Starts a Solana chain for one test file, with the local tokens and pools. */
export async function startTestSurfnet(): Promise<TestSurfnet> {
  const chain = await startLocalSol({ slotMs });
  const request: LocalSol["request"] = (method, params) => chain.request(method, params);

  const setAccount: TestSurfnet["setAccount"] = (
    at,
    lamports,
    owner = programs.system,
    data = new Uint8Array(),
  ) =>
    request("surfnet_setAccount", [
      at,
      { lamports: Number(lamports), owner, data: Buffer.from(data).toString("hex") },
    ]);

  async function latestBlockhash(): Promise<string> {
    const { value } = (await request("getLatestBlockhash", [{ commitment: "processed" }])) as {
      value: { blockhash: string };
    };
    return value.blockhash;
  }

  async function send(
    wire: string,
    signature: string,
    patienceMs?: number,
  ): Promise<TestTransaction | undefined> {
    await request("sendTransaction", [wire, { encoding: "base64", skipPreflight: true }]);
    return inBlock(signature, patienceMs);
  }

  async function inBlock(
    signature: string,
    patienceMs = usualPatienceMs,
  ): Promise<TestTransaction | undefined> {
    for (const endMs = Date.now() + patienceMs; Date.now() < endMs; ) {
      await delay(slotMs / 2);
      const options = { encoding: "json", maxSupportedTransactionVersion: 0, commitment: "confirmed" };
      const found = await request("getTransaction", [signature, options]);
      if (found !== null) return found as TestTransaction;
    }
    return undefined;
  }

  return {
    ...chain,
    latestBlockhash,
    send,
    inBlock,
    setAccount,
    async newWallet(lamports = 10n ** 10n) {
      const wallet = walletNamed(randomUUID());
      await setAccount(wallet.address, lamports);
      return wallet;
    },
    async transact(wallet, instructions) {
      const { wire, signature } = signedWire(wallet, instructions, await latestBlockhash());
      const sent = await send(wire, signature);
      if (sent === undefined) throw new Error("No block took the transaction");
      return sent;
    },
  };
}

/** Sets the content of a token account. An account of wrapped coin also holds rent that does not count as tokens. */
export function tokenAccountBytes(
  mint: Address,
  owner: Address,
  amount: bigint,
  { state = 1, rent = undefined as bigint | undefined } = {},
): Buffer {
  const data = Buffer.alloc(165);
  data.set(bytesOf(mint), 0);
  data.set(bytesOf(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data.writeUInt8(state, 108);
  if (rent !== undefined) {
    data.writeUInt32LE(1, 109);
    data.writeBigUInt64LE(rent, 113);
  }
  return data;
}
