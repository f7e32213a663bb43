import { faultsRoute, type Handle, json, listen, type Route } from "cdk-local-runner";
import type * as v from "valibot";
import { invalid, type RpcReply, refusal, rpcService } from "./rpc-service.ts";

export type StandInOptions = {
  port?: number;
  /** Serves `/_local/faults`, as the runner does. */
  canBeSet?: boolean;
  seed?: number;
};

/**
 * Starts a server that imitates a host, relay or exchange and fails on demand.
 *
 * @throws StartupError if the port is in use
 */
export function listenAs<Schema extends v.GenericSchema>(
  standIn: () => { faults: v.InferOutput<Schema> },
  schema: Schema,
  { port = 0, canBeSet = false }: StandInOptions,
  handle: Handle,
): ReturnType<typeof listen> {
  const own: Route = canBeSet ? faultsRoute(schema, standIn) : () => undefined;
  return listen(
    port,
    async (request) => own(request) ?? handle(request),
    () => {},
  );
}

/**
 * Faults that a relay can apply to transactions. lost: answered but never passed on; refused: rejected; silent: passed
 * on but never answered; stalled: neither passed on nor answered.
 */
export const relayFaults = ["lost", "refused", "silent", "stalled"] as const;

/** Serves a relay's only method. Rejects batches, as real relays do. */
export const relayService = (method: string, take: (params: readonly unknown[]) => RpcReply | "nothing") =>
  rpcService(
    async ([question]) => {
      if (question?.method !== method) return [refusal(-32601, "method not found")];
      const reply = take(question.params);
      return reply === "nothing" ? new Promise<never>(() => {}) : [reply];
    },
    ({ length }) => (length > 1 ? json(200, invalid) : undefined),
  );
