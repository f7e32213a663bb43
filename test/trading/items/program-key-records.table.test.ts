import { describe, expect, it } from "vitest";
import { usedTokenKey } from "../../../lib/trading/items/keys.ts";
import { readProgramKey, useToken } from "../../../lib/trading/items/program-key-records.ts";
import { tableForTests } from "../../support/dynamodb.ts";
import { itemsNamed, putItems } from "../../support/items.ts";
import { programKey, programKeyItem } from "../../support/program-keys.ts";

const db = tableForTests();
const now = new Date("2026-11-30T09:00:00.000Z");
const name = { userID: "ann", keyId: "pk_abcdefghijklmnopqrst" };

describe("readProgramKey", () => {
  it("reads only the key of this user", async () => {
    await putItems(db.table, [programKeyItem(programKey(name))]);
    expect(await readProgramKey(db.table, name)).toMatchObject(programKey(name));
    expect(await readProgramKey(db.table, { ...name, userID: "bob" })).toBeUndefined();
  });
});

describe("useToken", () => {
  it("lets one of many simultaneous uses of a token through, for each key of each user", async () => {
    const uses = await Promise.all(Array.from({ length: 20 }, () => useToken(db.table, name, "t1", now)));
    expect(uses.filter(Boolean)).toHaveLength(1);
    expect(await useToken(db.table, name, "t2", now)).toBe(true);
    expect(await useToken(db.table, { ...name, userID: "bob" }, "t1", now)).toBe(true);
    expect(await useToken(db.table, { ...name, keyId: "pk_other" }, "t1", now)).toBe(true);
  });

  it("remembers a token for two minutes", async () => {
    await useToken(db.table, name, "t3", now);
    const [item] = await itemsNamed(db.table, usedTokenKey(name, "t3").SK);
    expect(item?.expiresAt).toBe(now.getTime() / 1000 + 120);
  });

  it("accepts the use that the SDK repeats after a lost answer", async () => {
    let sent = 0;
    const client = {
      send: async (command: never) => {
        const result = await db.table.client.send(command).catch((error: unknown) => {
          if (sent === 1) throw error;
        });
        sent++;
        return sent === 1 ? db.table.client.send(command) : result;
      },
    };
    expect(await useToken({ ...db.table, client: client as never }, name, "t4", now)).toBe(true);
    expect(sent).toBe(1);
  });
});
