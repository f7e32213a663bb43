import { describe, expect, it } from "vitest";
import { walletSoak } from "../soak/wallets/wallet-soak.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

describe("the wallets of many users at once", () => {
  it("are what the answers say: counts, places, lists and events", async () => {
    const options = { actions: 160, users: 5, limit: 3, seed: 1 };
    const { answers, problems } = await walletSoak(db.table, options);
    expect(problems).toEqual([]);
    const wanted = [
      "create: done",
      "create: WALLET_LIMIT_REACHED",
      "import: added",
      "export: done",
      "retire: done",
    ];
    expect([...answers.keys()]).toEqual(expect.arrayContaining(wanted));
  });
});
