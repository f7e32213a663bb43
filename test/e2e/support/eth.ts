import { localRunner } from "./deployment.ts";

/** Calls the node of the local chain eth. */
async function request<Result>(method: string, ...params: unknown[]): Promise<Result> {
  const response = await fetch(`http://127.0.0.1:${localRunner().chainPort}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const { result, error } = (await response.json()) as { result: Result; error?: object };
  if (error) throw new Error(JSON.stringify(error));
  return result;
}

/** Gives a wallet one coin. */
export const fund = (wallet: string) => request("anvil_setBalance", wallet, `0x${(10n ** 18n).toString(16)}`);

/** Hash of `Transfer(address,address,uint256)`. */
const transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Counts the transfers of a token from and to a wallet, as the chain has them. */
export async function movedTokens(address: string, wallet: string) {
  const padded = `0x${wallet.slice(2).toLowerCase().padStart(64, "0")}`;
  const count = async (...topics: (string | null)[]) =>
    (await request<object[]>("eth_getLogs", { address, fromBlock: "0x0", topics: [transfer, ...topics] }))
      .length;
  return { received: await count(null, padded), sent: await count(padded) };
}
