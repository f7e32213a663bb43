import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FunctionDefinition } from "../../src/lambda/function-definition.ts";
import { createLambda, type LambdaOptions, type LogEntry } from "../../src/lambda/lambda.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { atEnd } from "../support/clean-up.ts";

/** Defines a function whose code is the text of an ES module. */
export function defineCode(code: string, rest: Partial<FunctionDefinition> = {}): FunctionDefinition {
  const codeFolder = temporaryFolder();
  writeFileSync(join(codeFolder, "index.mjs"), code);
  const name = rest.name ?? "fixture";
  return {
    name,
    arn: `arn:aws:lambda:us-east-1:000000000000:function:${name}`,
    roleArn: "arn:aws:iam::000000000000:role/fixture",
    codeFolder,
    handler: "index.handler",
    runtime: "nodejs24.x",
    memoryMB: 128,
    timeoutSeconds: 20,
    variables: {},
    log: { format: "JSON", level: "INFO", group: `/aws/lambda/${name}` },
    subnetIds: [],
    ...rest,
  };
}

/** Runs functions until the end of the test file and collects their logs. */
export function runFunctions(
  definitions: FunctionDefinition[],
  { environment = {}, ...options }: Partial<LambdaOptions> & { environment?: Record<string, string> } = {},
) {
  const log: LogEntry[] = [];
  const lambda = createLambda(definitions, {
    environmentOf: () => environment,
    onLog: (entry) => log.push(entry),
    onStart: () => {},
    ...options,
  });
  atEnd(() => lambda.stop());
  const run = async (name: string, event: unknown = {}) => {
    const { payload, functionError } = await lambda.invoke(name, event);
    return { answer: JSON.parse(payload), functionError };
  };
  return { ...lambda, run, log };
}

/** Runs a single function. */
export function runCode(code: string, rest: Partial<FunctionDefinition> = {}, options = {}) {
  const { run, ...others } = runFunctions([defineCode(code, rest)], options);
  return { ...others, run: (event?: unknown) => run(rest.name ?? "fixture", event) };
}
