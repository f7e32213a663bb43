import { getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeMessage } from "../../../../lib/chains/sol/messages/compose-message.ts";
import type {
  AttemptTerms,
  JupiterVenue,
  MessageTerms,
  VenueAccount,
} from "../../../../lib/chains/sol/venues/message-terms.ts";
import { programAddress, readSolBytes, seededAddress } from "../../../support/sol-bytes.ts";
import {
  buyTerms,
  byJupiter,
  clearTerms,
  helper,
  messageOf,
  onCurve,
  onPumpSwap,
  orderId,
  routeData,
  saleTerms,
  solKey,
  thief,
  tipAccount,
  wallet,
} from "../../../support/sol-terms.ts";

const system = "11111111111111111111111111111111";
const budget = "ComputeBudget111111111111111111111111111111";
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const token2022 = "TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb";
const associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
const cpmm = "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C";
const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
const wsol = "So11111111111111111111111111111111111111112";

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("hex");
};
const key = (text: string) => Buffer.from(bs58.decode(text)).toString("hex");
const text = (value: string) => u64(BigInt(value.length)) + Buffer.from(value).toString("hex");

/** Accounts of an order, derived by the programs' formulas. */
const accountsOf = (terms: AttemptTerms) => ({
  marker: seededAddress(wallet, orderId, system),
  own: programAddress(
    associated,
    ...[wallet, terms.tokenProgram, terms.mint].map((each) => bs58.decode(each)),
  ),
  w: seededAddress(wallet, `${orderId}.w`, token),
});

const shown = (message: Uint8Array) =>
  readSolBytes(message).instructions.map(({ program, accounts, data }) => [
    program,
    data.toString("hex"),
    ...accounts,
  ]);

const prelude = ({ computeUnitLimit, microLamportsPerUnit, markerRentLamports }: MessageTerms) => [
  [budget, `02${u64(BigInt(computeUnitLimit)).slice(0, 8)}`],
  [budget, `03${u64(microLamportsPerUnit)}`],
  [
    system,
    `02000000${u64(markerRentLamports)}`,
    `SW ${wallet}`,
    `W ${seededAddress(wallet, orderId, system)}`,
  ],
  [
    system,
    `09000000${key(wallet)}${text(orderId)}${u64(1n)}${key(system)}`,
    `W ${seededAddress(wallet, orderId, system)}`,
    `SW ${wallet}`,
  ],
];

/** Creates the account of wrapped SOL with the lamports to spend. */
const opening = (terms: AttemptTerms, lamports: bigint) => {
  const { w } = accountsOf(terms);
  return [
    [system, `02000000${u64(lamports)}`, `SW ${wallet}`, `W ${w}`],
    [
      system,
      `09000000${key(wallet)}${text(`${orderId}.w`)}${u64(165n)}${key(token)}`,
      ...[`W ${w}`, `SW ${wallet}`],
    ],
    [token, `12${key(wallet)}`, `W ${w}`, wsol],
  ];
};

/** The account that Jito's documentation names as an example. */
const dontFront = "jitodontfront111111111111111111111111111111";

const tipping = [system, `02000000${u64(300_000n)}`, `SW ${wallet}`, `W ${tipAccount}`, dontFront];

const closing = (terms: AttemptTerms) => [
  token,
  "09",
  ...[`W ${accountsOf(terms).w}`, `SW ${wallet}`, `SW ${wallet}`],
];

const creating = (terms: AttemptTerms) => [
  associated,
  "01",
  ...[`SW ${wallet}`, `W ${accountsOf(terms).own}`, `SW ${wallet}`, terms.mint, system, terms.tokenProgram],
];

const vault = (mint: string) =>
  programAddress(cpmm, "pool_vault", bs58.decode(solKey("pool").address), bs58.decode(mint));

const swapping = (terms: AttemptTerms, [from, to]: string[], mints: string[], tokenPrograms: string[]) => [
  cpmm,
  `8fbe5adac41e33de${u64(terms.amountIn)}${u64(terms.minAmountOut)}`,
  `SW ${wallet}`,
  programAddress(cpmm, "vault_and_lp_mint_auth_seed"),
  solKey("config").address,
  ...[solKey("pool").address, from, to, ...mints.map(vault)].map((each) => `W ${each}`),
  ...[...tokenPrograms, ...mints],
  `W ${programAddress(cpmm, "observation", bs58.decode(solKey("pool").address))}`,
];

/** A buy of a token of Token-2022, as Pump's are. */
const buying: AttemptTerms = { ...saleTerms, side: "buy" };

type PumpChanges = { wsolRentLamports?: bigint; venue?: object };

describe("composeMessage", () => {
  it("buys from an account of wrapped SOL into the wallet's token account", async () => {
    const { own, w } = accountsOf(buyTerms);
    expect(shown(await messageOf(buyTerms))).toEqual([
      ...prelude(buyTerms),
      tipping,
      ...opening(buyTerms, 1_001_488_440n),
      creating(buyTerms),
      swapping(buyTerms, [w, own], [wsol, buyTerms.mint], [token, token]),
      closing(buyTerms),
    ]);
  });

  it("sells from the wallet's token account into an account of wrapped SOL", async () => {
    const { own, w } = accountsOf(saleTerms);
    expect(shown(await messageOf(saleTerms))).toEqual([
      ...prelude(saleTerms),
      tipping,
      ...opening(saleTerms, 1_488_440n),
      swapping(saleTerms, [own, w], [saleTerms.mint, wsol], [token2022, token]),
      closing(saleTerms),
    ]);
  });

  it("clears an order by only creating its marker", async () => {
    expect(shown(await messageOf(clearTerms))).toEqual(prelude(clearTerms));
  });

  it.each(["route_v2", "shared_accounts_route_v2"] as const)(
    "lets Jupiter's helper move exactly the amount, by %s",
    async (name) => {
      const [buy, sale] = [await byJupiter(buyTerms, { name }), await byJupiter(saleTerms, { name })];
      const { own, w } = accountsOf(buy);
      const role = name === "route_v2" ? "SW" : "S";
      const bought = shown(await messageOf(buy));
      expect(bought.toSpliced(10, 1)).toEqual([
        ...prelude(buy),
        tipping,
        ...opening(buy, 1_001_488_440n),
        creating(buy),
        [token, `0d${u64(1_000_000_000n)}09`, `W ${w}`, wsol, `${role} ${helper}`, `SW ${wallet}`],
        [token, "05", `W ${w}`, `SW ${wallet}`],
        closing(buy),
      ]);
      expect(bought[10]?.slice(0, 2)).toEqual([jupiter, Buffer.from(buy.venue.data).toString("hex")]);
      expect(bought[10]).toContain(`W ${own}`);
      expect(bought[10]).not.toContain(`SW ${wallet}`);
      const { own: sold } = accountsOf(sale);
      const [approval, swap, revocation] = shown(await messageOf(sale)).slice(8);
      expect([approval, revocation]).toEqual([
        ...[
          [
            token2022,
            `0d${u64(1_000_000_000n)}06`,
            `W ${sold}`,
            sale.mint,
            `${role} ${helper}`,
            `SW ${wallet}`,
          ],
        ],
        [token2022, "05", `W ${sold}`, `SW ${wallet}`],
      ]);
      expect(swap).not.toContain(`SW ${wallet}`);
    },
  );

  it("names Jupiter's accounts in its lookup tables, and all others in the message", async () => {
    const read = readSolBytes(await messageOf(await byJupiter(buyTerms)));
    expect(read.signers).toEqual([wallet, helper]);
    expect(read.blockhash).toBe(buyTerms.blockhash);
    const looked = read.instructions[10]?.accounts.filter((each) => each.includes("/"));
    const table = solKey("table").address;
    expect(looked).toEqual([
      ...[`W ${table}/1`, `W ${table}/2`, `W ${table}/3`, `W ${table}/200`, `${table}/9`],
    ]);
    expect(readSolBytes(await messageOf(buyTerms)).signers).toEqual([wallet]);
  });

  it("keeps all 64-bit amounts exactly", async () => {
    const amount = fc.bigInt({ min: 1n, max: (1n << 63n) - 1n });
    await fc.assert(
      fc.asyncProperty(amount, amount, fc.boolean(), async (amountIn, minAmountOut, isBuy) => {
        const terms = { ...(isBuy ? buyTerms : saleTerms), amountIn, minAmountOut };
        const data = shown(await messageOf(terms)).at(-2)?.[1];
        expect(data).toBe(`8fbe5adac41e33de${u64(amountIn)}${u64(minAmountOut)}`);
        const funding = shown(await messageOf(terms))[5]?.[1];
        expect(funding).toBe(`02000000${u64(1_488_440n + (isBuy ? amountIn : 0n))}`);
      }),
      { numRuns: 30 },
    );
  });

  const other = solKey("another").address;
  it.each<[string, Partial<AttemptTerms>]>([
    ["an address is not base58", { mint: `${other.slice(0, -1)}0` as never }],
    ["an address is not base58", { wallet: `1${other}` as never }],
    ["an address is not base58", { blockhash: `1${other}` }],
    ["an address is not base58", { tip: { account: "1" as never, lamports: 1n } }],
    ["the order's id is neither a ULID nor that of a slice", { orderId: orderId.toLowerCase() }],
    ["the order's id is neither a ULID nor that of a slice", { orderId: orderId.slice(1) }],
    ["the order's id is neither a ULID nor that of a slice", { orderId: `${orderId}0` }],
    ["an amount is not one of 64 bits", { amountIn: 1n << 64n }],
    ["an amount is not one of 64 bits", { amountIn: -1n }],
    ["an amount is not one of 64 bits", { minAmountOut: 1n << 64n }],
    ["an amount is not one of 64 bits", { microLamportsPerUnit: 1n << 64n }],
    ["an amount is not one of 64 bits", { amountIn: (1n << 64n) - 1n }],
    ["the limit of compute units", { computeUnitLimit: 1_400_001 }],
    ["the limit of compute units", { computeUnitLimit: 0 }],
    ["the limit of compute units", { computeUnitLimit: 1.5 }],
    ["the marker's rent is 0, or above its ceiling", { markerRentLamports: 897_841n }],
    ["the marker's rent is 0, or above its ceiling", { markerRentLamports: 0n }],
    ["the rent of the account of wrapped SOL", { wsolRentLamports: 2_039_281n }],
    ["the rent of the account of wrapped SOL", { wsolRentLamports: -1n }],
    ["the amount or the minimum is 0", { amountIn: 0n }],
    ["the amount or the minimum is 0", { minAmountOut: 0n }],
    ["wrapped SOL is not traded", { mint: wsol as never }],
    ["neither Token nor Token-2022", { tokenProgram: cpmm as never }],
    ["the tip is 0, or for an account", { tip: { account: thief, lamports: 1n } }],
    ["the tip is 0, or for an account", { tip: { account: tipAccount, lamports: 0n } }],
    ["the pool is an account of the wallet", { venue: { kind: "cpmm", pool: wallet, config: other } }],
    [
      "the pool is an account of the wallet",
      { venue: { kind: "cpmm", pool: other, config: accountsOf(buyTerms).w as never } },
    ],
  ])("rejects invalid terms: %s (%#)", async (reason, changes) => {
    const composed = await composeMessage({ ...buyTerms, ...changes }, [tipAccount]);
    expect(composed).toEqual({ refused: expect.stringContaining(reason) });
  });

  const replaceAt = (place: number, address: string) => (accounts: readonly VenueAccount[]) =>
    accounts.with(place, { isWritable: true, address: address as never });
  const append = (address: string) => (accounts: readonly VenueAccount[]) => [
    ...accounts,
    { isWritable: false, address: address as never },
  ];
  const inTable = (place: number) => (accounts: readonly VenueAccount[]) =>
    accounts.with(place, { isWritable: true, table: other, index: 1 });
  const { own, w, marker } = accountsOf(buyTerms);

  it.each<[string, string, Partial<AttemptTerms>, Partial<JupiterVenue>, object?]>([
    [
      "another instruction",
      "not in the list",
      {},
      { data: Uint8Array.from(Buffer.from("e517cb977ae3ad2a", "hex")) },
    ],
    ["no instruction", "not in the list", {}, { data: new Uint8Array() }],
    ["data that ends early", "ends early", {}, { data: routeData(1_000_000_000n).subarray(0, 30) }],
    ["the wallet as its helper", "authority or token programs", {}, { helper: wallet }],
    ["decimals below 0", "decimals are not one byte", {}, { sourceDecimals: -1 }],
    ["decimals above a byte", "decimals are not one byte", {}, { sourceDecimals: 256 }],
    ["broken decimals", "decimals are not one byte", {}, { sourceDecimals: 6.5 }],
    ["other decimals of SOL", "SOL has 9 decimals", {}, { sourceDecimals: 6 }],
    ["a greater amount", "the venue's amount", {}, { data: routeData(1_000_000_001n) }],
    ["a smaller amount", "the venue's amount", {}, { data: routeData(999_999_999n) }],
    ["a platform's fee", "a fee", {}, { data: routeData(1_000_000_000n, { platformFeeBps: 1 }) }],
    ["a fee of 256 points", "a fee", {}, { data: routeData(1_000_000_000n, { platformFeeBps: 256 }) }],
    ["a fee on a better price", "a fee", {}, { data: routeData(1_000_000_000n, { positiveSlippageBps: 1 }) }],
    ["more slippage", "the venue's minimum", {}, { data: routeData(1_000_000_000n, { slippageBps: 201 }) }],
    [
      "a lower quote",
      "the venue's minimum",
      {},
      { data: routeData(1_000_000_000n, { quotedOut: 299_999_999n }) },
    ],
    [
      "slippage above all",
      "the venue's minimum",
      {},
      { data: routeData(1_000_000_000n, { slippageBps: 65_535 }) },
    ],
    ["a higher minimum of the order", "the venue's minimum", { minAmountOut: 294_000_001n }, {}],
  ])("rejects Jupiter's instruction with %s", async (_, reason, terms, venue) => {
    const sound = await byJupiter(buyTerms);
    const changed = { ...sound, ...terms, venue: { ...sound.venue, ...venue } };
    expect(await composeMessage(changed, [tipAccount])).toEqual({ refused: expect.stringContaining(reason) });
  });

  it.each<[string, string, (accounts: readonly VenueAccount[]) => VenueAccount[]]>([
    ["the wallet", "names the wallet or the marker", append(wallet)],
    ["the wallet as its authority", "names the wallet or the marker", replaceAt(1, wallet)],
    ["the marker", "names the wallet or the marker", append(marker)],
    ["another source", "accounts or mints are not the order's", replaceAt(2, other)],
    ["another destination", "accounts or mints are not the order's", replaceAt(5, thief)],
    ["the source as its destination", "accounts or mints are not the order's", replaceAt(5, w)],
    ["a destination from a table", "accounts or mints are not the order's", inTable(5)],
    ["another spent mint", "accounts or mints are not the order's", replaceAt(6, other)],
    ["another bought mint", "accounts or mints are not the order's", replaceAt(7, other)],
    ["another authority", "authority or token programs", replaceAt(1, thief)],
    ["another token program", "authority or token programs", replaceAt(8, other)],
    ["another program for its output", "authority or token programs", replaceAt(9, token2022)],
    [
      "a place that no lookup table has",
      "fit into no message",
      (accounts) => [...accounts, { isWritable: false, table: other, index: 256 }],
    ],
    ["a program that is written", "fit into no message", replaceAt(12, system)],
    [
      "too many accounts",
      "larger than the chain allows",
      (all) => [
        ...all,
        ...["a", "b", "c", "d", "e", "f"].map((name) => ({
          isWritable: false,
          address: solKey(name).address,
        })),
      ],
    ],
  ])("rejects Jupiter's instruction with %s in its accounts", async (_, reason, change) => {
    const sound = await byJupiter(buyTerms);
    const venue = { ...sound.venue, accounts: change(sound.venue.accounts) };
    const composed = await composeMessage({ ...sound, venue }, [tipAccount]);
    expect(composed).toEqual({ refused: expect.stringContaining(reason) });
  });

  it.each([
    ["a buy on a curve", () => onCurve(buying)],
    ["a sale on a curve", () => onCurve(saleTerms)],
    ["a buy on PumpSwap with cashback", () => onPumpSwap(buying, { hasCashback: true })],
    ["a sale on PumpSwap with cashback", () => onPumpSwap(saleTerms, { hasCashback: true })],
  ] as const)("fits %s with a tip into a transaction", async (_, sample) => {
    const message = await messageOf(await sample());
    expect(1 + 64 + message.length).toBeLessThanOrEqual(1232);
  });

  it.each([
    ["wrapped SOL", { wsolRentLamports: 2_039_280n }, "no account of wrapped SOL"],
    ["another curve", { venue: { pool: solKey("thief").address } }, "not the token's own"],
    ["a broken table", { venue: { table: "table" } }, "base58"],
    ["a rest of 65 bits", { venue: { rest: 1n << 64n } }, "64 bits"],
  ])("rejects a trade on a curve with %s", async (_, { venue, ...terms }: PumpChanges, reason) => {
    const sound = await onCurve(buying);
    const changed = { ...sound, ...terms, venue: { ...sound.venue, ...venue } } as AttemptTerms;
    expect(await composeMessage(changed, [tipAccount])).toEqual({ refused: expect.stringContaining(reason) });
  });

  it("rejects a trade on PumpSwap without an account of wrapped SOL", async () => {
    const { wsolRentLamports: _, ...terms } = await onPumpSwap(buying);
    expect(await composeMessage(terms, [tipAccount])).toHaveProperty("refused");
  });

  it("allows route_v2 to pay no other account than the order's, which a second place may name", async () => {
    const sound = await byJupiter(buyTerms, { name: "route_v2" });
    const paying = (address: string) => {
      const venue = { ...sound.venue, accounts: replaceAt(7, address)(sound.venue.accounts) };
      return composeMessage({ ...sound, venue }, [tipAccount]);
    };
    expect(await composeMessage(sound, [tipAccount])).toHaveProperty("message");
    expect(await paying(own)).toHaveProperty("message");
    for (const address of [thief, w])
      expect(await paying(address)).toEqual({ refused: "the venue's accounts or mints are not the order's" });
  });

  it.each([true, false])(
    "lets the exchange write to the helper only if Jupiter says so (%j)",
    async (isWritable) => {
      const { venue, ...terms } = await byJupiter(buyTerms, { name: "route_v2" });
      const accounts = venue.accounts.map((each) =>
        "address" in each && each.address === venue.helper ? { ...each, isWritable } : each,
      );
      const message = await messageOf({ ...terms, venue: { ...venue, accounts } });
      const { header } = getCompiledTransactionMessageDecoder().decode(message);
      expect(header.numSignerAccounts).toBe(2);
      expect(header.numReadonlySignerAccounts).toBe(isWritable ? 0 : 1);
    },
  );

  it("allows transactions of up to 1,232 bytes", async () => {
    const sound = await byJupiter(buyTerms);
    const signatures = 1 + 2 * 64;
    const grown = (bytes: number) => {
      const data = Uint8Array.from([...sound.venue.data, ...new Uint8Array(bytes)]);
      return composeMessage({ ...sound, venue: { ...sound.venue, data } }, [tipAccount]);
    };
    const bytes = 1232 - signatures - (await messageOf(sound)).length;
    const largest = await grown(bytes);
    expect("message" in largest && signatures + largest.message.length).toBe(1232);
    expect(await grown(bytes + 1)).toEqual({ refused: "the transaction is larger than the chain allows" });
  });
});
