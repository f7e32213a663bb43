import tokens from "trading-terminal-devnet/evm/contracts/bytecode.json" with { type: "json" };
import { deployer, localAddresses } from "trading-terminal-devnet/evm/deployment";
import type { TestChain } from "trading-terminal-devnet/evm/test-chain";
import {
  approval,
  type DeployerTransaction,
  encode,
  v2Liquidity,
  v2PairLiquidity,
  v3Liquidity,
  v3PairLiquidity,
} from "trading-terminal-devnet/evm/uniswap";
import bytecode from "./contracts/bytecode.json" with { type: "json" };

type Metadata = { symbol?: string; decimals?: number; supply?: bigint };

const metadata = ({ symbol = "ODD", decimals = 18, supply = 10n ** 27n }: Metadata) =>
  ["Odd", symbol, decimals, supply] as const;

const metadataTypes = ["string", "string", "uint8", "uint256"] as const;

const plain = (changes: Metadata) => tokens.Token.creation + encode(metadataTypes, metadata(changes));

/** Defects in the order of the enumeration in OddToken.sol. */
const oddities = [
  "refuses transfers",
  "eats the gas of transfers",
  "lies about balances",
  "reports transfers that it does not make",
  "wants an approval of 0 first",
  "loses a unit of each transfer",
  "can be sold only where gas is free",
  "cannot be sold in the block of its purchase",
  "cannot be sold half a minute after its purchase",
  "limits the size of sales",
  "taxes large sales",
  "grows",
  "logs no transfers",
  "logs each transfer twice",
  "logs transfers with nothing indexed",
  "logs transfers with the amount indexed",
] as const;

/** Tokens with one defect each, by the defect's description. */
const oddTokens = {
  ...(Object.fromEntries(
    oddities.map((oddity, index) => [
      oddity,
      bytecode.OddToken.creation + encode([...metadataTypes, "uint8"], [...metadata({}), index]),
    ]),
  ) as Record<(typeof oddities)[number], string>),
  "returns nothing from transfers": bytecode.VoidToken.creation,
  "has nothing odd": plain({}),
  "has no decimals": plain({ decimals: 0 }),
  "has 36 decimals": plain({ decimals: 36 }),
  "has 37 decimals": plain({ decimals: 37 }),
  "has 255 decimals": plain({ decimals: 255 }),
  "has a supply beyond 40 digits": plain({ decimals: 0, supply: 2n ** 250n }),
  "has no symbol": plain({ symbol: "" }),
  "has a symbol of 10 kB": plain({ symbol: "M".repeat(10_000) }),
  "has a symbol that turns the text around": plain({ symbol: "\u202eXDSU" }),
  "has the symbol of a listed token": plain({ symbol: "USDX" }),
};

/** Contracts that barely count as tokens. They have no pool. */
const noTokens = {
  "reverts every call": bytecode.Reverting.creation,
  "eats all gas": bytecode.GasEater.creation,
  "answers nothing": bytecode.Silent.creation,
  "has texts of 32 bytes": bytecode.OldToken.creation,
};

export type OddToken = keyof typeof oddTokens | keyof typeof noTokens;

/** Creates a token whose deployer gets 10^27 units. */
export const creationOfToken = (name: keyof typeof oddTokens): DeployerTransaction => ({
  data: oddTokens[name],
});

/** Deploys a token and, if possible, a v2 pool of 10 coins and 10^23 units. Returns the token's address. */
export async function deployOddToken(chain: TestChain, name: OddToken): Promise<string> {
  if (name in noTokens) {
    const [address] = await chain.deploy({ data: noTokens[name as keyof typeof noTokens] });
    return address as string;
  }
  const [token] = (await chain.deploy(creationOfToken(name as keyof typeof oddTokens))) as [string];
  const { v2Router } = localAddresses;
  await chain.deploy(
    approval(token, v2Router),
    v2Liquidity(localAddresses, deployer, { token, coins: 10n ** 19n, tokens: 10n ** 23n }),
  );
  return token;
}

/** Adds a v3 pool of MOON at 1 % whose price beats the other pools but which runs dry after a tenth of a coin. */
export async function addDryPool(chain: TestChain): Promise<void> {
  await chain.deploy(
    v3Liquidity(localAddresses, deployer, {
      token: localAddresses.moon,
      coins: 10n ** 17n,
      tokens: 1250n * 10n ** 18n,
      fee: 10_000,
      reach: 1.05,
    }),
  );
}

/** Adds a token that trades only against USDX, in a v2 pool and 0.3 % v3 pools. Returns its address. */
export async function addToken(
  chain: TestChain,
  name: "Token" | "TaxedToken" | "ThievingToken",
): Promise<string> {
  const { usdx, v2Router, v3Positions } = localAddresses;
  const [token] = (await chain.deploy({
    data: { ...tokens, ...bytecode }[name].creation + encode(metadataTypes, metadata({ symbol: "TOLL" })),
  })) as [string];
  const amounts = [
    { token: usdx, amount: 20_000n * 10n ** 6n },
    { token, amount: 200_000n * 10n ** 18n },
  ] as const;
  await chain.deploy(
    ...[v2Router, v3Positions].map((spender) => approval(token, spender)),
    v2PairLiquidity(localAddresses, deployer, ...amounts),
    v3PairLiquidity(localAddresses, deployer, amounts, { fee: 3000, reach: 2 }),
  );
  return token;
}
