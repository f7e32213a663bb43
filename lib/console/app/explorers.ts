import type { Network } from "trading-terminal-client";

export type Explored = "transaction" | "wallet" | "token";

const evmAddress = /^0x[\da-f]{40}$/i;
const base58Address = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/** Other engines may record any text, which must not become a link. */
const evmForms = { transaction: /^0x[\da-f]{64}$/i, wallet: evmAddress, token: evmAddress };
const solForms = {
  transaction: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/,
  wallet: base58Address,
  token: base58Address,
};

const evmPages = { transaction: "tx", wallet: "address", token: "token" };
const solPages = { ...evmPages, wallet: "account" };

/** The sites of explorers. Chains without one have no links. */
export type Explorers = Partial<Record<Network, string>>;

const publicExplorers: Explorers = {
  eth: "https://etherscan.io",
  base: "https://basescan.org",
  bsc: "https://bscscan.com",
  avax: "https://snowtrace.io",
  sol: "https://solscan.io",
};

const formsOf = (network: Network) => (network === "sol" ? solForms : evmForms);

/** True for text in the form of a network's addresses. The service checks checksums and lengths. */
export const isAddressOn = (network: Network, text: string): boolean => formsOf(network).wallet.test(text);

/** Returns the page of an explorer. Undefined if there can be none. */
export function explorerPage(
  explorers: Explorers,
  network: Network,
  kind: Explored,
  id: string,
): string | undefined {
  const site = explorers[network];
  if (site === undefined || !formsOf(network)[kind].test(id)) return undefined;
  return `${site}/${(network === "sol" ? solPages : evmPages)[kind]}/${id}`;
}

/** Returns the public explorers of chains that are not on this machine, and those that the runner was given. */
export function explorersFor(localChains: object | undefined, given: Explorers = {}): Explorers {
  if (localChains === undefined) return given;
  const others = Object.entries(publicExplorers).filter(([chain]) => !(chain in localChains));
  return { ...Object.fromEntries(others), ...given };
}

/** Asks the runner for its explorers. There are none if another server answers. */
export async function readExplorers(): Promise<Explorers> {
  const [chains, given] = await Promise.all(["/chains.json", "/explorers.json"].map(readJson));
  return explorersFor(chains, given);
}

async function readJson(path: string): Promise<object | undefined> {
  try {
    const response = await fetch(path);
    return response.ok ? ((await response.json()) as object) : undefined;
  } catch {
    return undefined;
  }
}
