/** Buys MOON for half a coin, then sells it. After a crash, start it again: it resumes where it left off. */
import { type EvmAddress, isEvmAddress, type Terminal } from "trading-terminal-client";
import { createTerminal } from "trading-terminal-client/key";

type Bot = { name: string; wallet: EvmAddress; moon: EvmAddress };

export async function runBot(terminal: Terminal, { name, wallet, moon }: Bot) {
  // The idempotency key is the step's name, so each step happens only once, however often this program runs.
  async function trade(
    step: string,
    terms: { side: "buy"; amount: `${number}` } | { side: "sell"; percent: number },
  ) {
    const { data, error } = await terminal.placeOrder({
      headers: { "Idempotency-Key": `${name}-${step}` },
      body: { type: "market", chain: "eth", wallet, token: moon, ...terms },
    });
    if (error) throw new Error(`${step}: ${error.code}, ${error.message}`, { cause: error });
    return terminal.waitForOrder(data.order.orderId, { until: "settled" });
  }
  const bought = await trade("buy", { side: "buy", amount: "0.5" });
  if (bought.status !== "filled") return { bought };
  return { bought, sold: await trade("sell", { side: "sell", percent: 100 }) };
}

/** Reads the key. An error of JSON would quote what it cannot read, which may be the private key. */
function keyIn(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("KEY_FILE must be JSON with userID, keyId and privateKey");
  }
}

/** Runs the bot by the key in a file. While the service refuses the key, it waits for another one in the same file. */
async function runByKey(baseUrl: string, readKey: () => string, bot: Bot) {
  for (;;) {
    try {
      return await runBot(createTerminal({ baseUrl, patienceMs: 300_000, key: keyIn(readKey()) }), bot);
    } catch (error) {
      if ((error as { cause?: { code?: string } }).cause?.code !== "KEY_REFUSED") throw error;
      console.error(`${(error as Error).message}: waiting for another key`);
      await new Promise((resolve) => setTimeout(resolve, 5000));
    }
  }
}

type Files = { readFileSync(path: string, encoding: "utf8"): string };

declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  getBuiltinModule(name: "node:fs"): Files;
};

if (process.argv[1]?.endsWith("bot.ts")) {
  const {
    BASE_URL: baseUrl = "",
    KEY_FILE: file = "",
    NAME: name = "",
    WALLET: wallet,
    MOON: moon,
  } = process.env;
  if (!isEvmAddress(wallet) || !isEvmAddress(moon)) throw new Error("WALLET and MOON must be addresses");
  const { readFileSync } = process.getBuiltinModule("node:fs");
  runByKey(baseUrl, () => readFileSync(file, "utf8"), { name, wallet, moon }).then(console.log);
}
