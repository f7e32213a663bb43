/** Buys MOON for half a coin, then sells it. After a crash, start it again: it resumes where it left off. */
import { createTerminal, type EvmAddress, isEvmAddress, type TerminalOptions } from "trading-terminal-client";

type Bot = TerminalOptions & { name: string; wallet: EvmAddress; moon: EvmAddress };

export async function runBot({ name, wallet, moon, ...options }: Bot) {
  const terminal = createTerminal({ patienceMs: 300_000, ...options });
  // The idempotency key is the step's name, so each step happens only once, however often this program runs.
  async function trade(
    step: string,
    terms: { side: "buy"; amount: `${number}` } | { side: "sell"; percent: number },
  ) {
    const { data, error } = await terminal.placeOrder({
      headers: { "Idempotency-Key": `${name}-${step}` },
      body: { type: "market", chain: "eth", wallet, token: moon, ...terms },
    });
    if (error) throw new Error(`${step}: ${error.code}, ${error.message}`);
    return terminal.waitForOrder(data.order.orderId, { until: "settled" });
  }
  const bought = await trade("buy", { side: "buy", amount: "0.5" });
  if (bought.status !== "filled") return { bought };
  return { bought, sold: await trade("sell", { side: "sell", percent: 100 }) };
}

declare const process: { argv: string[]; env: Record<string, string | undefined> };

if (process.argv[1]?.endsWith("bot.ts")) {
  const {
    BASE_URL: baseUrl = "",
    TOKEN: token = "",
    NAME: name = "",
    WALLET: wallet,
    MOON: moon,
  } = process.env;
  if (!isEvmAddress(wallet) || !isEvmAddress(moon)) throw new Error("WALLET and MOON must be addresses");
  runBot({ name, wallet, moon, baseUrl, token: async () => token }).then(console.log);
}
