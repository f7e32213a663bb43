import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as wait } from "node:timers/promises";

export type BotTerms = { baseUrl: string; keyFile: string; name: string; wallet: string; moon: string };

/** Bots that have not ended. */
const running = new Set<ChildProcess>();

/** Starts docs/bot.ts, or another bot of the folder, as a process of its own. */
export function startBot({ baseUrl, keyFile, name, wallet, moon }: BotTerms, program = "bot.ts") {
  const env = {
    ...{ PATH: process.env.PATH, NODE_NO_WARNINGS: "1" },
    ...{ BASE_URL: baseUrl, KEY_FILE: keyFile, NAME: name, WALLET: wallet, MOON: moon },
  };
  const parts = ["--import", "./test/support/client-sources.ts", `docs/${program}`];
  const bot = spawn(process.execPath, parts, { env });
  running.add(bot);
  let text = "";
  for (const stream of [bot.stdout, bot.stderr])
    stream.on("data", (data) => {
      text += String(data);
    });
  const ends = once(bot, "exit").then(([code]) => {
    running.delete(bot);
    return { code, printed: text };
  });
  return { bot, ends, printed: () => text };
}

/** Starts the bot and kills it as `kill -9` does, at any moment of its first second. */
export async function startAndKillBot(terms: BotTerms): Promise<void> {
  const { bot, ends } = startBot(terms);
  await wait(Math.random() * 1000);
  bot.kill("SIGKILL");
  await ends;
}

export function killBots(): void {
  for (const bot of running) bot.kill("SIGKILL");
}
