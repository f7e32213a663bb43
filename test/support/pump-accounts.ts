import bs58 from "bs58";

/** Writes the accounts of Pump's programs field by field, with the offsets of their interface descriptions. */

const nobody = "11111111111111111111111111111111";

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes;
};

const u128 = (value: bigint) => {
  const unsigned = BigInt.asUintN(128, value);
  return Buffer.concat([u64(BigInt.asUintN(64, unsigned)), u64(unsigned >> 64n)]);
};

const flag = (value = false) => Buffer.of(value ? 1 : 0);
const key = (address: string) => Buffer.from(bs58.decode(address));
const keys = (addresses: readonly string[]) => Buffer.concat(addresses.map(key));

/** An address whose bytes are all this one. */
export const pumpKey = (byte: number): string => bs58.encode(new Uint8Array(32).fill(byte));

const listOf = (count: number, first: number) =>
  Array.from({ length: count }, (_, index) => pumpKey(first + index));

export const pumpRecipients = {
  usual: listOf(8, 10),
  mayhem: listOf(8, 20),
  buyback: listOf(8, 30),
};

export type CurveFields = {
  virtualTokens: bigint;
  virtualCoins: bigint;
  tokens: bigint;
  coins: bigint;
  supply?: bigint;
  isComplete?: boolean;
  creator?: string;
  isMayhem?: boolean;
  hasCashback?: boolean;
  quote?: string;
  creatorBps?: bigint;
};

export const curveAccount = ({
  virtualTokens,
  virtualCoins,
  tokens,
  coins,
  supply = 10n ** 15n,
  isComplete,
  creator = pumpKey(1),
  isMayhem,
  hasCashback,
  quote = nobody,
  creatorBps = 0n,
}: CurveFields): Buffer =>
  Buffer.concat([
    Buffer.from("17b7f83760d8ac60", "hex"),
    ...[virtualTokens, virtualCoins, tokens, coins, supply].map(u64),
    ...[flag(isComplete), key(creator), flag(isMayhem), flag(hasCashback), key(quote), u64(creatorBps)],
    Buffer.alloc(28),
  ]);

export const curveConfigAccount = ({ hasOwnCreatorFees = false } = {}): Buffer => {
  const [first, ...others] = pumpRecipients.usual as [string, ...string[]];
  const [firstMayhem, ...othersMayhem] = pumpRecipients.mayhem as [string, ...string[]];
  return Buffer.concat([
    Buffer.from("a7e8e8b1c86c727f", "hex"),
    ...[flag(true), key(pumpKey(2)), key(first), Buffer.alloc(40, 1), key(pumpKey(3))],
    ...[flag(true), u64(5n), u64(6n), keys(others), key(pumpKey(4)), key(pumpKey(5)), flag(true)],
    ...[key(pumpKey(6)), key(firstMayhem), flag(true), keys(othersMayhem), flag(true)],
    ...[keys(pumpRecipients.buyback), u64(10_000n), u64(7n), key(pumpKey(7)), flag(hasOwnCreatorFees)],
    ...[u64(500n), key(pumpKey(8)), flag(true)],
  ]);
};

export type PoolFields = {
  creator: string;
  base: string;
  quote: string;
  vaults: { base: string; quote: string };
  coinCreator?: string;
  isMayhem?: boolean;
  hasCashback?: boolean;
  virtualCoins?: bigint;
  creatorBps?: bigint;
};

export const pumpPoolAccount = ({
  creator,
  base,
  quote,
  vaults,
  coinCreator = pumpKey(1),
  isMayhem,
  hasCashback,
  virtualCoins = 0n,
  creatorBps = 0n,
}: PoolFields): Buffer =>
  Buffer.concat([
    Buffer.from("f19a6d0411b16dbc", "hex"),
    ...[Buffer.of(255, 0, 0), ...[creator, base, quote, pumpKey(9), vaults.base, vaults.quote].map(key)],
    ...[u64(1000n), key(coinCreator), flag(isMayhem), flag(hasCashback), u128(virtualCoins)],
    ...[u64(creatorBps), Buffer.alloc(31)],
  ]);

export const pumpPoolConfigAccount = ({ flags = 0, hasOwnCreatorFees = false } = {}): Buffer => {
  const [firstMayhem, ...othersMayhem] = pumpRecipients.mayhem as [string, ...string[]];
  return Buffer.concat([
    Buffer.from("95089ccaa0fcb0d9", "hex"),
    ...[key(pumpKey(2)), u64(20n), u64(5n), Buffer.of(flags), keys(pumpRecipients.usual), u64(5n)],
    ...[key(pumpKey(3)), key(pumpKey(4)), key(firstMayhem), flag(true), keys(othersMayhem), flag(true)],
    ...[keys(pumpRecipients.buyback), u64(10_000n), key(pumpKey(5)), flag(true), flag(hasOwnCreatorFees)],
    u64(500n),
  ]);
};

export type TierFields = { from: bigint; rates: readonly [bigint, bigint, bigint] };

/** Writes a fee schedule in its form of 4,097 bytes. */
export function feeConfigAccount(tiers: readonly TierFields[]): Buffer {
  const count = Buffer.alloc(4);
  count.writeUInt32LE(tiers.length);
  const written = Buffer.concat([
    Buffer.from("8f3492bbdb7b4c9b", "hex"),
    ...[flag(true), key(pumpKey(2)), ...[25n, 5n, 0n].map(u64), count],
    ...tiers.map(({ from, rates }) => Buffer.concat([u128(from), ...rates.map(u64)])),
  ]);
  return Buffer.concat([written, Buffer.alloc(4097 - written.length)]);
}

/** An account in the form in which Pump's SDKs decode it. */
export const sdkAccount = <Key>(data: Uint8Array, owner: Key) => ({
  data: Buffer.from(data),
  executable: false,
  lamports: 0,
  owner,
});
