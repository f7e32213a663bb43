import { requestToken } from "cdk-local-runner";
import { callAnvil } from "trading-terminal-devnet/evm/call-anvil";
import { inject } from "vitest";
import type { EvmChain } from "../../../lib/core/chain-facts.ts";

/** Returns the URL of a local chain. */
export async function chainUrl(chain: EvmChain): Promise<string> {
  const urls = await (await fetch(`${inject("runner").baseUrl}/chains.json`)).json();
  return (urls as Record<EvmChain, string>)[chain];
}

/** Sets a wallet's balance of coins. */
export async function fund(chain: EvmChain, wallet: string, coins = 2n): Promise<void> {
  await callAnvil(await chainUrl(chain), [
    ["anvil_setBalance", [wallet, `0x${(coins * 10n ** 18n).toString(16)}`]],
  ]);
}

/** Requests a user's token from the local issuer. */
export const tokenOf = (user: string): Promise<string> =>
  requestToken(Number(new URL(inject("runner").baseUrl).port), { sub: user, username: user });

/** Calls the service as a user without the browser. */
export async function callAs<Data>(
  user: string,
  path: string,
  { body, key = "" }: { body?: object; key?: string } = {},
): Promise<Data> {
  const { baseUrl } = inject("runner");
  const token = await tokenOf(user);
  const answer = await fetch(`${baseUrl}${path}`, {
    headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", "Idempotency-Key": key },
    ...(body && { method: "POST", body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as { data: Data }).data;
}

/**
 * Creates a user with a funded wallet on each chain. Separate users keep test files apart: no file sees another's
 * trades or uses up its requests.
 */
export async function userWithCoins(user: string, ...chains: EvmChain[]): Promise<string> {
  for (const chain of chains) {
    const body = { network: chain, slotName: "Funded" };
    const { wallet } = await callAs<{ wallet: { generatedWalletAddress: string } }>(user, "/api/v2/wallets", {
      body,
      key: `${user}-${chain}`,
    });
    await fund(chain, wallet.generatedWalletAddress);
  }
  return user;
}
