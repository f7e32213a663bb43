/**
 * Buys MOON for half a coin, and sells it all once it has lost 10 % or gained 20 %. The service watches the price, also
 * while this program is away. After a crash, start it again: it buys nothing twice.
 */
import { type EvmAddress, isEvmAddress } from "trading-terminal-client";
import { createTerminal, type KeyedTerminalOptions } from "trading-terminal-client/key";

type Purchase = KeyedTerminalOptions & { name: string; wallet: EvmAddress; moon: EvmAddress };

export async function buyWithStop({ name, wallet, moon, ...options }: Purchase) {
  const terminal = createTerminal({ patienceMs: 300_000, ...options });
  const { data, error } = await terminal.placeOrder({
    headers: { "Idempotency-Key": name },
    body: {
      type: "market",
      chain: "eth",
      wallet,
      token: moon,
      side: "buy",
      amount: "0.5",
      exits: [{ percent: 100, stopLoss: { percent: -10 }, takeProfit: { percent: 20 } }],
    },
  });
  if (error) throw new Error(`${error.code}, ${error.message}`);
  const bought = await terminal.waitForOrder(data.order.orderId, { until: "filled" });
  // The exit is an order of its own. It ends without a sale if the buy fails, or somebody sells the position first.
  const [exit] = bought.exits ?? [];
  if (exit === undefined) return { bought };
  return { bought, sold: await terminal.waitForOrder(exit.orderId, { until: "settled" }) };
}

/** Reads the key. An error of JSON would quote what it cannot read, which may be the private key. */
function keyIn(text: string) {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("KEY_FILE must be JSON with userID, keyId and privateKey");
  }
}

type Files = { readFileSync(path: string, encoding: "utf8"): string };

declare const process: {
  argv: string[];
  env: Record<string, string | undefined>;
  getBuiltinModule(name: "node:fs"): Files;
};

if (process.argv[1]?.endsWith("bot-with-stop.ts")) {
  const { BASE_URL: baseUrl = "", KEY_FILE = "", NAME: name = "", WALLET: wallet, MOON: moon } = process.env;
  if (!isEvmAddress(wallet) || !isEvmAddress(moon)) throw new Error("WALLET and MOON must be addresses");
  const key = keyIn(process.getBuiltinModule("node:fs").readFileSync(KEY_FILE, "utf8"));
  buyWithStop({ name, wallet, moon, baseUrl, key }).then(console.log);
}
