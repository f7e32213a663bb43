import { Interface } from "ethers/abi";
import { getAddress } from "ethers/address";
import { creationOfToken, deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import { alice, startTestChain } from "trading-terminal-devnet/evm/test-chain";
import { approval, v2Liquidity } from "trading-terminal-devnet/evm/uniswap";
import { inPartsOf } from "../../lib/core/in-parts.ts";
import type { MinedBlock } from "./market-outcome.ts";
import { now } from "./statistics.ts";

const router = new Interface([
  "function swapExactETHForTokens(uint256, address[], address, uint256) payable returns (uint256[])",
]);

const unit = 10n ** 18n;
const forever = 2n ** 40n;

/** Number of coins in each purchase and in each token's pool. */
const purchase = unit / 100n;
const depth = 100n * unit;

/** Number of pools that a block has gas for. */
const tokensInBlock = 100;

const hex = (value: bigint | number) => `0x${value.toString(16)}`;

/** Starts a local base chain with `count` tokens, each with its own pool. */
export async function startMarketChain(tokenCount: number) {
  const chain = await startTestChain({ chain: "base" });
  const { v2Router, wrapped } = localAddresses;
  const creations = Array.from({ length: tokenCount }, (_, index) =>
    creationOfToken("Token", `Token ${index}`, `T${index}`, 18, 10n ** 9n * unit),
  );
  const tokens: string[] = [];
  for (const part of inPartsOf(tokensInBlock, creations)) {
    const made = (await chain.deploy(...part)).map((address) => getAddress(String(address)));
    await chain.deploy(
      ...made.flatMap((token) => [
        approval(token, v2Router),
        v2Liquidity(localAddresses, deployer, { token, coins: depth, tokens: 10n ** 6n * unit }),
      ]),
    );
    tokens.push(...made);
  }
  await chain.request("anvil_setBalance", [alice.address, hex(10n ** 27n)]);
  return {
    url: chain.url,
    context: chain.contracts,
    tokens,
    /** Buys each token once within one block. */
    async trade(bought: readonly string[]): Promise<MinedBlock> {
      for (const token of bought) {
        const data = router.encodeFunctionData("swapExactETHForTokens", [
          0,
          [wrapped, token],
          alice.address,
          forever,
        ]);
        const swap = { from: alice.address, to: v2Router, data, value: hex(purchase), gas: hex(500_000) };
        await chain.request("eth_sendTransaction", [swap]);
      }
      await chain.mine();
      const at = now();
      return { number: Number(await chain.request("eth_blockNumber")), at, tokens: bought };
    },
    close: chain.close,
  };
}
