import { expect, it } from "vitest";
import { streamOf } from "../support/stream.ts";
import { newUser } from "../support/users.ts";

const token = (digit: number) => ({ chain: "base", token: `0x${String(digit).repeat(40)}` });

it("lets a connection follow and unfollow tokens with the functions' own rights, and names invalid ones", async () => {
  const stream = await streamOf(await newUser());
  const following = { type: "subscriptions", id: 1, channels: ["prices"], every: 5, tokens: [token(1)] };
  const tokens = [token(1), { ...token(2), chain: "doge" }];
  stream.send({ type: "subscribe", id: 1, channels: ["prices"], every: 5, tokens });
  expect(await stream.take({ type: "error" })).toMatchObject({ id: 1, code: "UNSUPPORTED_CHAIN" });
  expect(await stream.take({ type: "subscriptions" })).toMatchObject(following);
  await stream.take({ type: "snapshot", channel: "prices" });

  const ask = (message: object) => stream.ask({ ...message, id: 2 });
  const candles = { ...token(3), candles: true };
  expect(await ask({ type: "subscribe", channels: ["prices"], tokens: [candles] })).toMatchObject({
    every: 5,
    tokens: [token(1), candles],
  });
  expect(await ask({ type: "unsubscribe", tokens: [token(1)] })).toMatchObject({ tokens: [candles] });
  expect(await ask({ type: "unsubscribe", channels: ["prices"] })).toMatchObject({ channels: [] });
  const again = await ask({ type: "subscribe", channels: ["prices"] });
  expect(again).toMatchObject({ channels: ["prices"] });
  expect(again).not.toHaveProperty("tokens");
});
