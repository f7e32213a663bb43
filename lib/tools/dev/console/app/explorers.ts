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
const explorers = {
  eth: { site: "https://etherscan.io", pages: evmPages },
  base: { site: "https://basescan.org", pages: evmPages },
  bsc: { site: "https://bscscan.com", pages: evmPages },
  avax: { site: "https://snowtrace.io", pages: evmPages },
  sol: { site: "https://solscan.io", pages: { ...evmPages, wallet: "account" } },
} as const;

const formsOf = (network: Network) => (network === "sol" ? solForms : evmForms);

/** True for text in the form of a network's addresses. The service checks checksums and lengths. */
export const isAddressOn = (network: Network, text: string): boolean => formsOf(network).wallet.test(text);

/**
 * Returns the page of a public explorer. Undefined if there can be none.
 *
 * @param localChains The chains of this machine, which no explorer knows. Undefined before they are known.
 */
export function explorerPage(
  localChains: ReadonlySet<string> | undefined,
  network: Network,
  kind: Explored,
  id: string,
): string | undefined {
  if (localChains === undefined || localChains.has(network) || !formsOf(network)[kind].test(id))
    return undefined;
  const { site, pages } = explorers[network];
  return `${site}/${pages[kind]}/${id}`;
}

/** Asks the runner for the names of its chains. Undefined if another server answers. */
export async function readLocalChains(): Promise<ReadonlySet<string> | undefined> {
  try {
    const response = await fetch("/chains.json");
    return response.ok ? new Set(Object.keys((await response.json()) as object)) : undefined;
  } catch {
    return undefined;
  }
}
