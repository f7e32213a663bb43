import { createHash } from "node:crypto";
import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import {
  jupiterProgram,
  jupiterSlippageCode,
  objectionToJupiter,
  readJupiter,
  withLeastOut,
} from "../../../../lib/chains/sol/venues/jupiter.ts";
import { buyTerms, solKey } from "../../../support/sol-terms.ts";

const jupiter = "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4";
const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA";
const coin = "So11111111111111111111111111111111111111112";
/** Replaces a mint that the transaction names by a lookup table. */
const { address: mint } = solKey("mint");

/** First accounts and data of two transactions from mainnet. */
const landed = {
  // k5xtwoeQ… pays into the signer's own account. Jupiter's program address means that no other account is paid.
  route_v2: {
    authority: "devqHzXvcVe9kDALBYqiv1XJzv4Jipy4eawKWWYoJup",
    source: "Fr5iqJmQehUup6gEprgFUJ18WsvyiJZqM7pbq8CvhaUC",
    destination: "5orAZy7WCsaXBo2yryWQYTXLkNTwqUg9zsKsqNHWQspM",
    accounts: [
      "devqHzXvcVe9kDALBYqiv1XJzv4Jipy4eawKWWYoJup",
      "Fr5iqJmQehUup6gEprgFUJ18WsvyiJZqM7pbq8CvhaUC",
      "5orAZy7WCsaXBo2yryWQYTXLkNTwqUg9zsKsqNHWQspM",
      coin,
      mint,
      token,
      token,
      jupiter,
    ],
    data: "bb64facc31c4af14809698000000000094dc5300000000003200000000000200000078012c00000066fa9f69",
    amountIn: 10_000_000n,
    // 5,495,956 minus 0.5 %
    leastOut: 5_468_476n,
  },
  // Signed by A21o4asM… in a route of the exchange Mayan.
  shared_accounts_route_v2: {
    authority: "A21o4asMbFHYadqXdLusT9Bvx9xaC5YV9gcaidjqtdXC",
    source: "ExjQ4uG2UBGGbZWCZ6mQBeZxzNfLZ5Y3ZYpyrepCuZtb",
    destination: "D1shs1c13rwnej9KtzVmKA5yFcNXBmpojJjuZ7srahdk",
    accounts: [
      "CapuXNQoDviLvU1PxFiizLgPNQCxrsag1uMeyk6zLVps",
      "A21o4asMbFHYadqXdLusT9Bvx9xaC5YV9gcaidjqtdXC",
      "ExjQ4uG2UBGGbZWCZ6mQBeZxzNfLZ5Y3ZYpyrepCuZtb",
      "91bUbswo6Di8235jAPwim1At4cPZLbG2pkpneyqKg4NQ",
      "6eedFysg6UdWRV5hXUNHt4YUw6p8eNhJ6n8vB2RVivfD",
      "D1shs1c13rwnej9KtzVmKA5yFcNXBmpojJjuZ7srahdk",
      coin,
      mint,
      token,
      token,
    ],
    data: "d19853937cfed8e90500e1f50500000000574d060000000000640000000000020000005901102700012f000010270102",
    amountIn: 100_000_000n,
    // 413,015 minus 1 %
    leastOut: 408_884n,
  },
} as const;

type Name = keyof typeof landed;
const names = Object.keys(landed) as Name[];

const bytesOf = (hex: string) => Uint8Array.from(Buffer.from(hex, "hex"));

/** Turns an instruction from mainnet into an order's venue. */
function venueOf(name: Name) {
  const { authority, accounts, data } = landed[name];
  const named: readonly string[] = accounts;
  return {
    kind: "jupiter",
    helper: authority as Address,
    sourceDecimals: 9,
    accounts: named.map((address) => ({
      address: address as Address,
      isWritable: false,
    })),
    data: bytesOf(data),
  } as const;
}

function objectionTo(
  name: Name,
  minAmountOut: bigint,
  { amountIn, data }: { amountIn: bigint; data: string } = landed[name],
) {
  const { source, destination } = landed[name];
  const tokenProgram = token as Address;
  const venue = { ...venueOf(name), data: bytesOf(data) };
  return objectionToJupiter({ ...buyTerms, amountIn, minAmountOut }, venue, {
    marker: solKey("marker").address,
    source: { account: source as Address, mint: coin as Address, tokenProgram },
    destination: { account: destination as Address, mint, tokenProgram },
  });
}

describe("Jupiter's program", () => {
  it("uses the published address and error code of Jupiter's program", () => {
    expect(jupiterProgram).toBe(jupiter);
    // SlippageToleranceExceeded is the second of the program's own errors, which Anchor numbers from 6000.
    expect(jupiterSlippageCode).toBe(6000 + 1);
  });

  it.each(names)("uses the discriminator that Anchor derives for the instruction %s", (name) => {
    const discriminator = createHash("sha256").update(`global:${name}`).digest("hex").slice(0, 16);
    expect(landed[name].data.slice(0, 16)).toBe(discriminator);
  });
});

describe("instructions from mainnet", () => {
  it.each(names)("finds the amounts at the expected offsets: %s", (name) => {
    expect(readJupiter(venueOf(name))).toEqual({
      source: { mint: coin, tokenProgram: token },
      destination: { mint, tokenProgram: token },
      leastOut: landed[name].leastOut,
    });
  });

  it.each(names)("accepts any minimum up to the instruction's own: %s", (name) => {
    const { leastOut } = landed[name];
    expect(objectionTo(name, leastOut)).toBeUndefined();
    expect(objectionTo(name, leastOut + 1n)).toEqual({ refused: "the venue's minimum is below the order's" });
  });

  it.each(names)("changes only output and slippage when the minimum is set: %s", (name) => {
    const { data } = venueOf(name);
    const changed = Buffer.from(withLeastOut(data, 0x0102030405060708n)).toString("hex");
    const [from, to] = name === "route_v2" ? [32, 52] : [34, 54];
    const before = Buffer.from(data).toString("hex");
    expect(changed).toBe(`${before.slice(0, from)}08070605040302010000${before.slice(to)}`);
  });

  it("rejects an instruction with a platform's fee", () => {
    // A buy of 23 September 2026: 900,000 units, 4.5 % slippage and a fee of 0.1 %.
    const data = "bb64facc31c4af14a0bb0d00000000000dba721706000000c2010a0000000300000074001027000197011027";
    expect(objectionTo("route_v2", 1n, { amountIn: 900_000n, data })).toEqual({
      refused: "the venue's instruction takes a fee for a platform",
    });
  });
});
