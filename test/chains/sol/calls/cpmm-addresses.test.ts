import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { wsolMint } from "../../../../lib/chains/sol/calls/addresses.ts";
import {
  cpmmAuthority,
  cpmmConfigOf,
  cpmmObservationOf,
  cpmmPoolOf,
  cpmmProgram,
  cpmmSlippageCode,
  cpmmVaultOf,
} from "../../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { raydiumAuthority, raydiumConfigs, raydiumPools } from "../../../support/mainnet.ts";

describe("Raydium's program", () => {
  it("uses the published address and error code of Raydium's program", () => {
    expect(cpmmProgram).toBe("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");
    // ExceededSlippage is the sixth of the program's own errors, which Anchor numbers from 6000.
    expect(cpmmSlippageCode).toBe(6000 + 5);
  });

  it("derives the mainnet address of the account that owns Raydium's vaults", async () => {
    expect(await cpmmAuthority()).toBe(raydiumAuthority);
  });

  it.each(raydiumConfigs.map((config, index) => [index, config] as const))(
    "derives the mainnet address of Raydium's configuration %i",
    async (index, config) => {
      expect(await cpmmConfigOf(index)).toBe(config);
    },
  );

  it.each(Object.entries(raydiumPools))(
    "derives the mainnet addresses of pool %s and its accounts",
    async (_, pool) => {
      const [mint, address] = [pool.mint as Address, pool.address as Address];
      expect(await cpmmPoolOf(raydiumConfigs[0] as Address, wsolMint, mint)).toBe(address);
      expect(await cpmmPoolOf(raydiumConfigs[0] as Address, mint, wsolMint)).toBe(address);
      expect(await cpmmVaultOf(address, wsolMint)).toBe(pool.vaults.coin);
      expect(await cpmmVaultOf(address, mint)).toBe(pool.vaults.token);
      expect(await cpmmObservationOf(address)).toBe(pool.observation);
    },
  );
});
