import { balanceOf } from "../../chains/contract-questions.ts";
import { AnvilError, callAnvil } from "../chains/call-anvil.ts";
import { Away, type DemoPatience, patiently } from "./patience.ts";

/** What a wallet has by the chain itself, in units, and how many of its transactions are in blocks. */
export type Holdings = { coins: bigint; tokens: bigint; nonce: number };

/** Asks a chain without the service. */
export function readHoldings(
  url: string,
  wallet: string,
  token: string,
  patience: DemoPatience,
): Promise<Holdings> {
  const { to, data } = balanceOf(token, wallet);
  return patiently(patience, async () => {
    const [coins, nonce, tokens] = (await asked(url, [
      ["eth_getBalance", [wallet, "latest"]],
      ["eth_getTransactionCount", [wallet, "latest"]],
      ["eth_call", [{ to, data }, "latest"]],
    ])) as [string, string, string];
    return { coins: BigInt(coins), nonce: Number(nonce), tokens: BigInt(tokens) };
  });
}

async function asked(...[url, calls]: Parameters<typeof callAnvil>): Promise<unknown[]> {
  try {
    return await callAnvil(url, calls);
  } catch (error) {
    if (error instanceof AnvilError) throw error;
    throw new Away(`No chain answers at ${url}`);
  }
}
