import { getCompiledTransactionMessageDecoder } from "@solana/web3.js";
import bs58 from "bs58";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { composeMessage } from "../../../../lib/chains/sol/messages/compose-message.ts";
import type { AttemptTerms, MessageTerms } from "../../../../lib/chains/sol/venues/message-terms.ts";
import {
  cpmm,
  programAddress,
  readSolBytes,
  seededAddress,
  system,
  token2022,
  wsol,
} from "../../../support/sol-bytes.ts";
import {
  accountsOf,
  buyTerms,
  byJupiter,
  clearTerms,
  helper,
  messageOf,
  onCurve,
  onPumpSwap,
  orderId,
  saleTerms,
  solKey,
  tipAccount,
  wallet,
} from "../../../support/sol-terms.ts";

const budget = "ComputeBudget111111111111111111111111111111";
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const associated = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL";
const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(value);
  return bytes.toString("hex");
};
const key = (text: string) => Buffer.from(bs58.decode(text)).toString("hex");
const text = (value: string) => u64(BigInt(value.length)) + Buffer.from(value).toString("hex");

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

  it.each([
    ["a buy on a curve", () => onCurve(buying)],
    ["a sale on a curve", () => onCurve(saleTerms)],
    ["a buy on PumpSwap with cashback", () => onPumpSwap(buying, { hasCashback: true })],
    ["a sale on PumpSwap with cashback", () => onPumpSwap(saleTerms, { hasCashback: true })],
  ] as const)("fits %s with a tip into a transaction", async (_, sample) => {
    const message = await messageOf(await sample());
    expect(1 + 64 + message.length).toBeLessThanOrEqual(1232);
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
