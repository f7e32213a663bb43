import { message } from "../../lib/runtime/websocket.ts";

export const handler = message("ping", async ({ now }) => [{ type: "pong", time: now.toISOString() }]);
