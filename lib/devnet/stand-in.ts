import { faultsRoute, type Handle, json, listen, type Route } from "cdk-local-runner";
import type * as v from "valibot";
import { invalid, type RpcReply, refusal, rpcService } from "./rpc-service.ts";

export type StandInOptions = {
  port?: number;
  /** Serves `/_local/faults`, like the runner. */
  canBeSet?: boolean;
  seed?: number;
};

/**
 * Listens to requests for a host, relay or exchange that fails on demand.
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
 * The faults of transactions at a relay. lost: answered, but never passed on; refused: not accepted; silent: passed on,
 * but never answered; stalled: neither.
 */
export const relayFaults = ["lost", "refused", "silent", "stalled"] as const;

/** Serves the one method of a relay. It rejects batches, like real relays. */
export const relayService = (method: string, take: (params: readonly unknown[]) => RpcReply | "nothing") =>
  rpcService(
    async ([question]) => {
      if (question?.method !== method) return [refusal(-32601, "method not found")];
      const reply = take(question.params);
      return reply === "nothing" ? new Promise<never>(() => {}) : [reply];
    },
    ({ length }) => (length > 1 ? json(200, invalid) : undefined),
  );
