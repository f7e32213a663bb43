import { InvokeCommand } from "@aws-sdk/client-lambda";
import type { Command } from "commander";
import * as v from "valibot";
import { type ExecutionResult, ExecutionResultSchema, maxRecords } from "../../../api/execution-schema.ts";
import { readJSONFile } from "../json-file.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { type AdminDeps, apiStack, type FunctionTarget, type TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";

type Tally = Record<ExecutionResult["status"], number>;

export function record(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("record <file>")
      .description(
        'Record the orders and positions of a JSON file, {"records": [...]} or only the list, of any length, ' +
          "as an execution engine would. Lists the rejected records. --stack names the API stack here: the one " +
          `with the output ${Object.keys(apiStack.outputs.entries).join()}.`,
      ),
    apiStack,
  ).action(async (file: string, options: TargetOptions) => {
    const records = await readExecutionsFile(file);
    const functions = await deps.openFunctions(options);
    const tally: Tally = { recorded: 0, unchanged: 0, rejected: 0, failed: 0 };
    try {
      for await (const result of recordAll(functions, records)) {
        tally[result.status]++;
        if (result.status !== "recorded") print(deps.stdout, resultLine(result));
      }
    } finally {
      print(deps.stdout, summary(tally, records.length));
    }
    const { rejected, failed } = tally;
    if (rejected + failed === 0) return;
    const advice = [
      ...(rejected > 0 ? ["correct the rejected ones"] : []),
      ...(failed > 0 ? ["run the same command again"] : []),
    ];
    throw new OperatorError(`Records not recorded: ${rejected + failed}; ${advice.join(", ")}`);
  });
}

const Records = v.array(v.unknown());
const Content = v.union([Records, v.strictObject({ records: Records })]);

/**
 * Reads the records. The invoked function validates them later.
 *
 * @throws {OperatorError} if the file is not JSON or has no such list. The message quotes nothing from the file.
 */
async function readExecutionsFile(path: string): Promise<unknown[]> {
  const content = v.safeParse(Content, await readJSONFile(path, { quote: false }));
  if (!content.success) {
    throw new OperatorError(
      `${path} must be a list of records, or an object whose only field "records" is a list`,
    );
  }
  return Array.isArray(content.output) ? content.output : content.output.records;
}

/**
 * Invokes the function once per batch.
 *
 * @returns the results as they arrive, each with its index in the whole list.
 * @throws {OperatorError} if the function fails. That batch may have been recorded.
 */
async function* recordAll(
  functions: FunctionTarget,
  records: readonly unknown[],
): AsyncGenerator<ExecutionResult> {
  for (let from = 0; from < records.length; from += maxRecords) {
    const results = await invoke(functions, records.slice(from, from + maxRecords));
    for (const result of results) yield { ...result, index: from + result.index };
  }
}

const Answer = v.pipe(v.string(), v.parseJson(), v.object({ results: v.array(ExecutionResultSchema) }));

async function invoke(
  { lambda, recordExecutions }: FunctionTarget,
  records: readonly unknown[],
): Promise<ExecutionResult[]> {
  const { FunctionError, Payload } = await lambda.send(
    new InvokeCommand({ FunctionName: recordExecutions, Payload: JSON.stringify({ records }) }),
  );
  const payload = Payload?.transformToString();
  if (FunctionError !== undefined) throw new OperatorError(failureOf(payload));
  const answer = v.safeParse(Answer, payload);
  if (!answer.success || answer.output.results.length !== records.length) {
    throw new OperatorError(`Function ${recordExecutions} did not answer as recordExecutions does`);
  }
  return answer.output.results;
}

/** Payload of a function that rejected its request. */
const InvalidRequestThrown = v.pipe(
  v.string(),
  v.parseJson(),
  v.object({ errorType: v.literal("InvalidRequest"), errorMessage: v.string() }),
);

/** Hides all other errors of the function from operators. */
function failureOf(payload: string | undefined): string {
  const thrown = v.safeParse(InvalidRequestThrown, payload);
  return thrown.success ? thrown.output.errorMessage : "The function failed; its log has the reason";
}

/**
 * Describes a result, for example `records[3] order o-17: rejected, UNKNOWN_USER: No user with this userID has signed
 * in`.
 */
function resultLine({ index, kind, id, status, error }: ExecutionResult): string {
  const name = [`records[${index}]`, kind, id].filter((part) => part !== undefined).join(" ");
  return `${name}: ${status}${error === undefined ? "" : `, ${error.code}: ${error.message}`}`;
}

/** Counts results by status. Records of a failed invocation are "unknown"; they can safely be recorded again. */
function summary(tally: Tally, total: number): string {
  const known = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const counts = Object.entries({ ...tally, ...(known < total && { unknown: total - known }) });
  return counts.map(([status, count]) => `${status}: ${count}`).join(", ");
}
