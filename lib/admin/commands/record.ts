import type { Command } from "commander";
import type { ExecutionResult } from "../../api/execution-schema.ts";
import type { Admin } from "../admin.ts";
import { readExecutionsFile } from "../executions-file.ts";
import { OperatorError } from "../operator-error.ts";
import { print } from "../output.ts";
import { recordExecutions } from "../record-executions.ts";
import { apiStack } from "../stack-outputs.ts";
import type { TargetOptions } from "../target.ts";
import { targeted } from "../targeted.ts";

type Tally = Record<ExecutionResult["status"], number>;

export function record(program: Command, admin: Admin): void {
  targeted(
    program
      .command("record <file>")
      .description(
        'Record the orders and positions of a JSON file, {"records": [...]} or the list alone, of any length, ' +
          "as an execution engine would. Shows what was not recorded. --stack is the API stack here: the one " +
          `with the output ${Object.keys(apiStack.outputs.entries).join()}.`,
      ),
    apiStack,
  ).action(async (file: string, options: TargetOptions) => {
    const records = await readExecutionsFile(file);
    const functions = await admin.openFunctions(options);
    const tally: Tally = { recorded: 0, unchanged: 0, rejected: 0, failed: 0 };
    try {
      for await (const result of recordExecutions(functions, records)) {
        tally[result.status]++;
        if (result.status !== "recorded") print(admin.stdout, lineOf(result));
      }
    } finally {
      print(admin.stdout, summary(tally, records.length));
    }
    const { rejected, failed } = tally;
    if (rejected + failed === 0) return;
    const advice = [rejected > 0 ? "mend what was rejected" : "", failed > 0 ? "run the command again" : ""];
    throw new OperatorError(
      `Records that were not taken: ${rejected + failed}; ${advice.filter(Boolean).join(", ")}`,
    );
  });
}

/** For example `records[3] order o-17: rejected, UNKNOWN_USER: userID is of nobody`. */
function lineOf({ index, kind, id, status, error }: ExecutionResult): string {
  const name = [`records[${index}]`, kind, id].filter((part) => part !== undefined).join(" ");
  return `${name}: ${status}${error === undefined ? "" : `, ${error.code}: ${error.message}`}`;
}

/** When an invocation fails, what became of its records is not known; recording them again does no harm. */
function summary(tally: Tally, total: number): string {
  const known = Object.values(tally).reduce((sum, count) => sum + count, 0);
  const counts = Object.entries({ ...tally, ...(known < total && { "not known": total - known }) });
  return counts.map(([status, count]) => `${status}: ${count}`).join(", ");
}
