import { createHash } from "node:crypto";
import { AccountRole, type Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { cpmmSwap } from "../../../../lib/chains/sol/venues/raydium-cpmm.ts";
import { raydiumAuthority, raydiumConfigs, raydiumPools } from "../../../support/mainnet.ts";
import { solKey } from "../../../support/sol-terms.ts";

const token = "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA" as Address;
const coin = "So11111111111111111111111111111111111111112" as Address;
const { address: wallet } = solKey("wallet");
const [own, wsol] = ["token account", "wsol account"].map((name) => solKey(name).address) as [
  Address,
  Address,
];

const { plain: pool } = raydiumPools;
const coinSide = { account: wsol, mint: coin, tokenProgram: token };
const tokenSide = { account: own, mint: pool.mint as Address, tokenProgram: token };
const venue = { kind: "cpmm", pool: pool.address as Address, config: raydiumConfigs[0] as Address } as const;
const { READONLY, WRITABLE, READONLY_SIGNER } = AccountRole;

describe("cpmmSwap", () => {
  it.each([
    ["a purchase", { source: coinSide, destination: tokenSide }, [pool.vaults.coin, pool.vaults.token]],
    ["a sale", { source: tokenSide, destination: coinSide }, [pool.vaults.token, pool.vaults.coin]],
  ])(
    "names the accounts of a mainnet pool in the order of Raydium's IDL, for %s",
    async (_, sides, vaults) => {
      const terms = { wallet, amountIn: 10n, minAmountOut: 9_615_384n };
      const { programAddress, accounts, data } = await cpmmSwap(terms, venue, sides);
      const [from, to] = [sides.source, sides.destination];
      const expected: Readonly<Record<string, [string | undefined, AccountRole]>> = {
        payer: [wallet, READONLY_SIGNER],
        authority: [raydiumAuthority, READONLY],
        amm_config: [raydiumConfigs[0], READONLY],
        pool_state: [pool.address, WRITABLE],
        input_token_account: [from.account, WRITABLE],
        output_token_account: [to.account, WRITABLE],
        input_vault: [vaults[0], WRITABLE],
        output_vault: [vaults[1], WRITABLE],
        input_token_program: [from.tokenProgram, READONLY],
        output_token_program: [to.tokenProgram, READONLY],
        input_token_mint: [from.mint, READONLY],
        output_token_mint: [to.mint, READONLY],
        observation_state: [pool.observation, WRITABLE],
      };
      expect(programAddress).toBe("CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C");
      expect(accounts.map(({ address, role }) => [address, role])).toEqual(Object.values(expected));
      // Data of transaction 5WXWiymQ… on Solana's devnet.
      expect(Buffer.from(data).toString("hex")).toBe("8fbe5adac41e33de0a0000000000000018b8920000000000");
    },
  );

  it("derives the instruction's discriminator as Anchor does", async () => {
    const sides = { source: coinSide, destination: tokenSide };
    const { data } = await cpmmSwap({ wallet, amountIn: 1n, minAmountOut: 1n }, venue, sides);
    const name = createHash("sha256").update("global:swap_base_input").digest().subarray(0, 8);
    expect(Buffer.from(data.subarray(0, 8))).toEqual(name);
  });
});
