import { availableParallelism } from "node:os";
import type { FunctionDefinition } from "./function-definition.ts";
import { EventTooLargeError, type Invoke, PAYLOAD_LIMIT } from "./invoke.ts";
import { createPool, type Pool } from "./pool.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import { createStarts } from "./starts.ts";

/** A log line. `source` is the name of a function, or `api-gateway`, `lambda`, `events` or `sqs`. */
export type LogEntry = { source: string; line: string };

/** The functions, each addressed by name or ARN. */
export type Lambda = {
  has(identifier: string): boolean;
  /** Rejects with UnknownFunctionError. */
  invoke: Invoke;
  /**
   * Replaces a function's code and configuration, without downtime. Invocations in progress finish on the old
   * code; every invocation that starts afterwards, waiting ones included, runs the new code in a new process.
   *
   * Resolves once the last old process has ended. Until then the old code folder must stay in place, since
   * code may still load files from it. A replacement may use the same folder.
   *
   * @param definition whose `name` says which function to replace
   * @throws UnknownFunctionError
   */
  replaceCode(definition: FunctionDefinition): Promise<void>;
  stop(): Promise<void>;
};

export type LambdaOptions = {
  environmentOf: (definition: FunctionDefinition) => Record<string, string>;
  /** The addresses that a function may connect to. Undefined if it may connect to any. */
  reachableFrom?: (definition: FunctionDefinition) => SandboxOptions["reachable"];
  codeCache?: SandboxOptions["codeCache"];
  onLog: (entry: LogEntry) => void;
  onStart: SandboxOptions["onStart"];
  killAfterMs?: SandboxOptions["killAfterMs"];
  /** How many events of one function run at a time. */
  concurrency?: number;
};

/** With more, the sandboxes would only compete for the processors. */
export const CONCURRENCY = Math.min(8, 2 * availableParallelism());

/**
 * How many processes load their function at a time. When all functions are called for the first time at once, the database
 * would else have so little of the processors that their calls to it time out.
 */
export const STARTS_AT_ONCE = availableParallelism();

export class UnknownFunctionError extends Error {
  override readonly name = "UnknownFunctionError";

  constructor(identifier: string) {
    super(`Function not found: ${identifier}`);
  }
}

export function createLambda(
  definitions: readonly FunctionDefinition[],
  {
    environmentOf,
    reachableFrom,
    codeCache,
    onLog,
    onStart,
    killAfterMs,
    concurrency = CONCURRENCY,
  }: LambdaOptions,
): Lambda {
  const creator = (definition: FunctionDefinition) => (): Sandbox =>
    createSandbox(definition, {
      environment: environmentOf(definition),
      reachable: reachableFrom?.(definition),
      codeCache,
      onLog: (line) => onLog({ source: definition.name, line }),
      onStart,
      killAfterMs,
    });
  const starts = createStarts(STARTS_AT_ONCE);
  const pools = new Map(
    definitions.map((definition) => [definition.name, createPool(creator(definition), concurrency, starts)]),
  );

  function poolOf(identifier: string): Pool {
    const pool = pools.get(nameIn(identifier));
    if (pool === undefined) throw new UnknownFunctionError(identifier);
    return pool;
  }

  return {
    has: (identifier) => pools.has(nameIn(identifier)),
    async invoke(identifier, event) {
      const pool = poolOf(identifier);
      const payload = JSON.stringify(event) ?? "null";
      if (Buffer.byteLength(payload) > PAYLOAD_LIMIT) {
        throw new EventTooLargeError(`An event must be smaller than ${PAYLOAD_LIMIT} bytes`);
      }
      return pool.invoke(payload);
    },
    async replaceCode(definition) {
      await poolOf(definition.name).replace(creator(definition));
    },
    async stop() {
      await Promise.all([...pools.values()].map((pool) => pool.stop()));
    },
  };
}

/** The name in `name`, `function:name` or a full ARN, each with or without `:$LATEST`, the only version. */
export function nameIn(identifier: string): string {
  return /^(?:.*function:)?([\w-]+)(?::\$LATEST)?$/.exec(identifier)?.[1] ?? "";
}
