import { availableParallelism } from "node:os";
import type { FunctionDefinition } from "./function-definition.ts";
import { EventTooLargeError, type Invoke, PAYLOAD_LIMIT_BYTES } from "./invoke.ts";
import { createPool, type Pool } from "./pool.ts";
import { createSandbox, type Sandbox, type SandboxOptions } from "./sandbox.ts";
import { createStarts } from "./starts.ts";

/** A log line. `source` is the name of a function, or `api-gateway`, `lambda`, `events` or `sqs`. */
export type LogEntry = { source: string; line: string };

/** All functions, addressed by name or ARN. */
export type Lambda = {
  has: (identifier: string) => boolean;
  /** Invokes a function. Rejects with UnknownFunctionError if no function has that name. */
  invoke: Invoke;
  /**
   * Replaces a function's code and configuration without downtime. Invocations in progress finish on the old code.
   * Later ones, including those that wait, run the new code in a new process.
   *
   * Resolves once the last old process has ended. Until then the old code folder must stay, since code may still load
   * files from it. The new code may be in the same folder.
   *
   * @param definition its `name` selects the function to replace
   * @throws {UnknownFunctionError} if there is no function of that name
   */
  replaceCode(definition: FunctionDefinition): Promise<void>;
  stop(): Promise<void>;
};

export type LambdaOptions = {
  environmentOf: (definition: FunctionDefinition) => Record<string, string>;
  /** Returns the addresses that a function may connect to. Undefined allows any address. */
  reachableFrom?: (definition: FunctionDefinition) => SandboxOptions["reachable"];
  codeCache?: SandboxOptions["codeCache"];
  onLog: (entry: LogEntry) => void;
  onStart: SandboxOptions["onStart"];
  killAfterMs?: SandboxOptions["killAfterMs"];
  /** Number of events that one function runs at a time. */
  concurrency?: number;
};

/**
 * Number of events that one function runs at a time. More would only make sandboxes compete for processors. Fewer than
 * six would let runs that last for minutes, such as one for each of five chains, keep the next event waiting.
 */
export const CONCURRENCY = Math.min(8, Math.max(6, 2 * availableParallelism()));

/**
 * Number of processes that load their function at a time. If all functions started at once, the database would get too
 * little processor time, and calls to it would time out.
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
      if (Buffer.byteLength(payload) > PAYLOAD_LIMIT_BYTES) {
        throw new EventTooLargeError(`An event must be smaller than ${PAYLOAD_LIMIT_BYTES} bytes`);
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

/** Reads the name from `name`, `function:name` or a full ARN, each with or without `:$LATEST`, the only version. */
export function nameIn(identifier: string): string {
  return /^(?:.*function:)?([\w-]+)(?::\$LATEST)?$/.exec(identifier)?.[1] ?? "";
}
