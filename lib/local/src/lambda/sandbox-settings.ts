import { randomUUID } from "node:crypto";
import type { FunctionDefinition } from "./function-definition.ts";
import type { SandboxSettings } from "./sandbox/protocol.ts";

/** What a new sandbox of the function has to know. Each writes to a log stream of its own. */
export function settingsOf(definition: FunctionDefinition): SandboxSettings {
  const day = new Date().toISOString().slice(0, 10).replaceAll("-", "/");
  return {
    codeFolder: definition.codeFolder,
    handler: definition.handler,
    timeout: definition.timeout,
    log: definition.log,
    context: {
      functionName: definition.name,
      functionVersion: "$LATEST",
      invokedFunctionArn: definition.arn,
      memoryLimitInMB: String(definition.memorySize),
      logGroupName: definition.log.group,
      logStreamName: `${day}/[$LATEST]${randomUUID().replaceAll("-", "")}`,
    },
  };
}
