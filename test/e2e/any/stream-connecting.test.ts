import { describe, expect, it, onTestFinished } from "vitest";
import { badHandshakes, goodHandshakes, goodSubprotocols, type Handshake } from "../../cases/handshakes.ts";
import { runsAll, sampled } from "../../cases/sample.ts";
import { forgeries } from "../../cases/tokens.ts";
import { deployment } from "../support/deployment.ts";
import { expectNoTraceOf } from "../support/expectations.ts";
import { createInbox, type Inbox } from "../support/inbox.ts";
import { connect, expectToWork, refusalOf, streamAddress } from "../support/stream.ts";
import { changeSettings } from "../support/terminal.ts";
import { forged } from "../support/tokens.ts";
import { someUser, twoUsers, type User } from "../support/users.ts";
import { keepAnswer, noteSecretsIn } from "../support/written.ts";

const cookie = (token: string) => `__Host-access_token=${token}`;
const allowed = [deployment().allowedOrigin].filter((origin) => origin !== undefined);

const user = someUser();

describe("the stream", () => {
  it.each(sampled(goodHandshakes))(
    "accepts a client with $title, and selects no subprotocol",
    async ({ value }) => {
      const stream = await connect(value(user.token));

      expect(stream.subprotocol).toBe("");
      await expectToWork(stream);
    },
  );

  it.each(sampled(goodSubprotocols))(
    "accepts a client with $title, and selects a subprotocol",
    async ({ value }) => {
      const stream = await connect(value(user.token));

      expect(stream.subprotocol).toBe("access_token");
      await expectToWork(stream);
    },
  );

  it("accepts the platform's WebSocket with a token among its subprotocols", async () => {
    const socket = await browserSocket(["access_token", user.token]);

    expect(socket.subprotocol).toBe("access_token");
    socket.send({ type: "ping", id: "from a page" });
    expect(await socket.take({ id: "from a page" })).toMatchObject({ type: "pong" });
  });

  it("refuses the platform's WebSocket with a bad token", async () => {
    await expect(browserSocket(["access_token", "garbage"])).rejects.toThrow("The connection failed");
  });

  it.each(allowed)("accepts the cookie from a page of %s", async (Origin) => {
    await expectToWork(await connect({ headers: { Cookie: cookie(user.token), Origin } }));
  });

  it.each(sampled(badHandshakes))("refuses $title with 401", async ({ value }) => {
    const answer = await refusalOf(value(user.token));

    expect(answer.status, answer.text).toBe(401);
    expectNoTraceOf(user.token, answer);
  });

  // REST requests use the same verifier, and their tests cover every rule.
  const some = runsAll() ? forgeries : sampled(forgeries).slice(0, 2);

  it.each(some)("refuses a token with $title, wherever it is sent", async ({ value: forge }) => {
    const token = await forged(forge, user.token);

    const answers = [
      await refusalOf({ token }),
      await refusalOf({ headers: { Cookie: cookie(token) } }),
      ...(isSubprotocol(token) ? [await refusalOf({ subprotocols: ["access_token", token] })] : []),
    ];

    for (const answer of answers) {
      expect(answer.status, answer.text).toBe(401);
      expectNoTraceOf(token, answer);
    }
  });
});

/** Tokens made of these characters only can be sent as a subprotocol. */
const isSubprotocol = (token: string) => /^[\w.-]+$/.test(token);

describe("the user of a connection", () => {
  it.each<[string, (winner: User, loser: User) => Handshake]>([
    [
      "the header, before the subprotocols and the cookie",
      (winner, loser) => ({
        token: winner.token,
        subprotocols: ["access_token", loser.token],
        headers: { Cookie: cookie(loser.token) },
      }),
    ],
    [
      "the subprotocols, before the cookie",
      (winner, loser) => ({
        subprotocols: ["access_token", winner.token],
        headers: { Cookie: cookie(loser.token) },
      }),
    ],
  ])("takes the user of a connection from %s", async (_, handshake) => {
    const [winner, loser] = await twoUsers();
    const stream = await connect(handshake(winner, loser));

    await changeSettings(loser, "eth", {});
    await changeSettings(winner, "sol", {});

    const events = { type: "TradingSettingsUpdated" };
    expect(await stream.take(events)).toMatchObject({ data: { chain: "sol" } });
  });
});

/** A connection through the platform's WebSocket, which can set subprotocols but no headers. */
type BrowserSocket = Inbox & { subprotocol: string; send(message: object): void };

/** @throws if the connection fails, for example because the server selects none of the subprotocols. */
async function browserSocket(subprotocols: string[]): Promise<BrowserSocket> {
  noteSecretsIn({ head: subprotocols });
  const socket = new WebSocket(streamAddress(), subprotocols);
  const inbox = createInbox();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.addEventListener("open", () => resolve());
  socket.addEventListener("message", ({ data }) => {
    keepAnswer(String(data));
    inbox.put(String(data));
  });
  socket.addEventListener("error", () => reject(new Error("The connection failed")));
  socket.addEventListener("close", ({ code }) => inbox.close(code));
  onTestFinished(() => socket.close());
  await promise;
  return {
    ...inbox,
    subprotocol: socket.protocol,
    send: (message) => socket.send(JSON.stringify(message)),
  };
}
