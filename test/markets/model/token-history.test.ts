import { expect, it } from "vitest";
import { playToken } from "./token-history.ts";

const histories = process.env.FULL === undefined ? 4 : 300;

it("changes a token's reference pool only by the rules and between minutes, and shows the reference pool's market", async () => {
  for (let seed = 1; seed <= histories; seed++) await expect(playToken(seed)).resolves.toBeUndefined();
}, 600_000);
