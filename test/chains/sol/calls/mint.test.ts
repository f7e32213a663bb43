import bs58 from "bs58";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import { readMint, withheldFrom } from "../../../../lib/chains/sol/calls/mint.ts";
import { flagsOfMint } from "../../../../lib/chains/sol/calls/mint-safety.ts";
import { extensionKind } from "../../../support/extension-kinds.ts";
import { bernMint, usdc } from "../../../support/mainnet.ts";

const { token, token2022 } = programs;
const zeros = "11111111111111111111111111111111";
const [alice, bob] = [token, token2022];

/** Writes a number in little-endian order. */
const number = (bytes: number) => (value: number | bigint) => {
  const hex = BigInt(value)
    .toString(16)
    .padStart(2 * bytes, "0");
  return Buffer.from(hex, "hex").reverse();
};
const [u8, u16, u32, u64] = [number(1), number(2), number(4), number(8)] as const;
const key = (address: string) => Buffer.from(bs58.decode(address));
const text = (value: string | Uint8Array) => {
  const bytes = Buffer.from(value);
  return [u32(bytes.length), bytes];
};
const written = (...parts: Uint8Array[]) => Buffer.concat(parts);

const option = (address: string | undefined) => [u32(address === undefined ? 0 : 1), key(address ?? zeros)];

type Plain = { mint?: string; freeze?: string; supply?: bigint; decimals?: number; isInitialized?: number };

const plainMint = ({ mint, freeze, supply = 5n, decimals = 6, isInitialized = 1 }: Plain = {}) =>
  written(...option(mint), u64(supply), u8(decimals), u8(isInitialized), ...option(freeze));

/** Writes a Token-2022 mint with extensions, each by its type number. */
function extendedMint(...extensions: (readonly [kind: number, data: Buffer])[]): Buffer {
  const parts = extensions.flatMap(([kind, data]) => [u16(kind), u16(data.length), data]);
  return written(plainMint(), Buffer.alloc(165 - 82), u8(1), ...parts);
}

const kinds = {
  defaultAccountState: extensionKind("DefaultAccountState"),
  interestBearingConfig: extensionKind("InterestBearingConfig"),
  mintCloseAuthority: extensionKind("MintCloseAuthority"),
  nonTransferable: extensionKind("NonTransferable"),
  pausableConfig: extensionKind("PausableConfig"),
  permanentDelegate: extensionKind("PermanentDelegate"),
  scaledUiAmountConfig: extensionKind("ScaledUiAmountConfig"),
  tokenMetadata: extensionKind("TokenMetadata"),
  transferFeeConfig: extensionKind("TransferFeeConfig"),
  transferHook: extensionKind("TransferHook"),
};

const read = (data: Uint8Array, owner: string = token2022) => readMint({ owner, data });

const fee = (epoch: bigint, most: bigint, bps: number) => [u64(epoch), u64(most), u16(bps)];
const fees = written(key(alice), key(bob), u64(9n), ...fee(3n, 100n, 50), ...fee(7n, 40n, 500));

describe("readMint", () => {
  it("reads the mint of USDC from mainnet", () => {
    expect(read(usdc.mint, token)).toMatchObject({
      decimals: 6,
      supply: 8_193_849_180_817_389n,
      mintAuthority: "BJE5MMbqXjVwjAF7oxwPYXnTXDyspzZyt4vwenNw5ruG",
      freezeAuthority: "7dGbd2QZcCKcTndnHcTL8q7SMVXAkp688NTQYwrRCrar",
      accountBytes: 165,
    });
  });

  it("reads a mint with transfer fees from mainnet", () => {
    const bern = read(bernMint);
    const most = 3_906_250_000_000_000_000n;
    expect(bern).toMatchObject({
      decimals: 5,
      supply: 94_911_678_592_440n,
      transferFees: [
        { fromEpoch: 624n, most, bps: 420 },
        { fromEpoch: 698n, most, bps: 269 },
      ],
      feeAuthority: "7MyTjmRygJoCuDBUtAuSugiYZFULD2SWaoUTmtjtRDzD",
      accountBytes: 182,
    });
    expect(bern).not.toHaveProperty("mintAuthority");
    expect(bern).not.toHaveProperty("freezeAuthority");
  });

  it("reads a mint of the first token program", () => {
    expect(read(plainMint({ mint: alice, freeze: bob, supply: 2n ** 64n - 1n, decimals: 9 }), token)).toEqual(
      {
        program: token,
        decimals: 9,
        supply: 2n ** 64n - 1n,
        mintAuthority: alice,
        freezeAuthority: bob,
        isDefaultFrozen: false,
        isNonTransferable: false,
        isPausable: false,
        isPaused: false,
        isScaled: false,
        transferFees: [],
        accountBytes: 165,
      },
    );
    const revoked = read(plainMint(), token);
    expect(revoked).not.toHaveProperty("mintAuthority");
    expect(revoked).not.toHaveProperty("freezeAuthority");
  });

  it.each([
    ["an account of another program", plainMint(), zeros],
    ["a mint that is not initialized", plainMint({ isInitialized: 0 }), token],
    ["a token account", Buffer.alloc(165, 1), token],
    ["an account with extensions of the token program", extendedMint(), token],
    ["an account of several signers", Buffer.alloc(355, 1), token2022],
    ["an empty account", Buffer.alloc(0), token],
    [
      "a token account with extensions",
      Buffer.concat([Buffer.alloc(165, 1), Buffer.of(2, 0, 0, 0, 0)]),
      token2022,
    ],
    [
      "an extension that ends after the account",
      extendedMint([kinds.nonTransferable, Buffer.alloc(0)]).fill(255, 168, 170),
      token2022,
    ],
    ["a fee that is too short", extendedMint([kinds.transferFeeConfig, fees.subarray(0, 100)]), token2022],
  ])("rejects %s as a mint", (_, data, owner) => {
    expect(read(data, owner)).toBeUndefined();
  });

  it.each([
    [
      "a transfer fee",
      [kinds.transferFeeConfig, fees],
      {
        transferFees: [
          { fromEpoch: 3n, most: 100n, bps: 50 },
          { fromEpoch: 7n, most: 40n, bps: 500 },
        ],
        feeAuthority: alice,
        accountBytes: 182,
      },
    ],
    [
      "accounts that are frozen at first",
      [kinds.defaultAccountState, Buffer.of(2)],
      { isDefaultFrozen: true, accountBytes: 170 },
    ],
    ["accounts that are not", [kinds.defaultAccountState, Buffer.of(1)], { isDefaultFrozen: false }],
    [
      "tokens that cannot move",
      [kinds.nonTransferable, Buffer.alloc(0)],
      { isNonTransferable: true, accountBytes: 174 },
    ],
    [
      "a delegate for all accounts",
      [kinds.permanentDelegate, written(key(alice))],
      { permanentDelegate: alice },
    ],
    [
      "a hook",
      [kinds.transferHook, written(key(alice), key(bob))],
      { hookProgram: bob, hookAuthority: alice, accountBytes: 175 },
    ],
    [
      "an authority that can pause",
      [kinds.pausableConfig, written(key(alice), u8(0))],
      { isPausable: true, accountBytes: 174 },
    ],
    [
      "amounts that are shown with interest",
      [kinds.interestBearingConfig, Buffer.alloc(52)],
      { isScaled: true, accountBytes: 170 },
    ],
    [
      "amounts that are shown multiplied",
      [kinds.scaledUiAmountConfig, Buffer.alloc(56)],
      { isScaled: true, accountBytes: 170 },
    ],
    [
      "a pause without end",
      [kinds.pausableConfig, written(key(zeros), u8(1))],
      { isPausable: true, isPaused: true },
    ],
    [
      "a name",
      [kinds.tokenMetadata, written(key(alice), key(bob), ...text("Fee Token"), ...text("FEEZ"))],
      { name: "Fee Token", symbol: "FEEZ" },
    ],
  ] as const)("reads a mint with %s", (_, [kind, data], properties) => {
    expect(read(extendedMint([kind, data]))).toMatchObject(properties);
    // Unknown extensions before and after this one must not change the result.
    const among = extendedMint(
      [kinds.mintCloseAuthority, Buffer.alloc(32, 7)],
      [kind, data],
      [1000, Buffer.alloc(5, 9)],
    );
    expect(read(among)).toMatchObject(properties);
  });

  it.each([
    ["a delegate of zeros", [kinds.permanentDelegate, written(key(zeros))], "permanentDelegate"],
    ["a hook of zeros", [kinds.transferHook, written(key(alice), key(zeros))], "hookProgram"],
    [
      "a name that is not UTF-8",
      [kinds.tokenMetadata, written(key(alice), key(bob), ...text(Buffer.of(255)), ...text("A"))],
      "name",
    ],
  ] as const)("ignores %s in a mint's data", (_, extension, property) => {
    expect(read(extendedMint(extension))).not.toHaveProperty(property);
  });

  const none = key(zeros);
  const some = key(alice);
  const noFee = [u64(0n), ...fee(0n, 0n, 0), ...fee(0n, 0n, 0)];
  it.each<[string, flags: string[], kind: number, data: Buffer]>([
    ["the fee", ["TAXABLE"], 1, written(some, none, ...noFee)],
    ["withheld fees", [], 1, written(none, some, ...noFee)],
    ["neither fee", [], 1, written(none, none, ...noFee)],
    ["a mint without tokens", [], 3, written(some)],
    ["confidential accounts", [], 4, written(some, u8(0), none)],
    ["interest", ["SCALED"], 10, written(some, Buffer.alloc(20))],
    ["a delegate", ["SEIZABLE"], 12, written(some)],
    ["a delegate that is given up", [], 12, written(none)],
    ["a hook to come", ["HOOKABLE"], 14, written(some, none)],
    ["a hook", ["HOOKED"], 14, written(some, some)],
    ["a hook for ever", ["HOOKED"], 14, written(none, some)],
    ["a hook that never comes", [], 14, written(none, none)],
    ["confidential fees", [], 16, written(some, none, u8(1), Buffer.alloc(64))],
    ["metadata", [], 18, written(some, none)],
    ["a multiplier", ["SCALED"], 25, written(some, Buffer.alloc(24))],
    ["pauses", ["PAUSABLE"], 26, written(some, u8(0))],
    ["pauses that are given up", [], 26, written(none, u8(0))],
  ])("flags the powers of a mint's authority over %s: %j", (_, flags, kind, data) => {
    const mint = read(extendedMint([kind, data]));
    expect(mint && flagsOfMint(mint)).toEqual(flags);
  });

  it.each([
    [{}, []],
    [{ mint: alice }, ["MINTABLE"]],
    [{ freeze: alice }, ["FREEZABLE"]],
    [{ mint: alice, freeze: bob }, ["FREEZABLE", "MINTABLE"]],
  ])("flags the authorities %j of a plain mint", (authorities, flags) => {
    const mint = read(plainMint(authorities), token);
    expect(mint && flagsOfMint(mint)).toEqual(flags);
  });

  it("stops reading extensions at the padding", () => {
    const padded = Buffer.concat([extendedMint([kinds.nonTransferable, Buffer.alloc(0)]), Buffer.alloc(2)]);
    expect(read(padded)).toMatchObject({ isNonTransferable: true });
  });

  it("reads any bytes without throwing", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (tail) => {
        const data = Buffer.concat([extendedMint(), tail]);
        read(data);
        read(tail);
        read(tail, token);
      }),
    );
  });
});

describe("withheldFrom", () => {
  const mint = read(extendedMint([kinds.transferFeeConfig, fees])) as NonNullable<
    ReturnType<typeof readMint>
  >;

  it.each([
    ["the older fee before the newer one begins", 1000n, 6n, 5n],
    ["the older fee even before its own epoch", 1000n, 0n, 5n],
    ["the newer fee from its epoch on", 100n, 7n, 5n],
    ["at most the highest amount", 10_000n, 7n, 40n],
    ["a share of a unit as a whole one", 1n, 7n, 1n],
    ["nothing of nothing", 0n, 7n, 0n],
  ])("withholds as the transfer fee %s", (_, amount, epoch, withheld) => {
    expect(withheldFrom(amount, mint, epoch)).toBe(withheld);
  });

  it("withholds nothing from a transfer if the token has no transfer fee", () => {
    expect(withheldFrom(1000n, { transferFees: [] }, 1n)).toBe(0n);
  });
});
