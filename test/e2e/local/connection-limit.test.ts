import { expect, it, vi } from "vitest";
import { connect, expectToWork, refusalOf, type Stream, streamOf } from "../support/stream.ts";
import { newUser } from "../support/users.ts";

it("allows a user 30 connections, even if 45 open at once, and a new one when one of them ends", async () => {
  const [user, other] = await Promise.all([newUser(), newUser()]);
  const handshakes = await Promise.allSettled(Array.from({ length: 45 }, () => streamOf(user)));
  const streams = handshakes.flatMap((handshake): Stream[] =>
    handshake.status === "fulfilled" ? [handshake.value] : [],
  );
  expect(streams).toHaveLength(30);

  expect(await refusalOf({ token: user.token })).toMatchObject({ status: 429 });
  await expectToWork(await streamOf(other));

  streams[0]?.close();

  const another = await vi.waitFor(() => connect({ token: user.token }), { timeout: 30_000, interval: 200 });
  await expectToWork(another);
});
