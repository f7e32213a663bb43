import { background } from "../../lib/runtime/background.ts";

export const handler = background("readMarkets", async () => undefined);
