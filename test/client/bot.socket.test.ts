import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeProgramKey } from "trading-terminal-client/key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { killBots, startAndKillBot, startBot } from "../support/documented-bot.ts";
import { keyedService } from "./support/keyed-service.ts";
import { publicKeyOf } from "./support/program-token.ts";

const folder = mkdtempSync(join(tmpdir(), "bot-"));
const keyFile = join(folder, "key.json");
const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const moon = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";
const ids = ["pk_first_first_first_1", "pk_second_second_second"] as const;
const pairs = [await makeProgramKey(), await makeProgramKey()] as const;
let service: Awaited<ReturnType<typeof keyedService>>;

const useKey = (index: 0 | 1) =>
  writeFileSync(keyFile, JSON.stringify({ userID: "alice", keyId: ids[index], ...pairs[index] }));
const botNamed = (name: string) => ({ baseUrl: service.baseUrl, keyFile, name, wallet, moon });

beforeAll(async () => {
  const [first, second] = pairs;
  const keys = new Map([
    [ids[0], publicKeyOf(first.publicKey)],
    [ids[1], publicKeyOf(second.publicKey)],
  ]);
  service = await keyedService(keys);
});

afterAll(async () => {
  killBots();
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe("the documented bot", () => {
  it("places each order once, although it is killed at any time and answers are lost", async () => {
    useKey(0);
    for (let kills = 0; kills < 5; kills++) {
      service.loseAnswers(kills % 2);
      await startAndKillBot(botNamed("killed"));
    }
    const { code, printed } = await startBot(botNamed("killed")).ends;
    expect({ code, printed }).toMatchObject({ code: 0, printed: expect.stringContaining("sold") });
    expect([...service.orders].map(([name, { side }]) => [name, side])).toEqual([
      ["killed-buy", "buy"],
      ["killed-sell", "sell"],
    ]);
    expect(service.refusals).toEqual([]);
  });

  it("waits while its key has ended, and continues with another one without a second order", async () => {
    useKey(0);
    const before = service.orders.size;
    const { ends, printed } = startBot(botNamed("ended"));
    await expect.poll(() => service.orders.size, { timeout: 30_000 }).toBe(before + 1);
    service.ended.add(ids[0]);
    await expect.poll(printed, { timeout: 30_000 }).toContain("waiting for another key");
    useKey(1);
    expect(await ends).toMatchObject({ code: 0 });
    expect(service.orders.size).toBe(before + 2);
    expect(new Set(service.refusals)).toEqual(new Set(["The program key is revoked or has ended"]));
  });

  it.each(["bot.ts", "bot-with-stop.ts"])(
    "prints nothing of a key file that is no JSON: %s",
    async (program) => {
      const secret = pairs[0].privateKey.split("\n")[1] ?? "";
      writeFileSync(keyFile, secret);
      const { code, printed } = await startBot(botNamed("unread"), program).ends;
      expect({ code, printed }).toMatchObject({
        code: 1,
        printed: expect.stringContaining("KEY_FILE must be JSON with userID, keyId and privateKey"),
      });
      expect(printed).not.toContain(secret.slice(0, 4));
    },
  );
});
