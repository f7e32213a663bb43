import { background } from "../../lib/runtime/background.ts";

export const handler = background("loadHistory", async () => undefined);
