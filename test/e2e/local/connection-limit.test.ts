import { expect, it, vi } from "vitest";
import { connect, expectToWork, refusalOf, type Stream, streamOf } from "../support/stream.ts";
import { newUser } from "../support/users.ts";

it("a user has 100 connections at once and another when one ends, whatever other users have", async () => {
  const [user, other] = await Promise.all([newUser(), newUser()]);
  const streams: Stream[] = [];
  while (streams.length < 100)
    streams.push(...(await Promise.all(Array.from({ length: 10 }, () => streamOf(user)))));

  expect(await refusalOf({ token: user.token })).toMatchObject({ status: 429 });
  await expectToWork(await streamOf(other));

  streams[0]?.close();

  const another = await vi.waitFor(() => connect({ token: user.token }), { timeout: 10_000, interval: 200 });
  await expectToWork(another);
});
