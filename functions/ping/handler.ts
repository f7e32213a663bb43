import { connectionPort, openPusher } from "../../lib/aws/push.ts";
import { limited } from "../../lib/runtime/message-limit.ts";
import { message } from "../../lib/runtime/websocket.ts";

export const handler = limited(
  "ping",
  connectionPort(openPusher()),
  message("ping", async ({ now }) => [{ type: "pong", time: now.toISOString() }]),
);
