import { UndiciHttpHandler } from "@smithy/undici-http-handler";
import { timeouts } from "./timeouts.ts";

/**
 * An HTTP handler for a client that sends to thousands of connections. A request takes half the processor
 * time of the SDK's default handler, but the handler takes 20 ms longer to load. So it is not for functions
 * that clients wait for.
 */
export const fanOutHandler = (connections: number) =>
  new UndiciHttpHandler({
    dispatcher: {
      connections,
      connect: { timeout: timeouts.connectionTimeout },
      headersTimeout: timeouts.requestTimeout,
      bodyTimeout: timeouts.requestTimeout,
      // Prices may pause for longer than the default of 4 s.
      keepAliveTimeout: 30_000,
    },
  });
