import { expect, it } from "vitest";
import { playToken } from "./token-history.ts";

const histories = process.env.FULL === undefined ? 4 : 300;

it("a token's reference changes by its rules and between minutes, and the market is that of the reference", async () => {
  for (let seed = 1; seed <= histories; seed++) await expect(playToken(seed)).resolves.toBeUndefined();
}, 600_000);
