import type { Interface, Result } from "ethers/abi";
import type { RpcRefusal } from "../../hosts/host-fault.ts";
import type { RpcCall } from "../../hosts/rpc-call.ts";
import { type Aggregated, decodeAggregate, encodeAggregate } from "./aggregate.ts";
import { type BlockTag, contractCall } from "./rpc-call.ts";

/** Multicall3 has this address on every chain. */
export const multicallAddress = "0xcA11bde05977b3631167028862bE2a173976CA11";

/** A call to a contract, and the function that reads its answer. */
export type ContractQuestion<Value> = {
  to: string;
  data: string;
  /** Throws if the answer is malformed. */
  read: (answer: string) => Value;
};

/** Answers in the order of the questions. Undefined if the contract failed or its answer was malformed. */
export type ContractAnswers<Asked extends readonly ContractQuestion<unknown>[]> = {
  -readonly [Index in keyof Asked]: Asked[Index] extends ContractQuestion<infer Value>
    ? Value | undefined
    : never;
};

export const contractQuestion = <Value>(
  abi: Interface,
  name: string,
  { to, values, read }: { to: string; values: readonly unknown[]; read: (result: Result) => Value },
): ContractQuestion<Value> => ({
  to,
  data: abi.encodeFunctionData(name, values),
  read: (answer) => read(abi.decodeFunctionResult(name, answer)),
});

/**
 * Asks several contracts at one block.
 * @param gas Gas limit for all questions together, set if a contract is not trusted, because it may burn the gas that
 * the other questions need. Trusted contracts burn little: if a host grants them too little gas, not enough remains to
 * return the list of answers, and the whole call fails.
 */
export function multicall<const Asked extends readonly ContractQuestion<unknown>[]>(
  asked: Asked,
  tag: BlockTag,
  gas?: bigint,
): RpcCall<ContractAnswers<Asked>> {
  const request = { to: multicallAddress, data: encodeAggregate(asked), ...(gas !== undefined && { gas }) };
  const { method, params, read } = contractCall(request, tag);
  return {
    method,
    params,
    // If a contract burns all of the gas, the other questions fail too.
    ...(gas !== undefined && {
      recover(refusal: RpcRefusal) {
        if (refusal.kind !== "call") throw refusal;
        return asked.map(() => undefined) as ContractAnswers<Asked>;
      },
    }),
    read(result) {
      const answers = decodeAggregate(read(result), asked.length);
      return asked.map((question, index) =>
        answerTo(question, answers[index] as Aggregated),
      ) as ContractAnswers<Asked>;
    },
  };
}

function answerTo<Value>(question: ContractQuestion<Value>, { success, returnData }: Aggregated) {
  if (!success) return undefined;
  try {
    return question.read(returnData);
  } catch {
    return undefined;
  }
}
