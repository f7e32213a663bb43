import { StartupError } from "cdk-local-runner";
import { getAddress, isAddress } from "ethers/address";
import { type ChainName, type EvmChain, evmFacts } from "./chain-facts.ts";
import { callAnvil } from "./evm/call-anvil.ts";
import { localAddresses } from "./evm/deployment.ts";
import { openEvmMarket } from "./evm/evm-market.ts";
import type { LocalMarket } from "./local-market.ts";
import { solDeployment } from "./sol/sol-deployment.ts";
import { mintsOf, openSolMarket } from "./sol/sol-market.ts";
import { callSurfnet } from "./sol/surfnet.ts";

/** Markets of a local chain. */
export type LocalMarkets = {
  /** Symbols of the chain's tokens. */
  symbols: readonly string[];
  /** Finds a token by its symbol or address. */
  find(token: string): string | undefined;
  /**
   * Opens the market of a token on a running chain.
   *
   * @throws StartupError if the chain is not a local one, or no pool trades the token
   */
  open(url: string, address: string): Promise<LocalMarket>;
};

export async function openMarkets(chain: ChainName): Promise<LocalMarkets> {
  if (chain !== "sol") return evmMarkets(chain);
  const deployment = await solDeployment();
  const mints = mintsOf(deployment);
  return {
    symbols: [...mints.keys()],
    find: (token) => mints.get(token.toUpperCase()) ?? [...mints.values()].find((mint) => mint === token),
    async open(url, address) {
      await demandLocal(url, chain, async () => void (await callSurfnet(url, "surfnet_getSurfnetInfo", [])));
      return openSolMarket((method, params = []) => callSurfnet(url, method, params), deployment, address);
    },
  };
}

function evmMarkets(chain: EvmChain): LocalMarkets {
  const { moon, usdx, taxd, trap, star, comet } = localAddresses;
  const tokens = new Map(Object.entries({ moon, usdx, taxd, trap, star, comet }));
  return {
    symbols: [...tokens.keys()].map((symbol) => symbol.toUpperCase()),
    find: (token) => tokens.get(token.toLowerCase()) ?? (isAddress(token) ? getAddress(token) : undefined),
    async open(url, token) {
      await demandLocal(url, chain, async () => {
        const [, chainId, code] = await callAnvil(url, [
          ["anvil_nodeInfo"],
          ["eth_chainId"],
          ["eth_getCode", [localAddresses.v2Factory, "latest"]],
        ]);
        if (Number(chainId) !== evmFacts[chain].chainId || code === "0x") throw new Error("Another chain");
      });
      return openEvmMarket({ chain, url, token });
    },
  };
}

/** @param look fails unless the chain answers the methods that only a local chain has */
async function demandLocal(url: string, chain: ChainName, look: () => Promise<void>): Promise<void> {
  const isNear = new URL(url).hostname === "127.0.0.1";
  const isLocal =
    isNear &&
    (await look().then(
      () => true,
      () => false,
    ));
  if (!isLocal)
    throw new StartupError(`No local chain ${chain} answers at ${url}. Start one with \`npm start\`.`);
}
