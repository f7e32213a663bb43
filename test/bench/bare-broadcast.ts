import type { BroadcastAnswer, BroadcastRequest } from "./broadcast-process.ts";
import { startChild } from "./child.ts";
import { openCrowd } from "./crowd.ts";
import { measure } from "./measure.ts";
import type { Outcome } from "./outcome.ts";
import { messageOf, pricesAsOf } from "./price-message.ts";

/** Sends the same messages to as many clients with a bare loop over the sockets of one process. */
export async function bareBroadcast(options: {
  clients: number;
  processes: number;
  ticks: number;
}): Promise<Outcome> {
  const server = await startChild<BroadcastRequest, BroadcastAnswer, { url: string }>("broadcast-process.ts");
  const { url } = server.first;
  const crowd = await openCrowd({ url, tokens: [], subscribe: false, ...options });
  try {
    return await measure({
      crowd,
      server: server.pid,
      ...options,
      async send() {
        const asOf = new Date().toISOString();
        const { sentAt } = await server.ask({ messages: [messageOf(pricesAsOf(asOf))] });
        return { asOf, sentAt };
      },
    });
  } finally {
    await crowd.stop();
    await server.stop();
  }
}
