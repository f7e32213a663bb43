import { createRequire } from "node:module";
import { GLOBAL_PDA, PUMP_FEE_CONFIG_PDA, PUMP_SDK } from "@pump-fun/pump-sdk";
import { AccountRole, type Address, address, type IInstruction } from "@solana/web3.js";
import { associatedAccount, programs } from "trading-terminal-devnet/sol/published";
import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";
import { paidMessage } from "trading-terminal-devnet/sol/test-wallet";

export type SdkKey = typeof GLOBAL_PDA;
export type SdkNumber = Parameters<typeof PUMP_SDK.getBuyV2InstructionRaw>[0]["amount"];
export type SdkAccount = Parameters<typeof PUMP_SDK.decodeGlobal>[0];
export type SdkInstruction = Awaited<ReturnType<typeof PUMP_SDK.getBuyV2InstructionRaw>>;

/** Libraries that the SDKs use. They are older than the project's. */
type Libraries = {
  web3: { PublicKey: new (text: string) => SdkKey };
  bn: new (text: string) => SdkNumber;
};

/** Loads the libraries that an SDK uses, because it recognizes only keys of its own library. */
export function librariesOf(sdk: "@pump-fun/pump-sdk" | "@pump-fun/pump-swap-sdk") {
  const load = createRequire(import.meta.resolve(sdk));
  const web3 = load("@solana/web3.js") as Libraries["web3"];
  const BN = load("bn.js") as Libraries["bn"];
  return {
    keyOf: (text: string) => new web3.PublicKey(text),
    numberOf: (value: bigint) => new BN(`${value}`),
  };
}

export const bigintOf = (value: SdkNumber): bigint => BigInt(value.toString());

const { READONLY, READONLY_SIGNER, WRITABLE, WRITABLE_SIGNER } = AccountRole;

/** Converts an instruction of the SDKs. */
export function instructionOf({ programId, data, keys }: SdkInstruction): IInstruction {
  const roleOf = (signs: boolean, writes: boolean) =>
    signs ? (writes ? WRITABLE_SIGNER : READONLY_SIGNER) : writes ? WRITABLE : READONLY;
  return {
    programAddress: address(programId.toBase58()),
    data: Uint8Array.from(data),
    accounts: keys.map(({ pubkey, isSigner, isWritable }) => ({
      address: address(pubkey.toBase58()),
      role: roleOf(isSigner, isWritable),
    })),
  };
}

/** Creates an owner's usual account for a mint, unless it exists. */
export async function createAccount(owner: Address, mint: Address, program: Address): Promise<IInstruction> {
  return {
    programAddress: programs.associatedToken,
    data: Uint8Array.of(1),
    accounts: [
      { address: owner, role: WRITABLE_SIGNER },
      { address: await associatedAccount(owner, program, mint), role: WRITABLE },
      { address: owner, role: READONLY },
      { address: mint, role: READONLY },
      { address: programs.system, role: READONLY },
      { address: program, role: READONLY },
    ],
  };
}

/** Replaces the account at an index, or its role. */
export const withAccount = (
  instruction: IInstruction,
  index: number,
  change: Partial<{ address: Address; role: AccountRole }>,
): IInstruction => ({
  ...instruction,
  accounts: (instruction.accounts ?? []).map((each, at) =>
    at === index ? { address: each.address, role: each.role, ...change } : each,
  ),
});

/** Reads accounts as the SDKs expect them, and tries instructions. */
export function pumpReader(chain: TestSurfnet) {
  const { keyOf } = librariesOf("@pump-fun/pump-sdk");

  async function accountAt(at: string): Promise<SdkAccount | null> {
    const options = { encoding: "base64", commitment: "processed" };
    const { value } = (await chain.request("getAccountInfo", [at, options])) as {
      value: { data: [string]; owner: string; lamports: number } | null;
    };
    if (value === null) return null;
    const data = Buffer.from(value.data[0], "base64");
    return { data, owner: keyOf(value.owner), lamports: value.lamports, executable: false };
  }

  async function dataAt(at: string): Promise<SdkAccount> {
    const found = await accountAt(at);
    if (found === null) throw new Error(`There is no account ${at}`);
    return found;
  }

  return {
    accountAt,
    dataAt,
    /** Changes bytes of an account. */
    async rewrite(at: Address, change: (data: Buffer) => void): Promise<void> {
      const { data, lamports, owner } = await dataAt(at);
      change(data);
      await chain.setAccount(at, BigInt(lamports), address(owner.toBase58()), data);
    },
    /** Lamports that an account of this size needs. */
    rent: async (size: number) =>
      BigInt((await chain.request("getMinimumBalanceForRentExemption", [size])) as number),
    lamports: async (at: string) => BigInt((await accountAt(at))?.lamports ?? 0),
    /** Reads the amount of a token account. A missing account has none. */
    units: async (at: string) => (await accountAt(at))?.data.readBigUInt64LE(64) ?? 0n,
    global: async () => PUMP_SDK.decodeGlobal(await dataAt(GLOBAL_PDA.toBase58())),
    fees: async () => PUMP_SDK.decodeFeeConfig(await dataAt(PUMP_FEE_CONFIG_PDA.toBase58())),
    curve: async (at: string) => PUMP_SDK.decodeBondingCurve(await dataAt(at)),
    /** Simulates instructions without signatures. Returns the custom code of a refusal, or else the error. */
    async refusal(payer: Address, instructions: readonly IInstruction[]): Promise<unknown> {
      const wire = unsignedWire(payer, instructions, await chain.latestBlockhash());
      const options = { encoding: "base64", sigVerify: false, commitment: "processed" };
      const { value } = (await chain.request("simulateTransaction", [wire, options])) as {
        value: { err: { InstructionError?: [number, { Custom?: number }] } | null };
      };
      return value.err?.InstructionError?.[1]?.Custom ?? value.err;
    },
  };
}

/** Encodes a transaction with empty signatures. */
function unsignedWire(payer: Address, instructions: readonly IInstruction[], blockhash: string): string {
  const { message, signatures } = paidMessage(payer, instructions, blockhash);
  return Buffer.concat([Buffer.of(signatures), Buffer.alloc(64 * signatures), message]).toString("base64");
}
