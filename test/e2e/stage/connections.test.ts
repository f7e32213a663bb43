import { describe, expect } from "vitest";
import { connectionsOfUser } from "../../../lib/realtime/connection-records.ts";
import { connect, type Stream, streamOf, subscribe } from "../support/stream.ts";
import { it, service } from "./support/check.ts";

/** More connections than any deployment can allow a user. */
const manyConnections = 101;

describe("the WebSocket API", () => {
  it("passes the user of $connect on to later messages and to $disconnect", async ({ user }) => {
    const idsOfUser = async () =>
      (await connectionsOfUser(service.table, user.id)).map(({ connectionId }) => connectionId);
    const before = await idsOfUser();
    const stream = await streamOf(user);
    await subscribe(stream, "positions");
    const made = (await idsOfUser()).filter((id) => !before.includes(id));
    expect(made, "New connections on record").toHaveLength(1);

    stream.close();

    await expect
      .poll(idsOfUser, { interval: 500, timeout: 30_000, message: "Connections on record" })
      .not.toContain(made[0]);
  });

  it("refuses a connection above the user's limit with a 429", async ({ user, minutes: _ }) => {
    const streams: Stream[] = [];
    const openAll = async () => {
      while (streams.length < manyConnections) streams.push(await connect(user));
    };
    await expect(openAll()).rejects.toThrow("The connection was refused with 429");
    for (const stream of streams) stream.close();
  });
});
