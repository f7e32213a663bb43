import { createTerminal, type EvmAddress } from "trading-terminal-client";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { runBot } from "../../../docs/bot.ts";
import { newEvmKey } from "../../support/keys.ts";
import { deployment } from "./deployment.ts";
import { fund } from "./eth.ts";
import { importWallet } from "./terminal.ts";
import { issueToken, knownUser } from "./users.ts";

const chain = "eth";
const moon = localAddresses.moon;

/** Runs the bot of docs/bot.ts with its own wallet until its first purchase is under way. */
export async function tradingBot() {
  const user = await knownUser();
  const { address: wallet, privateKey } = newEvmKey();
  await importWallet(user, { network: chain, privateKey });
  await fund(wallet);
  const { baseUrl } = deployment();
  // The token expires before the bot ends, so the bot has to fetch new ones.
  const token = () => issueToken({ sub: user.id, expiresIn: 20 });
  const done = runBot(createTerminal({ baseUrl, token, patienceMs: 300_000 }), {
    name: "e2e",
    wallet: wallet as EvmAddress,
    moon: moon as EvmAddress,
  });
  // Callers see the failure through `done`.
  done.catch(() => {});
  const terminal = createTerminal({ baseUrl, token, patienceMs: 120_000 });
  const stream = terminal.follow({ channels: ["orders"] });
  await Promise.race([stream.until(({ orders }) => orders[0]), done]);
  stream.close();
  /** Reads the service's final data about the wallet. */
  const outcome = async () => {
    const [orders, positions, balances] = await Promise.all([
      terminal.listOrders({ query: { wallet } }),
      terminal.listPositions({ query: { wallet } }),
      terminal.readBalances({ query: { chain, wallet, token: moon } }),
    ]);
    return {
      orders: orders.data?.orders,
      positions: positions.data?.positions,
      moon: balances.data?.balances.find(({ token: of }) => of === moon),
    };
  };
  return { done, outcome };
}
