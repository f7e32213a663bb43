import { requestToken } from "cdk-local-runner";
import { inject } from "vitest";
import { callAnvil } from "../../../lib/tools/dev/chains/call-anvil.ts";
import type { EvmChain } from "../../../lib/trading/core/trading-chain.ts";

/** Returns the URL of a local chain. */
export async function chainUrl(chain: EvmChain): Promise<string> {
  const urls = await (await fetch(`${inject("runner").baseUrl}/chains.json`)).json();
  return (urls as Record<EvmChain, string>)[chain];
}

/** Puts two coins into a wallet. */
export async function fund(chain: EvmChain, wallet: string): Promise<void> {
  await callAnvil(await chainUrl(chain), [
    ["anvil_setBalance", [wallet, `0x${(2n * 10n ** 18n).toString(16)}`]],
  ]);
}

/** Calls the service as a user, outside the browser. */
export const apiOf =
  (user: string) =>
  async <Data>(path: string, body?: object): Promise<Data> => {
    const { baseUrl } = inject("runner");
    const token = await requestToken(Number(new URL(baseUrl).port), { sub: user });
    const answer = await fetch(`${baseUrl}${path}`, {
      headers: {
        Authorization: `Bearer ${token}`,
        "Content-Type": "application/json",
        "Idempotency-Key": user,
      },
      ...(body && { method: "POST", body: JSON.stringify(body) }),
    });
    return ((await answer.json()) as { data: Data }).data;
  };

/** Makes a user with a funded wallet on a chain. Trades of one user do not show on the pages of another. */
export async function userWithCoins(user: string, chain: EvmChain): Promise<string> {
  const { wallet } = await apiOf(user)<{ wallet: { generatedWalletAddress: string } }>("/api/v2/wallets", {
    ...{ network: chain, slotName: "Funded" },
  });
  await fund(chain, wallet.generatedWalletAddress);
  return user;
}
