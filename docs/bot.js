/** Buys MOON for half a coin and sells it again. Start it again after a crash: it goes on where it was. */
import { createTerminal } from "trading-terminal-client";

export async function runBot({ name, chain, wallet, moon, ...options }) {
  const terminal = createTerminal({ patienceMs: 300_000, ...options });
  const stream = terminal.follow({ channels: ["orders"] });
  // The key is a name, so that a step happens once, however often this program runs.
  const trade = async (step, terms) => {
    const headers = { "Idempotency-Key": `${name}-${step}` };
    const body = { type: "market", chain, wallet, token: moon, ...terms };
    const { data, error } = await terminal.placeOrder({ headers, body });
    if (error) throw new Error(`${step}: ${error.code}, ${error.message}`);
    const isIt = ({ orderId, settled }) => orderId === data.order.orderId && settled;
    return stream.until(({ orders }) => orders.find(isIt));
  };
  try {
    const bought = await trade("buy", { side: "buy", amount: "0.5" });
    if (bought.status !== "filled") return { bought };
    return { bought, sold: await trade("sell", { side: "sell", percent: 100 }) };
  } finally {
    stream.close();
  }
}

if (process.argv[1] === import.meta.filename) {
  const { BASE_URL: baseUrl, TOKEN, NAME: name, WALLET: wallet, MOON: moon } = process.env;
  console.log(await runBot({ name, chain: "eth", wallet, moon, baseUrl, token: async () => TOKEN }));
}
