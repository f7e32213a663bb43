import { UndiciHttpHandler } from "@smithy/undici-http-handler";
import { timeouts } from "./timeouts.ts";

/**
 * An HTTP handler for a client that sends to thousands of connections. Each request takes half the processor time that
 * the SDK's default handler needs. But loading the handler takes 20 ms more, too long for functions that clients wait
 * for.
 */
export const fanOutHandler = (connections: number) =>
  new UndiciHttpHandler({
    dispatcher: {
      connections,
      connect: { timeout: timeouts.connectionTimeout },
      headersTimeout: timeouts.requestTimeout,
      bodyTimeout: timeouts.requestTimeout,
      // Keeps idle connections open for longer than the default of 4 s, because there may be pauses between prices.
      keepAliveTimeout: 30_000,
    },
  });
