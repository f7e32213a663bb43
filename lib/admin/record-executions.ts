import { InvokeCommand } from "@aws-sdk/client-lambda";
import * as v from "valibot";
import { type ExecutionResult, ExecutionResultSchema } from "../api/execution-schema.ts";
import { OperatorError } from "./operator-error.ts";
import type { Functions } from "./target.ts";

/** How many records the function takes at a time. */
const batch = 100;

const Answer = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({
    results: v.array(ExecutionResultSchema),
  }),
);

/** What Lambda answers when the function has thrown. */
const Thrown = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ errorType: v.literal("InvalidRequest"), errorMessage: v.string() }),
);

/**
 * Has the service record orders and positions, in as many invocations as it takes, one after the other.
 *
 * @returns what became of each record, as it becomes known. The index is that in the whole list.
 * @throws {OperatorError} when the function fails; what became of that invocation's records is not known then.
 */
export async function* recordExecutions(
  functions: Functions,
  records: readonly unknown[],
): AsyncGenerator<ExecutionResult> {
  for (let from = 0; from < records.length; from += batch) {
    const results = await invoke(functions, records.slice(from, from + batch));
    for (const result of results) yield { ...result, index: from + result.index };
  }
}

async function invoke(
  { lambda, recordExecutions }: Functions,
  records: readonly unknown[],
): Promise<ExecutionResult[]> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: recordExecutions, Payload: JSON.stringify({ records }) }),
  );
  const payload = Payload?.transformToString();
  if (FunctionError !== undefined) throw new OperatorError(reasonOf(payload));
  const answer = v.safeParse(Answer, payload);
  if (!answer.success || answer.output.results.length !== records.length) {
    throw new OperatorError(`${recordExecutions} did not answer as recordExecutions does`);
  }
  return answer.output.results;
}

/** Of what the function throws, only what it says about a request is meant to be read. */
function reasonOf(payload: string | undefined): string {
  const thrown = v.safeParse(Thrown, payload);
  return thrown.success ? thrown.output.errorMessage : "The function failed; its log says why";
}
