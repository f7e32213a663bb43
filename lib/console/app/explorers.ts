import type { Network } from "trading-terminal-client";

export type Explored = "transaction" | "wallet" | "token";

const evmAddress = /^0x[\da-f]{40}$/i;
const base58Address = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/;

/**
 * Formats of ids, and the paths of their pages. Other engines may record any text as an id, and such text must not
 * become a link.
 */
type Forms = Record<Explored, { form: RegExp; page: string }>;

const evm: Forms = {
  transaction: { form: /^0x[\da-f]{64}$/i, page: "tx" },
  wallet: { form: evmAddress, page: "address" },
  token: { form: evmAddress, page: "token" },
};
const sol: Forms = {
  transaction: { form: /^[1-9A-HJ-NP-Za-km-z]{64,88}$/, page: "tx" },
  wallet: { form: base58Address, page: "account" },
  token: { form: base58Address, page: "token" },
};

const formsOf: Readonly<Record<Network, Forms>> = { eth: evm, base: evm, bsc: evm, avax: evm, sol };

/** Websites of explorers. Chains without an explorer have no links. */
export type Explorers = Partial<Record<Network, string>>;

/** True for text in the format of a network's addresses. The service checks checksums and lengths. */
export const isAddressOn = (network: Network, text: string): boolean =>
  formsOf[network].wallet.form.test(text);

/** Returns the address of an explorer's page, or undefined if there is none. */
export function explorerPage(
  explorers: Explorers,
  network: Network,
  kind: Explored,
  id: string,
): string | undefined {
  const site = explorers[network];
  const { form, page } = formsOf[network][kind];
  return site !== undefined && form.test(id) ? `${site}/${page}/${id}` : undefined;
}
