import { byHand, type CheckGroup, expectSame, expectThat, Skip } from "../check.ts";
import type { Run } from "../run.ts";

type Tokens = { data: { tokens: { chain: string }[] } };

/** The read side of trading, and the refusals where nothing trades. */
export const tradingChecks: CheckGroup<Run> = {
  title: "Trading",
  checks: [
    {
      says: "The lists of orders and positions are there without trading, and empty for a new user",
      async run(run) {
        const { token } = await run.user();
        for (const name of ["orders", "positions"]) {
          const { status, json } = await run.http.send("GET", `/api/v2/${name}`, { token });
          const { data } = (json ?? {}) as { data?: unknown };
          expectSame(`The list of ${name}`, { status, data }, { status: 200, data: { [name]: [] } });
        }
      },
    },
    {
      says: "One function refuses several methods: API Gateway may invoke it for each of them",
      async run(run) {
        const { token } = await run.user();
        const { status: statusOfTokens } = await run.http.send("GET", "/api/v2/tokens", { token });
        if (statusOfTokens !== 403) throw new Skip("chains trade, so nothing is refused");
        for (const path of ["/api/v2/orders", "/api/v2/orders/no-order/cancel"]) {
          const { status, json } = await run.http.send("POST", path, { token, body: {} });
          const { error } = (json ?? {}) as { error?: { code?: unknown } };
          expectSame(`The answer to ${path}`, [status, error?.code], [403, "TRADING_DISABLED"]);
        }
      },
    },
    {
      says: "Lambda runs the first line of a function's code before the rest: it has the chains that trade",
      async run(run) {
        expectThat((await chainsOf(run)).length > 0, "There is no chain");
      },
    },
    {
      says: "The hosts of each chain that trades answer Lambda",
      async run(run) {
        const { token } = await run.user();
        for (const chain of await chainsOf(run)) {
          const { status, text } = await run.http.send("GET", `/api/v2/balances?chain=${chain}`, { token });
          expectThat(status === 200, `The balances on ${chain} are ${status} ${text}`);
        }
      },
    },
    byHand("A denial by `dynamodb:LeadingKeys` holds in transactions"),
    byHand("A refusal reaches the alarm SignatureRefused"),
    byHand("Nothing but signTransaction opens a wallet, and only in its network"),
    byHand("The signer's network has no way out"),
    byHand("Warnings of sweepLanes reach the alarms on trading"),
    byHand(
      "`admin trading --stop` holds within five seconds for placeOrder, executeOrders and signTransaction",
    ),
  ],
};

/** @throws {Skip} if none trades. */
async function chainsOf(run: Run): Promise<string[]> {
  const { token } = await run.user();
  const { status, text, json } = await run.http.send("GET", "/api/v2/tokens", { token });
  if (status === 403) throw new Skip("no chain trades: the context trading is empty");
  expectThat(status === 200, `The answer is ${status} ${text}`);
  return [...new Set((json as Tokens).data.tokens.map(({ chain }) => chain))];
}
