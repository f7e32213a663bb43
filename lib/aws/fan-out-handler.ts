import { UndiciHttpHandler } from "@smithy/undici-http-handler";
import { timeouts } from "./timeouts.ts";

/**
 * HTTP for a client that sends to thousands of connections. A request takes half the processor time of the SDK's default
 * handler. But it takes 20 ms longer to load, so it is not for functions that clients wait for.
 */
export const fanOutHandler = (connections: number) =>
  new UndiciHttpHandler({
    dispatcher: {
      connections,
      connect: { timeout: timeouts.connectionTimeout },
      headersTimeout: timeouts.requestTimeout,
      bodyTimeout: timeouts.requestTimeout,
      // Prices may stand still for longer than the default of 4 s.
      keepAliveTimeout: 30_000,
    },
  });
