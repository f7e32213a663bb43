import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import {
  type Address,
  appendTransactionMessageInstructions,
  type Blockhash,
  compileTransactionMessage,
  createTransactionMessage,
  getBase58Decoder,
  getCompiledTransactionMessageEncoder,
  type IInstruction,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from "@solana/web3.js";
import { addressOf } from "./published.ts";

/** Makes an Ed25519 key from its 32-byte seed. */
export type TestWallet = { seed: Uint8Array; address: Address };

/** Prefix that RFC 8410 puts before the 32 bytes of a private key. */
const keyHeader = Buffer.from("302e020100300506032b657004220420", "hex");

const privateKeyOf = (seed: Uint8Array) =>
  createPrivateKey({ key: Buffer.concat([keyHeader, seed]), format: "der", type: "pkcs8" });

/** Derives a wallet from a name. It is the same in every run. */
export function walletNamed(name: string): TestWallet {
  const seed = Uint8Array.from(createHash("sha256").update(name).digest());
  const { x = "" } = createPublicKey(privateKeyOf(seed)).export({ format: "jwk" });
  return { seed, address: addressOf(Uint8Array.from(Buffer.from(x, "base64url"))) };
}

/** Encodes the message of instructions that one wallet pays for. */
export function paidMessage(
  payer: Address,
  instructions: readonly IInstruction[],
  blockhash: string,
): { message: Buffer; signatures: number } {
  const lifetime = { blockhash: blockhash as Blockhash, lastValidBlockHeight: 0n };
  const compiled = compileTransactionMessage(
    pipe(
      createTransactionMessage({ version: 0 }),
      (empty) => setTransactionMessageFeePayer(payer, empty),
      (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
      (mortal) => appendTransactionMessageInstructions(instructions, mortal),
    ),
  );
  const message = Buffer.from(getCompiledTransactionMessageEncoder().encode(compiled));
  return { message, signatures: compiled.header.numSignerAccounts };
}

/** Signs a wallet's instructions. Returns the transaction and its message in base64. */
export function signedWire(
  { address, seed }: TestWallet,
  instructions: readonly IInstruction[],
  blockhash: string,
): { wire: string; message: string; signature: string } {
  const { message } = paidMessage(address, instructions, blockhash);
  const signature = sign(null, message, privateKeyOf(seed));
  return {
    wire: Buffer.concat([Buffer.of(1), signature, message]).toString("base64"),
    message: message.toString("base64"),
    signature: getBase58Decoder().decode(signature),
  };
}
