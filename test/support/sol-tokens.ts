import { randomUUID } from "node:crypto";
import type { Address } from "@solana/web3.js";
import { type TestSurfnet, tokenAccountBytes } from "trading-terminal-devnet/sol/test-surfnet";
import { bytesOfAddress, programs, tokenAccountOf, wsolMint } from "../../lib/chains/sol/calls/addresses.ts";
import {
  cpmmAuthority,
  cpmmConfigOf,
  cpmmObservationOf,
  cpmmPoolOf,
  cpmmProgram,
  cpmmVaultOf,
} from "../../lib/chains/sol/calls/cpmm-addresses.ts";
import { solKey } from "./sol-terms.ts";

const rent = 1_488_440n;

/** Creates a mint without authorities. Extensions are those of Token-2022 by number. */
export async function addMint(
  chain: TestSurfnet,
  decimals: number,
  extensions?: readonly (readonly [kind: number, data: Uint8Array])[],
): Promise<Address> {
  const { address } = solKey(randomUUID());
  const plain = Buffer.alloc(82);
  plain.writeBigUInt64LE(10n ** 15n, 36);
  plain.writeUInt8(decimals, 44);
  plain.writeUInt8(1, 45);
  const parts = (extensions ?? []).flatMap(([kind, data]) => [u16(kind), u16(data.length), data]);
  const extended = Buffer.concat([plain, Buffer.alloc(165 - 82), Buffer.of(1), ...parts]);
  const [program, data] = extensions ? [programs.token2022, extended] : [programs.token, plain];
  await chain.setAccount(address, 10_000_000n, program, data);
  return address;
}

const u16 = (value: number) => Buffer.of(value & 255, value >> 8);

/**
 * Creates a token's pool under one of Raydium's configurations, with its fee in millionths. Without an address, it is
 * the usual one. Spoils its bytes at the given offsets.
 */
export async function addPool(
  chain: TestSurfnet,
  {
    mint,
    index = 0,
    fee = 2500n,
    coins,
    tokens,
    address,
    owner: program = cpmmProgram,
    rates = {},
    spoiled = {},
  }: {
    mint: Address;
    index?: number;
    fee?: bigint;
    coins: bigint;
    tokens: bigint;
    address?: Address;
    owner?: Address;
    /** Bytes of the configuration at their offsets. */
    rates?: Readonly<Record<number, Uint8Array>>;
    spoiled?: Readonly<Record<number, Uint8Array>>;
  },
): Promise<Address> {
  const config = await cpmmConfigOf(index);
  const configData = Buffer.alloc(236);
  configData.write("daf42168cbcb2b6f", "hex");
  configData.writeBigUInt64LE(fee, 12);
  for (const [place, bytes] of Object.entries(rates)) configData.set(bytes, Number(place));
  await chain.setAccount(config, rent, cpmmProgram, configData);
  const pool = address ?? (await cpmmPoolOf(config, wsolMint, mint));
  const sides = await Promise.all(
    [wsolMint, mint]
      .toSorted((a, b) => Buffer.compare(bytesOfAddress(a), bytesOfAddress(b)))
      .map(async (each) => ({ mint: each, vault: await cpmmVaultOf(pool, each) })),
  );
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const nobody = Buffer.alloc(32);
  const addresses = [
    ...[bytesOfAddress(config), nobody, bytesOfAddress(first.vault), bytesOfAddress(second.vault), nobody],
    ...[first.mint, second.mint, programs.token, programs.token].map(bytesOfAddress),
    bytesOfAddress(await cpmmObservationOf(pool)),
  ];
  const data = Buffer.alloc(637);
  data.write("f7ede3f5d7c3de46", "hex");
  for (const [place, address] of addresses.entries()) data.set(address, 8 + 32 * place);
  for (const [place, bytes] of Object.entries(spoiled)) data.set(bytes, Number(place));
  await chain.setAccount(pool, rent, program, data);
  const observation = Buffer.alloc(4075);
  observation.write("7aaec5358109a584", "hex");
  await chain.setAccount(await cpmmObservationOf(pool), 100_000_000n, cpmmProgram, observation);
  const owner = await cpmmAuthority();
  const [coinVault, tokenVault] = [await cpmmVaultOf(pool, wsolMint), await cpmmVaultOf(pool, mint)];
  await chain.setAccount(
    coinVault,
    coins + rent,
    programs.token,
    tokenAccountBytes(wsolMint, owner, coins, { rent }),
  );
  await chain.setAccount(tokenVault, rent, programs.token, tokenAccountBytes(mint, owner, tokens));
  return pool;
}

/** Puts tokens into the wallet's associated token account. */
export async function holdTokens(
  chain: TestSurfnet,
  wallet: Address,
  { mint, program }: { mint: Address; program: Address },
  amount: bigint,
): Promise<void> {
  const account = await tokenAccountOf(wallet, mint, program);
  await chain.setAccount(account, rent, program, tokenAccountBytes(mint, wallet, amount));
}
