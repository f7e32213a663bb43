import bs58 from "bs58";
import { describe, expect, it } from "vitest";
import { programs } from "../../../../lib/chains/sol/calls/addresses.ts";
import {
  hindranceOf,
  readTokenAccount,
  sellableUnits,
} from "../../../../lib/chains/sol/calls/token-account.ts";
import { extensionKind } from "../../../support/extension-kinds.ts";
import { usdc, wrappedCoinAccount } from "../../../support/mainnet.ts";

const { token, token2022 } = programs;
const [mint, alice, bob] = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte)) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
];

function account({
  amount = 7n,
  state = 1,
  delegate,
}: {
  amount?: bigint;
  state?: number;
  delegate?: bigint;
} = {}) {
  const data = Buffer.alloc(165);
  data.set(mint, 0);
  data.set(alice, 32);
  data.writeBigUInt64LE(amount, 64);
  if (delegate !== undefined) {
    data.writeUInt32LE(1, 72);
    data.set(bob, 76);
    data.writeBigUInt64LE(delegate, 121);
  }
  data.writeUInt8(state, 108);
  return data;
}

const read = (data: Uint8Array, owner: string = token) => readTokenAccount({ owner, data });

describe("readTokenAccount", () => {
  it("reads token accounts from mainnet", () => {
    expect(read(usdc.account)).toMatchObject({
      mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
      owner: "5QxkJGkYTxkJBp575w39Qumi8v2g3bxLWaXjpJsquYky",
      amount: 217_775_889n,
      isFrozen: false,
    });
    expect(read(wrappedCoinAccount)).toMatchObject({
      mint: "So11111111111111111111111111111111111111112",
      owner: "5tvSJRH4BUgJD3sR83Exnn13Zi524Dzo48GB4QaiFu9H",
      amount: 86_840_850n,
    });
  });

  it("reads an account's owner and amount", () => {
    const read64 = { mint: bs58.encode(mint), owner: bs58.encode(alice), amount: 2n ** 64n - 1n };
    expect(read(account({ amount: 2n ** 64n - 1n }))).toEqual({
      program: token,
      ...read64,
      isFrozen: false,
      needsMemo: false,
      hasGuard: false,
    });
  });

  it("reads an account's delegate and the delegated amount", () => {
    const delegate = { address: bs58.encode(bob), amount: 5n };
    expect(read(account({ delegate: 5n }))).toMatchObject({ delegate });
  });

  it("reads whether an account is frozen", () => {
    expect(read(account({ state: 2 }))).toMatchObject({ isFrozen: true });
  });

  it("reads an account with extensions", () => {
    const extended = Buffer.concat([account(), Buffer.of(2, 7, 0, 0, 0)]);
    expect(read(extended, token2022)).toMatchObject({ program: token2022, amount: 7n });
  });

  it("reads only extensions that are switched on and complete", () => {
    const read2022 = (...extensions: number[]) =>
      read(Buffer.concat([account(), Buffer.of(2, 7, 0, 0, 0, ...extensions)]), token2022);
    const [memo, guard] = ["MemoTransfer", "CpiGuard"].map(extensionKind).map((kind) => [kind, 0, 1, 0]) as [
      number[],
      number[],
    ];
    expect(read2022(...memo, 1)).toMatchObject({ needsMemo: true, hasGuard: false });
    expect(read2022(...memo, 0, ...guard, 1)).toMatchObject({ needsMemo: false, hasGuard: true });
    expect(read2022(...guard)).toMatchObject({ amount: 7n, needsMemo: false, hasGuard: false });
  });

  it.each([
    ["of another program", account(), bs58.encode(bob)],
    ["that is not initialized", account({ state: 0 }), token],
    ["that is too short", account().subarray(0, 164), token],
    ["that is a mint with extensions", Buffer.concat([account(), Buffer.of(1, 0, 0)]), token2022],
    ["of several signers", Buffer.alloc(355, 2), token2022],
  ])("rejects a token account %s", (_, data, owner) => {
    expect(read(data, owner)).toBeUndefined();
  });
});

describe("hindranceOf", () => {
  const [wallet, other] = [bs58.encode(alice), bs58.encode(bob)];
  const plain = { program: token2022, mint: bs58.encode(mint), owner: wallet, amount: 7n, isFrozen: false };
  const own = { ...plain, needsMemo: false, hasGuard: false };
  const sides = (changes: Partial<typeof own>, of = wallet) =>
    (["buy", "sell"] as const).map((side) => hindranceOf({ ...own, ...changes }, of, side));

  it("returns no hindrance for a missing or an ordinary account", () => {
    expect(hindranceOf(undefined, wallet, "buy")).toBeUndefined();
    expect(sides({})).toEqual([undefined, undefined]);
  });

  it("objects to buys into an account that needs memos, and to sales from an account with a CPI Guard", () => {
    expect(sides({ needsMemo: true })).toEqual([expect.stringContaining("a memo"), undefined]);
    expect(sides({ hasGuard: true })).toEqual([undefined, expect.stringContaining("CPI Guard")]);
  });

  it("objects to buys and sales with somebody else's account", () => {
    const given = expect.stringContaining("somebody else");
    expect(sides({}, other)).toEqual([given, given]);
    expect(sellableUnits(own, other, own.mint)).toBe(0n);
  });
});
