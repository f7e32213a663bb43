import { randomBytes, type webcrypto } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransaction,
  createKeyPairFromPrivateKeyBytes,
  createTransactionMessage,
  getAddressFromPublicKey,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type IInstruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransaction,
} from "@solana/web3.js";
import { type LocalSol, startLocalSol } from "../../lib/tools/dev/chains/sol/local-sol.ts";

export type TestWallet = { address: Address; keys: webcrypto.CryptoKeyPair };

/** A transaction in a block. The error is null if it succeeded. */
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
  /** Signs and sends instructions, the first signer paying. Resolves once a block has the transaction. */
  transact(signers: readonly TestWallet[], instructions: readonly IInstruction[]): Promise<TestTransaction>;
  /** Waits for a block with a transaction. Undefined if none has it within the patience. */
  inBlock(signature: string, patienceMs?: number): Promise<TestTransaction | undefined>;
  /** Sends bytes in base64. Undefined if no block takes them within the patience. */
  send(wire: string, signature: string, patienceMs?: number): Promise<TestTransaction | undefined>;
};

/** Long enough for a busy machine to use a blockhash within its 150 slots. */
const slotMs = 60;

/** A block with a transaction comes within two slots, unless the machine is busy. */
const usualPatienceMs = 15_000;

/** A Solana chain for this test file only, with the local tokens and pools. */
export async function startTestSurfnet(): Promise<TestSurfnet> {
  const chain = await startLocalSol({ slotMs });
  const { request } = chain;

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
    async newWallet(lamports = 10n ** 10n) {
      const keys = await createKeyPairFromPrivateKeyBytes(randomBytes(32));
      const address = await getAddressFromPublicKey(keys.publicKey);
      await request("surfnet_setAccount", [address, { lamports: Number(lamports) }]);
      return { address, keys };
    },
    async transact(signers, instructions) {
      const { wire, signature } = await signedWire(signers, instructions, await latestBlockhash());
      const sent = await send(wire, signature);
      if (sent === undefined) throw new Error("No block took the transaction");
      return sent;
    },
  };
}

/** Signs instructions, the first signer paying. Returns the transaction and its message in base64. */
export async function signedWire(
  signers: readonly TestWallet[],
  instructions: readonly IInstruction[],
  blockhash: string,
): Promise<{ wire: string; message: string; signature: string }> {
  const [payer] = signers as [TestWallet];
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (each) => setTransactionMessageFeePayer(payer.address, each),
    (each) =>
      setTransactionMessageLifetimeUsingBlockhash(
        { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n },
        each,
      ),
    (each) => appendTransactionMessageInstructions(instructions, each),
  );
  const transaction = await signTransaction(
    signers.map(({ keys }) => keys),
    compileTransaction(message),
  );
  return {
    wire: getBase64EncodedWireTransaction(transaction),
    message: Buffer.from(transaction.messageBytes).toString("base64"),
    signature: getSignatureFromTransaction(transaction),
  };
}
