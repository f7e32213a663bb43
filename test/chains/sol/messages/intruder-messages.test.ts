import { AccountRole, address, type IInstruction } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  dontFront,
  markerOf,
  programs,
  tokenAccountOf,
  wsolAccountOf,
  wsolMint,
  wsolSeedOf,
} from "../../../../lib/chains/sol/calls/addresses.ts";
import { readMessage } from "../../../../lib/chains/sol/messages/read-message.ts";
import {
  allocateMarker,
  closeToWallet,
  createAssociatedAccount,
  setComputeUnitPrice,
  transferLamports,
} from "../../../../lib/chains/sol/venues/instructions.ts";
import {
  buyTerms,
  byJupiter,
  clearTerms,
  compileAny,
  createWithSeed,
  helper,
  instructionsOf,
  messageOf,
  orderId,
  saleTerms,
  solKey,
  thief,
  tipAccount,
  wallet,
} from "../../../support/sol-terms.ts";

/** Indexes of the instructions of a buy with a tip. */
const place = {
  limit: 0,
  rent: 2,
  marker: 3,
  tip: 4,
  funding: 5,
  allocation: 6,
  owner: 7,
  creation: 8,
  swap: 9,
  closing: 10,
};

const nonceAdvance = (authority = wallet): IInstruction => ({
  programAddress: programs.system,
  accounts: [
    { address: solKey("nonce").address, role: AccountRole.WRITABLE },
    { address: address("SysvarRecentB1ockHashes11111111111111111111"), role: AccountRole.READONLY },
    { address: authority, role: AccountRole.READONLY_SIGNER },
  ],
  data: Uint8Array.of(4, 0, 0, 0),
});

const precompile: IInstruction = {
  programAddress: address("Ed25519SigVerify111111111111111111111111111"),
  accounts: [],
  data: Uint8Array.of(200, 0),
};

const tokenTransfer = (from = wallet, authority = helper): IInstruction => ({
  programAddress: programs.token,
  accounts: [
    { address: from, role: AccountRole.WRITABLE },
    { address: thief, role: AccountRole.WRITABLE },
    { address: authority, role: AccountRole.READONLY_SIGNER },
  ],
  data: Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0, 0),
});

/** Replaces one account of an instruction, given by its index. */
const withAccount = (instruction: IInstruction, index: number, account: string): IInstruction => ({
  ...instruction,
  accounts: (instruction.accounts ?? []).with(index, {
    role: AccountRole.WRITABLE,
    ...instruction.accounts?.[index],
    address: address(account),
  }),
});

const named = { address: dontFront, role: AccountRole.READONLY };
const written = { address: dontFront, role: AccountRole.WRITABLE };

const withAccounts = (
  instruction: IInstruction,
  change: (all: NonNullable<IInstruction["accounts"]>) => NonNullable<IInstruction["accounts"]>,
): IInstruction => ({ ...instruction, accounts: change(instruction.accounts ?? []) });

const withByte = (instruction: IInstruction, index: number, value: number): IInstruction => ({
  ...instruction,
  data: Uint8Array.from(instruction.data ?? []).with(index, value),
});

type Intrusion = (sound: IInstruction[]) => IInstruction[] | Promise<IInstruction[]>;

const at = (index: number, change: (instruction: IInstruction) => IInstruction): Intrusion => {
  return (sound) => sound.with(index, change(sound[index] as IInstruction));
};
const without =
  (index: number): Intrusion =>
  (sound) =>
    sound.toSpliced(index, 1);
const inserted =
  (index: number, ...added: IInstruction[]): Intrusion =>
  (sound) =>
    sound.toSpliced(index, 0, ...added);

const otherOrder = "01KAMZ3Q5T9WJ2M4N6P8R0S1V4";

/** Offset of the marker's size in its instruction's data. */
const spaceAt = 44 + orderId.length;

async function marking(
  sound: IInstruction[],
  { base = wallet, seed = orderId, lamports = 655_320n },
): Promise<IInstruction[]> {
  const marker = await markerOf(base, seed);
  const made = [transferLamports(base, marker, lamports), allocateMarker(base, marker, seed)];
  return sound.toSpliced(place.rent, 2, ...made);
}

describe("an intruder's message", () => {
  it("accepts an intruder's message that equals the composed one", async () => {
    const sound = instructionsOf(await messageOf(buyTerms));
    expect(await readMessage(compileAny(sound), [tipAccount])).toEqual(buyTerms);
  });

  it.each<[string, Intrusion]>([
    ["a nonce account's advance first", inserted(0, nonceAdvance())],
    ["a nonce account's advance by the helper", inserted(0, nonceAdvance(helper))],
    ["a precompile", inserted(2, precompile)],
    ["a precompile last", (sound) => [...sound, precompile]],
    ["a helper's transfer after the swap", inserted(place.closing, tokenTransfer())],
    ["a second transfer of lamports", inserted(place.tip, transferLamports(wallet, thief, 1n))],
    ["a second tip", inserted(place.tip, transferLamports(wallet, tipAccount, 1n))],
    ["a second marker", (sound) => [...sound, sound[place.marker] as IInstruction]],
    ["a second price", inserted(2, setComputeUnitPrice(1n))],
    ["a second swap", inserted(place.swap, tokenTransfer())],
    ["no limit", without(place.limit)],
    ["no rent of the marker", without(place.rent)],
    ["no marker", without(place.marker)],
    ["a marker without bytes", at(place.marker, (each) => withByte(each, spaceAt, 0))],
    ["a marker of two bytes", at(place.marker, (each) => withByte(each, spaceAt, 2))],
    ["a marker of another program", at(place.marker, (each) => withByte(each, spaceAt + 8, 1))],
    ["the marker's rent for another account", at(place.rent, (each) => withAccount(each, 1, thief))],
    ["no allocation", without(place.allocation)],
    ["no creation of the token account", without(place.creation)],
    ["no swap", without(place.swap)],
    ["no closing", without(place.closing)],
    [
      "the marker behind the swap",
      (sound) => [...sound.toSpliced(place.marker, 1), sound[place.marker] as IInstruction],
    ],
    ["a foreign tip", at(place.tip, (tip) => withAccount(tip, 1, thief))],
    ["a tip to nobody", at(place.tip, (tip) => withAccounts(tip, (all) => all.slice(0, 1)))],
    ["a tip that names a thief's account", at(place.tip, (tip) => withAccount(tip, 2, thief))],
    [
      "a tip that names one more account",
      at(place.tip, (tip) => withAccounts(tip, (all) => [...all, named])),
    ],
    [
      "a tip whose account may be written",
      at(place.tip, (tip) => withAccounts(tip, (all) => all.with(2, written))),
    ],
    [
      "a transfer that names the tip's account",
      at(place.funding, (each) => withAccounts(each, (all) => [...all, named])),
    ],
    ["another account funded", at(place.funding, (each) => withAccount(each, 1, thief))],
    ["another program", at(place.swap, (swap) => ({ ...swap, programAddress: thief }))],
    ["another instruction of the pool's program", at(place.swap, (swap) => withByte(swap, 0, 0x37))],
    ["another authority of the pools", at(place.swap, (swap) => withAccount(swap, 1, thief))],
    ["a source of the thief", at(place.swap, (swap) => withAccount(swap, 4, thief))],
    ["an output to the thief", at(place.swap, (swap) => withAccount(swap, 5, thief))],
    ["another vault", at(place.swap, (swap) => withAccount(swap, 7, thief))],
    ["another observation", at(place.swap, (swap) => withAccount(swap, 12, thief))],
    ["another account closed", at(place.closing, (each) => withAccount(each, 0, thief))],
    ["wrapped SOL closed to the thief", at(place.closing, (each) => withAccount(each, 1, thief))],
    ["another owner of wrapped SOL", at(place.owner, (each) => withByte(each, 5, 1))],
    ["another account of the mint", at(place.creation, (each) => withAccount(each, 1, thief))],
    ["an account of the thief created", at(place.creation, (each) => withAccount(each, 2, thief))],
    ["creation that fails if it exists", at(place.creation, (each) => ({ ...each, data: new Uint8Array() }))],
    [
      "an output to the helper's account",
      async (sound) => {
        const account = await tokenAccountOf(helper, buyTerms.mint, programs.token);
        const creation = createAssociatedAccount(helper, account, buyTerms.mint, programs.token);
        return at(place.swap, (swap) => withAccount(swap, 5, account))(sound.with(place.creation, creation));
      },
    ],
    [
      "its account of wrapped SOL made with lamports",
      async (sound) => {
        const account = await wsolAccountOf(wallet, orderId);
        const made = { seed: wsolSeedOf(orderId), lamports: 1_001_488_440n, bytes: 165 };
        const creation = createWithSeed(wallet, account, { ...made, owner: programs.token });
        return sound.toSpliced(place.funding, 2, creation);
      },
    ],
    [
      "a marker made by createAccountWithSeed, which a deposit blocks",
      async (sound) => {
        const made = { seed: orderId, lamports: 655_320n, bytes: 1, owner: programs.system };
        const creation = createWithSeed(wallet, await markerOf(wallet, orderId), made);
        return sound.toSpliced(place.rent, 2, creation);
      },
    ],
    ["the marker of another order", (sound) => marking(sound, { seed: otherOrder })],
    ["the marker of another wallet", (sound) => marking(sound, { base: thief })],
    ["a marker with more lamports", (sound) => marking(sound, { lamports: 897_841n })],
    ["an empty list", () => []],
  ])("rejects a message with %s", async (_, intrusion) => {
    const changed = await intrusion(instructionsOf(await messageOf(buyTerms)));
    expect(await readMessage(compileAny(changed), [tipAccount])).toBeUndefined();
  });

  it("rejects a clear with additional instructions", async () => {
    const sound = instructionsOf(await messageOf(clearTerms));
    expect(await readMessage(compileAny(sound), [tipAccount])).toEqual(clearTerms);
    const account = await wsolAccountOf(wallet, orderId);
    const additions = [
      transferLamports(wallet, thief, 1n),
      transferLamports(wallet, tipAccount, 1n),
      closeToWallet(account, wallet),
      nonceAdvance(),
      precompile,
    ];
    for (const added of additions)
      expect(await readMessage(compileAny([...sound, added]), [tipAccount])).toBeUndefined();
    expect(await readMessage(compileAny(sound.slice(0, 2)), [tipAccount])).toBeUndefined();
  });

  it("rejects a message of another version, or with fees paid by another account", async () => {
    const sound = instructionsOf(await messageOf(buyTerms));
    expect(await readMessage(compileAny(sound, { payer: thief }), [tipAccount])).toBeUndefined();
    expect(await readMessage(compileAny(sound, { version: "legacy" }), [tipAccount])).toBeUndefined();
  });

  it.each<[string, Intrusion]>([
    ["no change", (sound) => sound],
    ["a greater approval", at(8, (approval) => withByte(approval, 1, 255))],
    ["the approval of a stranger", at(8, (approval) => withAccount(approval, 2, thief))],
    ["an unlimited approval", at(8, (approval) => ({ ...approval, data: Uint8Array.of(4) }))],
    ["no revocation", without(10)],
    ["a helper's transfer of proceeds", inserted(10, tokenTransfer())],
    ["another program", at(9, (swap) => ({ ...swap, programAddress: thief }))],
    ["the wallet named", at(9, (swap) => withAccount(swap, 10, wallet))],
    ["an output to the thief", at(9, (swap) => withAccount(swap, 2, thief))],
    ["another amount", at(9, (swap) => withByte(swap, 8, 1))],
  ])("judges a message by Jupiter with %s", async (name, intrusion) => {
    const terms = await byJupiter(saleTerms, { name: "route_v2" });
    const accounts = terms.venue.accounts.filter((each) => "address" in each);
    const message = await messageOf({ ...terms, venue: { ...terms.venue, accounts } });
    const changed = await intrusion(instructionsOf(message));
    const read = await readMessage(compileAny(changed), [tipAccount]);
    expect(read?.purpose).toBe(name === "no change" ? "swap" : undefined);
  });

  it("uses an account of wrapped SOL that belongs to this order alone", async () => {
    const own = await tokenAccountOf(wallet, wsolMint, programs.token);
    expect(await wsolAccountOf(wallet, orderId)).not.toBe(own);
    expect(await wsolAccountOf(wallet, orderId)).not.toBe(await wsolAccountOf(wallet, otherOrder));
  });
});
