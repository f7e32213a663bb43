import { ceilDivide, least } from "../../../orders/bigints.ts";
import { programs } from "./addresses.ts";
import { ByteReader } from "./byte-reader.ts";

/** The programs that own mint accounts and token accounts. */
export const isTokenProgram = (address: string): boolean =>
  address === programs.token || address === programs.token2022;

/** The fee on a transfer. It is withheld in the receiver's account. */
export type TransferFee = { bps: number; most: bigint };

/** A token's mint account. An authority is absent if nobody can use it any more. */
export type Mint = {
  /** The token program that owns the mint. */
  program: string;
  decimals: number;
  supply: bigint;
  mintAuthority?: string;
  /** Authority that can freeze any account of the token. */
  freezeAuthority?: string;
  /** Authority that can take tokens from any account. */
  permanentDelegate?: string;
  /** Program that runs in each transfer. */
  hookProgram?: string;
  /** Authority that may choose the program that runs in each transfer. */
  hookAuthority?: string;
  /** Authority that may change the transfer fee, effective two epochs later. */
  feeAuthority?: string;
  /** True if new accounts are frozen until an authority thaws them. */
  isDefaultFrozen: boolean;
  isNonTransferable: boolean;
  /** Whether an authority can stop all transfers, and whether it has stopped them. */
  isPausable: boolean;
  isPaused: boolean;
  /** True if programs may show amounts multiplied or with interest. Transfers and pools still count units. */
  isScaled: boolean;
  /** Fees on transfers, sorted by the first epoch in which they apply. Empty if there are no fees. */
  transferFees: readonly (TransferFee & { fromEpoch: bigint })[];
  name?: string;
  symbol?: string;
  /** The size of a wallet's associated account. */
  accountBytes: number;
};

const plainLength = 82;

/** Offset of the account kind in a Token-2022 account. It equals the size of a token account. */
const kindAt = 165;
const mintKind = 1;

/** Length that identifies multisignature accounts, whatever their bytes. */
export const multisigLength = 355;

/**
 * The numbers of Token-2022's extensions, which its interface fixes. A mint keeps the extensions that it was created
 * with for ever. Extensions not in this list let nobody block sales: a mint can be closed only when its supply is 0,
 * and confidential amounts and the authorities over withheld fees, groups and metadata change no public balance.
 */
const extensions = {
  end: 0,
  transferFeeConfig: 1,
  defaultAccountState: 6,
  nonTransferable: 9,
  interestBearing: 10,
  permanentDelegate: 12,
  transferHook: 14,
  tokenMetadata: 19,
  scaledAmount: 25,
  pausable: 26,
} as const;

const frozen = 2;

/** Number of bytes that an extension of a mint requires in each token account. Most extensions require none. */
const accountParts: Readonly<Record<number, number>> = {
  [extensions.transferFeeConfig]: 12,
  [extensions.nonTransferable]: 4,
  [extensions.transferHook]: 5,
  [extensions.pausable]: 4,
};

/**
 * Size of a token account of either program. It includes the account kind and the immutable-owner extension that
 * Token-2022 adds to an associated account.
 */
const accountBytes = { token: 165, token2022: 165 + 1 + 4 };

/**
 * Decodes a mint account. Undefined if the account is not an initialized mint of one of the token programs.
 *
 * @param owner The program that owns the account.
 */
export function readMint({ owner, data }: { owner: string; data: Uint8Array }): Mint | undefined {
  const isToken2022 = owner === programs.token2022;
  const isExtended = isToken2022 && data[kindAt] === mintKind && data.length !== multisigLength;
  const isMint = data.length === plainLength || isExtended;
  if (!isTokenProgram(owner) || !isMint) return undefined;
  const reader = new ByteReader(data);
  const mintAuthority = optionalAddress(reader);
  const [supply, decimals, isInitialized] = [reader.u64(), reader.u8(), reader.u8()];
  const freezeAuthority = optionalAddress(reader);
  if (isInitialized !== 1) return undefined;
  const plain: Mint = {
    program: owner,
    decimals,
    supply,
    ...(mintAuthority !== undefined && { mintAuthority }),
    ...(freezeAuthority !== undefined && { freezeAuthority }),
    isDefaultFrozen: false,
    isNonTransferable: false,
    isPausable: false,
    isPaused: false,
    isScaled: false,
    transferFees: [],
    accountBytes: accountBytes[isToken2022 ? "token2022" : "token"],
  };
  if (data.length === plainLength) return plain;
  try {
    return extended(plain, new ByteReader(data.subarray(kindAt + 1)));
  } catch {
    // Rejects an extension that extends past the end of the account.
    return undefined;
  }
}

function optionalAddress(reader: ByteReader): string | undefined {
  const isPresent = reader.u32() === 1;
  const address = reader.address();
  return isPresent ? address : undefined;
}

function extended(plain: Mint, reader: ByteReader): Mint {
  let mint = plain;
  for (const [kind, own] of extensionsIn(reader))
    mint = {
      ...mint,
      ...propertiesOf(kind, own),
      accountBytes: mint.accountBytes + (accountParts[kind] ?? 0),
    };
  return mint;
}

/**
 * Lists the extensions of a Token-2022 account, each with its number.
 *
 * @throws RangeError if one extends past the end of the account
 */
export function* extensionsIn(reader: ByteReader): Generator<readonly [kind: number, own: ByteReader]> {
  while (reader.left >= 4) {
    const [kind, length] = [reader.u16(), reader.u16()];
    if (kind === extensions.end) return;
    yield [kind, new ByteReader(reader.bytes(length))];
  }
}

function propertiesOf(kind: number, reader: ByteReader): Partial<Mint> {
  switch (kind) {
    case extensions.transferFeeConfig: {
      const feeAuthority = reader.nonZeroAddress();
      // Skips the authority and the amount of withheld fees.
      reader.skip(40);
      const [older, newer] = [feeFrom(reader), feeFrom(reader)];
      return { transferFees: [older, newer], ...(feeAuthority !== undefined && { feeAuthority }) };
    }
    case extensions.defaultAccountState:
      return { isDefaultFrozen: reader.u8() === frozen };
    case extensions.nonTransferable:
      return { isNonTransferable: true };
    case extensions.permanentDelegate: {
      const permanentDelegate = reader.nonZeroAddress();
      return permanentDelegate === undefined ? {} : { permanentDelegate };
    }
    case extensions.transferHook: {
      const [hookAuthority, hookProgram] = [reader.nonZeroAddress(), reader.nonZeroAddress()];
      return {
        ...(hookAuthority !== undefined && { hookAuthority }),
        ...(hookProgram !== undefined && { hookProgram }),
      };
    }
    case extensions.pausable: {
      const hasAuthority = reader.nonZeroAddress() !== undefined;
      const isPaused = reader.u8() === 1;
      return { isPausable: hasAuthority || isPaused, isPaused };
    }
    case extensions.interestBearing:
    case extensions.scaledAmount:
      return { isScaled: true };
    case extensions.tokenMetadata: {
      // Skips the authority and the mint.
      reader.skip(64);
      const [name, symbol] = [reader.text(), reader.text()];
      return { ...(name !== undefined && { name }), ...(symbol !== undefined && { symbol }) };
    }
    default:
      return {};
  }
}

const feeFrom = (reader: ByteReader) => ({
  fromEpoch: reader.u64(),
  most: reader.u64(),
  bps: reader.u16(),
});

const wholeBps = 10_000n;

/** Computes the fee withheld from a transfer in an epoch, rounded up and capped at its maximum. */
export function withheldFrom(
  amount: bigint,
  { transferFees }: Pick<Mint, "transferFees">,
  epoch: bigint,
): bigint {
  const fee = feeIn(transferFees, epoch);
  if (fee === undefined) return 0n;
  return least(ceilDivide(amount * BigInt(fee.bps), wholeBps), fee.most);
}

const feeIn = (fees: Mint["transferFees"], epoch: bigint) =>
  fees.findLast(({ fromEpoch }) => fromEpoch <= epoch) ?? fees[0];

/** Returns the higher of the rates in this epoch and the next one, in basis points. */
export function feeBpsOf({ transferFees }: Pick<Mint, "transferFees">, epoch: bigint): number {
  const fees = [epoch, epoch + 1n].map((each) => feeIn(transferFees, each));
  return Math.max(...fees.map((fee) => (fee === undefined || fee.most === 0n ? 0 : fee.bps)));
}
