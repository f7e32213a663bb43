import { availableParallelism } from "node:os";
import type { FunctionDefinition } from "./function-definition.ts";
import { EventTooLargeError, type Invoke } from "./invoke.ts";
import { PAYLOAD_LIMIT } from "./outcome.ts";
import { createPool } from "./pool.ts";
import { createSandbox, type SandboxOptions } from "./sandbox.ts";

/** A line of a log. `source` is the name of a function, or `api-gateway`, `lambda`, `events` or `sqs`. */
export type LogEntry = { source: string; line: string };

/** Functions are known by name and by ARN. */
export type Lambda = {
  has(identifier: string): boolean;
  /** Rejects with UnknownFunctionError. */
  invoke: Invoke;
  stop(): Promise<void>;
};

export type LambdaOptions = {
  environmentOf: (definition: FunctionDefinition) => Record<string, string>;
  onLog: (entry: LogEntry) => void;
  onStart: SandboxOptions["onStart"];
  /** Events of one function that are handled at the same time. */
  concurrency?: number;
};

/** More would only take turns on the processors. */
export const CONCURRENCY = Math.min(8, 2 * availableParallelism());

export class UnknownFunctionError extends Error {
  override readonly name = "UnknownFunctionError";

  constructor(identifier: string) {
    super(`Function not found: ${identifier}`);
  }
}

export function createLambda(
  definitions: readonly FunctionDefinition[],
  { environmentOf, onLog, onStart, concurrency = CONCURRENCY }: LambdaOptions,
): Lambda {
  const pools = new Map(
    definitions.map((definition) => {
      const create = () =>
        createSandbox(definition, {
          environment: environmentOf(definition),
          onLog: (line) => onLog({ source: definition.name, line }),
          onStart,
        });
      return [definition.name, createPool(create, concurrency)];
    }),
  );

  return {
    has: (identifier) => pools.has(nameIn(identifier)),
    async invoke(identifier, event) {
      const pool = pools.get(nameIn(identifier));
      if (pool === undefined) throw new UnknownFunctionError(identifier);
      const payload = JSON.stringify(event) ?? "null";
      if (Buffer.byteLength(payload) > PAYLOAD_LIMIT) {
        throw new EventTooLargeError(`An event must be smaller than ${PAYLOAD_LIMIT} bytes`);
      }
      return pool.invoke(payload);
    },
    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
    },
  };
}

/** The name in `name`, `function:name` or a full ARN, each with or without the only version there is. */
export function nameIn(identifier: string): string {
  return /^(?:.*function:)?([\w-]+)(?::\$LATEST)?$/.exec(identifier)?.[1] ?? "";
}
