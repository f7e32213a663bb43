import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { makeProgramKey } from "trading-terminal-client/key";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { keyedService } from "./support/keyed-service.ts";
import { publicKeyOf } from "./support/program-token.ts";

const folder = mkdtempSync(join(tmpdir(), "bot-"));
const file = join(folder, "key.json");
const ids = ["pk_first_first_first_1", "pk_second_second_second"] as const;
const pairs = [await makeProgramKey(), await makeProgramKey()] as const;
let service: Awaited<ReturnType<typeof keyedService>>;
const running = new Set<ChildProcess>();

const useKey = (index: 0 | 1) =>
  writeFileSync(file, JSON.stringify({ userID: "alice", keyId: ids[index], ...pairs[index] }));

/** Starts the documented bot as a process of its own. */
function startBot(name: string) {
  const env = {
    PATH: process.env.PATH,
    NODE_NO_WARNINGS: "1",
    BASE_URL: service.baseUrl,
    KEY_FILE: file,
    NAME: name,
    WALLET: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
    MOON: "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094",
  };
  const bot = spawn(process.execPath, ["--import", "./test/support/client-sources.ts", "docs/bot.ts"], {
    env,
  });
  running.add(bot);
  const printed: string[] = [];
  for (const stream of [bot.stdout, bot.stderr]) stream.on("data", (data) => printed.push(String(data)));
  const ends = once(bot, "exit").then(([code, signal]) => {
    running.delete(bot);
    return { code, signal, printed: printed.join("") };
  });
  return { bot, ends, printed };
}

beforeAll(async () => {
  service = await keyedService(
    new Map(ids.map((id, index) => [id, publicKeyOf(pairs[index]?.publicKey ?? "")])),
  );
});

afterAll(async () => {
  for (const bot of running) bot.kill("SIGKILL");
  await service.stop();
  rmSync(folder, { recursive: true });
});

describe("the documented bot", () => {
  it("places each order once, although it is killed at any time and answers are lost", async () => {
    useKey(0);
    for (let kills = 0; kills < 6; kills++) {
      service.loseAnswers(kills % 2);
      const { bot, ends } = startBot("killed");
      await wait(Math.random() * 900);
      bot.kill("SIGKILL");
      await ends;
    }
    expect(await startBot("killed").ends).toMatchObject({
      code: 0,
      printed: expect.stringContaining("sold"),
    });
    expect([...service.orders].map(([name, { side }]) => [name, side])).toEqual([
      ["killed-buy", "buy"],
      ["killed-sell", "sell"],
    ]);
    expect(service.refusals).toEqual([]);
  });

  it("waits while its key has ended, and goes on by another one without a second order", async () => {
    useKey(0);
    const before = service.orders.size;
    const { ends, printed } = startBot("ended");
    await expect.poll(() => service.orders.size, { timeout: 30_000 }).toBe(before + 1);
    service.ended.add(ids[0]);
    await expect.poll(() => printed.join(""), { timeout: 30_000 }).toContain("waiting for another key");
    useKey(1);
    expect(await ends).toMatchObject({ code: 0 });
    expect(service.orders.size).toBe(before + 2);
    expect(new Set(service.refusals)).toEqual(new Set(["The program key is revoked or has ended"]));
  });
});
