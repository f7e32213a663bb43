import type { Address } from "@solana/web3.js";
import { bytesOf, derived, programs } from "./published.ts";
import type { Surfnet } from "./surfnet.ts";

/** An account that `surfnet_setAccount` creates on the local chain. */
export type MadeAccount = { address: Address; lamports: number; owner: Address; data: Buffer };

/** Creates or changes an account on the local chain. */
export const setAccount = (
  request: Surfnet["request"],
  { address, data, ...rest }: MadeAccount,
): Promise<unknown> => request("surfnet_setAccount", [address, { ...rest, data: data.toString("hex") }]);

/** Reads accounts as they are now. Accounts that do not exist are undefined. */
export async function readAccounts(
  request: Surfnet["request"],
  addresses: readonly Address[],
): Promise<(MadeAccount | undefined)[]> {
  const options = { encoding: "base64", commitment: "processed" };
  const { value } = (await request("getMultipleAccounts", [addresses, options])) as {
    value: ({ data: readonly [string, "base64"]; lamports: number; owner: Address } | null)[];
  };
  return addresses.map((address, index) => {
    const found = value[index];
    if (!found) return undefined;
    const { data, lamports, owner } = found;
    return { address, lamports, owner, data: Buffer.from(data[0], "base64") };
  });
}

/** Mainnet's rent of an account in lamports per byte, since 2026. The overhead counts as further bytes. */
const lamportsPerByte = 5080;
const overhead = 128;
export const rentOf = (bytes: number) => (overhead + bytes) * lamportsPerByte;

/** Encodes the account from which the chain's programs and hosts take rents: lamports, years and burnt percentage. */
export function rentData(): Buffer {
  const data = Buffer.alloc(17);
  data.writeBigUInt64LE(BigInt(lamportsPerByte));
  data.writeDoubleLE(1, 8);
  data.writeUInt8(50, 16);
  return data;
}

export const account = (address: Address, owner: Address, data: Buffer, lamports = 0): MadeAccount => ({
  address,
  owner,
  data,
  lamports: rentOf(data.length) + lamports,
});

export const u16 = (value: number) => Buffer.of(value & 255, value >> 8);

export function u32(value: number): Buffer {
  const buffer = Buffer.alloc(4);
  buffer.writeUInt32LE(value);
  return buffer;
}

export function u64(value: bigint): Buffer {
  const buffer = Buffer.alloc(8);
  buffer.writeBigUInt64LE(value);
  return buffer;
}

export const nobody = Buffer.alloc(32);
export const text = (value: string) => Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);
const option = (address?: Address) =>
  Buffer.concat([u32(address === undefined ? 0 : 1), address === undefined ? nobody : bytesOf(address)]);

export const extension = (kind: number, ...parts: Uint8Array[]) => {
  const data = Buffer.concat(parts);
  return Buffer.concat([u16(kind), u16(data.length), data]);
};

/** Pads an account of Token-2022 to the length of a token account, and appends its extensions. */
const extended = (plain: Buffer, kind: 1 | 2, extensions: readonly Buffer[]) =>
  extensions.length === 0
    ? plain
    : Buffer.concat([plain, Buffer.alloc(165 - plain.length), Buffer.of(kind), ...extensions]);

export const mintData = (
  supply: bigint,
  decimals: number,
  freezeAuthority?: Address,
  extensions: readonly Buffer[] = [],
) =>
  extended(
    Buffer.concat([option(), u64(supply), Buffer.of(decimals, 1), option(freezeAuthority)]),
    1,
    extensions,
  );

/**
 * Encodes a token account.
 * @param rent Lamports of a wrapped-coin account that do not count as tokens.
 */
export const tokenAccountData = (
  mint: Address,
  owner: Address,
  amount: bigint,
  { rent, extensions = [] }: { rent?: bigint; extensions?: readonly Buffer[] } = {},
) =>
  extended(
    Buffer.concat([
      ...[bytesOf(mint), bytesOf(owner), u64(amount), option(), Buffer.of(1)],
      ...[u32(rent === undefined ? 0 : 1), u64(rent ?? 0n), u64(0n), option()],
    ]),
    2,
    extensions,
  );

export const namesInMint = (mint: Address, name: string, symbol: string) => [
  extension(18, nobody, bytesOf(mint)),
  extension(19, nobody, bytesOf(mint), text(name), text(symbol), text(""), u32(0)),
];

/** Supply of a billion tokens. */
export const decimals = 6;
export const supply = 10n ** 15n;

/** Makes a mint and the account with its names. */
export async function plainMintAccounts(mint: Address, name: string, symbol: string): Promise<MadeAccount[]> {
  const names = [text(name), text(symbol), text("")];
  const seeds = ["metadata", bytesOf(programs.metadata), bytesOf(mint)];
  const metadata = await derived(programs.metadata, ...seeds);
  const data = Buffer.concat([Buffer.of(4), nobody, bytesOf(mint), ...names]);
  return [
    account(mint, programs.token, mintData(supply, decimals)),
    account(metadata, programs.metadata, data),
  ];
}
