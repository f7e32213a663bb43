import { message } from "../../lib/runtime/message.ts";

export const handler = message("ping", async ({ now }) => [{ type: "pong", time: now.toISOString() }]);
