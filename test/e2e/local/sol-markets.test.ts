import { portsOf } from "trading-terminal-devnet/local-chains";
import { solDeployment } from "trading-terminal-devnet/sol/sol-deployment";
import { expect, it, vi } from "vitest";
import { newSolanaKey } from "../../support/keys.ts";
import { askOne } from "../../support/local-hosts.ts";
import { get } from "../support/client.ts";
import { localRunner } from "../support/deployment.ts";
import type { Message } from "../support/inbox.ts";
import { dataFor, placeOrder } from "../support/orders.ts";
import { streamOf } from "../support/stream.ts";
import { importWallet } from "../support/terminal.ts";
import { newUser } from "../support/users.ts";

type Data = { price?: string; token?: string; minutes?: object[] };

it("draws the chart of a token on sol from samples of its pool, on the stream and by REST", async () => {
  const { mint, pool } = (await solDeployment()).tokens.MOON;
  const [user, key] = [await newUser(), newSolanaKey()];
  expect((await importWallet(user, key)).status).toBe(200);
  const { node } = portsOf("sol", localRunner().chainPort);
  await askOne(`http://127.0.0.1:${node}`, "requestAirdrop", key.address, 5 * 10 ** 9);
  const stream = await streamOf(user);
  const named = { chain: "sol", token: mint, candles: true };
  await stream.ask({ type: "subscribe", id: 1, channels: ["prices"], every: 1, tokens: [named] });
  const recordOf = ({ type, channel, data }: Message) =>
    type === "update" && channel === "prices"
      ? (data as Data[]).find((each) => each.token === mint)
      : undefined;
  await stream.take((each) => recordOf(each)?.price !== undefined);
  const buy = {
    chain: "sol",
    wallet: key.address,
    type: "market",
    side: "buy",
    token: mint,
    amount: "0.25",
  };
  const { status, body } = await placeOrder(user, buy, "chart");
  expect(status, JSON.stringify(body)).toBe(200);
  await stream.take((each) => (recordOf(each)?.minutes?.length ?? 0) > 0);
  const { market } = (await dataFor(user, `markets/sol/${mint}`)) as never as { market: object };
  expect(market).toMatchObject({ symbol: "MOON", pool: { pool, venue: "raydium-cpmm", quote: "native" } });
  await vi.waitFor(
    async () => {
      const { json } = await get(`/api/v2/markets/sol/${mint}/candles?interval=1m&currency=native`, user);
      const { candles } = (json as { data: { candles: object[] } }).data;
      expect(candles).toContainEqual(expect.objectContaining({ close: expect.stringMatching(/^0\.000/) }));
    },
    { timeout: 150_000, interval: 500 },
  );
});
