import type { Interface, Result } from "ethers/abi";
import { ChainRefusal } from "../chain-refusal.ts";

export type AnvilCall = readonly [method: string, params?: readonly unknown[]];

type Refusal = ConstructorParameters<typeof ChainRefusal>[1];

/**
 * Makes several calls in one round trip. Anvil handles them in parallel, so their order is undefined.
 *
 * @returns a result for each call
 * @throws ChainRefusal for the first call that failed
 */
export async function callAnvil(url: string, calls: readonly AnvilCall[]): Promise<unknown[]> {
  const body = calls.map(([method, params = []], id) => ({ jsonrpc: "2.0", id, method, params }));
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  });
  const answers = (await response.json()) as { id: number; result?: unknown; error?: Refusal }[];
  const byId = new Map(answers.map((answer) => [answer.id, answer]));
  return calls.map(([method], id) => {
    const { result, error } = byId.get(id) ?? {};
    if (error !== undefined) throw new ChainRefusal(method, error);
    return result;
  });
}

export type ContractQuestion = readonly [contract: string, method: string, ...parameters: unknown[]];

/** Asks contracts in one round trip, about the newest block. */
export async function askContracts(
  url: string,
  abi: Interface,
  questions: readonly ContractQuestion[],
): Promise<Result[]> {
  const answers = await callAnvil(
    url,
    questions.map(([to, method, ...parameters]) => {
      const data = abi.encodeFunctionData(method, parameters);
      return ["eth_call", [{ to, data }, "latest"]];
    }),
  );
  return questions.map(([, method], index) => abi.decodeFunctionResult(method, String(answers[index])));
}
