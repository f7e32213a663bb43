import { describe, expect, test } from "vitest";
import { browserSocket } from "../support/browser-socket.ts";
import { deployment } from "../support/deployment.ts";
import { expectNoTraceOf } from "../support/expectations.ts";
import { connect, expectToWork, type Handshake, refusalOf } from "../support/stream.ts";
import { changeSettings } from "../support/terminal.ts";
import { forgeries } from "../support/tokens.ts";
import { someUser, twoUsers, type User } from "../support/users.ts";

const cookie = (token: string) => `access_token=${token}`;
const bearer = (token: string) => `Bearer ${token}`;
const foreign = "https://elsewhere.example";
const allowed = [deployment().allowedOrigin].filter((origin) => origin !== undefined);

describe("A client is let in", () => {
  test.each<[title: string, handshake: (token: string) => Handshake]>([
    ["by the header", (token) => ({ token })],
    ["by the header in lower case", (token) => ({ headers: { authorization: `bearer ${token}` } })],
    ["by the cookie", (token) => ({ headers: { Cookie: cookie(token) } })],
    ["by the cookie among others", (token) => ({ headers: { Cookie: `a=1; ${cookie(token)}; b="2"` } })],
    ["by the header from a page of anywhere", (token) => ({ token, headers: { Origin: foreign } })],
    [
      "by the header, whatever the cookie says",
      (token) => ({ token, headers: { Cookie: cookie("garbage") } }),
    ],
  ])("%s, with no subprotocol", async (_, handshake) => {
    const stream = await connect(handshake((await someUser()).token));

    expect(stream.subprotocol).toBe("");
    await expectToWork(stream);
  });

  test.each<[title: string, handshake: (token: string) => Handshake]>([
    ["by the subprotocols", (token) => ({ subprotocols: ["access_token", token] })],
    [
      "by the subprotocols from a page of anywhere",
      (token) => ({ subprotocols: ["access_token", token], headers: { Origin: foreign } }),
    ],
    [
      "by the subprotocols, whatever the cookie says",
      (token) => ({ subprotocols: ["access_token", token], headers: { Cookie: cookie("garbage") } }),
    ],
    [
      "by the header, whatever the subprotocols say",
      (token) => ({ token, subprotocols: ["access_token", "garbage"] }),
    ],
  ])("%s, and is told the one that names no token", async (_, handshake) => {
    const stream = await connect(handshake((await someUser()).token));

    expect(stream.subprotocol).toBe("access_token");
    await expectToWork(stream);
  });

  test("by the subprotocols of the web platform's own WebSocket", async () => {
    const socket = await browserSocket(["access_token", (await someUser()).token]);

    expect(socket.subprotocol).toBe("access_token");
    socket.send({ type: "ping", id: "from a page" });
    expect(await socket.take({ id: "from a page" })).toMatchObject({ type: "pong" });
  });

  test.each(allowed)("by the cookie from a page of %s", async (Origin) => {
    const { token } = await someUser();

    await expectToWork(await connect({ headers: { Cookie: cookie(token), Origin } }));
  });
});

describe("A client is refused with 401, and not told more,", () => {
  test.each<[title: string, handshake: (token: string) => Handshake]>([
    ["without a token", () => ({})],
    ["with a token in the address", (token) => ({ query: `?access_token=${token}&token=${token}` })],
    ["with the header's form in the address", (token) => ({ query: `?Authorization=Bearer%20${token}` })],
    ["with a word that is no token", () => ({ token: "garbage" })],
    ["with dots for a token", () => ({ token: ".." })],
    ["with the token without Bearer", (token) => ({ headers: { Authorization: token } })],
    ["with the token as Basic", (token) => ({ headers: { Authorization: `Basic ${token}` } })],
    ["with an empty cookie", () => ({ headers: { Cookie: cookie("") } })],
    [
      "with the cookie from a page of anywhere",
      (token) => ({ headers: { Cookie: cookie(token), Origin: foreign } }),
    ],
    [
      "with the cookie from a page that hides its origin",
      (token) => ({ headers: { Cookie: cookie(token), Origin: "null" } }),
    ],
    ["with the token as the only subprotocol", (token) => ({ subprotocols: [token] })],
    ["with the subprotocols the wrong way round", (token) => ({ subprotocols: [token, "access_token"] })],
    ["with one subprotocol too many", (token) => ({ subprotocols: ["access_token", token, "more"] })],
    ["with no token behind the subprotocol", () => ({ subprotocols: ["access_token"] })],
    [
      "with garbage in the header beside good subprotocols",
      (token) => ({ token: "garbage", subprotocols: ["access_token", token] }),
    ],
    [
      "with garbage in the header beside a good cookie",
      (token) => ({ token: "garbage", headers: { Cookie: cookie(token) } }),
    ],
    [
      "with garbage in the subprotocols beside a good cookie",
      (token) => ({ subprotocols: ["access_token", "garbage"], headers: { Cookie: cookie(token) } }),
    ],
    [
      "with two tokens in one header",
      (token) => ({ headers: { Authorization: `${bearer(token)}, ${bearer(token)}` } }),
    ],
  ])("%s", async (_, handshake) => {
    const { token } = await someUser();

    const answer = await refusalOf(handshake(token));

    expect(answer.status, answer.text).toBe(401);
    expectNoTraceOf(token, answer);
  });

  test.each(forgeries)("with a token with %s", async (_, forge) => {
    const token = await forge((await someUser()).token);

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

  test("by the web platform's own WebSocket too", async () => {
    await expect(browserSocket(["access_token", "garbage"])).rejects.toThrow("The connection failed");
  });
});

/** A client refuses by itself to ask for anything else. */
const isSubprotocol = (token: string) => /^[\w.-]+$/.test(token);

describe("Of two users' tokens, that of the", () => {
  test.each<[title: string, handshake: (winner: User, loser: User) => Handshake]>([
    [
      "header counts, not the subprotocols' or the cookie's",
      (winner, loser) => ({
        token: winner.token,
        subprotocols: ["access_token", loser.token],
        headers: { Cookie: cookie(loser.token) },
      }),
    ],
    [
      "subprotocols counts, not the cookie's",
      (winner, loser) => ({
        subprotocols: ["access_token", winner.token],
        headers: { Cookie: cookie(loser.token) },
      }),
    ],
  ])("%s", async (_, handshake) => {
    const [winner, loser] = await twoUsers();
    const stream = await connect(handshake(winner, loser));

    await changeSettings(loser, "eth", {});
    await changeSettings(winner, "sol", {});

    const events = { type: "TradingSettingsUpdated" };
    expect(await stream.take(events)).toMatchObject({ data: { chain: "sol" } });
  });
});
