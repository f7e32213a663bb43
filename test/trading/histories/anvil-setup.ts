import { Interface } from "ethers/abi";
import { computeAddress } from "ethers/transaction";
import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, v2Liquidity, v3Liquidity } from "trading-terminal-devnet/evm/uniswap";
import type { EvmConfiguration } from "../../../lib/chains/evm/rules/configuration.ts";
import { creationOfToken } from "../../support/odd-tokens.ts";
import { tokens, wallets } from "../model/clients.ts";
import { genesis } from "../model/history.ts";
import { type Account, mainRoute, spenderOf } from "../model/ledger-state.ts";

/** A chain with real contracts for the histories' wallets, tokens and pools. */
export type AnvilSetup = {
  chain: TestChain;
  configuration: Omit<EvmConfiguration, "hosts">;
  /** Private keys of wallets, by name in histories. */
  keys: ReadonlyMap<string, string>;
  /** Addresses of wallets and tokens, by name in histories. */
  addresses: ReadonlyMap<string, string>;
};

const keys = new Map(wallets.map((wallet, index) => [wallet, `0x${String(index + 1).repeat(64)}`]));

const { v2Router, v3Positions } = localAddresses;

/** Makes the pools as small as the model's. The v3 pool runs dry after about 2000 wei. */
const pools = {
  MOON: { coins: 10n ** 6n, tokens: 10n ** 8n },
  MOONOnV3: { coins: 20_000n, tokens: 2n * 10n ** 6n, fee: 3000, reach: 2 },
  DUSK: { coins: 2000n, tokens: 200_000n, fee: 3000, reach: 1.05 },
  DUSKOnV2: { coins: 400n, tokens: 40_000n },
} as const;

/** Token functions that histories call, but trading does not. */
export const tokenMoves = new Interface([
  "function transfer(address to, uint256 value) returns (bool)",
  "function approve(address spender, uint256 value) returns (bool)",
  "function balanceOf(address owner) view returns (uint256)",
]);

const hex = (value: bigint) => `0x${value.toString(16)}`;

/** Starts anvil with the initial balances of histories. */
export async function startAnvilSetup(): Promise<AnvilSetup> {
  const chain = await startTestChain();
  const [moon, dusk] = (await chain.deploy(
    creationOfToken("has nothing odd"),
    creationOfToken("wants an approval of 0 first"),
  )) as [string, string];
  const addressOf = new Map(tokens.map((token, index) => [token as string, [moon, dusk][index] as string]));
  for (const [wallet, key] of keys) addressOf.set(wallet, computeAddress(key));
  await chain.deploy(
    approval(moon, v2Router),
    ...[moon, dusk].map((token) => approval(token, v3Positions)),
    approval(dusk, v2Router),
    v2Liquidity(localAddresses, deployer, { token: moon, ...pools.MOON }),
    v2Liquidity(localAddresses, deployer, { token: dusk, ...pools.DUSKOnV2 }),
    v3Liquidity(localAddresses, deployer, { token: moon, ...pools.MOONOnV3 }),
    v3Liquidity(localAddresses, deployer, { token: dusk, ...pools.DUSK }),
    ...wallets.flatMap((wallet) =>
      tokens.map((token) => ({
        to: addressOf.get(token) as string,
        data: tokenMoves.encodeFunctionData("transfer", [
          addressOf.get(wallet),
          genesis.accounts.get(wallet)?.tokens.get(token),
        ]),
      })),
    ),
  );
  for (const wallet of wallets) await fund(chain, wallet, addressOf);
  // Mines enough empty blocks that hosts derive no tips from earlier ones.
  await chain.request("anvil_setNextBlockBaseFeePerGas", ["0xa"]);
  await chain.mine(8);
  await chain.keep();
  const listed = [...tokens].map((token) => ({
    token: addressOf.get(token) as string,
    symbol: token,
    name: token,
    decimals: 18,
  }));
  return { chain, configuration: { ...chain.contracts, tokens: listed }, keys, addresses: addressOf };
}

/** Sets a wallet's allowances first, and then its exact balance. */
async function fund(chain: TestChain, wallet: string, addresses: AnvilSetup["addresses"]): Promise<void> {
  const from = addresses.get(wallet) as string;
  const { coins, allowances } = genesis.accounts.get(wallet) as Account;
  await chain.request("anvil_setBalance", [from, hex(10n ** 18n)]);
  await chain.request("anvil_impersonateAccount", [from]);
  for (const token of tokens) {
    const { router } = mainRoute(token);
    const allowance = allowances.get(spenderOf(token, { router })) ?? 0n;
    const data = tokenMoves.encodeFunctionData("approve", [router, allowance]);
    await chain.transact({ from, to: addresses.get(token) as string, data });
  }
  await chain.request("anvil_stopImpersonatingAccount", [from]);
  await chain.request("anvil_setBalance", [from, hex(coins)]);
}
