/** Layouts of the accounts of Pump's programs, as their public interfaces state them. */

/** Places of the parts of an account's data. Each account begins with the name of its kind. */
type Layout<Part extends string> = { name: string; at: Record<Part, number>; size: number };

/** Kinds of numbers by size, and the size of an address. */
const flag = 1;
const word = 8;
const key = 32;

function layout<const Parts extends Readonly<Record<string, number>>>(
  name: string,
  parts: Parts,
): Layout<keyof Parts & string> {
  let size = 8;
  const at = {} as Record<keyof Parts & string, number>;
  for (const [part, length] of Object.entries(parts)) {
    at[part as keyof Parts & string] = size;
    size += length;
  }
  return { name, at, size };
}

export const curveGlobal = layout("a7e8e8b1c86c727f", {
  initialized: flag,
  authority: key,
  feeRecipient: key,
  initialVirtualTokens: word,
  initialVirtualCoins: word,
  initialRealTokens: word,
  supply: word,
  feeBps: word,
  withdrawAuthority: key,
  migrates: flag,
  migrationFee: word,
  creatorFeeBps: word,
  feeRecipients: 7 * key,
  creatorAuthority: key,
  adminCreatorAuthority: key,
  createsV2: flag,
  whitelist: key,
  reservedRecipient: key,
  mayhem: flag,
  reservedRecipients: 7 * key,
  cashback: flag,
  buybackRecipients: 8 * key,
  buybackBps: word,
  initialVirtualQuotes: word,
  quoteMints: key,
  hasCreatorRates: flag,
  mostCreatorFeeBps: word,
  rewardAuthority: key,
  rewards: flag,
});

export const curve = layout("17b7f83760d8ac60", {
  virtualTokens: word,
  virtualCoins: word,
  realTokens: word,
  realCoins: word,
  supply: word,
  isComplete: flag,
  creator: key,
  isMayhem: flag,
  isCashback: flag,
  quoteMint: key,
  creatorFeeBps: word,
  editsCreatorFee: flag,
  rewards: flag,
});

/** Size of an extended bonding curve's account. Only its beginning has a meaning. */
export const curveSize = 151;

export const poolGlobal = layout("95089ccaa0fcb0d9", {
  admin: key,
  lpFeeBps: word,
  protocolFeeBps: word,
  disabled: flag,
  feeRecipients: 8 * key,
  creatorFeeBps: word,
  creatorAuthority: key,
  whitelist: key,
  reservedRecipient: key,
  mayhem: flag,
  reservedRecipients: 7 * key,
  cashback: flag,
  buybackRecipients: 8 * key,
  buybackBps: word,
  boostAuthority: key,
  boosts: flag,
  hasCreatorRates: flag,
  mostCreatorFeeBps: word,
});

export const pool = layout("f19a6d0411b16dbc", {
  bump: flag,
  index: 2,
  creator: key,
  baseMint: key,
  quoteMint: key,
  lpMint: key,
  baseVault: key,
  quoteVault: key,
  lpSupply: word,
  coinCreator: key,
  isMayhem: flag,
  isCashback: flag,
  virtualQuotes: 2 * word,
  creatorFeeBps: word,
  editsCreatorFee: flag,
  rewards: flag,
});

/** Size of an extended pool's account. */
export const poolSize = 300;

export const globalVolume = layout("ca2af62b8ebe1eff", {
  startTime: word,
  endTime: word,
  secondsInDay: word,
  mint: key,
  supplies: 30 * word,
  volumes: 30 * word,
});

export const userVolume = layout("56ff700e66359afa", {
  user: key,
  needsClaim: flag,
  unclaimed: word,
  claimed: word,
  volume: word,
  updated: word,
  hasClaimed: flag,
  cashbackEarned: word,
});

/** Size of a user's account of volumes when a trade creates it. */
export const userVolumeSize = 137;

/** Fees by market cap: flat ones, and then a list of tiers with its length. */
export const feeConfig = layout("8f3492bbdb7b4c9b", {
  bump: flag,
  admin: key,
  flatFees: 3 * word,
  tierCount: 4,
  tiers: 0,
});

/** Layout of a tier: the lowest market cap, and rates in basis points. */
export const feeTier = { leastCap: 0, fees: 16, size: 40 } as const;

type PartValue = Uint8Array | bigint | number | boolean;

/** Encodes an account's data. Parts that are not given are 0. */
export function encoded<Part extends string>(
  { name, at, size }: Layout<Part>,
  parts: Partial<Record<Part, PartValue>>,
  length: number = size,
): Buffer {
  const data = Buffer.alloc(length);
  data.write(name, "hex");
  for (const [part, value] of Object.entries(parts) as [Part, PartValue][]) {
    if (value instanceof Uint8Array) data.set(value, at[part]);
    else if (typeof value === "bigint") data.writeBigUInt64LE(value, at[part]);
    else data.writeUInt8(Number(value), at[part]);
  }
  return data;
}
